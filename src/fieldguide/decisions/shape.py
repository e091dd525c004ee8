"""Whether a text is a decision by what it is: its headings, its front matter, its number, its words for a status.

One alone tells little: many pages have a "Context". So a text must have the sections that only decisions have, or be
numbered as they are and say what became of it. Templates and lists of decisions are none.
"""

from collections.abc import Iterator, Set
from pathlib import PurePosixPath

from fieldguide import linear_regex as re
from fieldguide.decisions.names import NO_DECISIONS, is_dated, is_template
from fieldguide.decisions.reading.page import Page, read_page
from fieldguide.decisions.reading.status import told, understand_status
from fieldguide.decisions.reading.vocabulary import STANDINGS, kind_of

MADR_KEYS = {"deciders", "decision-makers", "adr-id", "adr-number", "consulted", "informed"}
ADR_NAME = re.compile(r"(?i)^(?:adr|tdr|madr|decision)[-_ .]?\d")
COUNTED = re.compile(r"(?i)^(?:(?:adr|rfc|tdr|dr|decision|kep|proposal)[-_ .]?)?\d{2,5}(?:[-_. ]|$)")
NUMBERED = re.compile(r"(?i)^(?:[a-z]{1,10}[-_ .]?)?\d{2,5}(?:[-_. ]|$)")
DECISION_TITLE = re.compile(r"(?i)^[\s\[]*(?:adr|architect(?:ure|ural) decision|decision record)\b[\s\]#:\-–—]*\w")
UNFILLED = re.compile(
    r"(?i)(?:adr|rfc)?[-_ ]*(?:(?:n{2,4}|x{2,4})\b|\{[^}]*\}|<[^>]*title|\[[^\]]*(?:title|number|solved))"
)
WORDS = ("status", "state", "decision", "decided", "outcome", "resolution", "chosen")
LOOKED_AT_LINES, TOP_CHARACTERS, LONGEST_LINE = 400, 2000, 300


def is_decision(path: str, text: str) -> bool:
    """Whether a document is a decision, wherever it lies."""
    name = PurePosixPath(path).stem
    if _is_other(path) or not (ADR_NAME.match(name) or any(map(text.lower().__contains__, WORDS))):
        return False
    page = read_page(path, "\n".join(line[:LONGEST_LINE] for line in text.splitlines()[:LOOKED_AT_LINES]))
    title = next((heading.text for heading in page.document.headings), "")
    kinds = {*_kinds(page)}
    has_status = "status" in kinds or _has_status(page)
    calls = (ADR_NAME.match(name), DECISION_TITLE.match(title), MADR_KEYS.intersection(page.front))
    is_told = _is_told(name, kinds, is_called=any(calls), has_status=has_status)
    return not UNFILLED.match(title) and (is_told or _has_shape(kinds, has_status=has_status))


def _is_other(path: str) -> bool:
    """Whether a name is that of a list of decisions or of a template."""
    place = PurePosixPath(path)
    return is_template(place.stem) or (place.stem.lower() in NO_DECISIONS and not NUMBERED.match(place.parent.name))


def may_be_numbered_with(path: str) -> bool:
    """Whether a file is named as decisions are that lie together, so that it is one where most around it are."""
    name = PurePosixPath(path).stem
    return bool(NUMBERED.match(name)) and not is_dated(name) and not is_template(name)


def is_numbered_with_status(path: str, text: str) -> bool:
    """Whether a file is numbered and says at its top what became of it: where many lie together, they are decisions."""
    top = text[:TOP_CHARACTERS]
    return may_be_numbered_with(path) and "status" in top.lower() and _has_status(read_page(path, top))


def _kinds(page: Page) -> Iterator[str]:
    """What the headings are for; a label before a text, as minutes have them, is none."""
    for section in page.sections:
        line = page.lines[section.heading.line - 1]
        if line.startswith("#") or line.rstrip(": ").endswith(("**", "__")):
            yield kind_of(section.heading.text)


def _has_status(page: Page) -> bool:
    said = told(page, "status")
    return said is not None and not STANDINGS.keys().isdisjoint(understand_status([said.text]).word.split())


def _has_shape(kinds: Set[str], *, has_status: bool) -> bool:
    """Whether the sections are those of a decision."""
    if "decision" in kinds:
        return bool(kinds & {"context", "consequences", "options"}) or has_status
    return has_status and "consequences" in kinds and bool(kinds & {"context", "proposal", "discarded", "options"})


def _is_told(name: str, kinds: Set[str], *, is_called: bool, has_status: bool) -> bool:
    """Whether the name, the title or the front matter calls it a decision, and something in it agrees."""
    if is_called and (has_status or kinds & {"context", "decision", "consequences", "proposal", "design", "discarded"}):
        return True
    has_case = has_status and bool(kinds & {"context", "proposal", "design"})
    return has_case and bool(COUNTED.match(name)) and not is_dated(name)
