"""What a text says about other records: that it supersedes, replaces, amends or only mentions them.

The words around a mention decide. "Superseded by" and "supersedes" are told apart, "partly" is kept, and a mention
without such words is a mention.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.decisions.names import SUFFIXES, is_dated, without_suffix
from fieldguide.decisions.reading.page import Page
from fieldguide.decisions.reading.prose import cut
from fieldguide.decisions.reading.record import Passage, Reference, Tie

LINKED = re.compile(r"\[([^\[\]\n]{0,200})\]\(\s*<?([^()\s>]{1,300})>?[^()\n]{0,100}\)")
XREF = re.compile(r"(?:xref|link):([^\s\[]{1,300})\[([^\]\n]{0,200})\]")  # AsciiDoc
ROLE = re.compile(r"`([^`<\n]{1,200})\s<([^>\s]{1,300})>`_{0,2}")  # reStructuredText
NAMED = re.compile(
    r"(?<![\w/])(?:ADRs?|adr|decisions?|records?|RFC|PEP|KEP)[\s:#_-]{0,3}(?:No\.?\s*|Number\s*)?#?0*(\d{1,5})\b"
)
PART_OF_A_NAME = re.compile(r"[\w/-]*\.(?:md|rst|adoc)|\.\d")
NUMBER = re.compile(r"(?<![\w.])(?:adr[-_ #]{0,2})?0*(\d{1,5})(?=[-_.: ]|$)", re.IGNORECASE)
PATH_NUMBER = re.compile(r"(?:(?:adr|pep|rfc)[-_]?)?0*(\d{1,7})(?=[-_./]|$)", re.IGNORECASE)
BARE_FILE = re.compile(r"(?<![\w(/])((?:adr[-_])?\d{3,8}[-_][\w.-]{3,150}?)(?:\.md)?(?=[\s,;)\]]|$)", re.IGNORECASE)
OF_RECORDS = re.compile(r"/(?:adrs?|decisions?|architecture[\w-]*)/", re.IGNORECASE)
CODE = re.compile(r"`[^`\n]{1,300}`")
BY_NUMBER = re.compile(r"(?i)((?a:\b)(?:super[sc]ee?ded|replaced|amended)[ -]by[: ]{1,2}#?)(\d{1,5})(?a:\b)")
SUPERSEDE, AMEND = r"(?:super[sc]ee?d|replac|obsolet|overr)", r"(?:amend|updat|modifi|extend|refin|clarifi|revis)"
TIES: dict[Tie, re.Pattern[str]] = {
    "superseded_by": re.compile(
        rf"(?i)\b{SUPERSEDE}\w*(?:ed|en)\b(?:[^.\n]{{0,60}}?\b(?:by|with)\b|-by\b)|\bsuccessor\b"
        r"|\b(?:deprecated|rejected|dropped)\b[^.\n]{0,30}\bin favou?r of\b"
    ),
    "supersedes": re.compile(
        r"(?i)\b(?:super[sc]ee?d(?:es?|ing)|obsoletes)\b"
        r"|(?:^[\s*>+-]*|\bthis (?:adr|decision|record) (?:\w+ )?)(?:replaces|overrides|overrules)\b"
    ),
    "amended_by": re.compile(rf"(?i)\b{AMEND}\w*ed\b(?:[^.\n]{{0,30}}?\b(?:by|in)\b|-by\b)"),
    "amends": re.compile(rf"(?i)\b{AMEND}(?:e?s|ing)?\b"),
}
GONE = re.compile(
    r"(?i)\W*(?:\w+\W+){0,3}?(?:is|are|was|were|been|being)\s+(?:now\s+)?(?:super[sc]ee?ded|replaced|obsol)"
)
PARTLY = re.compile(r"\b(?:part(?:ly|ially|s)?|in part|partial|some)\b", re.IGNORECASE)
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d{1,2}[.)])\s)")
IN_FRONT = re.compile(r"(?:super[sc]ede|replace|amend)(?:s|d|ed)(?:-?by)?|related(?:-to)?|see-also")
SEPARATOR = re.compile(r"[,\s\[\]\"']+")
DIGITS = frozenset("0123456789")
LONGEST_NAME = 300
BEFORE, AFTER = 240, 60
MOST_REFERENCES = 200


class _Mention(NamedTuple):
    """Where a line means a record, and by which number or file."""

    start: int
    end: int
    number: int | None
    path: str


def read_references(page: Page, status: Passage | None) -> tuple[Reference, ...]:
    """All that a record says about others, in its order; a tie that its status gives comes with the status's line."""
    found: list[Reference] = []
    for key, value in page.front.items():
        for part in SEPARATOR.split(value.text) if IN_FRONT.fullmatch(key) else ():
            said = f"{key.replace('by', ' by').replace('-', ' ')} [{part}]({part})"  # as a text would say it
            found += [each._replace(text=f"{key}: {value.text}") for each in _in_line(said, value.first_line, "")]
    if status and status.last_line <= page.front_lines:
        found += _in_line(_linked_number(status.text), status.first_line, "")
    previous = ""
    for number, written in enumerate(page.lines[page.front_lines :], start=page.front_lines + 1):
        is_status = status is not None and status.first_line <= number <= status.last_line
        line = _linked_number(written) if is_status else written
        found += islice(_in_line(line, number, previous), MOST_REFERENCES) if line.strip() else ()
        previous = line.strip()
        if len(found) > MOST_REFERENCES:
            break
    return tuple(dict.fromkeys(found))


def _linked_number(status: str) -> str:
    """A status with the number alone that follows "superseded by" as a link: nothing else can be meant there."""
    return BY_NUMBER.sub(r"\1[\2](\2)", status)


def mentions_in(text: str) -> tuple[Reference, ...]:
    """What a proposal says about records; `text` is the sentence that says so, though it may take several lines."""
    found: list[Reference] = []
    for paragraph in PARAGRAPH.split(text):
        for _, sentence in cut(" ".join(paragraph.split())):
            found += islice(_in_line(sentence, 1, ""), MOST_REFERENCES)
            if len(found) > MOST_REFERENCES:
                return tuple(dict.fromkeys(found))
    return tuple(dict.fromkeys(found))


def _in_line(written: str, at: int, previous: str) -> Iterator[Reference]:
    line = written
    for form, link in ((XREF, r"[\2](\1)"), (ROLE, r"[\1](\2)")) if "[" in line or "`" in line else ():
        line = form.sub(link, line)
    line = CODE.sub(lambda match: " " * len(match.group()), line) if "`" in line else line
    linked = [*islice(_linked(line), MOST_REFERENCES)] if "](" in line else []
    pieces, end = list[str](), 0
    for mention in linked:
        pieces += (line[end : mention.start], " " * (mention.end - mention.start))
        end = mention.end
    rest = "".join((*pieces, line[end:]))
    for mention in (*linked, *(() if DIGITS.isdisjoint(rest) else _named(rest))):
        yield _reference(line, mention, at, previous)


def _linked(line: str) -> Iterator[_Mention]:
    """The records that links lead to: by a number in the name of the file, else by one in the words."""
    for match in LINKED.finditer(line):
        target = match.group(2)
        told = next(_numbers(match.group(1)), None) or NUMBER.match(match.group(1).strip())
        mention = _of_file(match, target, told)
        is_own = "://" not in target or OF_RECORDS.search(target)
        if is_own and target[0] != "#" and (mention.number is not None or target.endswith(SUFFIXES)):
            yield mention


def _named(line: str) -> Iterator[_Mention]:
    """The records that are named by their number, and those by their file without a link."""
    yield from (_Mention(*match.span(), int(match.group(1)), "") for match in _numbers(line))
    files = (match for match in BARE_FILE.finditer(line) if not match.group(1).replace("-", "").isdigit())
    yield from (_of_file(match, match.group(1), None) for match in files)


def _of_file(place: re.Match[str], target: str, told: re.Match[str] | None) -> _Mention:
    path = _file(target)
    number = (None if is_dated(path) else PATH_NUMBER.match(path)) or told
    return _Mention(*place.span(), int(number.group(1)) if number else None, path)


def _numbers(text: str) -> Iterator[re.Match[str]]:
    """Where records are named by their number, but for the names of files and versions."""
    for match in NAMED.finditer(text):
        if not PART_OF_A_NAME.match(text[match.end() : match.end() + LONGEST_NAME]):
            yield match


def _reference(line: str, mention: _Mention, at: int, previous: str) -> Reference:
    near = line[max(0, mention.start - BEFORE) : mention.start]
    before = near if mention.start >= BEFORE else f"{previous[-BEFORE:]} {near}"[-BEFORE:]
    start = max(before.rfind(". "), before.rfind("; "), before.rfind("| ") if "|" not in line else -1)
    tie, around = _tie(before[start + 1 :], line[mention.end : mention.end + AFTER])
    return Reference(tie, mention.number, mention.path, at, line.strip(), bool(PARTLY.search(around)))


def _tie(before: str, after: str) -> tuple[Tie, str]:
    """The tie that the nearest words before a mention name; some write "ADR 3 is superseded by this"."""
    found: list[tuple[int, int, Tie]] = [
        (match.end(), match.start(), tie) for tie, pattern in TIES.items() for match in pattern.finditer(before)
    ]
    if found:
        _, start, tie = max(found)
        is_of_another = LINKED.search(before[:start]) or next(_numbers(before[:start]), None)
        return "mentions" if is_of_another else tie, before
    return ("supersedes", after) if GONE.match(after) else ("mentions", before + after)


def _file(target: str) -> str:
    """The name of the file that a link leads to, without its ending; a folder per record gives the folder's name."""
    path = PurePosixPath(target.split("#")[0].split("?")[0])
    is_folder = path.stem.lower() in ("index", "readme") and path.parent.name
    return path.parent.name if is_folder else without_suffix(path.name)
