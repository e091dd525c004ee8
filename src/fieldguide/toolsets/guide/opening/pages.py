"""Finds what a text names: a file of the project, some lines of one, a document from elsewhere, a finding or a task."""

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from fieldguide.discoveries.discovery import DiscoveryRepository
from fieldguide.errors import Cancelled, FieldguideError, NotFound, PathEscape, Unreadable
from fieldguide.spine.answers.citations import Citation, read_citation
from fieldguide.spine.answers.cited_files import LARGEST_BYTES
from fieldguide.spine.answers.near_names import near_names
from fieldguide.spine.contract import Answer, Call
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.items import DOCUMENT, FINDING, TASK
from fieldguide.toolsets.guide.opening.kinds import kind_of
from fieldguide.toolsets.guide.opening.page import Page, page_of_file, page_of_text
from fieldguide.toolsets.guide.unfiled import FINDINGS, TASKS, task_text

DENIED = "Access to sensitive paths denied"
COLLECTION_MARK = ":"
LARGEST_TASK = 1 << 62


class Named(NamedTuple):
    """What a text names: a page, where there is one, and the lines of it, where only some are meant."""

    page: Page | None
    citation: Citation | None


class Pages:
    """Opens what one call names; what may not be read is refused as `read_file` refuses it."""

    def __init__(self, services: Services, call: Call) -> None:
        self._services = services
        self._call = call

    def named(self, given: str) -> Named:
        """What a text names; no page where a citation with a hash leads to a file that is not there."""
        page = self.page(given)
        if page is not None:
            return Named(page, None)
        citation = read_citation(given)
        if citation is None:
            raise self.missing(given, given)
        page = self.page(citation.path, citation)
        if page is None and not citation.hash:
            raise self.missing(given, citation.path)
        return Named(page, citation)

    def page(self, path: str, meant: Citation | None = None) -> Page | None:
        """The page of a path; None where there is nothing."""
        if path.startswith(FINDINGS):
            return self._finding(path)
        if path.startswith(TASKS):
            return self._task(path)
        return self.file(path, meant) or self._document(path)

    def file(self, path: str, meant: Citation | None = None) -> Page | None:
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
        return page_of_file(plain, kind_of(plain), content, meant)

    def missing(self, given: str, path: str) -> NotFound:
        """The refusal of what is not there, with names that are near."""
        near = near_names(path, self.names())
        return NotFound("Not found", citation=given[:300], **({"didYouMean": near} if near else {}))

    def asked(self, tool: str, **arguments: Any) -> Any:
        """What another tool answers; None where it refuses, fails, or is not served."""
        try:
            found = self._services.find_tool(tool)
            value = found.run(self._call._replace(tool=tool, arguments=arguments))
        except Cancelled:
            raise
        except FieldguideError:
            return None
        return value.value if isinstance(value, Answer) else value

    def _finding(self, path: str) -> Page | None:
        with self._services.database.reading() as transaction:
            found = DiscoveryRepository(transaction, self._services.namespace).find(_legible(path, FINDINGS))
        return None if found is None else page_of_text(path, FINDING, found.content)

    def _task(self, path: str) -> Page | None:
        """A task of the user whom this call is made for; nobody else has any."""
        number, user = path.removeprefix(TASKS), self._call.user or self._services.user
        if user is None or not number.isdecimal() or not number.isascii() or int(number[:20]) > LARGEST_TASK:
            return None
        tasks: Iterable[Any] = self.asked("list_tasks", user_id=user) or ()
        found = next((each for each in tasks if str(each["id"]) == number), None)
        return None if found is None else page_of_text(path, TASK, task_text(found))

    def _document(self, path: str) -> Page | None:
        """A document that is no file of the project, by the name of its collection before it."""
        collection, mark, document = path.partition(COLLECTION_MARK)
        if not mark or not collection or not document or "/" in collection or "\0" in path:
            return None
        found: Any = self.asked("documents_get_document", collection=collection, document=document)
        if found is None or "startLine" in found:
            return None
        return page_of_text(path, DOCUMENT, str(found["content"]))

    def names(self) -> list[str]:
        """The paths of the files that are in the index."""
        try:
            engine = self._services.engine()
            with engine.database.reading() as transaction:
                store = engine.store(transaction)
                kinds = [*store.sources("code"), *store.sources("architecture")]
                return [name for source in kinds for name in store.names(source.id)]
        except FieldguideError:  # no index, no names
            return []


def _legible(path: str, scheme: str) -> str:
    """An id that a database can be asked for."""
    return path.removeprefix(scheme).replace("\0", "")


def _refused(error: Unreadable, path: str) -> Unreadable:
    if error.message.startswith("Permission denied"):
        return Unreadable("Permission denied", path=path, details=DENIED)
    if error.message.startswith("File too large"):
        return Unreadable("File too large", path=path, details=f"The limit is {LARGEST_BYTES} bytes")
    return Unreadable("Not a readable file", path=path, details=error.message)
