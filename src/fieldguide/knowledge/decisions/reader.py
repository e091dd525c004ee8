"""Reads a decision record: its title, status, date, decision and references to other records.

The words around a mention decide. "Superseded by" and "supersedes" are told apart, "partly" is kept, and a mention
without such words is a mention.

Real records say it in front matter, below a heading, in a line, in a table, in a badge, by a picture, or not at all.

Any text is a record to `read_record`; `recognition.py` says which documents are records.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

from fieldguide.files.kinds import MARKED_UP_SUFFIXES
from fieldguide.knowledge.decisions.options import find_answer, find_question, read_options
from fieldguide.knowledge.decisions.record import (
    DECISION_WORDS,
    PICTURES,
    PROPOSAL_WORDS,
    SAME_WORD,
    STANDINGS,
    UNKNOWN,
    DecisionRecord,
    RecordPage,
    RecordPassage,
    RecordReference,
    Standing,
    Tie,
    classify_heading,
    is_dated,
    plain_text,
    read_adr_id,
    read_own_name,
    read_page,
    read_record_number,
    split_name_words,
    strip_suffix,
)
from fieldguide.prose.markdown import strip_attributes
from fieldguide.text import regex as re

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
SUPERSEDE = r"(?:super[sc]ee?d|replac|obsolet|overr)"
AMEND = r"(?:amend|updat|modifi|extend|refin|clarifi|revis)"
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
IN_FRONT = re.compile(r"(?:super[sc]ede|replace|amend)(?:s|d|ed)(?:-?by)?|related(?:-to)?|see-also")
SEPARATOR = re.compile(r"[,\s\[\]\"']+")
DIGITS = frozenset("0123456789")
LONGEST_NAME = 300
BEFORE = 240
AFTER = 60
MOST_REFERENCES = 200


class _Mention(NamedTuple):
    """Where a line means a record, and by which number or file."""

    start: int
    end: int
    number: int | None
    path: str


def read_references(page: RecordPage, status: RecordPassage | None) -> tuple[RecordReference, ...]:
    """All that a record says about others, in its order; a tie that its status gives comes with the status's line."""
    found: list[RecordReference] = []
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


def _in_line(written: str, at: int, previous: str) -> Iterator[RecordReference]:
    line = written
    for form, link in ((XREF, r"[\2](\1)"), (ROLE, r"[\1](\2)")) if "[" in line or "`" in line else ():
        line = form.sub(link, line)
    line = CODE.sub(lambda match: " " * len(match.group()), line) if "`" in line else line
    linked = [*islice(_linked(line), MOST_REFERENCES)] if "](" in line else []
    pieces = list[str]()
    end = 0
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
        if is_own and target[0] != "#" and (mention.number is not None or target.endswith(MARKED_UP_SUFFIXES)):
            yield mention


def _named(line: str) -> Iterator[_Mention]:
    """The records that are named by their number, and those by their file without a link."""
    for match in _numbers(line):
        yield _Mention(*match.span(), int(match.group(1)), "")
    for match in BARE_FILE.finditer(line):
        if not match.group(1).replace("-", "").isdigit():
            yield _of_file(match, match.group(1), None)


def _of_file(place: re.Match[str], target: str, told: re.Match[str] | None) -> _Mention:
    path = _file(target)
    number = (None if is_dated(path) else PATH_NUMBER.match(path)) or told
    return _Mention(*place.span(), int(number.group(1)) if number else None, path)


def _numbers(text: str) -> Iterator[re.Match[str]]:
    """Where records are named by their number, but for the names of files and versions."""
    for match in NAMED.finditer(text):
        if not PART_OF_A_NAME.match(text[match.end() : match.end() + LONGEST_NAME]):
            yield match


def _reference(line: str, mention: _Mention, at: int, previous: str) -> RecordReference:
    near = line[max(0, mention.start - BEFORE) : mention.start]
    before = near if mention.start >= BEFORE else f"{previous[-BEFORE:]} {near}"[-BEFORE:]
    start = max(before.rfind(". "), before.rfind("; "), before.rfind("| ") if "|" not in line else -1)
    tie, around = _tie(before[start + 1 :], line[mention.end : mention.end + AFTER])
    return RecordReference(tie, mention.number, mention.path, at, line.strip(), bool(PARTLY.search(around)))


def _tie(before: str, after: str) -> tuple[Tie, str]:
    """The tie that the nearest words before a mention name; some write "ADR 3 is superseded by this"."""
    found: list[tuple[int, int, Tie]] = []
    for tie, pattern in TIES.items():
        for match in pattern.finditer(before):
            found.append((match.end(), match.start(), tie))  # noqa: PERF401 (a list loses the literal type)
    if found:
        _, start, nearest = max(found)
        if LINKED.search(before[:start]) or next(_numbers(before[:start]), None):
            return "mentions", before  # the words are about another record
        return nearest, before
    if GONE.match(after):
        return "supersedes", after
    return "mentions", before + after


def _file(target: str) -> str:
    """The name of the file that a link leads to, without its ending; a folder per record gives the folder's name."""
    path = PurePosixPath(target.split("#")[0].split("?")[0])
    is_folder = path.stem.lower() in ("index", "readme") and path.parent.name
    return path.parent.name if is_folder else strip_suffix(path.name)


LABELLED = (
    r"(?i)^[\s>*\-+|_:]*(?:<[a-z]+>\s*)*(?:\w+\s+)?{}\s*(?:</t[dh]>\s*<t[dh]>|[*_`]*\s*[:|=][*_`:|]*|\s{{2}})"
    r"\s*([^|<\n]*)"
)
LINES = {key: re.compile(LABELLED.format(key)) for key in ("status", "date")}
BADGE = re.compile(r"(?i)badge/status-([\w%-]+?)-\w+(?:\.svg)?[)\s?]|!\[\s*status[:\s-]+([\w -]+)\]")
RULE = re.compile(r"\s*\|?\s*:?-{2,}[\s:|-]*")
STRUCK = re.compile(r"(?i)~~[^~\n]*~~|<(?:del|s|strike)>[^<\n]*</")
WORD = re.compile(r"[^\W\d_]+")
REPLACED = re.compile(r"\b(?:super[sc]ee?ded|obsoleted|replaced)\b[^.;\n]{0,30}?\bby\b")
PARTLY_REPLACED = re.compile(r"\b(?:part(?:ly|ially|s)?|partial|some|amended)\b")
NEGATED = re.compile(r"\b(?:not|never|to be)[\s-]+(?:yet )?$")
IN_TITLE = re.compile(r"[\[(]([a-z]+)\b[^\])]*[\])]")
RECORD_WORDS = DECISION_WORDS | PROPOSAL_WORDS
TOP_LINES = 40
MOST_LINES = 8
LONGEST_LINE = 500
LONGEST_OWN_STATUS = 40


class Status(NamedTuple):
    """A status that was understood: the word in lower case, and what it means."""

    word: str
    standing: Standing


def read_status(page: RecordPage, title: str) -> tuple[RecordPassage | None, Status]:
    """The status and where it stands; what is said of a successor, or in the title, wins over "accepted"."""
    declared = page.front.get("status") or page.front.get("state") or page.front.get("stage")
    passage = declared or _in_section(page) or read_top_field(page, "status")
    status = understand_status(passage.text.split("\n") if passage else ())
    if status.standing != "in force":
        return passage, status
    purposes = (each.heading.line for each in page.sections if each.kind != "other")
    for number, line in _top(page, next(purposes, TOP_LINES)):
        if REPLACED.search(line.lower()) and understand_status([line]).standing == "retired":
            return RecordPassage(line.strip(), number, number), Status("superseded", "retired")
    for word in IN_TITLE.findall(title.lower()):
        if STANDINGS.get(word, "in force") != "in force":
            return passage, _meaning(word)
    return passage, status


def read_folder_status(path: str) -> Status | None:
    """The status that a folder gives: one named by the word alone, as `rejected`, or with one for records."""
    for folder in reversed(path.split("/")[:-1]):
        words = split_name_words(folder)
        said = [word for word in words if word in STANDINGS and word not in RECORD_WORDS]
        if len(said) == 1 and all(word in RECORD_WORDS or word in said for word in words):
            return _meaning(said[0])
    return None


def read_top_field(page: RecordPage, key: str) -> RecordPassage | None:
    """What the top of a record says of its status or date: in front matter, a line, a row or a column."""
    for number, line in _top(page, TOP_LINES + page.front_lines) if key not in page.front else ():
        match = LINES[key].match(line) or (BADGE.search(line) if key == "status" else None)
        below = _cell_below(page.lines, number, key)
        if below:
            return RecordPassage(below, number + 2, number + 2)
        if match:
            said = next(filter(None, match.groups()), "")
            return RecordPassage(said.strip(" *_`"), number, number)
    return page.front.get(key)


def understand_status(lines: Sequence[str]) -> Status:
    """The status that these lines give, the first of them before the others; `unknown` where they give none.

    A line that names a successor wins over the word before it: many records are "Accepted" and, below, "Superseded by".
    """
    said = [STRUCK.sub(" ", line[:LONGEST_LINE]).strip().lower() for line in lines if line.strip()]
    if not said or said[0].count("|") > 1:  # a template's "proposed | rejected | accepted"
        return Status(UNKNOWN, "in force")
    if any(REPLACED.search(line) and not PARTLY_REPLACED.search(line) for line in said):
        return Status("superseded", "retired")
    own = " ".join(WORD.findall(said[0]))
    written = Status(own if 0 < len(own) <= LONGEST_OWN_STATUS else UNKNOWN, "in force")
    return next(filter(None, map(_first_word, said)), written)


def split_cells(line: str) -> list[str]:
    """The cells of a row."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _top(page: RecordPage, end: int) -> Iterator[tuple[int, str]]:
    first = page.front_lines
    return enumerate(page.lines[first : min(end - 1, first + TOP_LINES)], start=first + 1)


def _in_section(page: RecordPage) -> RecordPassage | None:
    """What a status section says before the prose and the headings below it."""
    for section in page.sections:
        inline = section.heading.text.partition(":")[2].strip()
        lines = [inline] if inline else section.passage.text.split("\n")
        end = next((number for number, line in enumerate(lines) if line.startswith("#")), MOST_LINES)
        first = section.heading.line if inline else section.passage.first_line
        kept = lines[: min(end, MOST_LINES)]
        if section.kind == "status" and any(kept):
            return RecordPassage("\n".join(kept), first, first + len(kept) - 1)
    return None


def _cell_below(lines: Sequence[str], number: int, name: str) -> str:
    """What stands below a column of the table whose header is line `number`; a table of two columns has keys."""
    if "|" not in lines[number - 1] or number + 1 >= len(lines) or not RULE.fullmatch(lines[number]):
        return ""
    names = [cell.strip("*_ ").lower() for cell in split_cells(lines[number - 1])]
    row = split_cells(lines[number + 1])
    at = names.index(name) if name in names else len(row)
    if at >= len(row) or (len(names) == 2 and at == 0):
        return ""
    return row[at]


def _first_word(line: str) -> Status | None:
    for match in WORD.finditer(line):
        if match.group() in STANDINGS and not NEGATED.search(line[: match.start()]):
            found = _meaning(match.group())
            if found.standing == "retired" and PARTLY_REPLACED.search(line):
                return Status(f"partially {found.word}", "in force")
            return found
    for character in line:
        if character in PICTURES:
            return _meaning(PICTURES[character])
    return None


def _meaning(word: str) -> Status:
    return Status(SAME_WORD.get(word, word), STANDINGS[word])


TITLE_NUMBER = re.compile(
    r"^\s*(?:\[?(?:ADR|RFC|PEP|KEP|DR|Decision(?: Record)?|Architecture Decision Record)s?\b[-_ #:]*(?:\d+\]?)?"
    r"|(?:\d{1,4}|n)[.:)\-–—]|\d{2,4} )\s*[.:)\-–—|]*\s*",
    re.IGNORECASE,
)
DATE_KEYS = ("decision-date", "start-date", "creation-date", "created", "created-on", "last-updated")
DECIDES = re.compile(
    r"(?i)\b(?:we (?:have |therefore |thus |now )?(?:decided|decide|agreed|chose|choose|will|shall)|it was decided)\b"
)


def read_record(path: str, text: str) -> DecisionRecord:
    """Read a record; `path`, relative to the folder of records, gives its id and, at need, its title."""
    page = read_page(path, text)
    title = _title(path, page)
    status_text, status = read_status(page, title.text)
    if status.word == UNKNOWN:
        status = read_folder_status(path) or status
    dates = (page.front.get(key) for key in DATE_KEYS)
    date = read_top_field(page, "date") or next(filter(None, dates), None)
    decision = _decision(page)
    answer = find_answer(page, decision)
    options = read_options(page, answer)
    first = page.front_lines
    lines = page.document.lines
    return DecisionRecord(
        path=path,
        adr_id=read_adr_id(path),
        number=read_record_number(path),
        title=title.text,
        title_line=title.first_line,
        name=TITLE_NUMBER.sub("", title.text, count=1).strip() or title.text,
        status=status.word,
        standing=status.standing,
        status_text=status_text,
        date=date.text if date else "",
        context=page.of("context"),
        decision=decision,
        chosen=options.chosen,
        considered=options.considered,
        rejected=options.rejected,
        references=read_references(page, status_text),
        body=RecordPassage(page.document.text_of(first, len(lines)), first + 1, len(lines)),
        question=find_question(page, title),
        answer=RecordPassage(answer.text, answer.line, answer.line) if answer else None,
    )


def _title(path: str, page: RecordPage) -> RecordPassage:
    """The first heading, if it is none of those that every record has; else the front matter's title, else the name."""
    told = (each for each in page.document.headings if each.line > page.front_lines and each.text.strip())
    heading = next(told, None)
    given = page.front.get("title", RecordPassage("", 1, 1))
    if heading and heading.level <= 2 and classify_heading(heading.text) == "other":
        given = RecordPassage(strip_attributes(heading.text), heading.line, heading.line)
    return given._replace(text=plain_text(given.text) or _words_of(read_own_name(path)))


def _words_of(name: str) -> str:
    stripped = re.sub(r"^(?:adr[-_ ]?)?[\d-]*[-_ ]?", "", name, flags=re.IGNORECASE) or name
    words = re.sub(r"[-_]+", " ", stripped).strip()
    return words[:1].upper() + words[1:]


def _decision(page: RecordPage) -> tuple[RecordPassage, ...]:
    """The decision; where no section is called so, the proposal or the design, else all that has no other purpose."""
    found = page.of("decision") or page.of("proposal")
    if found or any(section.kind == "decision" for section in page.sections):
        return found
    apart = page._replace(sections=[each for each in page.sections if each.heading.level > 1])
    found = page.of("design") or apart.of("other")
    whole = page.between(page.front_lines + 1, len(page.lines) + 1)
    if found or not whole.text.strip():
        return found
    lines = whole.text.split("\n")
    for at, line in enumerate(lines):  # from the paragraph on that decides
        if DECIDES.search(line) and (at == 0 or not lines[at - 1].strip()):
            return (RecordPassage("\n".join(lines[at:]), whole.first_line + at, whole.last_line),)
    return (whole,)
