"""Caches the guidelines, patterns and decisions of a project, and finds them by URI or name."""

import hashlib
import os
import threading
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.settled_files import SettledFile, SettledFiles
from fieldguide.knowledge.decisions.names import read_adr_id, read_own_name, strip_suffix
from fieldguide.knowledge.decisions.recognition import FoundDecisions, is_named_record, is_record
from fieldguide.spine.resources import ChangeNotice, Resource
from fieldguide.text.citation import format_citation, hash_lines
from fieldguide.text.errors import HIDDEN, InvalidArguments, NotFound
from fieldguide.text.windows import ByteLines
from fieldguide.toolsets.architecture.resources import (
    ADR,
    CATEGORIES,
    GUIDELINES,
    MARKDOWN,
    PATTERNS,
    SCHEME,
    PlacedDocument,
    find_document,
    list_documents,
    read_roots,
)

TITLE_LINES = 40


class ArchitectureDocument(NamedTuple):
    """A guideline, a pattern or a decision. `name` is what it is called inside its category, `uri` its address.

    A decision is listed under its number; `full_uri` holds its whole name, which the tools tell. Its `adr_id` is the
    number where no other has it, else its name. Our own folder of decisions may hold an index or a template, which are
    documents without being decisions.
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
    def addresses(self) -> tuple[str, ...]:
        """The URIs that it has; the number of a decision also counts without its zeros."""
        bare = f"{SCHEME}://{self.category}/{self.adr_id.lstrip('0')}"
        is_numbered = self.uri == f"{SCHEME}://{self.category}/{self.adr_id}" and self.adr_id.isdecimal()
        return tuple(dict.fromkeys((self.uri, self.full_uri, *((bare,) if is_numbered else ()))))


class DocumentShelf(NamedTuple):
    """All documents at one moment; a new one for every change, so that what was made from it can be kept with it."""

    generation: int
    documents: tuple[ArchitectureDocument, ...]
    by_uri: Mapping[str, ArchitectureDocument]

    def of(self, category: str) -> list[ArchitectureDocument]:
        """The documents of a category by name."""
        return [document for document in self.documents if document.category == category]


class DocumentLibrary:
    """The documents of a project, never older than a second, never half written.

    Who reads does not tell of changes: `news` is for the one who follows the files.
    """

    def __init__(self, project: ConfinedFolder, settings: Mapping[str, Any]) -> None:
        self._lock = threading.Lock()
        self._shelf = DocumentShelf(0, (), {})
        self._told = self._shelf
        self._roots = read_roots(settings)
        self._places: dict[str, PlacedDocument] = {}
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

    def shelf(self) -> DocumentShelf:
        """The documents now."""
        self._files.current()
        return self._arranged()

    def look(self, paths: Collection[str] | None = None) -> DocumentShelf:
        """The documents now, looked at on the spot; where only these paths have changed, the others are left alone."""
        if paths is None:
            self._decisions.look_again()
        self._files.look(paths)
        return self._arranged()

    def now(self) -> DocumentShelf:
        """The documents as they were at the last look."""
        return self._arranged()

    def be_followed(self, is_followed: bool) -> None:
        """Whether somebody else looks after every change from now on."""
        self._files.is_followed = is_followed

    def news(self) -> list[ChangeNotice]:
        """What has changed since the last time that somebody asked this: for whoever tells the clients of it."""
        with self._lock:
            before, self._told = self._told, self._shelf
        return [*_changes(before, self._told)] if before.generation else []

    def _listing(self) -> "Iterator[tuple[str, Any]]":
        places: dict[str, PlacedDocument] = {}
        for placed, status in list_documents(self._project, self._roots):
            places[placed.path] = placed
            yield placed.path, status
        for path in self._decisions.paths():
            if path not in places and (found_status := self._project.entry(path)) is not None:
                places[path] = PlacedDocument(ADR, path, path, "found")
                yield path, found_status
        self._places = places

    def _find(self, path: str) -> os.stat_result | None:
        placed, status = find_document(self._project, self._roots, path) or (None, None)
        if placed is None and (status := self._decisions.find(path)) is not None:
            placed = PlacedDocument(ADR, path, path, "found")
        if placed is not None:
            self._places = {**self._places, path: placed}
        return status

    def _arranged(self) -> DocumentShelf:
        with self._lock:
            before = self._shelf
            if before.generation == self._files.generation:
                return before
            generation = self._files.generation
            files = self._files.current()
            known = {id(document.file): document for document in before.documents}
            placed = [
                (self._places[path], file)
                for path, file in files.items()
                if path in self._places and (id(file) in known or _is_taken(self._places[path], file))
            ]
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


def _is_taken(placed: PlacedDocument, file: SettledFile) -> bool:
    """Whether a file is a document; what lies beside decisions is none, except in our own folder."""
    return placed.category != ADR or placed.origin == "own" or _is_decision(placed, file)


def _is_decision(placed: PlacedDocument, file: SettledFile) -> bool:
    if placed.category != ADR:
        return False
    if placed.origin == "found":
        return True
    text = file.content.decode("utf-8", errors="replace")
    return is_record(placed.path, text) if placed.origin == "usual" else is_named_record(placed.inner, text)


def _name(placed: PlacedDocument) -> str:
    """What a document is called: its path inside its folder; of a decision the last part, which is enough."""
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


def _changes(before: DocumentShelf, after: DocumentShelf) -> Iterator[ChangeNotice]:
    """What a client is told: of the list when an entry came, went or is called otherwise, and of each new text."""
    if _entries(before) != _entries(after):
        yield ChangeNotice("resources")
    was, now = ({(each.uri, each.checksum): each for each in shelf.documents} for shelf in (before, after))
    touched = {each.uri: each for key, each in (was | now).items() if key not in was or key not in now}
    for uri in sorted(touched):
        yield from (ChangeNotice("resource", address) for address in touched[uri].addresses)


def _entries(shelf: DocumentShelf) -> dict[str, str]:
    """The documents as they are listed: each address with its title."""
    return {document.uri: document.title for document in shelf.documents}


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
        same = [
            each for each in shelf.of(ADR) if each.adr_id.isdecimal() and each.adr_id.lstrip("0") == bare.lstrip("0")
        ]
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
    names = {_shown(document) for document in library.shelf().of(category)}
    return sorted(name for name in names if name.casefold().startswith(prefix.casefold()))


def _category(reference: Mapping[str, Any], argument: str) -> str | None:
    if reference.get("type") == "ref/prompt":
        return PROMPT_ARGUMENTS.get(argument)
    address = str(reference.get("uri", ""))
    if reference.get("type") == "ref/resource" and address.startswith(f"{SCHEME}://"):
        category = address.removeprefix(f"{SCHEME}://").partition("/")[0]
        return category if category in PROMPT_ARGUMENTS.values() else None
    return None


def _shown(document: ArchitectureDocument) -> str:
    """What stands for a document in its address: its name, or the number of a decision."""
    return unquote(document.uri.removeprefix(f"{SCHEME}://{document.category}/"))
