"""Writes what the hooks of a client put before its model: a map for a prompt, what governs an edit, where a name is.

Nobody asked for these lines, so they hold paths, line numbers, identifiers and words of ours, and never the text of a
file, a title or a message (`text/display.py`). Every answer has a budget of tokens, and is empty where there is
nothing to say. The index is taken as it is: a hook waits for nothing.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

from fieldguide.code.symbols.lookup import Symbol, Symbols
from fieldguide.files.kinds import is_test, language_of
from fieldguide.git.history import load_history
from fieldguide.knowledge.links.stale import StaleStates
from fieldguide.spine.tool import Call
from fieldguide.spine.toolset import Services
from fieldguide.text import regex as re
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.display import keep_lines, keep_name, keep_owner, keep_path
from fieldguide.text.errors import FieldguideError, Refusal
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.toolsets.guide.brief import NAMES, plan_brief
from fieldguide.toolsets.guide.brief_candidates import TaskText
from fieldguide.toolsets.guide.brief_map import LIKELY, MOST_MAPPED, POSSIBLE, WEAK, BriefPlan, BriefStep, find_test
from fieldguide.toolsets.guide.governs import find_callers, find_owners, find_rules
from fieldguide.toolsets.guide.items import CODE, TEST, ProjectLines
from fieldguide.toolsets.guide.relations import find_mentions, list_names

BUDGETS = {"prompt": 500, "session": 150, "before-edit": 120, "after-edit": 200, "before-search": 80}
ARCHITECTURE = "architecture"
DOCUMENTS = "documents"
DECISIONS = "adr"
CODE_SOURCE = "code"
LIST_TASKS = "list_tasks"
LONGEST_PROMPT = 4_000
LARGEST_BYTES = 1 << 20
HISTORY_SECONDS = 0.5

Shows = Mapping[str, Callable[..., Any]]


class HookContext(NamedTuple):
    """What a hook is answered from."""

    services: Services
    symbols: Callable[[], Symbols]
    shows: Shows
    request: Mapping[str, Any]

    def text(self, field: str, longest: int = LARGEST_BYTES) -> str:
        """A text of the request; empty where it has none."""
        value = self.request.get(field)
        return value[:longest] if isinstance(value, str) else ""

    def path(self) -> str:
        """The file that is edited, as a path in the project; empty where it lies elsewhere or may not be told."""
        given = self.text("path", 4096)
        if not given:
            return ""
        root = os.path.realpath(self.services.project.root)
        whole = os.path.realpath(os.path.join(self.text("folder", 4096) or root, given))
        path = os.path.relpath(whole, root).replace(os.sep, "/")
        return "" if path.startswith("..") else keep_path(path)

    def read(self, path: str) -> str:
        """The text of a file; empty where it can't be read."""
        try:
            return self.services.project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8", "replace")
        except Refusal:
            return ""


def answer_hook(
    services: Services, symbols: Callable[[], Symbols], request: Mapping[str, Any], shows: Shows
) -> dict[str, Any]:
    """The text for one event and its tokens.

    The places that it names are there as citations, too, and the counts of a session, for the next one to compare with.
    """
    event = str(request.get("event"))
    context = HookContext(services, symbols, shows, request)
    if event == "session":
        counts = count_project(context)
        answer = _fit([*describe_session(counts, request.get("last"))], BUDGETS[event])
        return {**answer, "counts": counts}
    answer = _fit([*WRITERS[event](context)], BUDGETS[event])
    read = _read_map if event == "prompt" else CITED.findall
    return {**answer, "given": [*dict.fromkeys(read(answer["text"]))]}


CITED = re.compile(r"[^\s,;()]+#L\d+(?:-L\d+)?")


def _read_map(text: str) -> list[str]:
    """The places of a map: of each file its lines, or the file where it has none."""
    places: list[str] = []
    for line in text.splitlines():
        if not line[0].isdigit():
            continue
        path = line.split(" ", 2)[1]
        about, _, definitions = line.partition("): ")
        spans = [each.split(" ")[0] for each in definitions.split(", ")] if about != line else []
        places += [f"{path}#L{span.replace('-', '-L')}" for span in spans] or [path]
    return places


def _fit(lines: Sequence[str], budget: int) -> dict[str, Any]:
    """As many of the first lines as the budget holds."""
    kept: list[str] = []
    for line in keep_lines(lines):
        if count_exact_tokens("\n".join([*kept, line])) > budget:
            break
        kept.append(line)
    text = "\n".join(kept)
    return {"text": text, "tokens": count_exact_tokens(text)}


MAP_HEADING = (
    "Fieldguide's map for this prompt: files by their chance to change (of likely ones 2 in 3 do, of possible 1 in 4, "
    "of weak 1 in 20), with the lines of whole definitions."
)
MAP_HINT = "Change logs and files that are not indexed are not in it. `guide_open` shows lines (path#L3-L9)."
# The likeliest file of 69 commit messages had at least this chance in 96 %, of 100 prompts that are no task in 4 %; of
# 40 messages of four repositories that were left out in 78 %.
LEAST_CHANCE = 0.18


def write_map(context: HookContext) -> Iterator[str]:
    """The map of a task, where at least one place is likely."""
    task = TaskText(context.text("prompt", LONGEST_PROMPT))
    call = Call("hook", {}, Cancellation())
    lines = ProjectLines(context.services.project, sweeps=False)
    plan = plan_brief(context.services, context.symbols, task, lines, call, NAMES)
    files = [*_describe_files(plan)]
    if plan.best_chance < LEAST_CHANCE or not files:
        return
    yield f"{MAP_HEADING} {MAP_HINT}"
    also = [*filter(keep_path, plan.companions)]
    if also:
        yield f"Usually changes too: {', '.join(also)}"
    yield from files
    rules = [place for place in map(_cite, plan.rules) if place]
    if rules:
        yield f"Decisions and rules: {', '.join(rules)}"


MOST_DEFINITIONS = {LIKELY: 5, POSSIBLE: 3, WEAK: 1}  # definitions of a file


def _describe_files(plan: BriefPlan) -> Iterator[str]:
    """A line for each file of the map, in its order."""
    steps: dict[str, list[BriefStep]] = {}
    for step in dict.fromkeys((*plan.core, *plan.steps)):
        if not step.is_shown:
            steps.setdefault(step.path, []).append(step)
    for path, file in sorted(plan.files.items(), key=lambda each: each[1].number):
        chance = file.why.partition(";")[0]
        if file.number > MOST_MAPPED or not keep_path(path):
            continue
        is_weak = chance == WEAK
        test = f"; test {file.test}" if file.test and not is_weak and keep_path(file.test) else ""
        named = [step for step in steps.get(path, ())[: MOST_DEFINITIONS[chance]] if step.end > 1]
        places = [_describe_step(step, is_named=not is_weak) for step in named]
        yield f"{file.number}. {path} ({chance}{test}){': ' if places else ''}{', '.join(places)}"


def _describe_step(step: BriefStep, *, is_named: bool) -> str:
    """The lines of a definition, with its name where that is wanted, and is an identifier of code."""
    span = f"{step.start}-{step.end}" if step.end > step.start else str(step.start)
    name = keep_name(step.symbol) if is_named and step.kind in (CODE, TEST) else ""
    return f"{span} {name}".rstrip()


def _cite(step: BriefStep) -> str:
    return f"{step.path}#L{step.start}-L{step.end}" if keep_path(step.path) else ""


MOST_LANGUAGES = 4
MOST_TASKS = 500
SESSION_HINT = (
    "`guide_brief` maps a task, `guide_symbol` finds a name and its uses, `guide_governs` tells what applies to a file."
)
COUNTED = ("decisions", "open tasks", "stale findings", "stale documents")


def count_project(context: HookContext) -> dict[str, Any]:
    """What the index and the database have of a project, in numbers."""
    services = context.services
    engine = services.engine()
    languages: Counter[str] = Counter()
    decisions: list[str] = []
    with engine.database.reading() as transaction:
        store = engine.store(transaction)
        for source in store.sources(CODE_SOURCE):
            languages.update(language_of(name) or "other" for name in store.names(source.id))
        for source in store.sources(ARCHITECTURE):
            if source.name == DECISIONS:
                decisions += store.names(source.id)
        documents = sum(source.documents for source in store.sources(DOCUMENTS))
    stale = {place.document for place in StaleStates(engine.database, services.namespace).all()}
    findings = sum(document.startswith("finding://") for document in stale)
    counts: dict[str, Any] = {
        "files": dict(languages.most_common()),
        "documents": documents,
        "decisions": len(decisions),
        "stale findings": findings,
        "stale documents": len(stale) - findings,
    }
    tasks = _count_open_tasks(services)
    return counts if tasks is None else {**counts, "open tasks": tasks}


def _count_open_tasks(services: Services) -> int | None:
    """How many tasks wait for the user that is served; None where nobody knows who that is."""
    user = services.reader()
    if user is None:
        return None
    with suppress(FieldguideError):
        tool = services.find_tool(LIST_TASKS)
        call = Call(LIST_TASKS, {"user_id": user, "status": "pending"}, Cancellation(), user=user)
        rows: Sequence[Any] = tool.run(call)
        return len(rows[:MOST_TASKS])
    return None


def describe_session(counts: Mapping[str, Any], last: Any) -> Iterator[str]:
    """The project in counts, what changed since the last session, and which tool to begin with."""
    files: Mapping[str, int] = counts["files"]
    if not files and not counts["documents"]:
        return
    named = [f"{count} {language}" for language, count in [*files.items()][:MOST_LANGUAGES]]
    rest = sum([*files.values()][MOST_LANGUAGES:])
    kinds = ", ".join([*named, *([f"{rest} other"] if rest else [])]) or "no"
    yield f"Fieldguide has this project indexed: {kinds} files of code, {counts['documents']} documents."
    known = [f"{counts[name]} {name}" for name in COUNTED if counts.get(name)]
    if known:
        yield f"Also: {', '.join(known)}."
    changed = [*_compare(counts, last)]
    if changed:
        yield f"Since the last session: {', '.join(changed)}."
    yield SESSION_HINT


def _compare(counts: Mapping[str, Any], last: Any) -> Iterator[str]:
    if not isinstance(last, dict):
        return
    before = cast("dict[str, Any]", last)
    for name in COUNTED:
        now = counts.get(name)
        then = before.get(name)
        if isinstance(now, int) and isinstance(then, int) and now != then:
            yield f"{name} {then} → {now}"


LEAST_COMMON = 3  # commits that changed a file and its test
MOST_RULES = 3
MOST_OWNERS = 4


def write_governing(context: HookContext) -> Iterator[str]:
    """Rules, decisions, owners and the test of a file that is about to be changed; nothing where nothing governs it."""
    path = context.path()
    if not path:
        return
    parts = [*_find_governing_documents(context, path), *_find_owners(context, path), *_find_test(context, path)]
    if parts:
        yield f"{path}: {'; '.join(parts)}. `guide_governs` tells more."


def _find_governing_documents(context: HookContext, path: str) -> Iterator[str]:
    """The rules whose globs mean a file, and the decisions that name it."""
    services = context.services
    engine = services.engine()
    known: list[str] = []
    with engine.database.reading() as transaction:
        store = engine.store(transaction)
        for source in store.sources(ARCHITECTURE):
            known += sorted(store.names(source.id))
    rules = [f"{each.path}#L{each.line}" for each in find_rules(services.project, path, known) if keep_path(each.path)]
    if rules:
        yield f"rules {', '.join(rules[:MOST_RULES])}"
    names = list_names(path, context.read(path))
    mentions = find_mentions(engine, services.project, ARCHITECTURE, names)
    for kind, is_decision in (("decisions", True), ("patterns", False)):
        places = [
            f"{each.path}#L{each.start}-L{each.end}"
            for each in mentions
            if (each.source == DECISIONS) == is_decision and each.path != path and keep_path(each.path)
        ]
        if places:
            yield f"{kind} that name it {', '.join(places[:MOST_RULES])}"


def _find_owners(context: HookContext, path: str) -> Iterator[str]:
    owned = find_owners(context.services.project, path)
    owners = [*filter(None, map(keep_owner, owned.owners))] if owned is not None else []
    if owned is not None and owners:
        yield f"owners {' '.join(owners[:MOST_OWNERS])} ({owned.file}#L{owned.line})"


def _find_test(context: HookContext, path: str) -> Iterator[str]:
    """The test that changes with a file."""
    if is_test(path):
        return
    services = context.services
    database = services.engine().database
    history = load_history(database, services.namespace, services.project.root, wait_seconds=HISTORY_SECONDS)
    test = find_test(path, (), history)
    times, of = history.support(path, test) if test else (0, 0)
    if times >= LEAST_COMMON and keep_path(test):
        yield f"test {test} changed in {times} of its {of} commits"


RULES_SHOWN = "architecture.broken_rules"
DEFINED = re.compile(
    r"(?m)^[ \t]*(?:[a-z]+[ \t]+){0,4}"
    r"(?:def|class|function|func|fn|const|struct|enum|interface|type|trait|module)[ \t]+([A-Za-z_$][\w$]*)"
)
MOST_NAMES = 5
MOST_BROKEN = 3
MOST_TESTS = 4
MOST_DOCUMENTS = 3
LEAST_NAME = 4


def write_consequences(context: HookContext) -> Iterator[str]:
    """What an edit broke or left behind: declared rules, documents that name what is gone, the tests that reach it."""
    path = context.path()
    if not path:
        return
    text = context.read(path)
    spans = _find_spans(text, context.text("new"))
    yield from _list_broken_rules(context, path, spans)
    yield from _list_left_documents(context, path, text)
    yield from _list_tests(context, path, spans)


def _find_spans(text: str, new: str) -> list[tuple[int, int]]:
    """The lines that an edit put into a file; none where that is not known."""
    if not new.strip() or new not in text:
        return []
    start = text.count("\n", 0, text.index(new)) + 1
    return [(start, start + new.rstrip("\n").count("\n"))]


def _list_broken_rules(context: HookContext, path: str, spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The declared rules that the changed lines break; all of the file's where those are not known."""
    find = context.shows.get(RULES_SHOWN)
    found: Sequence[Any] = find(path) if find is not None else ()
    told: list[str] = []
    for each in found:
        is_near = not spans or any(start <= each.end_line and each.line <= end for start, end in spans)
        rule = keep_path(each.rule.id)
        where = keep_path(each.rule.document)
        if is_near and rule:
            told.append(f"{path}#L{each.line} breaks the rule {rule}{f' ({where})' if where else ''}")
    if told:
        yield "; ".join(told[:MOST_BROKEN])


def _list_left_documents(context: HookContext, path: str, text: str) -> Iterator[str]:
    """Documents that name a definition which the edit removed and which is defined nowhere else."""
    removed = [name for name in dict.fromkeys(DEFINED.findall(context.text("old"))) if name not in text]
    named = [name for name in removed[:MOST_NAMES] if len(name) >= LEAST_NAME and keep_name(name)]
    gone = [name for name in named if not _is_defined(context, name, path)]
    if not gone:
        return
    project = context.services.project
    mentions = find_mentions(context.services.engine(), project, DOCUMENTS, gone)
    places = [f"{each.path}#L{each.start} ({each.name})" for each in mentions if keep_path(each.path)]
    if places:
        yield f"Documents still name what is gone: {', '.join(places[:MOST_DOCUMENTS])}"


def _is_defined(context: HookContext, name: str, besides: str) -> bool:
    return any(each.path != besides for each in context.symbols().definitions(name))


def _list_tests(context: HookContext, path: str, spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The tests that reach what the changed lines define."""
    if is_test(path) or not spans:
        return
    found = find_callers(context.symbols(), [(path, start, end) for start, end in spans])
    places: dict[str, str] = {}
    for each, why in found:
        if why.startswith("tests ") and keep_path(each.path):
            name = keep_name(each.within)
            places.setdefault(each.path, f"{each.path}#L{each.line}{f' {name}' if name else ''}")
    if places:
        yield f"Tests that reach the changed lines: {', '.join([*places.values()][:MOST_TESTS])}"


MOST_PATTERNS = 3
MOST_PLACES = 3


def write_symbol(context: HookContext) -> Iterator[str]:
    """Where the name that is searched for is defined and how often it is used; nothing for any other text."""
    for name in _read_names(context.text("pattern", LONGEST_PROMPT)):
        found = context.symbols().definitions(name)
        places = [_cite_symbol(each) for each in found if keep_path(each.path)]
        if not places:
            continue
        uses = [use for use in context.symbols().references(found[0]) if use.is_certain and use.role != "define"]
        more = f" and {len(places) - MOST_PLACES} more" if len(places) > MOST_PLACES else ""
        files = len({use.path for use in uses})
        used = f"{len(uses)} uses in {files} files" if uses else "no resolved use"
        yield f"{name} is defined at {', '.join(places[:MOST_PLACES])}{more}; {used}. `guide_symbol` lists them."
        return


def _cite_symbol(symbol: Symbol) -> str:
    return f"{symbol.path}#L{symbol.line}-L{symbol.end_line}"


BEFORE_NAME = re.compile(
    r"^(?:\\b|\^|\\s[*+]?|\(\?i\)|(?:def|class|function|func|fn|struct|interface|type|const)(?: |\\s[*+]?))+"
)
AFTER_NAME = re.compile(r"(?:\\b|\$|\\?\(|\\s[*+]?|:|\s)+$")


def _read_names(pattern: str) -> list[str]:
    """The identifiers that a pattern of grep stands for: it is one, or a few with `|` between them."""
    names: list[str] = []
    for part in pattern.replace("\\|", "|").split("|")[:MOST_PATTERNS]:
        name = AFTER_NAME.sub("", BEFORE_NAME.sub("", part.strip())).replace("\\.", ".")
        if len(name) >= LEAST_NAME and keep_name(name) and not name.isdigit():
            names.append(name)
    return names


WRITERS: Mapping[str, Callable[[HookContext], Iterator[str]]] = {
    "prompt": write_map,
    "before-edit": write_governing,
    "after-edit": write_consequences,
    "before-search": write_symbol,
}
