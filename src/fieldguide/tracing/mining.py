"""Links between decisions and code that nobody wrote down: found by what both share, with a confidence and a reason."""

from collections.abc import Collection, Iterable
from functools import cached_property

from fieldguide.project_history.history import History
from fieldguide.source_code.languages import language_of
from fieldguide.source_code.roles import GENERATED, VENDORED, role_of
from fieldguide.source_code.test_files import is_test
from fieldguide.tracing.decisions import Decisions
from fieldguide.tracing.definers import Definers
from fieldguide.tracing.evidence import LARGEST_COMMIT, Evidence, confidence_of, reason_of
from fieldguide.tracing.likeness import Likeness
from fieldguide.tracing.marks import COMMIT, SYMBOL
from fieldguide.tracing.nodes import CODE, MINED, Link
from fieldguide.tracing.store import DecisionRow, TraceStore

MOST_COMMITS = 40
LEAST = 0.7
LEAST_STRONG = 8
MOST_NAMING = 2  # decisions
# fmt: off
NOT_CODE = frozenset((
    "asciidoc", "css", "csv", "go-mod", "html", "ignore", "ini", "json", "markdown", "mdx", "properties",
    "restructuredtext", "text", "toml", "tsv", "xml", "yaml",
))
# fmt: on


class Miner:
    """Weighs the links of one project."""

    def __init__(self, store: TraceStore, history: History, decisions: Decisions, definers: Definers) -> None:
        self._store = store
        self._history = history
        self._decisions = decisions
        self._definers = definers
        self._symbols: dict[str, dict[str, tuple[list[str], list[str]]]] = {}
        self._times: dict[str, dict[str, int]] = {}
        self._said: dict[str, dict[str, int]] = {}

    @cached_property
    def _likeness(self) -> Likeness:
        return Likeness(self._store.paths())

    def code_of(self, row: DecisionRow) -> list[Link]:
        """The code that a decision most likely is about, surest first."""
        links = [self.link(row, path) for path in self.candidates(row)]
        return sorted((each for each in links if each is not None), key=lambda each: (-each.confidence, each.path))

    def decisions_of(self, path: str, names: Iterable[str]) -> list[tuple[DecisionRow, Link]]:
        """The decisions that code most likely follows; `names` are symbols that it may define."""
        rows = {row.path: row for row in self._naming(path, names)}
        for change in self._history.commits_of(path, MOST_COMMITS):
            for mark in self._store.marks_of(f"{COMMIT}:{change.id}"):
                row = self._decisions.called(mark.name) if mark.family else None
                rows |= {} if row is None else {row.path: row}
            together = self._history.files_of(change.id)[:LARGEST_COMMIT]
            rows |= {other: row for other in together if (row := self._decisions.by_path.get(other)) is not None}
        found = [(row, link) for row in rows.values() if (link := self.link(row, path)) is not None]
        return sorted(found, key=lambda each: (-each[1].confidence, each[0].path))

    def _naming(self, path: str, names: Iterable[str]) -> list[DecisionRow]:
        found: list[DecisionRow] = []
        for name in names:
            placed = [each.path for each in self._store.named(name) if each.mark.role == SYMBOL]
            rows = [self._decisions.by_path[each] for each in placed if each in self._decisions.by_path]
            defined = self._definers.only(name) if rows else None
            found += rows if defined is not None and defined.path == path else []
        return found

    def candidates(self, row: DecisionRow) -> list[str]:
        """Code that anything speaks for."""
        found = dict.fromkeys(self._named_by(row))
        for identity in (*self._saying(row), *self._beginning(row)):
            found |= dict.fromkeys(self._history.files_of(identity))
        return [path for path in found if is_code(path)]

    def link(self, row: DecisionRow, path: str) -> Link | None:
        """The link between a decision and code, where it is likely enough."""
        evidence = self.evidence(row, path)
        confidence = confidence_of(evidence)
        if confidence < LEAST:
            return None
        defined = (
            self._definers.only((*evidence.strong, *evidence.weak)[0]) if evidence.strong or evidence.weak else None
        )
        return Link(CODE, path, defined.line if defined else 1, reason_of(evidence), MINED, round(confidence, 2))

    def evidence(self, row: DecisionRow, path: str) -> Evidence:
        """What speaks for a link."""
        strong, weak = self._named_by(row).get(path, ([], []))
        saying = self._saying(row)
        said = [(line > 1, self._size(each), each) for each, line in saying.items() if self._changes(each, path)]
        in_body, size, commit = min(said, default=(False, 0, ""))
        born = [self._size(each) for each in self._beginning(row) if self._changes(each, path)]
        together, _ = self._history.support(row.path, path)
        return Evidence(
            strong=tuple(strong),
            weak=tuple(weak),
            times=max((self._times[row.path][name] for name in strong), default=0),
            said=size,
            is_in_subject=bool(commit) and not in_body,
            commit=commit,
            born=min(born, default=0),
            together=together,
            likeness=self._likeness.of(f"{row.title} {row.path.rpartition('/')[2]}", path),
        )

    def _changes(self, commit: str, path: str) -> bool:
        return path in self._history.files_of(commit)

    def _named_by(self, row: DecisionRow) -> dict[str, tuple[list[str], list[str]]]:
        """The files that alone define symbols which a decision names: names that tell much, and others.

        The name of a method tells little where the decision does not name what it is a method of.
        """
        if row.path not in self._symbols:
            times = {mark.name: int(mark.said or 1) for mark in self._store.marks_of(row.path) if mark.role == SYMBOL}
            self._symbols[row.path], self._times[row.path] = self._defining(times), times
        return self._symbols[row.path]

    def _defining(self, names: Collection[str]) -> dict[str, tuple[list[str], list[str]]]:
        found: dict[str, tuple[list[str], list[str]]] = {}
        for name in names:
            defined = self._definers.only(name)
            if defined is not None and is_code(defined.path):
                strong, weak = found.setdefault(defined.path, ([], []))
                is_told = not defined.owner or defined.owner in names
                (strong if is_told and self._is_strong(name) else weak).append(name)
        return found

    def _is_strong(self, name: str) -> bool:
        """Whether a name tells much, and few decisions name it: what many name is what they all are written in."""
        if not _is_telling(name):
            return False
        naming = (each for each in self._store.named(name) if each.mark.role == SYMBOL)
        return sum(each.path in self._decisions.by_path for each in naming) <= MOST_NAMING

    def _saying(self, row: DecisionRow) -> dict[str, int]:
        """The commits whose messages name a decision, but for large ones, and the line of the message that does."""
        if row.path not in self._said:
            named = commits_naming(self._store, self._decisions, row)
            self._said[row.path] = {each: line for each, line in named.items() if self._is_small(each)}
        return self._said[row.path]

    def _beginning(self, row: DecisionRow) -> list[str]:
        """The commit that began a decision."""
        commits = self._history.commits_of(row.path, 1_000)
        return [commits[-1].id] if commits and self._is_small(commits[-1].id) else []

    def _is_small(self, commit: str) -> bool:
        return len(self._history.files_of(commit)) <= LARGEST_COMMIT

    def _size(self, commit: str) -> int:
        """How many files of code a commit changed."""
        return sum(map(is_code, self._history.files_of(commit)))


def commits_naming(store: TraceStore, decisions: Decisions, row: DecisionRow) -> dict[str, int]:
    """The commits whose messages name a decision, and in which line."""
    prefix = f"{COMMIT}:"
    found: dict[str, int] = {}
    for key in decisions.keys(row):
        if decisions.called(key.name) is row:
            for each in store.named(key.name):
                if each.path.startswith(prefix) and len(found) < MOST_COMMITS:
                    found.setdefault(each.path.removeprefix(prefix), each.mark.line)
    return found


def _is_telling(name: str) -> bool:
    """Whether a name is a type's or an exported one's, and long enough that nobody else gives it by chance."""
    return len(name) >= LEAST_STRONG and name[:1].isupper()


def is_code(path: str) -> bool:
    """Whether a file is code that a decision can be about: no test, no settings, nothing that a program wrote."""
    language = language_of(path)
    if language is None or language in NOT_CODE:
        return False
    return not is_test(path) and role_of(path) not in (GENERATED, VENDORED)
