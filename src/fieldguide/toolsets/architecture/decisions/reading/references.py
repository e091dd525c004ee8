"""What a text says about other records: that it supersedes, replaces, amends or only mentions them.

The words around a mention decide. "Superseded by" and "supersedes" are told apart, "partly" is kept, and a mention
without such words is a mention.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath

from fieldguide import linear_regex as re
from fieldguide.document_formats.document import ReadDocument
from fieldguide.toolsets.architecture.adr_names import is_dated
from fieldguide.toolsets.architecture.decisions.reading.front_matter import FrontMatter
from fieldguide.toolsets.architecture.decisions.reading.record import Passage, Reference, Tie

LINKED = re.compile(r"\[([^\[\]\n]{0,200})\]\(\s*<?([^()\s>]{1,300})>?[^()\n]{0,100}\)")
NAMED = re.compile(
    r"(?<![\w/])(?:ADRs?|adr|decisions?|records?|RFC)[\s:#_-]{0,3}(?:No\.?\s*|Number\s*)?#?0*(\d{1,5})\b"
)
PART_OF_A_NAME = re.compile(r"[\w/-]*\.md|\.\d")
LONGEST_NAME = 300
DIGITS = frozenset("0123456789")
NUMBER = re.compile(r"(?<![\w.])(?:adr[-_ #]{0,2})?0*(\d{1,5})(?=[-_.: ]|$)", re.IGNORECASE)
PATH_NUMBER = re.compile(r"(?:adr[-_]?)?0*(\d{1,7})(?=[-_./]|$)", re.IGNORECASE)
BARE_FILE = re.compile(r"(?<![\w(/])((?:adr[-_])?\d{3,8}[-_][\w.-]{3,150}?)(?:\.md)?(?=[\s,;)\]]|$)", re.IGNORECASE)
SUPERSEDED_BY = re.compile(
    r"\b(?:super[sc]ee?ded|replaced|obsoleted|overridden|overruled)\b[^.\n]{0,60}?\b(?:by|with)\b"
    r"|\bsuper[sc]ee?ded-by\b|\bsuccessor\b|\b(?:deprecated|rejected|dropped|abandoned)\b[^.\n]{0,30}\bin favou?r of\b",
    re.IGNORECASE,
)
SUPERSEDES = re.compile(
    r"\b(?:super[sc]ee?d(?:es?|ing)|obsoletes)\b|(?:^[\s*>+-]*|\bthis (?:adr|decision|record) (?:\w+ )?)(?:replaces"
    r"|overrides|overrules)\b",
    re.IGNORECASE,
)
AMENDED_BY = re.compile(
    r"\b(?:amended|updated|modified|extended|completed|refined|clarified|revised)\b[^.\n]{0,30}?\b(?:by|in)\b"
    r"|\bamended-by\b",
    re.IGNORECASE,
)
AMENDS = re.compile(
    r"\b(?:amends?|amending|updates|modifies|revises|refines|extends|completes|clarifies)\b", re.IGNORECASE
)
PARTLY = re.compile(r"\b(?:part(?:ly|ially|s)?|in part|partial|some)\b", re.IGNORECASE)
FRONT_TIES: dict[str, Tie] = {
    "superseded-by": "superseded_by",
    "supersededby": "superseded_by",
    "superceded-by": "superseded_by",
    "replaced-by": "superseded_by",
    "supersedes": "supersedes",
    "supercedes": "supersedes",
    "replaces": "supersedes",
    "amended-by": "amended_by",
    "amends": "amends",
    "related": "mentions",
    "related-to": "mentions",
    "see-also": "mentions",
}
FRONT_NUMBER = re.compile(r"(?:adr[-_ #]{0,2})?0*(\d{1,5})", re.IGNORECASE)
CODE = re.compile(r"`[^`\n]{1,300}`")
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d{1,2}[.)])\s)")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\[(])")
BEFORE = 240
AFTER = 60
MOST_REFERENCES = 200


def read_references(document: ReadDocument, front: FrontMatter, status: Passage | None) -> tuple[Reference, ...]:
    """All that a record says about others, in its order; a tie that its status gives comes with the status's line."""
    found = list(_from_front_matter(front))
    previous = ""
    is_code = False
    for number, line in enumerate(document.lines[front.lines :], start=front.lines + 1):
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            is_code = not is_code
        if not is_code and stripped:
            read = CODE.sub(_blank, line.rstrip()) if "`" in line else line.rstrip()
            found += islice(_in_line(read, number, previous), MOST_REFERENCES)
        previous = stripped
        if len(found) > MOST_REFERENCES:
            break
    if status and status.last_line <= front.lines:
        found += _in_line(status.text, status.first_line, "")
    return tuple(dict.fromkeys(found))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def mentions_in(text: str) -> tuple[Reference, ...]:
    """What a proposal says about records; `text` is the sentence that says so, though it may take several lines."""
    found: list[Reference] = []
    for paragraph in PARAGRAPH.split(text):
        for sentence in _sentences(" ".join(paragraph.split())):
            found += islice(_in_line(sentence, 1, ""), MOST_REFERENCES)
            if len(found) > MOST_REFERENCES:
                return tuple(dict.fromkeys(found))
    return tuple(dict.fromkeys(found))


def _sentences(text: str) -> Iterator[str]:
    """A text, parted behind each sentence; a number with a dot ends none."""
    start = 0
    for match in SENTENCE.finditer(text):
        if match.start() > 1 and not text[match.start() - 2].isdecimal():
            yield text[start : match.start()]
            start = match.end()
    yield text[start:]


def _named_in(text: str) -> Iterator[re.Match[str]]:
    """The records that are named by their number, but for the names of files and versions."""
    for match in NAMED.finditer(text):
        if not PART_OF_A_NAME.match(text[match.end() : match.end() + LONGEST_NAME]):
            yield match


def _from_front_matter(front: FrontMatter) -> Iterator[Reference]:
    for key, tie in FRONT_TIES.items():
        value = front.values.get(key)
        for part in re.split(r"[,\s]+", value.text.strip("[] ")) if value else ():
            name = part.strip("\"'[]() ")
            number = None if is_dated(name) else FRONT_NUMBER.match(name)
            if value and (number or "-" in name or name.endswith(".md")):
                yield Reference(
                    tie, int(number.group(1)) if number else None, _file(name), value.line, f"{key}: {value.text}"
                )


def _in_line(line: str, number: int, previous: str) -> Iterator[Reference]:
    taken: list[tuple[int, int]] = []
    for match in LINKED.finditer(line) if "](" in line else ():
        target = match.group(2)
        if "://" in target and not re.search(r"/(?:adrs?|decisions?|architecture[\w-]*)/", target, re.IGNORECASE):
            continue
        path = _file(target)
        named = next(_named_in(match.group(1)), None) or NUMBER.match(match.group(1).strip())
        by_path = None if is_dated(path) else PATH_NUMBER.match(path)
        if target.startswith("#") or not (by_path or named or target.endswith(".md")):
            continue
        chosen = by_path or named
        taken.append(match.span())
        yield _reference(line, match.span(), int(chosen.group(1)) if chosen else None, path, number, previous)
    for match in () if DIGITS.isdisjoint(line) else (*_named_in(line), *BARE_FILE.finditer(line)):
        if any(start <= match.start() < end for start, end in taken):
            continue
        is_file = match.re is BARE_FILE
        path = _file(match.group(1)) if is_file else ""
        by_path = PATH_NUMBER.match(path) if is_file and not is_dated(path) else None
        value = int(by_path.group(1)) if by_path else None if is_file else int(match.group(1))
        taken.append(match.span())
        yield _reference(line, match.span(), value, path, number, previous)


def _reference(line: str, span: tuple[int, int], number: int | None, path: str, at: int, previous: str) -> Reference:
    near = line[max(0, span[0] - BEFORE) : span[0]]
    before = near if span[0] >= BEFORE else f"{previous[-BEFORE:]} {near}"[-BEFORE:]
    sentence_start = max(before.rfind(". "), before.rfind("; "), before.rfind("| ") if "|" not in line else -1)
    tie, around = _tie(before[sentence_start + 1 :], line[span[1] : span[1] + AFTER])
    return Reference(tie, number, path, at, line.strip(), bool(PARTLY.search(around)))


def _tie(before: str, after: str) -> tuple[Tie, str]:
    """The tie that the nearest words before a mention name; some write "ADR 3 is superseded by this"."""
    patterns: tuple[tuple[Tie, re.Pattern[str]], ...] = (
        ("superseded_by", SUPERSEDED_BY),
        ("supersedes", SUPERSEDES),
        ("amended_by", AMENDED_BY),
        ("amends", AMENDS),
    )
    found: list[tuple[int, int, Tie]] = [
        (match.end(), match.start(), tie) for tie, pattern in patterns for match in pattern.finditer(before)
    ]
    if found:
        _, start, tie = max(found)
        is_of_another = LINKED.search(before[:start]) or next(_named_in(before[:start]), None)
        said: Tie = "mentions" if is_of_another else tie
        return said, before
    if re.match(
        r"\W*(?:\w+\W+){0,3}?(?:is|are|was|were|been|being)\s+(?:now\s+)?(?:super[sc]ee?ded|replaced|obsolete)",
        after,
        re.IGNORECASE,
    ):
        return "supersedes", after
    return "mentions", before + after


def _file(target: str) -> str:
    """The name of the file that a link leads to, without its ending; a folder per record gives the folder's name."""
    path = PurePosixPath(target.split("#")[0].split("?")[0])
    return (
        path.parent.name
        if path.stem.lower() in ("index", "readme") and path.parent.name
        else path.name.removesuffix(".md")
    )
