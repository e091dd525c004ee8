"""The one document cache: guidelines, patterns and decisions by their URIs, shared by resources, prompts and tools."""

import hashlib
import os
import threading
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from fieldguide.confinement import ConfinedFolder
from fieldguide.decisions.found import FoundDecisions
from fieldguide.decisions.names import adr_id_of, own_name, without_suffix
from fieldguide.document_formats.byte_lines import ByteLines
from fieldguide.project_text.settled_files import File, SettledFiles
from fieldguide.spine.answers.citations import cited, hash_of
from fieldguide.spine.changes import Change
from fieldguide.spine.foreign_text.hidden_text import HIDDEN
from fieldguide.toolsets.architecture.resources import SCHEME
from fieldguide.toolsets.architecture.roots import ADR, Placed, found, listed, roots_of

TITLE_LINES = 40


class Document(NamedTuple):
    """A guideline, a pattern or a decision. `name` is what it is called inside its category, `uri` its address.

    A decision is listed under its number; `full_uri` holds its whole name, which the tools tell.
    """

    category: str
    name: str
    uri: str
    full_uri: str
    title: str
    text: str
    checksum: str
    file: File
    adr_id: str = ""

    @property
    def path(self) -> str:
        """Its path in the project, as text that can be sent."""
        return self.file.path.encode(errors="surrogateescape").decode(errors="replace")

    def cited(self, start_line: int = 1, end_line: int | None = None) -> str:
        """The citation of some lines of its file; without them, of all."""
        lines = ByteLines(self.file.content)
        end = max(len(lines), 1) if end_line is None else end_line
        return cited(self.path, start_line, end, hash_of(lines.between(start_line, end)))

    @property
    def addresses(self) -> tuple[str, ...]:
        """The URIs that it has; the number of a decision also counts without its zeros."""
        bare = f"{SCHEME}://{self.category}/{self.adr_id.lstrip('0')}"
        is_numbered = self.uri == f"{SCHEME}://{self.category}/{self.adr_id}" and self.adr_id.isdecimal()
        return tuple(dict.fromkeys((self.uri, self.full_uri, *((bare,) if is_numbered else ()))))


class Shelf(NamedTuple):
    """All documents at one moment; a new one for every change, so that what was made from it can be kept with it."""

    generation: int
    documents: tuple[Document, ...]
    by_uri: Mapping[str, Document]

    def of(self, category: str) -> list[Document]:
        """The documents of a category by name."""
        return [document for document in self.documents if document.category == category]


class Library:
    """The documents of a project, never older than a second, never half written.

    Who reads does not tell of changes: `news` is for the one who follows the files.
    """

    def __init__(self, project: ConfinedFolder, settings: Mapping[str, Any]) -> None:
        self._lock = threading.Lock()
        self._shelf = Shelf(0, (), {})
        self._told = self._shelf
        self._roots = roots_of(settings)
        self._places: dict[str, Placed] = {}
        self._project = project
        self._decisions = FoundDecisions(project, beside=self._own_folders(), is_wanted=not settings.get(ADR))
        self._files = SettledFiles(project, self._listing, self._find)

    @property
    def is_unsettled(self) -> bool:
        """Whether something was being written at the last look."""
        return self._files.is_unsettled

    @property
    def refused(self) -> Mapping[str, str]:
        """The files that can't be taken, and why."""
        return self._files.refused

    def folders(self) -> list[str]:
        """The folders that may hold documents, relative to the project."""
        return [*dict.fromkeys((*self._own_folders(), *self._decisions.folders()))]

    def found_decisions(self) -> list[str]:
        """The decisions that lie in no folder that is known for them."""
        return [*self._decisions.paths()]

    def _own_folders(self) -> list[str]:
        return [root.folder for root in self._roots]

    def shelf(self) -> Shelf:
        """The documents now."""
        self._files.current()
        return self._arranged()

    def look(self, paths: Collection[str] | None = None) -> Shelf:
        """The documents now, looked at on the spot; where only these paths have changed, the others are left alone."""
        if paths is None:
            self._decisions.look_again()
        self._files.look(paths)
        return self._arranged()

    def now(self) -> Shelf:
        """The documents as they were at the last look."""
        return self._arranged()

    def be_followed(self, is_followed: bool) -> None:
        """Whether somebody else looks after every change from now on."""
        self._files.is_followed = is_followed

    def news(self) -> list[Change]:
        """What has changed since the last time that somebody asked this: for whoever tells the clients of it."""
        with self._lock:
            before, self._told = self._told, self._shelf
        return [*_changes(before, self._told)] if before.generation else []

    def _listing(self) -> "Iterator[tuple[str, Any]]":
        places: dict[str, Placed] = {}
        for placed, status in listed(self._project, self._roots):
            places[placed.path] = placed
            yield placed.path, status
        for path in self._decisions.paths():
            if path not in places and (found_status := self._project.entry(path)) is not None:
                places[path] = Placed(ADR, path, path)
                yield path, found_status
        self._places = places

    def _find(self, path: str) -> os.stat_result | None:
        placed, status = found(self._project, self._roots, path) or (None, None)
        if placed is None and (status := self._decisions.find(path)) is not None:
            placed = Placed(ADR, path, path)
        if placed is not None:
            self._places = {**self._places, path: placed}
        return status

    def _arranged(self) -> Shelf:
        with self._lock:
            before = self._shelf
            if before.generation == self._files.generation:
                return before
            generation, files = self._files.generation, self._files.current()
            placed = [(self._places[path], file) for path, file in files.items() if path in self._places]
            known = {id(document.file): document for document in before.documents}
            self._shelf = _shelf(generation, placed, known)
            if not self._told.generation:  # what is there at the first look is no news
                self._told = self._shelf
            return self._shelf


def _shelf(generation: int, placed: Sequence[tuple[Placed, File]], known: Mapping[int, Document]) -> Shelf:
    shared = Counter((each.category, _short_name(each)) for each, _ in placed)
    stems = Counter((each.category, _name(each)) for each, _ in placed)
    documents: list[Document] = []
    for each, file in placed:
        name = _name(each) if stems[each.category, _name(each)] == 1 else without_suffix(each.path)
        short = _short_name(each)
        if shared[each.category, short] > 1:
            short = name
        documents.append(_document(each, file, name=name, short=short, before=known.get(id(file))))
    documents.sort(key=lambda document: (document.category, document.name))
    by_uri = {uri: document for document in documents for uri in (document.full_uri, document.uri)}
    return Shelf(generation, tuple(documents), by_uri)


def _name(placed: Placed) -> str:
    """What a document is called: its path inside its folder; of a decision the last part, which is enough."""
    return own_name(placed.inner) if placed.category == ADR else placed.inner.removesuffix(".md")


def _short_name(placed: Placed) -> str:
    return adr_id_of(placed.inner) if placed.category == ADR else _name(placed)


def _document(placed: Placed, file: File, *, name: str, short: str, before: Document | None) -> Document:
    """A document; what was made of its text stays as long as the file does."""
    adr_id = adr_id_of(placed.inner) if placed.category == ADR else ""
    uri, full_uri = uri_of(placed.category, short), uri_of(placed.category, name)
    if before is not None:
        title = before.title if before.title != before.name else name
        return before._replace(name=name, uri=uri, full_uri=full_uri, title=title, adr_id=adr_id)
    text = file.content.decode("utf-8", errors="replace")
    return Document(
        category=placed.category,
        name=name,
        uri=uri,
        full_uri=full_uri,
        title=_title(placed.inner, text) or name,
        text=text,
        checksum=hashlib.md5(file.content, usedforsecurity=False).hexdigest(),
        file=file,
        adr_id=adr_id,
    )


def uri_of(category: str, name: str) -> str:
    """The address of a document."""
    legible = name.encode(errors="surrogateescape").decode(errors="replace")
    return f"{SCHEME}://{category}/{quote(legible, safe='/')}"


def _title(path: str, text: str) -> str:
    """The title of a text, else its first heading near the top."""
    from fieldguide.document_formats.readers import read_document  # only who reads documents pays for the parser

    document = read_document(path, text)
    first = next((heading.text for heading in document.headings if heading.line <= TITLE_LINES), "")
    return HIDDEN.sub("", document.title or first).strip()


def _changes(before: Shelf, after: Shelf) -> Iterator[Change]:
    """What a client is told: of the list when an entry came, went or is called otherwise, and of each new text."""
    if _entries(before) != _entries(after):
        yield Change("resources")
    was, now = ({(each.uri, each.checksum): each for each in shelf.documents} for shelf in (before, after))
    touched = {each.uri: each for key, each in (was | now).items() if key not in was or key not in now}
    for uri in sorted(touched):
        yield from (Change("resource", address) for address in touched[uri].addresses)


def _entries(shelf: Shelf) -> dict[str, str]:
    """The documents as they are listed: each address with its title."""
    return {document.uri: document.title for document in shelf.documents}
