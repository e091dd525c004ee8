"""Decision records as they are really written: Nygard, MADR 2 to 4, front matter, tables, and none of these.

Any text is a record to `read_record`; `is_record` says which files of a folder of records are one.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.document import ReadDocument
from fieldguide.document_formats.markdown import read_markdown, without_attributes
from fieldguide.toolsets.architecture.adr_names import adr_id_of, is_dated, is_template, number_of, own_name
from fieldguide.toolsets.architecture.decisions.reading.front_matter import FrontMatter, read_front_matter
from fieldguide.toolsets.architecture.decisions.reading.options import read_options
from fieldguide.toolsets.architecture.decisions.reading.record import Passage, Record
from fieldguide.toolsets.architecture.decisions.reading.references import read_references
from fieldguide.toolsets.architecture.decisions.reading.sections import Chapter, Kind, kind_of, passage_of, sections_of
from fieldguide.toolsets.architecture.decisions.reading.status import Status, status_of_passage, understand_status
from fieldguide.toolsets.architecture.decisions.reading.unsectioned import cell_below, from_decision

NO_RECORDS = frozenset(
    ("readme", "index", "template", "_index", "toc", "contents", "summary", "glossary", "contributing")
)
TITLE_NUMBER = re.compile(
    r"^\s*(?:\[?(?:ADR|RFC|KEP|DR|Decision(?: Record)?|Architecture Decision Record)s?\b[-_ #:]*(?:\d+\]?)?|(?:\d{1,4}"
    r"|n)[.:)\-–—]|\d{2,4} )\s*[.:)\-–—|]*\s*",
    re.IGNORECASE,
)
STATUS_LINE = re.compile(
    r"^[\s>*\-+|_]*(?:<td>|<th>)?\s*(?:\*\*|__)?(?:decision\s+|current\s+)?status(?:\*\*|__)?\s*(?:</t[dh]>\s*<td>"
    r"|[:|=])\s*(?:\*\*|__)?\s*([^|<\n]*)",
    re.IGNORECASE,
)
DATE_LINE = re.compile(r"^[\s>*\-+|_]*(?:\*\*|__)?date(?:\*\*|__)?\s*[:|=]\s*(?:\*\*|__)?\s*([^|\n]*)", re.IGNORECASE)
BADGE = re.compile(r"badge/status-([\w%-]+?)-\w+(?:\.svg)?[)\s?]|!\[\s*status[:\s-]+([\w -]+)\]", re.IGNORECASE)
RETIRED_LINE = re.compile(
    r"\b(?:has been|was|is|are|been)?\s*(?:superseded|superceded|replaced)\b[^.\n]{0,40}\bby\b", re.IGNORECASE
)
TITLE_STATUS = re.compile(
    r"[\[(](superseded|superceded|deprecated|rejected|draft|proposed|withdrawn|obsolete)\b", re.IGNORECASE
)
PREAMBLE_LINES = 40
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
MARKS = re.compile(r"[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}")


class Shown(NamedTuple):
    """A title and its line."""

    text: str
    line: int


def read_record(path: str, text: str) -> Record:
    """Read a record; `path`, relative to the folder of records, gives its id and, at need, its title."""
    document = read_markdown(text)
    front = read_front_matter(document.lines)
    sections = sections_of(document, front.lines)
    title, title_line = _title(path, document, front)
    status_text, status = _status(document, front, sections, title)
    options = read_options(sections)
    return Record(
        path=path,
        adr_id=adr_id_of(path),
        number=number_of(path),
        title=title,
        title_line=title_line,
        name=_name(title),
        status=status.word,
        standing=status.standing,
        status_text=status_text,
        date=_date(document, front),
        context=_passages(sections, "context"),
        decision=_decision(document, front, sections),
        consequences=_passages(sections, "consequences"),
        chosen=options.chosen,
        considered=options.considered,
        rejected=options.rejected,
        references=read_references(document, front, status_text),
        body=passage_of(document, front.lines + 1, len(document.lines) + 1),
    )


def is_record(path: str, text: str) -> bool:
    """Whether a file of a folder of records is one: no readme, no index, no template, not empty.

    An `index.md` or `README.md` is one where its folder carries the number of a record; a numbered file is one
    unless it calls itself a template; any other needs a section that only records have.
    """
    stem = PurePosixPath(path).stem
    if not text.strip() or is_template(stem):
        return False
    if number_of(path) is not None or is_dated(own_name(path)):
        return True
    if stem.lower() in NO_RECORDS:
        return False
    document = read_markdown(text)
    kinds = {kind_of(heading.text) for heading in document.headings}
    if "decision" in kinds:
        return True
    return kinds >= {"status", "context"} or (bool(kinds & {"status", "context"}) and "consequences" in kinds)


def _title(path: str, document: ReadDocument, front: FrontMatter) -> Shown:
    """The first heading, if it is none of those that every record has; else the front matter's title, else the name."""
    heading = next((each for each in document.headings if each.line > front.lines and each.text.strip()), None)
    if heading and heading.level <= 2 and kind_of(heading.text) == "other":
        return Shown(_plain(without_attributes(heading.text)) or _words_of(own_name(path)), heading.line)
    given = front.values.get("title")
    if given and given.text:
        return Shown(_plain(given.text), given.line)
    return Shown(_words_of(own_name(path)), 1)


def _name(title: str) -> str:
    return TITLE_NUMBER.sub("", title, count=1).strip() or title


def _words_of(name: str) -> str:
    stripped = re.sub(r"^(?:adr[-_ ]?)?[\d-]*[-_ ]?", "", name, flags=re.IGNORECASE) or name
    words = re.sub(r"[-_]+", " ", stripped).strip()
    return words[:1].upper() + words[1:]


def _plain(text: str) -> str:
    return " ".join(MARKS.sub("", LINK.sub(r"\1", text)).split())


def _status(
    document: ReadDocument, front: FrontMatter, sections: Sequence[Chapter], title: str
) -> tuple[Passage | None, Status]:
    passage = _status_passage(document, front, sections)
    status = status_of_passage(passage)
    if status.standing != "in force":
        return passage, status
    preamble = _preamble(document, front, sections)
    for line in range(preamble.first_line, preamble.last_line + 1):
        written = document.lines[line - 1] if line <= len(document.lines) else ""
        if RETIRED_LINE.search(written) and understand_status([written]).standing == "retired":
            return Passage(written.strip(), line, line), understand_status([written])
    shown = TITLE_STATUS.search(title)
    return (passage, understand_status([shown.group(1)])) if shown else (passage, status)


def _status_passage(document: ReadDocument, front: FrontMatter, sections: Sequence[Chapter]) -> Passage | None:
    """Where the status stands: front matter, then a section, then a line, a table row or a badge near the top."""
    given = front.values.get("status")
    if given and given.text:
        return Passage(given.text, given.line, given.line)
    for section in sections:
        if section.kind == "status":
            inline = section.heading.text.partition(":")[2].strip()
            line = section.heading.line
            found = Passage(inline, line, line) if inline else _first_lines(section.passage)
            if found.text.strip():
                return found
    for number, written in enumerate(document.lines[front.lines :][:PREAMBLE_LINES], start=front.lines + 1):
        below = cell_below(document.lines, number, "status")
        if below:
            return Passage(below, number + 2, number + 2)
        match = STATUS_LINE.match(written) or BADGE.search(written)
        if match:
            return Passage(next(group for group in match.groups() if group is not None).strip(), number, number)
    tags = front.values.get("tags")
    return (
        Passage(tags.text, tags.line, tags.line)
        if tags and status_of_passage(Passage(tags.text, 0, 0)).word in _TAGS
        else None
    )


_TAGS = frozenset(("accepted", "superseded", "rejected", "deprecated", "proposed", "draft"))


def _first_lines(passage: Passage) -> Passage:
    """A status section without the prose below it: what comes before a heading, at most a handful of lines."""
    lines = passage.text.splitlines()
    end = next((number for number, line in enumerate(lines) if line.startswith("#")), len(lines))
    kept = lines[: min(end, 8)]
    return Passage("\n".join(kept), passage.first_line, passage.first_line + max(len(kept) - 1, 0))


def _preamble(document: ReadDocument, front: FrontMatter, sections: Sequence[Chapter]) -> Passage:
    """What stands between the title and the first section with a purpose."""
    first = next((section.heading.line for section in sections if section.kind != "other"), PREAMBLE_LINES)
    return passage_of(document, front.lines + 1, min(first, len(document.lines) + 1, front.lines + PREAMBLE_LINES))


def _date(document: ReadDocument, front: FrontMatter) -> str:
    if "date" in front.values:
        return front.values["date"].text
    for number, written in enumerate(document.lines[front.lines :][:PREAMBLE_LINES], start=front.lines + 1):
        below = cell_below(document.lines, number, "date")
        match = DATE_LINE.match(written)
        if below or match:
            return _plain(below or (match.group(1) if match else ""))
    return ""


def _passages(sections: Sequence[Chapter], *kinds: Kind) -> tuple[Passage, ...]:
    return tuple(section.passage for section in sections if section.kind in kinds and section.passage.text.strip())


def _decision(document: ReadDocument, front: FrontMatter, sections: Sequence[Chapter]) -> tuple[Passage, ...]:
    """The decision; where no section is called so, the proposal or the design, else all that has no other purpose."""
    kinds: tuple[Kind, ...] = ("decision", "proposal", "design")
    for kind in kinds:
        found = _passages(sections, kind)
        if found:
            return found
    others = tuple(s.passage for s in sections if s.kind == "other" and s.heading.level > 1 and s.passage.text.strip())
    whole = passage_of(document, front.lines + 1, len(document.lines) + 1)
    return others or ((from_decision(whole),) if whole.text.strip() else ())
