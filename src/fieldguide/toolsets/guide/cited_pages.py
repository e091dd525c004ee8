"""Finds the page that a citation names, and follows cited lines that moved or changed."""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from fieldguide.files.kinds import is_extracted, is_test
from fieldguide.files.project_files import LARGEST_BYTES
from fieldguide.git.history import load_history
from fieldguide.git.program import EarlierFile, read_earlier_files
from fieldguide.knowledge.findings.finding import FindingRepository
from fieldguide.prose.discovery import find_format_by_name
from fieldguide.prose.readers import extract_cited_text
from fieldguide.spine.tool import Answer, Call
from fieldguide.spine.toolset import Services
from fieldguide.text.citation import Citation, format_citation, hash_lines, hash_text, read_citation
from fieldguide.text.errors import Cancelled, FieldguideError, NotFound, PathEscape, Refusal, Unreadable
from fieldguide.text.near_names import find_near_names
from fieldguide.text.secrets import mask_address_secrets_of_file
from fieldguide.text.windows import ByteLines, decode_document, decode_readable, split_lines, strip_line_end
from fieldguide.toolsets.guide.items import (
    CODE,
    DECISION,
    DOCUMENT,
    FINDING,
    FINDINGS,
    PATTERN,
    SPEC,
    TASK,
    TASKS,
    TEST,
    join_task_text,
    list_own_tasks,
)

DECISIONS = frozenset(("adr", "adrs", "decisions"))


def classify_by_path(path: str) -> str:
    """The kind of a file; what is no document is code."""
    if find_format_by_name(path.rpartition("/")[2]) is None:
        return TEST if is_test(path) else CODE
    folders = path.lower().split("/")[:-1]
    if DECISIONS.intersection(folders):
        return DECISION
    if "patterns" in folders:
        return PATTERN
    return SPEC if "specs" in folders else DOCUMENT


WIDE = (b"\xff\xfe", b"\xfe\xff")


class CitedPage(NamedTuple):
    """The lines of something, each with its end, by the path that citations of it begin with.

    `lines_of_bytes` are those of its file; what lies in no file, or is no text there, is hashed by what it says.
    """

    path: str
    kind: str
    lines: list[str]
    lines_of_bytes: ByteLines | None = None

    @property
    def last(self) -> int:
        """The number of its last line; what is empty has one that is."""
        return max(len(self.lines), 1)

    def text(self, start: int, end: int) -> str:
        """Some lines as they stand there, without the end of the last one."""
        return strip_line_end("".join(self.lines[start - 1 : end]))

    def hash(self, start: int, end: int) -> str:
        """The hash of some lines, as a citation carries it."""
        if self.lines_of_bytes is None:
            return hash_text(self.text(start, end))
        return hash_lines(self.lines_of_bytes.between(start, end))

    def holds(self, citation: Citation) -> bool:
        """Whether the lines that a citation names are those that its hash is of."""
        return citation.end_line <= self.last and self.hash(citation.start_line, citation.end_line) == citation.hash


def make_text_page(path: str, kind: str, text: str) -> CitedPage:
    """What lies in no file of the project."""
    return CitedPage(path, kind, split_lines(text))


def read_file_page(path: str, kind: str, content: bytes, meant: Citation | None = None) -> CitedPage:
    """A file of the project: its own lines, or those of the text that is extracted from it.

    `grep_codebase` cites the lines of the file, other tools those of its text: the hash tells which are meant.
    """
    if is_extracted(path):
        raw = CitedPage(path, kind, split_lines(decode_readable(content)), ByteLines(content))
        if meant is not None and raw.holds(meant):
            return raw
        return make_text_page(path, kind, extract_cited_text(path, content))
    if content.startswith(WIDE):
        decoded = decode_readable(content)
    elif b"\0" in content and not _is_utf8(content):
        raise Unreadable("Not a text file", path=path)
    else:
        decoded = decode_document(content)
    return CitedPage(path, kind, split_lines(mask_address_secrets_of_file(path, decoded)), ByteLines(content))


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


DENIED = "Access to sensitive paths denied"
COLLECTION_MARK = ":"
GET_DOCUMENT = "documents_get_document"


class CitedPages:
    """Opens what one call names; what may not be read is refused as `read_file` refuses it."""

    def __init__(self, services: Services, call: Call) -> None:
        self._services = services
        self._call = call

    def named(self, given: str) -> tuple[CitedPage | None, Citation | None]:
        """The page that a text names, and the lines of it where only some are meant.

        There is no page where a citation with a hash leads to a file that is not there.
        """
        page = self.page(given)
        if page is not None:
            return page, None
        citation = read_citation(given)
        if citation is None:
            raise self.missing(given, given)
        page = self.page(citation.path, citation)
        if page is None and not citation.hash:
            raise self.missing(given, citation.path)
        return page, citation

    def page(self, path: str, meant: Citation | None = None) -> CitedPage | None:
        """The page of a path; None where there is nothing."""
        if path.startswith(FINDINGS):
            return self._finding(path)
        if path.startswith(TASKS):
            return self._task(path)
        return self.file(path, meant) or self._document(path)

    def file(self, path: str, meant: Citation | None = None) -> CitedPage | None:
        """A file of the project."""
        if ".." in path.split("/"):
            raise PathEscape("Path traversal not allowed", path=path)
        try:
            content = self._services.project.read(path, limit_bytes=LARGEST_BYTES)
        except NotFound:
            return None
        except Unreadable as error:
            raise _refused(error, path) from error
        plain = os.path.normpath(path)
        return read_file_page(plain, classify_by_path(plain), content, meant)

    def missing(self, given: str, path: str) -> NotFound:
        """The refusal of what is not there, with names that are near."""
        details: dict[str, Any] = {"citation": given[:300]}
        if near := find_near_names(path, self.names()):
            details["didYouMean"] = near
        return NotFound("Not found", **details)

    def _finding(self, path: str) -> CitedPage | None:
        identity = path.removeprefix(FINDINGS).replace("\0", "")  # no database takes a NUL
        with self._services.database.reading() as transaction:
            found = FindingRepository(transaction, self._services.namespace).find(identity)
        return None if found is None else make_text_page(path, FINDING, found.content)

    def _task(self, path: str) -> CitedPage | None:
        """A task of the user whom this call is made for; nobody else has any."""
        for task in list_own_tasks(self._services, self._call):
            if str(task["id"]) == path.removeprefix(TASKS):
                return make_text_page(path, TASK, join_task_text(task))
        return None

    def _document(self, path: str) -> CitedPage | None:
        """A document that is no file of the project, by the name of its collection before it."""
        collection, mark, document = path.partition(COLLECTION_MARK)
        if not mark or not collection or not document or "/" in collection or "\0" in path:
            return None
        arguments = {"collection": collection, "document": document}
        try:
            call = self._call._replace(tool=GET_DOCUMENT, arguments=arguments)
            answer = self._services.find_tool(GET_DOCUMENT).run(call)
        except Cancelled:
            raise
        except FieldguideError:
            return None
        found: Any = answer.value if isinstance(answer, Answer) else answer
        if "startLine" in found:
            return None
        return make_text_page(path, DOCUMENT, str(found["content"]))

    def names(self) -> list[str]:
        """The paths of the files that are in the index."""
        names: list[str] = []
        with suppress(FieldguideError):  # no index, no names
            engine = self._services.engine()
            with engine.database.reading() as transaction:
                store = engine.store(transaction)
                for kind in ("code", "text", "architecture"):
                    for source in store.sources(kind):
                        names += store.names(source.id)
            return names
        return []


def _refused(error: Unreadable, path: str) -> Unreadable:
    if error.message.startswith("Permission denied"):
        return Unreadable("Permission denied", path=path, details=DENIED)
    if error.message.startswith("File too large"):
        return Unreadable("File too large", path=path, details=f"The limit is {LARGEST_BYTES} bytes")
    return Unreadable("Not a readable file", path=path, details=error.message)


MOST_HASHED_BYTES = 32 << 20
MOST_PLACES = 20_000


def find_cited_lines(page: CitedPage, citation: Citation) -> tuple[int, int] | None:
    """Where the lines of a citation stand on a page, nearest to where they stood; None where they do not.

    Every place of so many lines is tried, up to a bound.
    """
    lines = page.lines_of_bytes
    if lines is None:
        return None
    count = citation.end_line - citation.start_line
    left = MOST_HASHED_BYTES
    last = len(lines) - count
    middle = min(citation.start_line, last)
    for step in range(min(last, MOST_PLACES) + 1):
        for start in dict.fromkeys((middle - step, middle + step)):
            if not 1 <= start <= last:
                continue
            some = lines.between(start, start + count)
            left -= len(some)
            if hash_lines(some) == citation.hash:
                return start, start + count
        if left < 0:
            return None
    return None


MOVED = "moved"
CHANGED = "changed"
GONE = "gone"
SINCE = "changed since it was cited"
HISTORY_SECONDS = 2.0


class CitationOutcome(NamedTuple):
    """What became of some lines: where to look now (no page where nothing is left), and in words."""

    status: str
    said: str
    page: CitedPage | None = None
    start: int = 0
    end: int = 0
    is_known: bool = True


def follow_citation(
    services: Services, pages: CitedPages, page: CitedPage | None, citation: Citation
) -> CitationOutcome:
    """What became of the lines of a citation, whose hash is not that of what stands there now."""
    if page is not None and (place := find_cited_lines(page, citation)) is not None:
        return CitationOutcome(MOVED, f"moved from L{citation.start_line}-L{citation.end_line}", page, *place)
    for path in _renamed(services, citation.path):
        with suppress(Refusal):
            other = pages.file(path)
            if other is not None and (place := find_cited_lines(other, citation)) is not None:
                return CitationOutcome(MOVED, f"moved from {format_citation(*citation[:3])}", other, *place)
    if page is None:
        return _gone(citation, _earlier(services, citation.path))
    if citation.start_line > page.last:
        return CitationOutcome(GONE, f"{page.path} has {page.last} lines now, and these were found nowhere else")
    return CitationOutcome(CHANGED, SINCE, page, citation.start_line, min(citation.end_line, page.last))


def _gone(citation: Citation, earlier: list[EarlierFile]) -> CitationOutcome:
    if earlier and earlier[0].content is None:
        return CitationOutcome(GONE, f"{citation.path} was removed by {earlier[0].commit} ({earlier[0].subject[:100]})")
    said = f"{citation.path} is not there any more, and its lines were found nowhere else"
    return CitationOutcome(GONE, said, is_known=bool(earlier))


def _earlier(services: Services, path: str) -> list[EarlierFile]:
    """The file as earlier commits had it; nothing of what would not be served today."""
    project = services.project
    names = [name for name in path.split("/") if name not in ("", ".")]
    if not names or "://" in path or path.startswith("/") or ".." in names or project.sensitive.refuses(names):
        return []
    found = read_earlier_files(project.real_path(), "/".join(names))
    refuses = project.sensitive.refuses_content
    return [each for each in found if each.content is None or not refuses(tuple(names), each.content)]


def _renamed(services: Services, path: str) -> Iterator[str]:
    """The names that git gave a file later, the present one last."""
    with suppress(FieldguideError):
        engine = services.engine()
        root = services.project.real_path()
        history = load_history(engine.database, services.namespace, root, wait_seconds=HISTORY_SECONDS)
        for change in reversed(history.changes):
            for old, new in change.renamed:
                if old == path:
                    path = new
                    yield new
