"""Finds questions worth asking of a project and asks its own tools."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from textwrap import dedent
from time import monotonic
from typing import Any, NamedTuple, cast

from fieldguide.cli.index import BackgroundRefresh
from fieldguide.cli.init_survey import ProjectSurvey
from fieldguide.code.symbols.facts import CALLABLE, TYPES
from fieldguide.code.symbols.lookup import Symbol, Symbols
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import IMPLEMENTATION, MARKED_UP, NOTEBOOK, find_format, find_role, is_test
from fieldguide.git.history import History, load_history
from fieldguide.knowledge.decisions.record import DecisionRecord
from fieldguide.prose.discovery import FoundDocument, get_known_text
from fieldguide.prose.readers import read_document
from fieldguide.settings.config import find_namespace, open_project_folder
from fieldguide.spine.tool import Answer
from fieldguide.team.served_project import App
from fieldguide.text import regex as re
from fieldguide.text.errors import FieldguideError, Refusal
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.toolsets.context.overview import is_program_code

VERBS = frozenset((
    "access", "add", "adopt", "analyze", "apply", "authenticate", "avoid", "benchmark", "bind", "build", "bundle",
    "cache", "call", "change", "check", "choose", "combine", "compile", "compose", "configure", "connect", "consume",
    "convert", "copy", "create", "customize", "customise", "debug", "declare", "define", "delete", "deploy", "detect",
    "develop", "disable", "embed", "enable", "encrypt", "evaluate", "export", "expose", "extend", "extract", "filter",
    "find", "fine-tune", "fix", "format", "generate", "group", "handle", "hide", "host", "implement", "import",
    "improve", "inject", "install", "instrument", "integrate", "invoke", "keep", "limit", "load", "log", "maintain",
    "make", "manage", "map", "measure", "merge", "migrate", "mock", "modify", "monitor", "move", "optimize", "order",
    "organize", "override", "package", "parse", "pass", "paginate", "persist", "prepare", "prevent", "process",
    "profile", "protect", "publish", "query", "read", "receive", "record", "redirect", "reduce", "refactor", "register",
    "release", "remove", "rename", "render", "replace", "report", "resolve", "restore", "restrict", "retry", "return",
    "reuse", "run", "save", "scale", "schedule", "scrape", "search", "secure", "select", "send", "separate", "serve",
    "set", "share", "show", "sign", "sort", "split", "start", "stop", "store", "stream", "structure", "style",
    "subscribe", "support", "switch", "test", "throttle", "throw", "trace", "track", "train", "transform", "translate",
    "trigger", "troubleshoot", "upload", "use", "validate", "verify", "wrap", "write",
))  # fmt: skip
NOUNS_TOO = frozenset((
    "access", "analyze", "benchmark", "bind", "build", "bundle", "cache", "call", "change", "check", "copy", "debug",
    "export", "filter", "find", "fix", "format", "group", "host", "import", "keep", "limit", "load", "log", "make",
    "map", "measure", "merge", "mock", "monitor", "move", "order", "package", "parse", "pass", "process", "profile",
    "query", "read", "record", "redirect", "release", "render", "report", "return", "retry", "run", "scale", "schedule",
    "search", "select", "set", "share", "show", "sign", "sort", "split", "start", "stop", "store", "stream",
    "structure", "style", "support", "switch", "test", "throw", "trace", "track", "transform", "trigger", "upload",
    "wrap", "write",
))  # fmt: skip
OPENING = frozenset((
    "a", "an", "the", "your", "my", "our", "to", "with", "without", "from", "for", "in", "into", "on", "up", "and",
    "multiple", "several", "custom", "new", "different", "static", "between", "using", "over", "all", "only",
))  # fmt: skip
DOUBLED = frozenset("bdgmnprt")
TITLE_NUMBER = re.compile(r"^\s*(?:\d+(?:\.\d+)*[.):]?\s+|step\s+\d+[.:)]?\s+)", re.IGNORECASE)
HOW_TO = re.compile(r"(?i)^how to (.+)$")
ASKED = re.compile(
    r"(?i)^(?:(?:how|why|when|where|which|can|do|does|should)\b|what (?:is|are)(?: [\w-]+){4,}|what (?:happens|if)\b)"
    r".{4,}\?$"
)
MARKUP = re.compile(
    r"!?\[([^\[\]`]*(?:`[^\[\]`]*`[^\[\]`]*)?)\](?:\([^()\[]*\)|\[[^\[\]]*\])"
    r"|:[\w:+.-]+:`~?([^`<]+?)(?:\s*<[^`]*>)?`|[`*]+|\{#[^{}]*\}"
)
"""What is written into a heading for looks. No part reads over what begins another, so that none is read again."""
PLAIN = re.compile(r"[A-Za-z][\w \-/.,'()+#@]*\??")
RUN_TESTS = re.compile(r"(?i)^(?:run|running)(?: the| all| unit)* tests?(?: suite)?$")
VAGUE = re.compile(
    r"(?i)^(?:(?:it|this|that|them|these|those|more|other|all|everything|and|or|with|the code|your own|help|now|up)\b)"
    r"|\b(?:licen[cs]e|sponsors?|donat\w+|contributors?|changelog|badges?|conduct|credits|this|these|docs?)\b"
    r"|\bv?\d+\.\d+|\b(?:todo|deprecated|bug|issues?|pull requests?)\b"
)
LEAST_WORDS = 2
MOST_WORDS = 9
LONGEST = 90


def make_heading_question(heading: str) -> str:
    """The question that a section with this heading answers; empty where none is plain."""
    plain = TITLE_NUMBER.sub("", strip_heading(heading))
    if len(plain) > LONGEST or not PLAIN.fullmatch(plain):
        return ""
    if ASKED.match(plain):
        return plain if _is_specific(plain.rstrip("?")) else ""
    if RUN_TESTS.match(plain):
        return "How do I run the tests?"
    how_to = HOW_TO.match(plain)
    task = how_to.group(1) if how_to else _find_task(plain)
    if not task or not _is_specific(task.partition(" ")[2]):
        return ""
    return f"How do I {_lowered(task)}?"


def make_decision_question(name: str, question: str) -> str:
    """What a decision answers: in its own words where it asks, else about its name."""
    asked = [line.strip() for line in question.split("\n") if line.strip().endswith("?")]
    if asked and len(asked[0]) <= LONGEST and asked[0][:1].isupper():
        return strip_heading(asked[0])
    plain = strip_heading(name).rstrip(".?! ")
    if not plain or len(plain) > LONGEST or " " not in plain:
        return ""
    first = plain.partition(" ")[0].lower()
    return f"Why {_lowered(plain)}?" if first in VERBS else f"What was decided about {plain}?"


def strip_heading(text: str) -> str:
    """A heading without its marks."""
    bare = MARKUP.sub(lambda match: match.group(1) or match.group(2) or "", text)
    return " ".join(bare.replace("¶", "").split())


def _find_task(heading: str) -> str:
    """What a heading tells to do, as somebody would say who wants it done; empty where it tells nothing to do."""
    first, _, rest = heading.partition(" ")
    word = first.lower()
    verb = word if word in VERBS else _verb_of(word)
    is_plain = verb not in NOUNS_TOO or rest.partition(" ")[0].lower() in OPENING  # "Test client" is no task
    return f"{verb} {rest}" if verb and rest and is_plain else ""


def _verb_of(word: str) -> str:
    """The verb of a word in -ing: using, running, building."""
    if not word.endswith("ing"):
        return ""
    stem = word.removesuffix("ing")
    undoubled = stem[:-1] if stem[-1:] in DOUBLED and stem[-2:-1] == stem[-1:] else stem
    return next((verb for verb in (stem, f"{stem}e", undoubled) if verb in VERBS), "")


def _is_specific(words: str) -> bool:
    return LEAST_WORDS <= len(words.split()) <= MOST_WORDS and not VAGUE.search(words)


def _lowered(text: str) -> str:
    """A text that goes on within a sentence; a name in capitals stays as it is."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


READING_SECONDS = 2.0
MOST_DOCUMENTS = 400
LARGEST_DOCUMENT_BYTES = 1 << 19
DEEPEST_HEADING = 3
MOST_OF_A_DOCUMENT = 12
LEAST_NAME = 4
LEAST_LINES = 4  # a section that says something
MOST_NAMES = 6
MOST_FILES = 6
MOST_ACTIVE = 60
MOST_OPENED = 12  # lines of a decision
SEARCH = "guide_search"
SYMBOL = "guide_symbol"
GOVERNS = "guide_governs"
FORMS = MARKED_UP | {NOTEBOOK}
ASIDE = re.compile(
    r"(?i)(?:^|/)(?:change|release|history|news|licen[cs]e|code.of.conduct|contribut|security|governance|maintain|"
    r"upgrad|migrat|deprecat|todo|roadmap|template|sponsor|backers|authors|blog|archive|legacy|old|meeting|"
    r"pull_request|issue_template|\.github|announc|faq|benchmark)|release.?notes|changelog|upgrading"
)
CENTRAL = re.compile(
    r"(?i)^(?:[^/]+/)?(?:readme|index|guide|quick.?start|getting.started|tutorial|usage|overview|how.?to)"
)
# Changed with every release, or by everybody who tries something out.
BUMPED = re.compile(r"(?i)(?:^|/)(?:__init__|_?_?version\w*|index|mod|setup|play\w*|scratch\w*|tmp\w*)\.\w+$")


class QuestionCandidate(NamedTuple):
    """A question, the tool that answers it and with what; a good answer comes from these lines of `path`."""

    question: str
    tool: str
    subject: str
    path: str
    start: int = 0
    end: int = 0
    kind: str = "document"
    is_opened: bool = False
    """Whether the lines are opened once the search has led to them: those that decide stand in the midst of a page."""


def ask_of_decisions(survey: ProjectSurvey) -> Iterator[QuestionCandidate]:
    """What was decided: of the records that hold, those that others speak of first, then the latest."""
    spoken_of = Counter(each.number for record in survey.decisions for each in record.references)
    holding = [each for each in survey.decisions if each.standing == "in force" and each.number not in (0, 1)]
    for record in sorted(holding, key=lambda each: (-spoken_of[each.number], -(each.number or 0), each.path)):
        yield from _decided(record)


def _decided(record: DecisionRecord) -> Iterator[QuestionCandidate]:
    """The question that a record answers, if it has one, and the first lines of what it decides."""
    question = make_decision_question(record.name, record.question.text if record.question else "")
    for said in record.decision[:1] if question else ():
        end = min(said.last_line, said.first_line + MOST_OPENED - 1)
        yield QuestionCandidate(
            question, SEARCH, question, record.path, said.first_line, end, "decision", is_opened=True
        )


def ask_of_documents(project: ConfinedFolder) -> Iterator[QuestionCandidate]:
    """What documents tell how to do: one question of each document, those at the heart of the project first."""
    documents = sorted(filter(_is_asked, get_known_text(project.root).now(project).documents), key=_rank)
    until = monotonic() + READING_SECONDS
    found: list[list[QuestionCandidate]] = []
    for each in documents[:MOST_DOCUMENTS]:
        if monotonic() > until:
            break
        questions = [*_ask_of_headings(project, each)][:MOST_OF_A_DOCUMENT]
        if questions:
            found.append(questions)
    for turn in zip_longest(*found):
        yield from filter(None, turn)


def ask_of_symbols(symbols: Symbols) -> Iterator[QuestionCandidate]:
    """Who uses what is used in most files: types first, for a project is told by them."""
    found: list[Symbol] = []
    for name in symbols.most_used():
        symbol = None
        if len(name) >= LEAST_NAME and not name.startswith("_"):
            symbol = _find_definition(symbols, name)
        if symbol is not None:
            found.append(symbol)
        if len(found) == MOST_NAMES * 2:
            break
    for each in sorted(found, key=lambda each: each.kind not in TYPES)[:MOST_NAMES]:
        yield QuestionCandidate(f"What is {each.qualified}, and who uses it?", SYMBOL, each.qualified, each.path)


def ask_of_history(history: History) -> Iterator[QuestionCandidate]:
    """What to look at before a change: of the files that are changed most."""
    left = MOST_FILES
    for path in history.most_active(MOST_ACTIVE):
        is_own = is_program_code(path) and find_role(path) == IMPLEMENTATION
        if is_own and not is_test(path) and not BUMPED.search(path):
            yield QuestionCandidate(f"What should I look at before I change {path}?", GOVERNS, path, path)
            left -= 1
        if not left:
            return


def _find_definition(symbols: Symbols, name: str) -> Symbol | None:
    """What a name stands for, where that is one thing of the implementation."""
    found = [each for each in symbols.definitions(name) if not is_test(each.path)]
    if len({each.path for each in found}) != 1 or find_role(found[0].path) != IMPLEMENTATION:
        return None
    return found[0] if found[0].kind in TYPES | CALLABLE else None


def _is_asked(document: FoundDocument) -> bool:
    return document.form in FORMS and not document.language and not ASIDE.search(document.path)


def _rank(document: FoundDocument) -> tuple[bool, bool, int, str]:
    """What is central first, then what lies in a folder of documentation, then what lies high."""
    depth = document.path.count("/") - (document.root.count("/") + 1 if document.root else 0)
    return not CENTRAL.search(document.path), not document.root, depth, document.path


def _ask_of_headings(project: ConfinedFolder, document: FoundDocument) -> Iterator[QuestionCandidate]:
    try:
        text = project.read(document.path, limit_bytes=LARGEST_DOCUMENT_BYTES).decode("utf-8", errors="replace")
    except Refusal:
        return
    read = read_document(document.path, text)
    ends = [*(heading.line - 1 for heading in read.headings[1:]), len(read.lines)]
    for heading, end in zip(read.headings, ends, strict=False):
        question = make_heading_question(heading.text) if heading.level <= DEEPEST_HEADING else ""
        if question and end - heading.line >= LEAST_LINES:
            yield QuestionCandidate(question, SEARCH, question, document.path, heading.line, end)


Ask = Callable[[str, dict[str, Any]], Answer]

ASKING_SECONDS = 3.0
LONGEST_SECONDS = 10.0
FEW = 3
MOST_HITS = 3
MOST_QUOTED = 4
OPEN = "guide_open"
LEAST_USES = 10
LEAST_RELATED = 2
LEAST_TOGETHER = 3
BUDGET = 1_000
LARGEST_BYTES = 1 << 21
NEAR_LINES = 6
TAB = 4
LEAST_PROSE = 40  # characters of a line that says something
TOGETHER = re.compile(r"changed with it in (\d{1,9}) of")
NUMBERED = re.compile(r"^(\d+)\| ?(.*)$")
GROUP = re.compile(r"^# (Called|Tests|Inherited by|As a type|Imported|Read|Documents) \((?:\d+ of )?(\d+)\)$")
NO_PROSE = re.compile(
    r"^\s*(?:[-=~^\"*_#+.:]{3,}|```.*|~~~.*|:::.*|<[^>]*>|\.\. .*|:\w+:.*|\[[^\]]*\]:.*|import .*)?\s*$"
)

NO_ANSWER = re.compile(rf"^\s*(?:#.*|\|.*|<!--.*|>.*)$|{NO_PROSE.pattern}")

NAMED = {
    "Called": ("call", "calls"),
    "Tests": ("in a test", "in tests"),
    "Inherited by": ("heir", "heirs"),
    "As a type": ("as a type", "as a type"),
    "Imported": ("import", "imports"),
    "Read": ("read", "reads"),
    "Documents": ("in a document", "in documents"),
}


class AnsweredQuestion(NamedTuple):
    """A question with its answer: where it stands, the lines that say it, and what reading it costs.

    `path` is the file that somebody would have to read instead; what is worth more is told first.
    """

    question: str
    tool: str
    arguments: dict[str, Any]
    citation: str
    quote: tuple[str, ...]
    tokens: int
    path: str
    worth: int = 0
    file_tokens: int = 0


def ask_candidates(candidates: Iterable[QuestionCandidate], ask: Ask) -> Iterator[AnsweredQuestion]:
    """The candidates whose answer is plain, as long as there is time; more of it while there are too few."""
    began = monotonic()
    found = 0
    for candidate in candidates:
        if monotonic() - began > (ASKING_SECONDS if found >= FEW else LONGEST_SECONDS):
            return
        try:
            told = ANSWERS[candidate.tool](candidate, ask)
        except FieldguideError:
            continue
        if told is not None:
            found += 1
            yield told


def add_file_cost(answer: AnsweredQuestion, project: ConfinedFolder) -> AnsweredQuestion:
    """The same with what the whole file costs whoever reads it instead."""
    if answer.tool == GOVERNS:  # no file says what belongs to another
        return answer
    try:
        content = project.read(answer.path, limit_bytes=LARGEST_BYTES)
    except Refusal:
        return answer
    return answer._replace(file_tokens=count_exact_tokens(content.decode("utf-8", errors="replace")))


def _searched(candidate: QuestionCandidate, ask: Ask) -> AnsweredQuestion | None:
    """The answer of a search; None where the first place is another than the one that the question was made from."""
    given = {"query": candidate.subject, "kinds": [candidate.kind], "limit": MOST_HITS}
    answer = ask(SEARCH, given)
    items = _items(answer)
    if not items or items[0]["path"] != candidate.path:
        return None
    if candidate.is_opened:
        return _opened(candidate, given, answer, ask)
    lines = _shown(answer.text, candidate)
    read = [_read(line, candidate.path).expandtabs(TAB) for _, line in lines]
    read = [*filter(None, read)][:MOST_QUOTED]
    if not read:
        return None
    quote = tuple(dedent("\n".join(read)).split("\n"))
    is_near = lines[0][0] <= candidate.start + NEAR_LINES
    is_prose = sum(len(line) >= LEAST_PROSE and line[:1].isalpha() for line in quote) > 1
    return _make_answer(candidate, given, answer, quote, is_near + is_prose, items[0])


def _opened(candidate: QuestionCandidate, given: dict[str, Any], found: Answer, ask: Ask) -> AnsweredQuestion | None:
    """The lines that decide, opened; None where they are hardly prose."""
    opened = ask(OPEN, {"citation": f"{candidate.path}#L{candidate.start}-L{candidate.end}"})
    items = _items(opened)
    lines = str(items[0].get("text", "")).split("\n") if items else []
    quote = tuple(line.rstrip() for line in lines if not NO_ANSWER.match(line))[:MOST_QUOTED]
    length = sum(map(len, quote))
    if length < LEAST_PROSE:
        return None
    told = _make_answer(candidate, given, found, quote, int(length >= 2 * LEAST_PROSE), items[0])
    return told._replace(tokens=told.tokens + count_exact_tokens(opened.text))


def _looked_up(candidate: QuestionCandidate, ask: Ask) -> AnsweredQuestion | None:
    """What is known of a name; None where hardly anybody uses it."""
    given = {"name": candidate.subject, "budget": BUDGET}
    answer = ask(SYMBOL, given)
    lines = answer.text.split("\n")
    uses = 0
    counted: list[str] = []
    for match in filter(None, map(GROUP.match, lines)):
        number = int(match.group(2))
        one, many = NAMED[match.group(1)]
        uses += number
        counted.append(f"{number:,} {one if number == 1 else many}")
    items = _items(answer)
    if not items or items[0]["path"] != candidate.path or uses < LEAST_USES:
        return None
    signature = next((line.strip() for line in lines[2:] if line.strip()), "")
    quote = (signature, f"used in {uses:,} places: {', '.join(counted)}")
    return _make_answer(candidate, given, answer, quote, uses, items[0])


def _governed(candidate: QuestionCandidate, ask: Ask) -> AnsweredQuestion | None:
    """What belongs to a file; None where little is known of that."""
    given = {"path": candidate.subject, "budget": BUDGET}
    answer = ask(GOVERNS, given)
    items = _items(answer)
    often = [each for each in sorted(items, key=_times_together, reverse=True) if _is_related(each)]
    tests = [each for each in often if each["kind"] == "test"][:1]
    others = [each for each in often if each["kind"] == "code"][: MOST_QUOTED - 1 - len(tests)]
    if len(tests) + len(others) < LEAST_RELATED or not others:
        return None
    quote = tuple(f"{each['path']}: {each['why']}" for each in (*others, *tests))
    return _make_answer(candidate, given, answer, quote, len(tests), others[0])


def _is_related(item: dict[str, Any]) -> bool:
    return _times_together(item) >= LEAST_TOGETHER or "import" in item["why"]


def _times_together(item: dict[str, Any]) -> int:
    """How often a file was changed together with the one that was asked for."""
    match = TOGETHER.search(item["why"])
    return int(match.group(1)) if match else 0


def _make_answer(
    candidate: QuestionCandidate,
    given: dict[str, Any],
    answer: Answer,
    quote: tuple[str, ...],
    worth: int,
    item: dict[str, Any],
) -> AnsweredQuestion:
    tokens = count_exact_tokens(answer.text)
    return AnsweredQuestion(
        candidate.question, candidate.tool, given, item["citation"], quote, tokens, candidate.path, worth
    )


def _items(answer: Answer) -> list[dict[str, Any]]:
    value = answer.value
    return list(cast("dict[str, Any]", value).get("items", ())) if isinstance(value, dict) else []


def _shown(text: str, candidate: QuestionCandidate) -> list[tuple[int, str]]:
    """The lines that the first hit shows, of those in the section that was asked for; the heading is no answer."""
    lines: list[tuple[int, str]] = []
    first_hit = text.partition("\n2. ")[0]
    for match in filter(None, map(NUMBERED.match, first_hit.split("\n"))):
        number = int(match.group(1))
        line = match.group(2).rstrip()
        is_inside = not candidate.end or candidate.start < number <= candidate.end
        if is_inside and not NO_PROSE.match(line):
            lines.append((number, line))
    return lines


def _read(line: str, path: str) -> str:
    """A line as a person reads it: in a notebook it is a text of JSON, which may have been cut."""
    if find_format(path) != NOTEBOOK:
        return line
    bare = line.strip().removesuffix(",").strip('"').removesuffix("\\n")
    return bare.replace('\\"', '"').replace("\\n", " ").strip()


ANSWERS = {SEARCH: _searched, SYMBOL: _looked_up, GOVERNS: _governed}


WANTED = 3
TEXT = ("architecture", "documents")
CODE = ("context",)
TEXT_SECONDS = 25.0
CODE_SECONDS = 10.0
MORE_SECONDS = 25.0
ENOUGH = 6  # good answers of one kind, of which the best are told


def ask_first_questions(app: App, survey: ProjectSurvey) -> tuple[list[AnsweredQuestion], bool]:
    """The questions with their answers, and whether everything was read before they were asked.

    Where the code is not read in time, the documents answer alone; only where they can't is it waited for longer.
    """
    asking = ProjectQuestions(app)
    is_whole = asking.has_read(TEXT, TEXT_SECONDS)
    told = [asking.best(ask_of_decisions(survey)), asking.best(ask_of_documents(asking.project))]
    is_code_read = asking.has_read(CODE, CODE_SECONDS)
    code = asking.about_code()
    if not is_code_read and sum(map(len, [*told, *code])) < WANTED:
        is_code_read = asking.has_read(CODE, MORE_SECONDS)
        code = asking.about_code()
    return [add_file_cost(each, asking.project) for each in choose_answers([*told, *code])], is_whole and is_code_read


class ProjectQuestions:
    """Reads a project and asks its tools, as a client would."""

    def __init__(self, app: App) -> None:
        self.project = open_project_folder(app.settings)
        self._app = app
        self._reading: dict[Sequence[str], BackgroundRefresh] = {}

    def has_read(self, toolsets: Sequence[str], seconds: float) -> bool:
        """Whether these have read the project within this time; who asks again waits on."""
        served = [each.name for each in self._app.toolsets if each.upkeep is not None and each.name in toolsets]
        reading = self._reading.setdefault(toolsets, BackgroundRefresh(self._app, served))
        return reading.wait(seconds)

    def best(self, candidates: Iterable[QuestionCandidate]) -> list[AnsweredQuestion]:
        """The questions that are answered, the most worth first; equal ones in their order."""
        found = islice(ask_candidates(candidates, self._app.executor.call), ENOUGH)
        return sorted(found, key=lambda each: -each.worth)

    def about_code(self) -> list[list[AnsweredQuestion]]:
        """What names stand for, and what to look at before a change."""
        database = self._app.engine().database
        namespace = find_namespace(self._app.settings)
        symbols = Symbols(database, namespace, self.project)
        history = load_history(database, namespace, self.project.root)
        return [self.best(ask_of_symbols(symbols)), self.best(ask_of_history(history))]


def choose_answers(kinds: Sequence[Sequence[AnsweredQuestion]]) -> list[AnsweredQuestion]:
    """Three answers: one of each kind in turn, no two of one file as long as there are others; the kinds in order."""
    ordered: list[tuple[int, AnsweredQuestion]] = []
    for turn in range(ENOUGH):
        ordered += [(place, kind[turn]) for place, kind in enumerate(kinds) if turn < len(kind)]
    picked: list[tuple[int, AnsweredQuestion]] = []
    while ordered and len(picked) < WANTED:
        found = min(ordered, key=lambda pair: _rivals(picked, *pair))
        ordered.remove(found)
        picked.append(found)
    return [each for _, each in sorted(picked, key=lambda pair: pair[0])]


def _rivals(picked: Sequence[tuple[int, AnsweredQuestion]], place: int, answer: AnsweredQuestion) -> tuple[bool, int]:
    """Whether an answer of the same file is picked already, and how many of its kind; the first of equals is taken."""
    is_same_file = any(each.path == answer.path for _, each in picked)
    return is_same_file, sum(other == place for other, _ in picked)
