"""Questions worth asking of a project, the most promising first: from its decisions, its documents and its code."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice, zip_longest
from time import monotonic
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.cli.beginning.survey import Survey
from fieldguide.cli.beginning.wording import question_of_decision, question_of_heading
from fieldguide.confinement import ConfinedFolder
from fieldguide.decisions.reading.record import Record
from fieldguide.document_formats.kinds import ASCIIDOC, MARKDOWN, MDX, NOTEBOOK, RST
from fieldguide.document_formats.readers import read_document
from fieldguide.errors import Refusal
from fieldguide.project_history.history import History
from fieldguide.project_text.finding import FoundDocument, known_text
from fieldguide.source_code.roles import IMPLEMENTATION, role_of
from fieldguide.source_code.test_files import is_test
from fieldguide.symbols.asking import Symbol, Symbols
from fieldguide.symbols.facts import CALLABLE, TYPES
from fieldguide.toolsets.context.overview.packages import is_code

READING_SECONDS = 2.0
MOST_DOCUMENTS = 400
LARGEST_BYTES = 1 << 19
DEEPEST_HEADING = 3
MOST_OF_A_DOCUMENT = 12
LEAST_NAME = 4
LEAST_LINES = 4  # a section that says something
MOST_NAMES, MOST_FILES, MOST_ACTIVE = 6, 6, 60
MOST_OPENED = 12  # lines of a decision
SEARCH, SYMBOL, GOVERNS = "guide_search", "guide_symbol", "guide_governs"
FORMS = frozenset((MARKDOWN, MDX, RST, ASCIIDOC, NOTEBOOK))
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


class Candidate(NamedTuple):
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


def from_decisions(survey: Survey) -> Iterator[Candidate]:
    """What was decided: of the records that hold, those that others speak of first, then the latest."""
    spoken_of = Counter(each.number for record in survey.decisions for each in record.references)
    holding = [each for each in survey.decisions if each.standing == "in force" and each.number not in (0, 1)]
    for record in sorted(holding, key=lambda each: (-spoken_of[each.number], -(each.number or 0), each.path)):
        yield from _decided(record)


def _decided(record: Record) -> Iterator[Candidate]:
    """The question that a record answers, if it has one, and the first lines of what it decides."""
    question = question_of_decision(record.name, record.question.text if record.question else "")
    for said in record.decision[:1] if question else ():
        end = min(said.last_line, said.first_line + MOST_OPENED - 1)
        yield Candidate(question, SEARCH, question, record.path, said.first_line, end, "decision", is_opened=True)


def from_documents(project: ConfinedFolder) -> Iterator[Candidate]:
    """What documents tell how to do: one question of each document, those at the heart of the project first."""
    documents = sorted(filter(_is_asked, known_text(project.root).now(project).documents), key=_rank)
    until = monotonic() + READING_SECONDS
    found: list[list[Candidate]] = []
    for each in documents[:MOST_DOCUMENTS]:
        if monotonic() > until:
            break
        if questions := [*_headed(project, each)][:MOST_OF_A_DOCUMENT]:
            found.append(questions)
    for turn in zip_longest(*found):
        yield from filter(None, turn)


def from_symbols(symbols: Symbols) -> Iterator[Candidate]:
    """Who uses what is used in most files: types first, for a project is told by them."""
    names = (name for name in symbols.most_used() if len(name) >= LEAST_NAME and not name.startswith("_"))
    found = [*islice((each for name in names if (each := _defined(symbols, name))), MOST_NAMES * 2)]
    for each in sorted(found, key=lambda each: each.kind not in TYPES)[:MOST_NAMES]:
        yield Candidate(f"What is {each.qualified}, and who uses it?", SYMBOL, each.qualified, each.path)


def from_history(history: History) -> Iterator[Candidate]:
    """What to look at before a change: of the files that are changed most."""
    own = (path for path in history.most_active(MOST_ACTIVE) if is_code(path) and role_of(path) == IMPLEMENTATION)
    for path in islice((path for path in own if not (is_test(path) or BUMPED.search(path))), MOST_FILES):
        yield Candidate(f"What should I look at before I change {path}?", GOVERNS, path, path)


def _defined(symbols: Symbols, name: str) -> Symbol | None:
    """What a name stands for, where that is one thing of the implementation."""
    found = [each for each in symbols.definitions(name) if not is_test(each.path)]
    if len({each.path for each in found}) != 1 or role_of(found[0].path) != IMPLEMENTATION:
        return None
    return found[0] if found[0].kind in TYPES | CALLABLE else None


def _is_asked(document: FoundDocument) -> bool:
    return document.form in FORMS and not document.language and not ASIDE.search(document.path)


def _rank(document: FoundDocument) -> tuple[bool, bool, int, str]:
    """What is central first, then what lies in a folder of documentation, then what lies high."""
    depth = document.path.count("/") - (document.root.count("/") + 1 if document.root else 0)
    return not CENTRAL.search(document.path), not document.root, depth, document.path


def _headed(project: ConfinedFolder, document: FoundDocument) -> Iterator[Candidate]:
    try:
        text = project.read(document.path, limit_bytes=LARGEST_BYTES).decode("utf-8", errors="replace")
    except Refusal:
        return
    read = read_document(document.path, text)
    ends = [*(heading.line - 1 for heading in read.headings[1:]), len(read.lines)]
    for heading, end in zip(read.headings, ends, strict=False):
        question = question_of_heading(heading.text) if heading.level <= DEEPEST_HEADING else ""
        if question and end - heading.line >= LEAST_LINES:
            yield Candidate(question, SEARCH, question, document.path, heading.line, end)
