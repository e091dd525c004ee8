"""What one text says that leads elsewhere."""

from fieldguide.decisions.reading.reader import read_record
from fieldguide.decisions.reading.record import UNKNOWN
from fieldguide.document_formats.kinds import NOTEBOOK, format_of
from fieldguide.source_code.languages import language_of
from fieldguide.source_code.roles import GENERATED, VENDORED, role_of
from fieldguide.tracing.marks import DECISION, Mark, Reading
from fieldguide.tracing.reading.ids import SCENARIOS, id_marks
from fieldguide.tracing.reading.places import path_marks, symbol_marks
from fieldguide.tracing.reading.records import is_process, is_record, related

LONGEST_TEXT = 1 << 20
LONGEST_TITLE = 200
TEXTS = ("markdown", "mdx", "rst", "asciidoc", "text")
NO_TEXT = frozenset(("css", "scss", "sass", "less", "csv", "tsv", "diff"))


def is_read(path: str) -> bool:
    """Whether a file's name says that it may hold marks: documents, code, and data that people write."""
    if format_of(path) in TEXTS:
        return True
    if format_of(path) is not None or path.endswith(".svg") or role_of(path) in (GENERATED, VENDORED):
        return False
    language = language_of(path)
    return (language is not None and language not in NO_TEXT) or path.endswith(SCENARIOS)


def read_text(path: str, text: str) -> Reading:
    """The marks of a file, and what it is where it is a decision."""
    if len(text) > LONGEST_TEXT or format_of(path) == NOTEBOOK:
        return Reading([])
    is_document = format_of(path) in TEXTS
    marks = [*id_marks(path, text, is_document=is_document), *path_marks(text, is_document=is_document)]
    if not is_document:
        return Reading(marks)
    if not is_record(path, text):
        return Reading(related(text, marks))
    record = read_record(path, text)
    told = "" if record.status == UNKNOWN else record.status.partition(" ")[0]
    status = "process" if is_process(text) else told
    return Reading([*related(text, marks), *symbol_marks(text)], DECISION, record.title[:LONGEST_TITLE], status)


def read_words(text: str) -> list[Mark]:
    """The marks of words that lie in no file: a finding, a task, the message of a commit."""
    plain = text[:LONGEST_TEXT]
    return [*id_marks("", plain, is_document=False), *path_marks(plain, is_document=True), *symbol_marks(plain)]
