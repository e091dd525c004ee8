"""Decision records as they are really written: Nygard, MADR 2 to 4, front matter, tables, and none of these.

Any text is a record to `read_record`; `is_record` says which files of a folder of records are one.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.document import ReadDocument
from fieldguide.document_formats.kinds import ASCIIDOC, RST, format_of
from fieldguide.document_formats.markdown import without_attributes
from fieldguide.toolsets.architecture.adr_names import adr_id_of, is_dated, is_template, number_of, own_name
from fieldguide.toolsets.architecture.decisions.reading.answers import answer_of, question_of
from fieldguide.toolsets.architecture.decisions.reading.front_matter import FrontMatter, read_front_matter
from fieldguide.toolsets.architecture.decisions.reading.options import read_options
from fieldguide.toolsets.architecture.decisions.reading.prose import plain_text
from fieldguide.toolsets.architecture.decisions.reading.record import Passage, Record
from fieldguide.toolsets.architecture.decisions.reading.references import read_references
from fieldguide.toolsets.architecture.decisions.reading.sections import Chapter, passage_of, sections_of
from fieldguide.toolsets.architecture.decisions.reading.status import Top
from fieldguide.toolsets.architecture.decisions.reading.visible import visible_document
from fieldguide.toolsets.architecture.decisions.reading.vocabulary import Kind, kind_of

NO_RECORDS = frozenset(
    ("readme", "index", "template", "_index", "toc", "contents", "summary", "glossary", "contributing")
)
TITLE_NUMBER = re.compile(
    r"^\s*(?:\[?(?:ADR|RFC|PEP|KEP|DR|Decision(?: Record)?|Architecture Decision Record)s?\b[-_ #:]*(?:\d+\]?)?|(?:\d{1,4}"
    r"|n)[.:)\-–—]|\d{2,4} )\s*[.:)\-–—|]*\s*",
    re.IGNORECASE,
)
DECIDES = re.compile(
    r"(?i)\b(?:we (?:have |therefore |thus |now )?(?:decided|decide|agreed|chose|choose|will|shall)|it was decided)\b"
)


class Shown(NamedTuple):
    """A title and its line."""

    text: str
    line: int


def read_record(path: str, text: str) -> Record:
    """Read a record; `path`, relative to the folder of records, gives its id and, at need, its title."""
    document = _read(path, text)
    front = read_front_matter(document.lines)
    lines = visible_document(document)
    sections = sections_of(document, lines, front.lines)
    title = _title(path, document, front)
    top = Top(lines, front, sections, title.text)
    status_text, status = top.status()
    decision = _decision(lines, front, sections)
    answer = answer_of(sections, decision)
    options = read_options(sections, lines, answer)
    return Record(
        path=path,
        adr_id=adr_id_of(path),
        number=number_of(path),
        title=title.text,
        title_line=title.line,
        name=TITLE_NUMBER.sub("", title.text, count=1).strip() or title.text,
        status=status.word,
        standing=status.standing,
        status_text=status_text,
        date=top.date(),
        context=_passages(sections, "context"),
        decision=decision,
        consequences=_passages(sections, "consequences"),
        chosen=options.chosen,
        considered=options.considered,
        rejected=options.rejected,
        references=read_references(lines, front, status_text),
        body=Passage(document.text_of(front.lines, len(document.lines)), front.lines + 1, len(document.lines)),
        question=question_of(sections, title.text, title.line),
        answer=Passage(answer.text, answer.line, answer.line) if answer else None,
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
    kinds = {kind_of(heading.text) for heading in _read(path, text).headings}
    if "decision" in kinds:
        return True
    return kinds >= {"status", "context"} or (bool(kinds & {"status", "context"}) and "consequences" in kinds)


def _read(path: str, text: str) -> ReadDocument:
    form = format_of(path)
    if form == RST:
        from fieldguide.document_formats.rst import read_rst as read
    elif form == ASCIIDOC:
        from fieldguide.document_formats.asciidoc import read_asciidoc as read
    else:
        from fieldguide.document_formats.markdown import read_markdown as read
    return read(text)


def _title(path: str, document: ReadDocument, front: FrontMatter) -> Shown:
    """The first heading, if it is none of those that every record has; else the front matter's title, else the name."""
    heading = next((each for each in document.headings if each.line > front.lines and each.text.strip()), None)
    given = front.values.get("title")
    if heading and heading.level <= 2 and kind_of(heading.text) == "other":
        return Shown(plain_text(without_attributes(heading.text)) or _words_of(own_name(path)), heading.line)
    return Shown(plain_text(given.text), given.line) if given and given.text else Shown(_words_of(own_name(path)), 1)


def _words_of(name: str) -> str:
    stripped = re.sub(r"^(?:adr[-_ ]?)?[\d-]*[-_ ]?", "", name, flags=re.IGNORECASE) or name
    words = re.sub(r"[-_]+", " ", stripped).strip()
    return words[:1].upper() + words[1:]


def _passages(sections: Sequence[Chapter], kind: Kind) -> tuple[Passage, ...]:
    return tuple(section.passage for section in sections if section.kind == kind and section.passage.text.strip())


def _decision(lines: Sequence[str], front: FrontMatter, sections: Sequence[Chapter]) -> tuple[Passage, ...]:
    """The decision; where no section is called so, the proposal or the design, else all that has no other purpose."""
    kinds: tuple[Kind, ...] = ("decision", "proposal", "design")
    for kind in kinds:
        found = _passages(sections, kind)
        if found or any(section.kind == kind for section in sections):
            return found
    others = tuple(s.passage for s in sections if s.kind == "other" and s.heading.level > 1 and s.passage.text.strip())
    whole = passage_of(lines, front.lines + 1, len(lines) + 1)
    return others or ((_from_decision(whole),) if whole.text.strip() else ())


def _from_decision(whole: Passage) -> Passage:
    """A text without sections, from the paragraph on that decides; all of it where none does."""
    lines = whole.text.splitlines()
    for at, line in enumerate(lines):
        if DECIDES.search(line) and (at == 0 or not lines[at - 1].strip()):
            return Passage("\n".join(lines[at:]), whole.first_line + at, whole.last_line)
    return whole
