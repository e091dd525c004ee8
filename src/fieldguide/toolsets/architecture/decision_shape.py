"""Whether a text is a decision by what it is: its headings, its front matter, its number, its words for a status.

One alone tells little: many pages have a "Context". So a text must have the sections that only decisions have, or be
numbered as they are and say what became of it. Templates and lists of decisions are none.
"""

from collections.abc import Iterator, Set
from pathlib import PurePosixPath

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.adr_names import is_dated, is_template
from fieldguide.toolsets.architecture.decisions.reading.vocabulary import kind_of

HEADING = re.compile(r"^(?:#{1,4}|={2,5})\s+(.+?)\s*#*\s*$")
BOLD = re.compile(r"^(?:\*\*|__)([^*_]{3,60})(?:\*\*|__)\s*:?\s*$")
UNDERLINE = re.compile(r"^([=\-~^*+\"#'`])[=\-~^*+\"#'`]{2,}\s*$")
FENCE = ("```", "~~~", "----", "....")
STATUS_LINE = re.compile(
    r"(?i)^[\s>*\-+|:_]*(?:decision\s+|current\s+|adr\s+)?status(?:\*\*|__)?(?:\s*[:|=](?:\*\*|__)?[:\s|*_`\[]*|\s{2,})"
    r"(accepted|proposed|draft|rejected|deprecated|superseded|superceded|approved|implemented|withdrawn|decided|final"
    r"|active|in review|under review|declined|obsolete|provisional|implementable|done|retired|replaced|amended|adopted"
    r"|postponed|obsoleted|partially|completed|in progress|last call|abandoned)"
)
MADR_KEY = re.compile(r"(?m)^(?:deciders|decision-makers|decision_makers|adr-id|adr_number|consulted|informed)\s*:")
ADR_NAME = re.compile(r"(?i)^(?:adr|tdr|madr|decision)[-_ .]?\d")
COUNTED = re.compile(r"(?i)^(?:(?:adr|rfc|tdr|dr|decision|kep|proposal)[-_ .]?)?\d{2,5}(?:[-_. ]|$)")
NUMBERED = re.compile(r"(?i)^(?:[a-z]{1,10}[-_ .]?)?\d{2,5}(?:[-_. ]|$)")
DECISION_TITLE = re.compile(
    r"(?i)^[\s\[]*(?:adr|architect(?:ure|ural) decision(?: record)?|decision record)\b[\s\]#:\-–—]*\w"
)
PLACEHOLDER = re.compile(
    r"(?i)^[\s#=]*(?:adr|rfc)?[-_ ]*(?:n{2,4}\b|x{2,4}\b|\?{2,4}|\{[^}]*\}|\[[^\]]*(?:title|number|solved)[^\]]*\]"
    r"|<[^>]*title[^>]*>)"
)
NOT_RECORDS = frozenset((
    "readme", "index", "_index", "toc", "contents", "summary", "glossary", "contributing", "process", "changelog",
    "changes", "overview", "introduction",
))  # fmt: skip
WORDS = ("status", "state", "decision", "decided", "outcome", "resolution", "chosen")
LOOKED_AT_LINES = 400
TOP_LINES = 30
TOP_CHARACTERS = 2000
LONGEST_LINE = 300


def is_decision(path: str, text: str) -> bool:
    """Whether a document is a decision, wherever it lies."""
    name = PurePosixPath(path).stem
    if name.lower() in NOT_RECORDS and not NUMBERED.match(PurePosixPath(path).parent.name):
        return False
    if is_template(name) or not (ADR_NAME.match(name) or _speaks_of_it(text)):
        return False
    lines = [line[:LONGEST_LINE].rstrip() for line in text.splitlines()[:LOOKED_AT_LINES]]
    headings = [*headings_of(lines)]
    if any(PLACEHOLDER.match(each) for each in headings[:1]):
        return False
    kinds = {kind_of(each) for each in headings} - {"other"}
    status = "status" in kinds or any(STATUS_LINE.match(line) for line in lines[:TOP_LINES])
    return _has_shape(kinds, has_status=status) or _is_told(path, headings, kinds, lines, has_status=status)


def _speaks_of_it(text: str) -> bool:
    """Whether a word stands there without which nothing is a decision: most documents need no closer look."""
    lowered = text.lower()
    return any(word in lowered for word in WORDS)


def may_be_numbered_with(path: str) -> bool:
    """Whether a file is named as decisions are that lie together, so that it is one where most around it are."""
    name = PurePosixPath(path).stem
    return bool(NUMBERED.match(name)) and not is_dated(name) and not is_template(name)


def is_numbered_with_status(path: str, text: str) -> bool:
    """Whether a file is numbered and says at its top what became of it: where many lie together, they are decisions."""
    return may_be_numbered_with(path) and any(STATUS_LINE.match(line) for line in text[:TOP_CHARACTERS].splitlines())


def _has_shape(kinds: Set[str], *, has_status: bool) -> bool:
    """Whether the sections are those of a decision."""
    if "decision" in kinds:
        return bool(kinds & {"context", "consequences", "options"}) or has_status
    return has_status and "consequences" in kinds and bool(kinds & {"context", "proposal", "discarded", "options"})


def _is_told(path: str, headings: list[str], kinds: Set[str], lines: list[str], *, has_status: bool) -> bool:
    """Whether the name, the title or the front matter calls it a decision, and something in it agrees."""
    name = PurePosixPath(path).stem
    is_called = bool(ADR_NAME.match(name)) or any(DECISION_TITLE.match(each) for each in headings[:1])
    agrees = has_status or bool(kinds & {"context", "decision", "consequences", "proposal", "design", "discarded"})
    if is_called and agrees:
        return True
    if MADR_KEY.search("\n".join(lines[:TOP_LINES])) and agrees and lines[:1] == ["---"]:
        return True
    has_case = bool(kinds & {"context", "proposal", "design"})
    return has_status and has_case and bool(COUNTED.match(name)) and not is_dated(name)


def headings_of(lines: list[str]) -> Iterator[str]:
    """The headings of a text in Markdown, reStructuredText or AsciiDoc, near enough to tell what they are about."""
    fence = ""
    for at, line in enumerate(lines):
        if fence:
            fence = "" if line.startswith(fence) else fence
            continue
        if line.startswith(FENCE[:2]):
            fence = line[:3]
            continue
        match = HEADING.match(line) or BOLD.match(line)
        if match or (line.startswith(("# ", "= "))):
            yield match.group(1) if match else line[2:].strip()
        elif at and UNDERLINE.match(line) and lines[at - 1].strip() and not UNDERLINE.match(lines[at - 1]):
            yield lines[at - 1].strip()
