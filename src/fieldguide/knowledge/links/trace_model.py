"""The values of a trace: ids, marks, nodes and links.

These are only the shapes of ids; which of them a project uses is learnt from where they are defined.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fieldguide.text import regex as re

SHAPE = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9]{0,9}[-_]){1,3}[0-9]{1,6}(?:\.[0-9]{1,3}){0,3}|[A-Z]{2,8} [0-9]{1,5}"
    r"|[A-Z]{2,8}[0-9]{3,6}|[Dd]ecision(?: record)? #?[0-9]{1,5}|#[0-9]{1,6}"
)
WHOLE = re.compile(r"(?i)[a-z][a-z0-9]*(?:[-_. ][a-z0-9]+){0,3}[-_. ]?#?[0-9]{1,6}(?:\.[0-9]{1,3}){0,3}|#[0-9]{1,6}")
NUMBER = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,3}){0,3}$")
IN_NAME = re.compile(r"(?i)(?:^|_)([a-z]{1,8}[0-9]?)_([0-9]{1,6})(?:_|$)")
BEFORE = frozenset("_-./\\#&@+$%=?")
AFTER = frozenset("_-/\\@")
LONGEST_LOWER = 4  # of a prefix in small letters: what is longer is a word
ISSUE_FAMILY = "#"


class IdKey(NamedTuple):
    """An id: its one spelling, and what it shares with its kin."""

    name: str
    family: str


class WrittenId(NamedTuple):
    """An id where it is written in a text."""

    key: IdKey
    start: int
    end: int


def parse_key(text: str) -> IdKey | None:
    """Parse an id as somebody writes it: `adr 0034`, `REQ_3`, `#12`; None if it has no number."""
    stripped = text.strip()
    if not WHOLE.fullmatch(stripped):
        return None
    return _key(stripped)


def find_ids(text: str) -> Iterator[WrittenId]:
    """Find the ids in a text, from left to right, except those within a path or a longer name."""
    for found in SHAPE.finditer(text):
        start, end = found.span()
        key = _key(found.group())
        if key is not None and _stands_alone(text, start, end) and _is_likely(found.group(), key):
            yield WrittenId(key, start, end)


def find_ids_in_name(name: str) -> list[IdKey]:
    """The ids in the name of a test: `test_req_12_is_kept`."""
    found = IN_NAME.finditer(name.removeprefix("Test"))
    return [IdKey(f"{each.group(1).upper()}-{int(each.group(2))}", each.group(1).upper()) for each in found]


def _key(text: str) -> IdKey | None:
    number = NUMBER.search(text)
    if number is None:
        return None
    prefix = text[: number.start()].strip(" -_.#").upper().replace("_", "-").replace(" ", "-").replace(".", "-")
    first, dot, rest = number.group().partition(".")
    spelled = f"{int(first)}{dot}{rest}"
    family = prefix.removesuffix("-RECORD")
    if not family:
        return IdKey(f"#{spelled}", ISSUE_FAMILY)
    return IdKey(f"{family}-{spelled}", family)


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = text[start - 1 : start] if start else ""
    after = text[end : end + 1]
    if before == "@":  # a tag of a scenario, but no part of an address
        before = text[start - 2 : start - 1].strip() if start > 1 else ""
    if before.isalnum() or before in BEFORE or after.isalnum() or after in AFTER:
        return False
    return not (after == "." and text[end + 1 : end + 2].isalnum())


def _is_likely(text: str, key: IdKey) -> bool:
    """Capitals, or a prefix so short that it is no word."""
    letters = text[: len(text) - len(text.lstrip("#abcdefghijklmnopqrstuvwxyz"))]
    return key.family in (ISSUE_FAMILY, "DECISION") or not letters or len(key.family) <= LONGEST_LOWER


DEFINES = "defines"
CLAIMS = "claims"
NAMES = "names"
RELATES = "relates"
PATH = "path"
SYMBOL = "symbol"
DECISION_TEXT = "decision"
COMMIT_TEXT = "commit"


class TraceMark(NamedTuple):
    """A name in a line: the key of an id, the last part of a path, or a symbol.

    `said` adds to it: the test that the line belongs to, the key of the front matter, or the whole path.
    """

    name: str
    role: str
    line: int
    family: str = ""
    said: str = ""


class TraceReading(NamedTuple):
    """The marks of a text; a decision also has a kind, a title and a status."""

    marks: list[TraceMark]
    kind: str = ""
    title: str = ""
    status: str = ""


REQUIREMENT = "requirement"
DECISION = "decision"
CODE = "code"
TEST = "test"
DOCUMENT = "document"
COMMIT = "commit"
FINDING = "finding"
TASK = "task"
ISSUE = "issue"
STEPS = (REQUIREMENT, DECISION, DOCUMENT, CODE, TEST, COMMIT, FINDING, TASK)
CERTAIN = 1.0
EXPLICIT = "explicit"
IMPORT = "import"
CHANGE = "change"
MINED = "mined"
"""How a link is known: written down, by the import graph, by git, or inferred from what both share."""
HOW = (EXPLICIT, IMPORT, CHANGE, MINED)


class TraceNode(NamedTuple):
    """The subject of a trace: a place in a file, or a commit, finding or task."""

    kind: str
    name: str
    title: str = ""
    path: str = ""
    line: int = 0
    text: str = ""


class TraceLink(NamedTuple):
    """Something related to the subject, how that is known, and with which confidence.

    `path` is a file, a folder with a slash at its end, or `commit:<id>`; `name` is the test, the id or the title.
    """

    kind: str
    path: str
    line: int
    why: str
    how: str = EXPLICIT
    confidence: float = CERTAIN
    name: str = ""


class Trace(NamedTuple):
    """A subject, its links in the order of the steps, and what is missing."""

    node: TraceNode
    links: list[TraceLink]
    missing: list[str]


def sort_links(links: Iterable[TraceLink]) -> list[TraceLink]:
    """Sort links by step and certainty, with only the surest to each place; a file may have several tests or ids."""
    best: dict[tuple[str, str, str], TraceLink] = {}
    for link in links:
        key = (link.kind, link.path, link.name if link.kind in (TEST, REQUIREMENT) else "")
        known = best.get(key)
        if known is None or _surer(link) < _surer(known):
            best[key] = link
    named = {link.path for link in best.values() if link.kind == TEST and link.name}
    unique = [link for link in best.values() if link.kind != TEST or link.name or link.path not in named]
    return sorted(unique, key=lambda link: (STEPS.index(link.kind), *_surer(link)))


def _surer(link: TraceLink) -> tuple[int, float]:
    return HOW.index(link.how), -link.confidence
