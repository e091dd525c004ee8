"""Makes questions from a project's decisions, documents, symbols and history, and answers them with its own tools."""

from collections.abc import Iterator
from itertools import islice
from time import monotonic
from typing import Any, NamedTuple, cast

from fieldguide.app import App
from fieldguide.cli.console.indexing import Background, IndexPass
from fieldguide.cli.console.terminal import ProgressLine
from fieldguide.cli.init_survey import ProjectSurvey
from fieldguide.code.symbols.facts import CALLABLE, TYPES
from fieldguide.code.symbols.lookup import Symbol, Symbols
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import IMPLEMENTATION, MARKED_UP, find_role, is_test
from fieldguide.git.history import History, load_history
from fieldguide.prose.discovery import FoundDocument, get_known_text
from fieldguide.prose.readers import read_document
from fieldguide.settings.config import find_namespace, open_project_folder
from fieldguide.spine.tool import Answer
from fieldguide.text import regex as re
from fieldguide.text.errors import FieldguideError, Refusal
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.toolsets.context.overview import is_program_code

WANTED = 3
REFRESH_SECONDS = 30.0
ASKING_SECONDS = 30.0
READING_SECONDS = 2.0
MOST_DOCUMENTS = 400
MOST_QUOTED = 4
MOST_OPENED = 12  # lines of a decision
LARGEST_DOCUMENT_BYTES = 1 << 19
DEEPEST_HEADING = 3
LEAST_LINES = 4  # a section that says something
LEAST_NAME = 4
MOST_NAMES = 6
MOST_ACTIVE = 60
LONGEST = 90
BUDGET = 1_000
OPEN = "guide_open"
SEARCH = "guide_search"
SYMBOL = "guide_symbol"
GOVERNS = "guide_governs"
HOW_TO = re.compile(r"(?i)^(?:\d+(?:\.\d+)*[.):]? +)?how to ([\w \-/.,'()+#@]{8,})$")
ASKED = re.compile(r"(?i)^(?:how|why|when|where|which|can|does|should)\b[\w \-/.,'()+#@]{8,}\?$")
VAGUE = re.compile(r"(?i)\b(?:it|this|that|these|those|us|licen[cs]e|sponsors?|contribut\w*|changelog|v?\d+\.\d+)\b")
MARKUP = re.compile(r"\]\([^()\[]*\)|[`*\[¶]|\{#[^{}]*\}")
ASIDE = re.compile(
    r"(?i)(?:^|/)(?:change|release|history|news|licen[cs]e|code.of.conduct|contribut|security|upgrad|migrat|deprecat|"
    r"todo|roadmap|template|authors|blog|archive|legacy|pull_request|issue_template|\.github|faq)"
)
# Changed with every release.
BUMPED = re.compile(r"(?i)(?:^|/)(?:__init__|_?_?version\w*|index|mod|setup)\.\w+$")
NUMBERED = re.compile(r"^(\d+)\| ?(.*)$")
NO_PROSE = re.compile(r"^\s*(?:[-=~^\"*_#+.:|<>].{0,2}|#.*|```.*|~~~.*|\|.*|<.*)?\s*$")


class QuestionCandidate(NamedTuple):
    """A question, the tool that answers it and with what; a good answer comes from these lines of `path`."""

    question: str
    tool: str
    arguments: dict[str, Any]
    path: str
    start: int = 0


class AnsweredQuestion(NamedTuple):
    """A question with its answer: where it is, the lines that say it, and what reading it costs."""

    question: str
    tool: str
    arguments: dict[str, Any]
    citation: str
    quote: tuple[str, ...]
    tokens: int


def make_heading_question(heading: str) -> str:
    """The question that a section with this heading answers; empty where the heading does not ask one."""
    plain = " ".join(MARKUP.sub("", heading).split())
    how_to = HOW_TO.match(plain)
    is_plain = (how_to or ASKED.match(plain)) and len(plain) <= LONGEST and not VAGUE.search(plain)
    if not is_plain:
        return ""
    return f"How do I {how_to.group(1)}?" if how_to else plain


def make_decision_question(name: str, question: str) -> str:
    """What a decision answers: in its own words where it asks, else about its name."""
    asked = [line.strip() for line in question.split("\n") if line.strip().endswith("?")]
    if asked and len(asked[0]) <= LONGEST and asked[0][:1].isupper():
        return " ".join(MARKUP.sub("", asked[0]).split())
    plain = " ".join(MARKUP.sub("", name).split()).rstrip(".?! ")
    return f"What was decided about {plain}?" if " " in plain and len(plain) <= LONGEST else ""


def ask_of_decisions(survey: ProjectSurvey) -> Iterator[QuestionCandidate]:
    """What was decided in the records that hold, the latest first."""
    holding = [each for each in survey.decisions if each.standing == "in force" and each.number not in (0, 1)]
    for record in sorted(holding, key=lambda each: (-(each.number or 0), each.path)):
        question = make_decision_question(record.name, record.question.text if record.question else "")
        if question and record.decision:
            said = record.decision[0]
            last = min(said.last_line, said.first_line + MOST_OPENED - 1)
            given = {"citation": f"{record.path}#L{said.first_line}-L{last}"}
            yield QuestionCandidate(question, OPEN, given, record.path)


def ask_of_documents(project: ConfinedFolder) -> Iterator[QuestionCandidate]:
    """The questions of headings, of documents in documentation folders and high in the tree first."""
    documents = sorted(filter(_is_asked, get_known_text(project.root).now(project).documents), key=_rank)
    until = monotonic() + READING_SECONDS
    for document in documents[:MOST_DOCUMENTS]:
        if monotonic() > until:
            return
        yield from islice(_ask_of_headings(project, document), 1)


def _is_asked(document: FoundDocument) -> bool:
    return document.form in MARKED_UP and not document.language and not ASIDE.search(document.path)


def _rank(document: FoundDocument) -> tuple[int, str]:
    return document.path.count("/") - bool(document.root), document.path


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
            given = {"query": question, "kinds": ["document"], "limit": WANTED}
            yield QuestionCandidate(question, SEARCH, given, document.path, heading.line)


def ask_of_symbols(symbols: Symbols) -> Iterator[QuestionCandidate]:
    """Who uses what is used in most files: types first."""
    found: list[Symbol] = []
    for name in symbols.most_used():
        symbol = _find_definition(symbols, name)
        if symbol is not None:
            found.append(symbol)
        if len(found) == MOST_NAMES * 2:
            break
    for each in sorted(found, key=lambda each: each.kind not in TYPES)[:MOST_NAMES]:
        given = {"name": each.qualified, "budget": BUDGET}
        yield QuestionCandidate(f"What is {each.qualified}, and who uses it?", SYMBOL, given, each.path)


def _find_definition(symbols: Symbols, name: str) -> Symbol | None:
    """What a name stands for, where that is one thing of the implementation."""
    if len(name) < LEAST_NAME or name.startswith("_"):
        return None
    found = [each for each in symbols.definitions(name) if not is_test(each.path)]
    if len({each.path for each in found}) != 1 or find_role(found[0].path) != IMPLEMENTATION:
        return None
    return found[0] if found[0].kind in TYPES | CALLABLE else None


def ask_of_history(history: History) -> Iterator[QuestionCandidate]:
    """What to look at before a change: of the files that are changed most."""
    for path in history.most_active(MOST_ACTIVE):
        is_own = is_program_code(path) and find_role(path) == IMPLEMENTATION
        if is_own and not is_test(path) and not BUMPED.search(path):
            given = {"path": path, "budget": BUDGET}
            yield QuestionCandidate(f"What should I look at before I change {path}?", GOVERNS, given, path)


def ask_first_questions(app: App, survey: ProjectSurvey) -> tuple[list[AnsweredQuestion], bool]:
    """Up to three questions with their answers, of each kind in turn; and whether everything was read before."""
    here = IndexPass(app)
    with ProgressLine(here.paint):
        is_whole = here.wait(REFRESH_SECONDS)
    if not is_whole and Background(app.settings).start():
        here.stop()
    project = open_project_folder(app.settings)
    database = app.engine().database
    namespace = find_namespace(app.settings)
    until = monotonic() + ASKING_SECONDS
    kinds = [
        ask_of_decisions(survey),
        ask_of_documents(project),
        ask_of_symbols(Symbols(database, namespace, project)),
        ask_of_history(load_history(database, namespace, project.root)),
    ]
    waiting = [_answer(app, candidates, until) for candidates in kinds]
    answers: list[AnsweredQuestion] = []
    while waiting and len(answers) < WANTED:
        answered = next(waiting[0], None)
        if answered is None:
            waiting.pop(0)
        else:
            answers.append(answered)
            waiting.append(waiting.pop(0))
    return answers, is_whole


def _answer(app: App, candidates: Iterator[QuestionCandidate], until: float) -> Iterator[AnsweredQuestion]:
    """The candidates whose answer is plain, as long as there is time."""
    for candidate in candidates:
        if monotonic() > until:
            return
        try:
            answer = app.executor.call(candidate.tool, candidate.arguments)
        except FieldguideError:
            continue
        items = _list_items(answer)
        quote = QUOTES[candidate.tool](candidate, answer, items) if items else ()
        if quote:
            tokens = count_exact_tokens(answer.text)
            citation = str(items[0]["citation"])
            yield AnsweredQuestion(candidate.question, candidate.tool, candidate.arguments, citation, quote, tokens)


def _list_items(answer: Answer) -> list[dict[str, Any]]:
    value = answer.value
    return list(cast("dict[str, Any]", value).get("items", ())) if isinstance(value, dict) else []


def _quote_hit(candidate: QuestionCandidate, answer: Answer, items: list[dict[str, Any]]) -> tuple[str, ...]:
    """The lines that the first hit shows below the heading; none where it is in another file."""
    if items[0]["path"] != candidate.path:
        return ()
    numbered = filter(None, map(NUMBERED.match, answer.text.partition("\n2. ")[0].split("\n")))
    below = [match.group(2).rstrip() for match in numbered if int(match.group(1)) >= candidate.start]
    return tuple(line for line in below if not NO_PROSE.match(line))[:MOST_QUOTED]


def _quote_opened(candidate: QuestionCandidate, answer: Answer, items: list[dict[str, Any]]) -> tuple[str, ...]:
    """The first lines of prose in what was opened."""
    lines = [line.rstrip() for line in str(items[0].get("text", "")).split("\n")]
    return tuple(line for line in lines if not NO_PROSE.match(line))[:MOST_QUOTED]


def _quote_symbol(candidate: QuestionCandidate, answer: Answer, items: list[dict[str, Any]]) -> tuple[str, ...]:
    """The signature of a name, and how often it is used; none where nobody uses it."""
    lines = answer.text.split("\n")
    uses = [line[2:] for line in lines if line.startswith("# ") and line.endswith(")")]
    if items[0]["path"] != candidate.path or not uses:
        return ()
    signature = next((line.strip() for line in lines[2:] if line.strip()), "")
    return signature, ", ".join(uses)


def _quote_governed(candidate: QuestionCandidate, answer: Answer, items: list[dict[str, Any]]) -> tuple[str, ...]:
    """What belongs to a file; none where little does."""
    related = [f"{each['path']}: {each['why']}" for each in items if each["path"] != candidate.path]
    return tuple(related[:MOST_QUOTED]) if len(related) > 1 else ()


QUOTES = {OPEN: _quote_opened, SEARCH: _quote_hit, SYMBOL: _quote_symbol, GOVERNS: _quote_governed}
