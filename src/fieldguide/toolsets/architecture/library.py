"""Caches the guidelines, patterns and decisions of a project once their files have settled.

Finds them by URI or name, describes them as MCP resources, completes their names, and reports what changed.
"""

import hashlib
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from time import monotonic, sleep, time
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.knowledge.decisions.recognition import FoundDecisions, is_named_record, is_record
from fieldguide.knowledge.decisions.record import read_adr_id, read_own_name, strip_suffix
from fieldguide.spine.resources import ChangedList, Resource
from fieldguide.text.citation import format_citation, hash_lines
from fieldguide.text.display import HIDDEN
from fieldguide.text.errors import InvalidArguments, NotFound, Refusal
from fieldguide.text.windows import ByteLines
from fieldguide.toolsets.architecture.resources import (
    ADR,
    CATEGORIES,
    GUIDELINES,
    MARKDOWN,
    PATTERNS,
    SCHEME,
    PlacedDocument,
    list_documents,
    read_roots,
)

SETTLED_SECONDS = 0.5
LOOK_SECONDS = 1.0
UNSETTLED_LOOK_SECONDS = 0.1
LARGEST_BYTES = 1 << 20

Stamp = tuple[int, int, int, int]
Listing = Callable[[], Iterable[tuple[str, os.stat_result]]]


class SettledFile(NamedTuple):
    """A file as it was read: its path in the project, its bytes, and its status then."""

    path: str
    content: bytes
    status: os.stat_result


class SettledFiles:
    """Some files of a project, read again when they have changed; safe to ask from any thread.

    `listing` names the files that are wanted now. `generation` grows with every change that was seen; `refused` are the
    files that can't be taken, each with the reason. While they are followed (`is_followed`), somebody looks after every
    change, so that who reads them need not.
    """

    def __init__(self, project: ConfinedFolder, listing: Listing) -> None:
        self._project = project
        self._listing = listing
        self._lock = threading.Lock()
        self._files: Mapping[str, SettledFile] = {}
        self._waiting: dict[str, tuple[Stamp, float]] = {}
        self._looked_at: float | None = None
        self.is_followed = False
        self.generation = 0
        self.refused: dict[str, str] = {}

    @property
    def is_unsettled(self) -> bool:
        """Whether a file was being written at the last look."""
        return bool(self._waiting)

    def current(self) -> Mapping[str, SettledFile]:
        """The files by path; looked at again when the last look is not fresh any more."""
        if self._is_fresh():
            return self._files
        with self._lock:  # whoever had to wait for another's look takes what that one saw
            return self._files if self._is_fresh() else self._look()

    def look(self) -> Mapping[str, SettledFile]:
        """The files by path as they are now."""
        with self._lock:
            return self._look()

    def _is_fresh(self) -> bool:
        if self._looked_at is None:
            return False
        patience = UNSETTLED_LOOK_SECONDS if self._waiting else LOOK_SECONDS
        return self.is_followed or monotonic() - self._looked_at < patience

    def _look(self) -> Mapping[str, SettledFile]:
        is_first = self._looked_at is None
        listing = dict(self._listing())
        rested = self._rested(listing) if is_first else frozenset[str]()
        self.refused = {path: reason for path, reason in self.refused.items() if path in listing}
        files: dict[str, SettledFile] = {}
        for path, status in listing.items():
            file = self._seen(path, status, is_rested=path in rested)
            if file is not None:
                files[path] = file
        self._waiting = {path: seen for path, seen in self._waiting.items() if path in listing}
        if files != self._files:
            self._files = dict(sorted(files.items()))
            self.generation += 1
        self.generation = max(self.generation, 1)
        self._looked_at = monotonic()
        return self._files

    def _rested(self, listing: Mapping[str, os.stat_result]) -> frozenset[str]:
        """The files that are whole at the first look: nobody writes them, or they rest for as long as we wait, once."""
        young = {path: stamp_file(status) for path, status in listing.items() if not _is_old(status)}
        written = {path: self._is_being_written(path) for path in young}
        if None not in written.values():
            return frozenset(path for path, is_written in written.items() if not is_written)
        sleep(SETTLED_SECONDS)
        later = {path: stamp_file(status) for path, status in self._listing()}
        return frozenset(path for path, stamp in young.items() if later.get(path) == stamp)

    def _seen(self, path: str, status: os.stat_result, *, is_rested: bool) -> SettledFile | None:
        before = self._files.get(path)
        if before is not None and stamp_file(before.status) == stamp_file(status):
            self._waiting.pop(path, None)
            return before
        if not self._is_settled(path, status, is_rested=is_rested):
            return before
        try:
            content, read = self._project.read_with_status(path, limit_bytes=LARGEST_BYTES)
        except Refusal as error:
            self._waiting.pop(path, None)
            self.refused[path] = error.message
            return None
        self.refused.pop(path, None)
        if stamp_file(read) != stamp_file(status):  # it has changed since it was listed
            self._waiting[path] = (stamp_file(read), monotonic())
            return before
        self._waiting.pop(path, None)
        return SettledFile(path, content, read)

    def _is_settled(self, path: str, status: os.stat_result, *, is_rested: bool) -> bool:
        """Whether a file that has changed is whole, as far as can be told."""
        if self._is_being_written(path):
            self._waiting[path] = (stamp_file(status), monotonic())
            return False
        if is_rested or _is_old(status):
            return True
        stamp, since = self._waiting.setdefault(path, (stamp_file(status), monotonic()))
        if stamp != stamp_file(status):
            self._waiting[path] = (stamp_file(status), monotonic())
            return False
        return monotonic() - since >= SETTLED_SECONDS

    def _is_being_written(self, path: str) -> bool | None:
        try:
            return self._project.is_being_written(path)
        except Refusal:
            return None


def _is_old(status: os.stat_result) -> bool:
    """Whether a file was last written a while ago; one that was only moved is as old as it was."""
    return time() - status.st_mtime >= SETTLED_SECONDS


def stamp_file(status: os.stat_result) -> Stamp:
    """What tells, without reading it, that a file is still the same."""
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


TITLE_LINES = 40


class ArchitectureDocument(NamedTuple):
    """A guideline, a pattern or a decision, with its name inside its category and its address.

    A decision is listed under its number; `full_uri` has its whole name, as the tools show it. Its `adr_id` is its
    number if it is the only one with it, else its name. An index or a template in our own folder of decisions is a
    document but no decision.
    """

    category: str
    name: str
    uri: str
    full_uri: str
    title: str
    text: str
    checksum: str
    file: SettledFile
    adr_id: str = ""
    is_decision: bool = False

    @property
    def path(self) -> str:
        """Its path in the project, as text that can be sent."""
        return self.file.path.encode(errors="surrogateescape").decode(errors="replace")

    def cited(self, start_line: int = 1, end_line: int | None = None) -> str:
        """The citation of some lines of its file; without them, of all."""
        lines = ByteLines(self.file.content)
        end = max(len(lines), 1) if end_line is None else end_line
        return format_citation(self.path, start_line, end, hash_lines(lines.between(start_line, end)))

    @property
    def short_name(self) -> str:
        """Its name in its address: its own, or the number of a decision."""
        return unquote(self.uri.removeprefix(f"{SCHEME}://{self.category}/"))

    @property
    def addresses(self) -> tuple[str, ...]:
        """The URIs that it has; the number of a decision also counts without its zeros."""
        bare = f"{SCHEME}://{self.category}/{self.adr_id.lstrip('0')}"
        addresses = [self.uri, self.full_uri]
        if self.uri == f"{SCHEME}://{self.category}/{self.adr_id}" and self.adr_id.isdecimal():
            addresses.append(bare)
        return tuple(dict.fromkeys(addresses))


class DocumentShelf(NamedTuple):
    """All documents at one moment; `generation` grows with every change, so that results can be cached by it."""

    generation: int
    documents: tuple[ArchitectureDocument, ...]
    by_uri: Mapping[str, ArchitectureDocument]

    def of(self, category: str) -> list[ArchitectureDocument]:
        """The documents of a category by name."""
        return [document for document in self.documents if document.category == category]


class DocumentLibrary:
    """The documents of a project, never older than a second, never half written.

    Reading does not report changes: `news` is for whoever follows the files.
    """

    def __init__(self, project: ConfinedFolder, settings: Mapping[str, Any]) -> None:
        self._lock = threading.Lock()
        self._shelf = DocumentShelf(0, (), {})
        self._told = self._shelf
        self._roots = read_roots(settings)
        self._places: dict[str, PlacedDocument] = {}
        self._project = project
        self._decisions = FoundDecisions(project, beside=self._own_folders(), is_wanted=not settings.get(ADR))
        self._files = SettledFiles(project, self._listing)

    @property
    def is_unsettled(self) -> bool:
        """Whether something was being written at the last look."""
        return self._files.is_unsettled

    @property
    def refused(self) -> Mapping[str, str]:
        """The files that can't be read, with the reasons."""
        return self._files.refused

    def folders(self) -> list[str]:
        """The folders that may hold documents, relative to the project."""
        return [*dict.fromkeys((*self._own_folders(), *self._decisions.folders()))]

    def found_decisions(self) -> list[str]:
        """The decisions outside of the folders that usually hold them."""
        return [*self._decisions.paths()]

    def _own_folders(self) -> list[str]:
        return [root.folder for root in self._roots]

    def shelf(self) -> DocumentShelf:
        """The documents now."""
        self._files.current()
        return self._arranged()

    def look(self) -> DocumentShelf:
        """Read the documents anew."""
        self._decisions.look_again()
        self._files.look()
        return self._arranged()

    def now(self) -> DocumentShelf:
        """The documents as they were at the last look."""
        return self._arranged()

    def be_followed(self, is_followed: bool) -> None:
        """Whether somebody else looks after every change from now on."""
        self._files.is_followed = is_followed

    def news(self) -> list[ChangedList]:
        """The list of resources, if an entry was added, removed or renamed since the last call."""
        with self._lock:
            before = self._told
            self._told = self._shelf
        return ["resources"] if before.generation and _titles(before) != _titles(self._told) else []

    def _listing(self) -> "Iterator[tuple[str, Any]]":
        places: dict[str, PlacedDocument] = {}
        for placed, status in list_documents(self._project, self._roots):
            places[placed.path] = placed
            yield placed.path, status
        for path in self._decisions.paths():
            if path in places:
                continue
            entry = self._project.entry(path)
            if entry is not None:
                places[path] = PlacedDocument(ADR, path, path, "found")
                yield path, entry
        self._places = places

    def _arranged(self) -> DocumentShelf:
        with self._lock:
            before = self._shelf
            if before.generation == self._files.generation:
                return before
            generation = self._files.generation
            files = self._files.current()
            known = {id(document.file): document for document in before.documents}
            placed: list[tuple[PlacedDocument, SettledFile]] = []
            for path, file in files.items():
                place = self._places.get(path)
                if place is not None and (id(file) in known or _is_document(place, file)):
                    placed.append((place, file))
            self._shelf = _shelf(generation, placed, known)
            if not self._told.generation:  # what is there at the first look is no news
                self._told = self._shelf
            return self._shelf


def _shelf(
    generation: int, placed: Sequence[tuple[PlacedDocument, SettledFile]], known: Mapping[int, ArchitectureDocument]
) -> DocumentShelf:
    shared = Counter((each.category, _short_name(each)) for each, _ in placed)
    stems = Counter((each.category, _name(each)) for each, _ in placed)
    documents: list[ArchitectureDocument] = []
    for each, file in placed:
        name = _name(each) if stems[each.category, _name(each)] == 1 else strip_suffix(each.path)
        short = _short_name(each)
        if shared[each.category, short] > 1:
            short = name
        documents.append(_document(each, file, name=name, short=short, before=known.get(id(file))))
    documents.sort(key=lambda document: (document.category, document.name))
    by_uri = {uri: document for document in documents for uri in (document.full_uri, document.uri)}
    return DocumentShelf(generation, tuple(documents), by_uri)


def _is_document(placed: PlacedDocument, file: SettledFile) -> bool:
    """Whether a file is a document; other files beside decisions are none, except in our own folder."""
    return placed.category != ADR or placed.origin == "own" or _is_decision(placed, file)


def _is_decision(placed: PlacedDocument, file: SettledFile) -> bool:
    if placed.category != ADR:
        return False
    if placed.origin == "found":
        return True
    text = file.content.decode("utf-8", errors="replace")
    return is_record(placed.path, text) if placed.origin == "usual" else is_named_record(placed.inner, text)


def _name(placed: PlacedDocument) -> str:
    """The name of a document: its path inside its folder, or only the last part for a decision."""
    return read_own_name(placed.inner) if placed.category == ADR else placed.inner.removesuffix(".md")


def _short_name(placed: PlacedDocument) -> str:
    return read_adr_id(placed.inner) if placed.category == ADR else _name(placed)


def _document(
    placed: PlacedDocument, file: SettledFile, *, name: str, short: str, before: ArchitectureDocument | None
) -> ArchitectureDocument:
    """A document; what was made of its text stays as long as the file does."""
    adr_id = short if placed.category == ADR else ""
    uri = make_uri(placed.category, short)
    full_uri = make_uri(placed.category, name)
    if before is not None:
        title = before.title if before.title != before.name else name
        return before._replace(name=name, uri=uri, full_uri=full_uri, title=title, adr_id=adr_id)
    text = file.content.decode("utf-8", errors="replace")
    return ArchitectureDocument(
        category=placed.category,
        name=name,
        uri=uri,
        full_uri=full_uri,
        title=_title(placed.inner, text) or name,
        text=text,
        checksum=hashlib.md5(file.content, usedforsecurity=False).hexdigest(),
        file=file,
        adr_id=adr_id,
        is_decision=_is_decision(placed, file),
    )


def make_uri(category: str, name: str) -> str:
    """The address of a document."""
    legible = name.encode(errors="surrogateescape").decode(errors="replace")
    return f"{SCHEME}://{category}/{quote(legible, safe='/')}"


def _title(path: str, text: str) -> str:
    """The title of a text, else its first heading near the top."""
    from fieldguide.prose.readers import read_document  # only who reads documents pays for the parser

    document = read_document(path, text)
    first = next((heading.text for heading in document.headings if heading.line <= TITLE_LINES), "")
    return HIDDEN.sub("", document.title or first).strip()


def _titles(shelf: DocumentShelf) -> dict[str, str]:
    return {each.uri: each.title for each in shelf.documents}


LATEST_SECONDS = 253402300799  # the last one of the year 9999
SHOWN_CATEGORIES = {GUIDELINES: "Guidelines", PATTERNS: "Patterns", ADR: "ADR"}


def find_by_uri(shelf: DocumentShelf, uri: str) -> ArchitectureDocument:
    """The document at an address; refused in the words of the specification where there is none."""
    category, path = _parted(uri)
    found = find_by_name(shelf, category, unquote(path))
    if found is None:
        asked = path.removesuffix(".md")
        alike = [each.uri for each in shelf.of(category) if category == ADR and read_adr_id(each.path) == asked]
        told = _told("RESOURCE_NOT_FOUND", "resource", "medium", uri)
        raise NotFound("Resource not found", **told, **({"candidates": alike} if alike else {}))
    return found


def _parted(uri: str) -> tuple[str, str]:
    """The category and the path in an address."""
    if not uri.startswith(f"{SCHEME}://") or any("\ud800" <= character <= "\udfff" for character in uri):
        raise _invalid("Invalid resource URI", uri)
    category, _, path = uri.removeprefix(f"{SCHEME}://").partition("/")
    if not category or not path:
        raise _invalid("Invalid URI format, expected 'architecture://{category}/{path}'", uri)
    if ".." in unquote(uri) or "\\" in unquote(uri):
        raise _invalid("Path traversal attempt detected", uri)
    if category not in CATEGORIES:
        raise _invalid("unsupported resource category", uri)
    return category, path


def find_by_name(shelf: DocumentShelf, category: str, name: str) -> ArchitectureDocument | None:
    """The document of this name: its path, with or without `.md`; a decision also by its number, padded or not."""
    bare = name.removesuffix(".md")
    found = shelf.by_uri.get(make_uri(category, name)) or shelf.by_uri.get(make_uri(category, bare))
    if found is None and category == ADR and bare.isdecimal() and bare.isascii():
        numbered = [each for each in shelf.of(ADR) if each.adr_id.isdecimal()]
        same = [each for each in numbered if each.adr_id.lstrip("0") == bare.lstrip("0")]
        found = same[0] if len(same) == 1 else None
    return found


def describe_resource(document: ArchitectureDocument) -> Resource:
    """A document as an entry of the resource list."""
    status = document.file.status
    seconds = min(max(int(status.st_mtime), 0), LATEST_SECONDS)
    modified = datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    return Resource(
        uri=document.uri,
        name=document.title,
        description=f"{SHOWN_CATEGORIES[document.category]}: {document.title}",
        mime_type=MARKDOWN,
        size=len(document.file.content),
        annotations={
            "category": document.category,
            "path": document.path,
            "lastModified": modified,
            "size": len(document.file.content),
            "checksum": document.checksum,
        },
    )


def _invalid(message: str, uri: str) -> InvalidArguments:
    return InvalidArguments(message, **_told("INVALID_PARAMS", "validation", "low", uri))


def _told(code: str, category: str, severity: str, uri: str) -> dict[str, Any]:
    """What a program reads of a refusal."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"category": category, "code": code, "severity": severity, "timestamp": now, "context": {"uri": uri}}


PROMPT_ARGUMENTS = {"pattern_name": PATTERNS, "guideline_name": GUIDELINES, "adr_id": ADR}


def complete_name(
    library: DocumentLibrary, reference: Mapping[str, Any], argument: str, prefix: str
) -> Sequence[str] | None:
    """The names that begin like `prefix`, whatever the case; None when the reference is not ours."""
    category = _category(reference, argument)
    if category is None:
        return None
    names = {document.short_name for document in library.shelf().of(category)}
    return sorted(name for name in names if name.casefold().startswith(prefix.casefold()))


def _category(reference: Mapping[str, Any], argument: str) -> str | None:
    if reference.get("type") == "ref/prompt":
        return PROMPT_ARGUMENTS.get(argument)
    address = str(reference.get("uri", ""))
    if reference.get("type") == "ref/resource" and address.startswith(f"{SCHEME}://"):
        category = address.removeprefix(f"{SCHEME}://").partition("/")[0]
        return category if category in PROMPT_ARGUMENTS.values() else None
    return None
