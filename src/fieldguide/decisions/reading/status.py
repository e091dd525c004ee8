"""Where a record stands: the word that it uses, however it is written, and what that word means.

Real records say it in front matter, below a heading, in a line, in a table, in a badge, by a picture, or not at all.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.decisions.reading.page import Page
from fieldguide.decisions.reading.record import UNKNOWN, Passage, Standing
from fieldguide.decisions.reading.vocabulary import PICTURES, SAME_WORD, STANDINGS

LABELLED = (
    r"(?i)^[\s>*\-+|_:]*(?:<[a-z]+>\s*)*(?:\w+\s+)?{}\s*(?:</t[dh]>\s*<t[dh]>|[*_`]*\s*[:|=][*_`:|]*)\s*([^|<\n]*)"
)
LINES = {key: re.compile(LABELLED.format(key)) for key in ("status", "date")}
BADGE = re.compile(r"(?i)badge/status-([\w%-]+?)-\w+(?:\.svg)?[)\s?]|!\[\s*status[:\s-]+([\w -]+)\]")
RULE = re.compile(r"\s*\|?\s*:?-{2,}[\s:|-]*")
STRUCK = re.compile(r"(?i)~~[^~\n]*~~|<(?:del|s|strike)>[^<\n]*</")
WORD = re.compile(r"[^\W\d_]+")
REPLACED = re.compile(r"\b(?:super[sc]ee?ded|obsoleted|replaced)\b[^.;\n]{0,30}?\bby\b")
PARTLY = re.compile(r"\b(?:part(?:ly|ially|s)?|partial|some|amended)\b")
NEGATED = re.compile(r"\b(?:not|never|to be)[\s-]+(?:yet )?$")
IN_TITLE = re.compile(r"[\[(]([a-z]+)\b[^\])]*[\])]")
TOP_LINES, MOST_LINES = 40, 8
LONGEST_LINE, LONGEST_OWN_STATUS = 500, 40


class Status(NamedTuple):
    """A status that was understood: the word in lower case, and what it means."""

    word: str
    standing: Standing


def status_of(page: Page, title: str) -> tuple[Passage | None, Status]:
    """The status and where it stands; what is said of a successor, or in the title, wins over "accepted"."""
    passage = page.front.get("status") or _in_section(page) or told(page, "status")
    status = understand_status(passage.text.split("\n") if passage else ())
    if status.standing != "in force":
        return passage, status
    successor = next(_successors(page), None)
    if successor:
        return successor, Status("superseded", "retired")
    shown = [word for word in IN_TITLE.findall(title.lower()) if STANDINGS.get(word, "in force") != "in force"]
    return passage, _meaning(shown[0]) if shown else status


def told(page: Page, key: str) -> Passage | None:
    """What the top of a record says of its status or date: in front matter, a line, a row or a column."""
    for number, line in _top(page, TOP_LINES + page.front_lines) if key not in page.front else ():
        match = LINES[key].match(line) or (BADGE.search(line) if key == "status" else None)
        below = _cell_below(page.lines, number, key)
        if below:
            return Passage(below, number + 2, number + 2)
        if match:
            said = next(filter(None, match.groups()), "")
            return Passage(said.strip(" *_`"), number, number)
    return page.front.get(key)


def _successors(page: Page) -> Iterator[Passage]:
    """The lines before the first section with a purpose that say that the record is superseded."""
    purposes = (each.heading.line for each in page.sections if each.kind != "other")
    for number, line in _top(page, next(purposes, TOP_LINES)):
        if REPLACED.search(line.lower()) and understand_status([line]).standing == "retired":
            yield Passage(line.strip(), number, number)


def understand_status(lines: Sequence[str]) -> Status:
    """The status that these lines give, the first of them before the others; `unknown` where they give none.

    A line that names a successor wins over the word before it: many records are "Accepted" and, below, "Superseded by".
    """
    said = [STRUCK.sub(" ", line[:LONGEST_LINE]).strip().lower() for line in lines if line.strip()]
    if not said or said[0].count("|") > 1:  # a template's "proposed | rejected | accepted"
        return Status(UNKNOWN, "in force")
    if any(REPLACED.search(line) and not PARTLY.search(line) for line in said):
        return Status("superseded", "retired")
    own = " ".join(WORD.findall(said[0]))
    written = Status(own if 0 < len(own) <= LONGEST_OWN_STATUS else UNKNOWN, "in force")
    return next(filter(None, map(_first_word, said)), written)


def cells(line: str) -> list[str]:
    """The cells of a row."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _top(page: Page, end: int) -> Iterator[tuple[int, str]]:
    first = page.front_lines
    return enumerate(page.lines[first : min(end - 1, first + TOP_LINES)], start=first + 1)


def _in_section(page: Page) -> Passage | None:
    """What a status section says before the prose and the headings below it."""
    for section in page.sections:
        inline = section.heading.text.partition(":")[2].strip()
        lines = [inline] if inline else section.passage.text.split("\n")
        end = next((number for number, line in enumerate(lines) if line.startswith("#")), MOST_LINES)
        first = section.heading.line if inline else section.passage.first_line
        kept = lines[: min(end, MOST_LINES)]
        if section.kind == "status" and any(kept):
            return Passage("\n".join(kept), first, first + len(kept) - 1)
    return None


def _cell_below(lines: Sequence[str], number: int, name: str) -> str:
    """What stands below a column of the table whose header is line `number`; a table of two columns has keys."""
    if "|" not in lines[number - 1] or number + 1 >= len(lines) or not RULE.fullmatch(lines[number]):
        return ""
    names = [cell.strip("*_ ").lower() for cell in cells(lines[number - 1])]
    row = cells(lines[number + 1])
    at = names.index(name) if name in names else len(row)
    return row[at] if at < len(row) and (len(names) != 2 or at) else ""


def _first_word(line: str) -> Status | None:
    for match in WORD.finditer(line):
        if match.group() in STANDINGS and not NEGATED.search(line[: match.start()]):
            found = _meaning(match.group())
            is_part = found.standing == "retired" and PARTLY.search(line)
            return Status(f"partially {found.word}", "in force") if is_part else found
    return next((_meaning(PICTURES[character]) for character in line if character in PICTURES), None)


def _meaning(word: str) -> Status:
    return Status(SAME_WORD.get(word, word), STANDINGS[word])
