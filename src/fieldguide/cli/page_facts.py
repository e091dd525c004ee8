"""Collects what the page of a project shows: index state, suggested questions, rules in words."""

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from fieldguide.cli.init_questions import ask_of_documents, ask_of_symbols
from fieldguide.code.symbols.lookup import Symbols
from fieldguide.knowledge.findings.finding import FindingRepository
from fieldguide.pages.site import QUESTIONS, IndexedShelf, IndexOverview
from fieldguide.settings.config import find_namespace, open_project_folder
from fieldguide.team.served_project import App
from fieldguide.text.citation import StalePlace
from fieldguide.text.errors import FieldguideError
from fieldguide.toolsets.upkeep import LateUpkeep

KINDS = {
    "documents": ("document", "documents", "/documents"),
    "code": ("file of code", "files of code", ""),
    "architecture": ("decision or pattern", "decisions and patterns", "/decisions"),
}
KEEPERS = ("context", "guide")
FINDINGS = ("finding", "findings", "/findings")


def read_index_state(app: App) -> IndexOverview:
    """What is in the index now, and how far it is while it is made; what went wrong, where it can't be told."""
    kept = _upkeeps(app)
    try:
        shelves = _shelves(app)
        standing = _standing(kept)
    except FieldguideError as error:
        return IndexOverview(problem=error.message)
    lacks = sorted({each.lack for each in kept if each.lack})
    return IndexOverview(shelves, any(each.is_at_work() for each in kept), standing, "; ".join(lacks))


def _upkeeps(app: App) -> list[LateUpkeep[Any]]:
    upkeeps: list[Any] = [each.upkeep for each in app.toolsets]
    return [each for each in upkeeps if isinstance(each, LateUpkeep)]


def _standing(kept: Sequence[LateUpkeep[Any]]) -> tuple[int, int] | None:
    """How many files are in the index, of how many; None where no first pass is under way."""
    found = [standing for each in kept if (standing := each.first_standing()) is not None]
    total = sum(each.total for each in found)
    return (sum(each.done for each in found), total) if total else None


def _shelves(app: App) -> tuple[IndexedShelf, ...]:
    engine = app.engine()
    shelves = [
        IndexedShelf(one, many, sum(source.documents for source in engine.sources(kind)), path)
        for kind, (one, many, path) in KINDS.items()
    ]
    if any(toolset.name in KEEPERS for toolset in app.toolsets):
        with app.database.reading() as transaction:
            found = FindingRepository(transaction, find_namespace(app.settings)).count()
        shelves.append(IndexedShelf(FINDINGS[0], FINDINGS[1], found, FINDINGS[2]))
    return tuple(shelves)


PATTERNS = "architecture.patterns"
TASKS = "tasks.page"
USERS = "tasks.users"
MOST_EXAMPLES = 40


def collect_shown(app: App) -> dict[str, Callable[..., Any]]:
    """Everything that the toolsets show, by `toolset.name`."""
    shows = app.shows()
    if (read := shows.get(PATTERNS)) is not None:
        shows = {**shows, PATTERNS: lambda: [_pattern(*each) for each in read()]}
    return {**shows, USERS: lambda: _users(app)} if TASKS in shows else shows


def _users(app: App) -> list[str]:
    from fieldguide.cli.in_process import TaskOwnerRepository

    with app.database.reading() as session:
        return TaskOwnerRepository(session).users()


def _pattern(document: Any, pattern: Any) -> dict[str, Any]:
    """A pattern document as the page shows it: its rules, what is advice, what can't be read, and its examples."""
    return {
        "name": document.name,
        "title": pattern.title,
        "path": document.path,
        "rules": [_rule(rule) for rule in pattern.rules],
        "advice": [each._asdict() for each in pattern.advice],
        "problems": [each._asdict() for each in pattern.problems],
        "examples": [*_examples(document.text)],
    }


def _rule(rule: Any) -> dict[str, Any]:
    from fieldguide.toolsets.architecture.rules.explanation import describe_rule

    return {
        "id": rule.id,
        "message": rule.message,
        "severity": rule.severity,
        "is_declared": rule.origin == "front-matter",
        "line": rule.document_line,
        "checked": describe_rule(rule),
        "fix": rule.fix or "",
    }


def _examples(text: str) -> Iterator[dict[str, Any]]:
    from fieldguide.toolsets.architecture.rules.examples import read_examples

    for each in read_examples(text)[:MOST_EXAMPLES]:
        yield each._asdict()


WANTED = 3
FROM_DOCUMENTS = 2
PATIENCE_SECONDS = 0.6


class SuggestedQuestions:
    """Gives what was found by now; the first to ask sets it going, and waits for a moment only."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._found: Sequence[str] = QUESTIONS
        self._is_found = threading.Event()
        self._lock = threading.Lock()
        self._is_begun = False

    def __call__(self) -> Sequence[str]:
        """Three questions: of this project, or those that fit every project as long as its own are not known."""
        with self._lock:
            if not self._is_begun:
                self._is_begun = True
                threading.Thread(target=self._find, name="questions", daemon=True).start()
        self._is_found.wait(PATIENCE_SECONDS)
        return self._found

    def _find(self) -> None:
        self._found = _found(self._app)
        self._is_found.set()


def _found(app: App) -> Sequence[str]:
    """Two of documents and one of a name, as far as there are such; then those that fit every project."""
    project = open_project_folder(app.settings)
    try:
        symbols = Symbols(app.engine().database, find_namespace(app.settings), project)
        asked = [each.question for each in islice(ask_of_documents(project), FROM_DOCUMENTS)]
        asked += [each.question for each in islice(ask_of_symbols(symbols), 1)]
    except FieldguideError:
        return QUESTIONS
    return [*dict.fromkeys([*asked, *QUESTIONS])][:WANTED]


def list_stale_places(app: App) -> Sequence[StalePlace]:
    """What is written about the code and no longer holds, as the last upkeep left it."""
    from fieldguide.knowledge.links.stale import StaleStates

    try:
        return StaleStates(app.engine().database, find_namespace(app.settings)).all()
    except FieldguideError:
        return ()
