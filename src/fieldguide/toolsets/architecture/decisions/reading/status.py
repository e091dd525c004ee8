"""Where a record stands: the word that it uses, however it is written, and what that word means.

Real records say it in front matter, below a heading, in a line, in a table, in a badge, by a picture, or not at all.
"""

from collections.abc import Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.decisions.reading.front_matter import FrontMatter
from fieldguide.toolsets.architecture.decisions.reading.record import UNKNOWN, Passage, Standing
from fieldguide.toolsets.architecture.decisions.reading.sections import Chapter
from fieldguide.toolsets.architecture.decisions.reading.vocabulary import IN_FORCE, PICTURES, SAME_WORD, STANDINGS

LABELLED = (
    r"(?i)^[\s>*\-+|_:]*(?:<t[dh]>)?\s*(?:\w+\s+)?{}\s*(?:</t[dh]>\s*<t[dh]>|[*_`]*\s*[:|=][*_`:|]*)\s*([^|<\n]*)"
)
STATUS_LINE = re.compile(LABELLED.format("status"))
DATE_LINE = re.compile(LABELLED.format("date"))
BADGE = re.compile(r"(?i)badge/status-([\w%-]+?)-\w+(?:\.svg)?[)\s?]|!\[\s*status[:\s-]+([\w -]+)\]")
RULE = re.compile(r"\s*\|?\s*:?-{2,}[\s:|-]*")
STRUCK = re.compile(r"(?i)~~[^~\n]*~~|<(?:del|s|strike)>[^<\n]*</")
WORD = re.compile(r"[^\W\d_]+")
REPLACED = re.compile(r"\b(?:super[sc]ee?d|obsolet|replac)\w*\b[^.;\n]{0,30}?\bby\b")
PARTLY = re.compile(r"\b(?:part(?:ly|ially|s)?|partial|some|amended)\b")
NEGATED = re.compile(r"\b(?:not|never|to be)[\s-]+(?:yet )?$")
TITLE_STATUS = re.compile(r"(?i)[\[(]([a-z]+)\b[^\])]*[\])]")
TOP_LINES = 40
MOST_LINES = 8
LONGEST_OWN_STATUS = 40


class Status(NamedTuple):
    """A status that was understood: the word in lower case, and what it means."""

    word: str
    standing: Standing


class Top(NamedTuple):
    """What a record says of itself before and beside its text."""

    lines: Sequence[str]
    front: FrontMatter
    sections: Sequence[Chapter]
    title: str

    def status(self) -> tuple[Passage | None, Status]:
        """The status and where it stands; what is said of a successor, or in the title, wins over "accepted"."""
        passage = self._passage()
        status = status_of_passage(passage)
        if status.standing != IN_FORCE:
            return passage, status
        for number, line in self._preamble():
            said = understand_status([line])
            if said.standing == "retired" and REPLACED.search(line.lower()):
                return Passage(line.strip(), number, number), said
        for shown in TITLE_STATUS.finditer(self.title):
            word = shown.group(1).lower()
            if STANDINGS.get(word, IN_FORCE) != IN_FORCE:
                return passage, _meaning(word)
        return passage, status

    def date(self) -> str:
        """The day that the record gives, as it is written."""
        if "date" in self.front.values:
            return self.front.values["date"].text
        for number, line in self._top():
            match = DATE_LINE.match(line)
            said = cell_below(self.lines, number, "date") or (match.group(1) if match else "")
            if said:
                return said.strip(" *_`")
        return ""

    def _passage(self) -> Passage | None:
        """Where the status stands: front matter, then a section, then a line, a table row or a badge near the top."""
        given = self.front.values.get("status")
        if given and given.text:
            return Passage(given.text, given.line, given.line)
        for section in self.sections:
            found = _of_section(section) if section.kind == "status" else None
            if found and found.text.strip():
                return found
        for number, line in self._top():
            below = cell_below(self.lines, number, "status")
            match = STATUS_LINE.match(line) or BADGE.search(line)
            if below or match:
                said = below or next((group for group in match.groups() if group), "") if match or below else ""
                return Passage(said.strip(), number + 2 * bool(below), number + 2 * bool(below))
        return None

    def _top(self) -> list[tuple[int, str]]:
        first = self.front.lines
        return [*enumerate(self.lines[first : first + TOP_LINES], start=first + 1)]

    def _preamble(self) -> list[tuple[int, str]]:
        """What stands between the title and the first section with a purpose."""
        end = next((section.heading.line for section in self.sections if section.kind != "other"), TOP_LINES)
        return [(number, line) for number, line in self._top() if number < end]


def understand_status(lines: Sequence[str]) -> Status:
    """The status that these lines give, the first of them before the others; `unknown` where they give none.

    A line that names a successor wins over the word before it: many records are "Accepted" and, below, "Superseded by".
    """
    said = [STRUCK.sub(" ", line).strip().lower() for line in lines if line.strip()]
    if not said or said[0].count("|") > 1:  # a template's "proposed | rejected | accepted"
        return Status(UNKNOWN, IN_FORCE)
    for line in said:
        if REPLACED.search(line) and not PARTLY.search(line):
            return Status("superseded", "retired")
    for line in said:
        found = _first_word(line)
        if found:
            return found
    own = " ".join(WORD.findall(said[0]))
    return Status(own if 0 < len(own) <= LONGEST_OWN_STATUS else UNKNOWN, IN_FORCE)


def status_of_passage(passage: Passage | None) -> Status:
    """The status that a passage gives."""
    return understand_status(passage.text.splitlines() if passage else ())


def cell_below(lines: Sequence[str], number: int, name: str) -> str:
    """What stands below the column `name` of the table whose header is line `number`, counted from 1.

    A table of two columns is one of keys and values, whatever its first row is.
    """
    if "|" not in lines[number - 1] or number + 1 >= len(lines) or not RULE.fullmatch(lines[number]):
        return ""
    header, row = cells(lines[number - 1]), cells(lines[number + 1])
    names = [cell.strip("*_ ").lower() for cell in header]
    at = names.index(name) if name in names else len(row)
    is_keyed = len(names) == 2 and at == 0
    return row[at] if at < len(row) and not is_keyed else ""


def cells(line: str) -> list[str]:
    """The cells of a row."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _of_section(section: Chapter) -> Passage:
    """What a status section says before the prose and the headings below it."""
    inline = section.heading.text.partition(":")[2].strip()
    if inline:
        return Passage(inline, section.heading.line, section.heading.line)
    lines = section.passage.text.splitlines()
    end = next((number for number, line in enumerate(lines) if line.startswith("#")), len(lines))
    kept = lines[: min(end, MOST_LINES)]
    first = section.passage.first_line
    return Passage("\n".join(kept), first, first + max(len(kept) - 1, 0))


def _first_word(line: str) -> Status | None:
    for match in WORD.finditer(line[:500]):
        if match.group() not in STANDINGS or NEGATED.search(line[: match.start()]):
            continue
        found = _meaning(match.group())
        is_part = found.standing == "retired" and PARTLY.search(line)
        return Status(f"partially {found.word}", IN_FORCE) if is_part else found
    return next((_meaning(PICTURES[character]) for character in line if character in PICTURES), None)


def _meaning(word: str) -> Status:
    return Status(SAME_WORD.get(word, word), STANDINGS[word])
