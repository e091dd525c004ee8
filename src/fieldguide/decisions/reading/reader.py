"""Decision records as they are really written: Nygard, MADR 2 to 4, front matter, tables, and none of these.

Any text is a record to `read_record`; `is_record` says which files of a folder of records are one.
"""

from pathlib import PurePosixPath

from fieldguide import linear_regex as re
from fieldguide.decisions import names
from fieldguide.decisions.reading.answers import answer_of, question_of
from fieldguide.decisions.reading.options import read_options
from fieldguide.decisions.reading.page import Page, read_document, read_page
from fieldguide.decisions.reading.prose import plain_text
from fieldguide.decisions.reading.record import Passage, Record
from fieldguide.decisions.reading.references import read_references
from fieldguide.decisions.reading.status import status_of, told
from fieldguide.decisions.reading.vocabulary import kind_of
from fieldguide.document_formats.markdown import without_attributes

TITLE_NUMBER = re.compile(
    r"^\s*(?:\[?(?:ADR|RFC|PEP|KEP|DR|Decision(?: Record)?|Architecture Decision Record)s?\b[-_ #:]*(?:\d+\]?)?"
    r"|(?:\d{1,4}|n)[.:)\-–—]|\d{2,4} )\s*[.:)\-–—|]*\s*",
    re.IGNORECASE,
)
DECIDES = re.compile(
    r"(?i)\b(?:we (?:have |therefore |thus |now )?(?:decided|decide|agreed|chose|choose|will|shall)|it was decided)\b"
)


def read_record(path: str, text: str) -> Record:
    """Read a record; `path`, relative to the folder of records, gives its id and, at need, its title."""
    page = read_page(path, text)
    title = _title(path, page)
    status_text, status = status_of(page, title.text)
    date = told(page, "date")
    decision = _decision(page)
    answer = answer_of(page, decision)
    options = read_options(page, answer)
    first, lines = page.front_lines, page.document.lines
    return Record(
        path=path,
        adr_id=names.adr_id_of(path),
        number=names.number_of(path),
        title=title.text,
        title_line=title.first_line,
        name=TITLE_NUMBER.sub("", title.text, count=1).strip() or title.text,
        status=status.word,
        standing=status.standing,
        status_text=status_text,
        date=date.text if date else "",
        context=page.of("context"),
        decision=decision,
        consequences=page.of("consequences"),
        chosen=options.chosen,
        considered=options.considered,
        rejected=options.rejected,
        references=read_references(page, status_text),
        body=Passage(page.document.text_of(first, len(lines)), first + 1, len(lines)),
        question=question_of(page, title),
        answer=Passage(answer.text, answer.line, answer.line) if answer else None,
    )


def is_record(path: str, text: str) -> bool:
    """Whether a file of a folder of records is one: no readme, no index, no template, not empty.

    An `index.md` or `README.md` is one where its folder carries the number of a record; a numbered file is one
    unless it calls itself a template; any other needs a section that only records have.
    """
    stem = PurePosixPath(path).stem
    if not text.strip() or names.is_template(stem):
        return False
    if names.number_of(path) is not None or names.is_dated(names.own_name(path)):
        return True
    if stem.lower() in names.NO_DECISIONS:
        return False
    kinds = {kind_of(heading.text) for heading in read_document(path, text).headings}
    if "decision" in kinds:
        return True
    return kinds >= {"status", "context"} or (bool(kinds & {"status", "context"}) and "consequences" in kinds)


def _title(path: str, page: Page) -> Passage:
    """The first heading, if it is none of those that every record has; else the front matter's title, else the name."""
    told = (each for each in page.document.headings if each.line > page.front_lines and each.text.strip())
    heading = next(told, None)
    given = page.front.get("title", Passage("", 1, 1))
    if heading and heading.level <= 2 and kind_of(heading.text) == "other":
        given = Passage(without_attributes(heading.text), heading.line, heading.line)
    return given._replace(text=plain_text(given.text) or _words_of(names.own_name(path)))


def _words_of(name: str) -> str:
    stripped = re.sub(r"^(?:adr[-_ ]?)?[\d-]*[-_ ]?", "", name, flags=re.IGNORECASE) or name
    words = re.sub(r"[-_]+", " ", stripped).strip()
    return words[:1].upper() + words[1:]


def _decision(page: Page) -> tuple[Passage, ...]:
    """The decision; where no section is called so, the proposal or the design, else all that has no other purpose."""
    found = page.of("decision") or page.of("proposal")
    if found or any(section.kind == "decision" for section in page.sections):
        return found
    apart = page._replace(sections=[each for each in page.sections if each.heading.level > 1])
    whole = page.between(page.front_lines + 1, len(page.lines) + 1)
    return page.of("design") or apart.of("other") or ((_from_decision(whole),) if whole.text.strip() else ())


def _from_decision(whole: Passage) -> Passage:
    """A text without sections, from the paragraph on that decides; all of it where none does."""
    lines = whole.text.split("\n")
    for at, line in enumerate(lines):
        if DECIDES.search(line) and (at == 0 or not lines[at - 1].strip()):
            return Passage("\n".join(lines[at:]), whole.first_line + at, whole.last_line)
    return whole
