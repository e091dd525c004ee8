"""The search for a project's own text: which files are documents, where they belong, and in which language."""

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from time import monotonic, thread_time
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.document_formats.genuine import is_document
from fieldguide.document_formats.kinds import DOCX, HTML, NOTEBOOK, PDF, TEXT
from fieldguide.errors import Refusal
from fieldguide.globbing import matcher
from fieldguide.project_text.files import project_files
from fieldguide.project_text.git_index import index_place
from fieldguide.project_text.names import (
    LOOKED_INTO,
    format_by_name,
    is_called_document,
    is_list_of_people,
    is_no_document,
)
from fieldguide.project_text.places import ASSETS, MAYBE_TESTS, PlaceOf, Places, is_never_entered
from fieldguide.project_text.roots import DocumentRoot, code_folders, counted_files, document_roots
from fieldguide.project_text.translations import languages_of

LARGEST_LOOKED_INTO_BYTES = 1 << 20
MOST_LOOKED_INTO = 20_000
KEPT_PROJECTS = 8
QUICK_SECONDS = 0.02  # a walk that takes no longer is made for everybody who asks
WORTH_WAITING = 100  # a walk that took long is not made again for so many times as long


class FoundDocument(NamedTuple):
    """A document of the project: its path, its format, the folder of documentation it lies in, and its language.

    Without a folder it lies among the code; without a language it is in the project's main one.
    """

    path: str
    form: str
    root: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class FoundText:
    """The project's own text at one moment, and the places it was judged by; not whole where there was too much."""

    documents: tuple[FoundDocument, ...]
    roots: Mapping[str, DocumentRoot]
    is_tracked: bool = False
    is_whole: bool = True
    places: Places | None = None


def find_text(project: ConfinedFolder, *, leave_out: Sequence[str] = ()) -> FoundText:
    """Look for the project's own text now; `leave_out` are globs of what is none."""
    files = project_files(project)
    unwanted = matcher(leave_out) if leave_out else None
    paths = [path for path in files.paths if not unwanted(path)] if unwanted else files.paths
    counted = counted_files(paths)
    roots = document_roots(paths, counted)
    places = Places(roots, code_folders(counted, MAYBE_TESTS))
    documents = _told_apart(_documents(project, paths, places))
    used = {each.root for each in documents}
    return FoundText(
        documents,
        {folder: root for folder, root in roots.items() if folder in used},
        is_tracked=files.is_tracked,
        is_whole=files.is_whole,
        places=places,
    )


def _told_apart(documents: Iterable[FoundDocument]) -> tuple[FoundDocument, ...]:
    """The documents with their languages."""
    found = sorted(documents)
    languages = languages_of([each.path for each in found])
    return tuple(each._replace(language=languages.get(each.path, "")) for each in found)


def _documents(project: ConfinedFolder, paths: Sequence[str], places: Places) -> Iterator[FoundDocument]:
    looked_into = 0
    for path in paths:
        folder, _, name = path.rpartition("/")
        form = format_by_name(name)
        if form is None:
            continue
        place = places.of(folder)
        if not _is_wanted(name, form, place) or project.sensitive.refuses(tuple(path.split("/"))):
            continue
        if form == HTML and not ASSETS.isdisjoint(folder.lower().split("/")):
            continue
        if form in LOOKED_INTO:
            looked_into += 1
            if looked_into > MOST_LOOKED_INTO or not _is_document(project, path, form):
                continue
        yield FoundDocument(path, form, place.root)


def _is_wanted(name: str, form: str, place: PlaceOf) -> bool:
    """Whether a file may be a document where it lies, before anybody looks into it."""
    if place.kind == "out" or not _may_be_document(name, form, place):
        return False
    if place.kind in ("inner tests", "tests", "examples"):
        return _is_wanted_aside(name, form, place)
    if form == TEXT:
        return (place.kind == "documents" or is_called_document(name)) and not is_list_of_people(name)
    return form not in (HTML, PDF, DOCX) or place.kind == "documents"


def _may_be_document(name: str, form: str, place: PlaceOf) -> bool:
    """Whether a file is no hidden one, no licence and no form; pages about those are documents."""
    if name.startswith(".") and not is_called_document(name):
        return False
    return (place.kind == "documents" and form != TEXT) or not is_no_document(name)


def _is_wanted_aside(name: str, form: str, place: PlaceOf) -> bool:
    """Whether a file among tests or examples is for people."""
    if place.kind == "inner tests":
        return name.lower().startswith("readme")
    return is_called_document(name) or (form == NOTEBOOK and place.kind == "examples")


def _is_document(project: ConfinedFolder, path: str, form: str) -> bool:
    try:
        return is_document(path, project.read(path, limit_bytes=LARGEST_LOOKED_INTO_BYTES), form)
    except Refusal:
        return False


class KnownText:
    """The project's own text, looked for again when git's index has changed; without git, when some time is over.

    While it `is_followed`, somebody sees every change and tells of it.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._lock = threading.Lock()
        self.is_followed = False
        self._found: dict[tuple[str, ...], tuple[object, float, FoundText]] = {}

    def now(self, project: ConfinedFolder, *, leave_out: Sequence[str] = ()) -> FoundText:
        """The text as it is now, or was a moment ago."""
        key = tuple(leave_out)
        place = index_place(self._root)
        stamp = place.stamp() if place else None
        with self._lock:
            known = self._found.get(key)
            if known is not None and known[0] == stamp and self._is_fresh(known[2], known[1]):
                return known[2]
            began = thread_time()
            found = find_text(project, leave_out=key)
            took = thread_time() - began
            fresh_until = monotonic() + (WORTH_WAITING * took if took > QUICK_SECONDS else 0.0)
            self._found = {key: (stamp, fresh_until, found)}
            return found

    def _is_fresh(self, found: FoundText, until: float) -> bool:
        return found.is_tracked or self.is_followed or monotonic() < until

    def look_again(self) -> None:
        """More may have come or gone than is known: walk again when somebody asks. Git's index tells by itself."""
        with self._lock:
            self._found = {key: known for key, known in self._found.items() if known[2].is_tracked}

    def follow(self, project: ConfinedFolder, *, files: Collection[str], folders: Collection[str]) -> None:
        """Take in that these files and folders have come, changed or gone, without another walk where that will do."""
        with self._lock:
            for key, (stamp, until, found) in [*self._found.items()]:
                if found.is_tracked:
                    continue
                del self._found[key]
                followed = _followed(project, found, files=files, folders=folders, leave_out=key)
                if followed is not None:
                    self._found[key] = (stamp, until, followed)


def _followed(
    project: ConfinedFolder,
    found: FoundText,
    *,
    files: Collection[str],
    folders: Collection[str],
    leave_out: Sequence[str],
) -> FoundText | None:
    """What was found with these files and folders looked at anew; None where other folders may hold documents now."""
    places = found.places
    if places is None or any(places.of(folder).kind != "documents" for folder in folders):
        return None
    inside, unwanted = tuple(f"{folder}/" for folder in folders), matcher(leave_out)
    kept = [each for each in found.documents if each.path not in files and not each.path.startswith(inside)]
    paths = {path for path in _paths_now(project, files, folders) if not unwanted(path)}
    return replace(found, documents=_told_apart([*kept, *_documents(project, sorted(paths), places)]))


def _paths_now(project: ConfinedFolder, files: Collection[str], folders: Collection[str]) -> Iterator[str]:
    """Those of some files that are there, and what lies in some folders."""
    yield from (path for path in files if project.status(path) is not None)
    for folder in folders:
        entries = project.folder(folder).entries(lambda inner: not is_never_entered(inner))
        yield from (f"{folder}/{path}" for path, _ in entries)


@lru_cache(maxsize=KEPT_PROJECTS)
def known_text(root: str) -> KnownText:
    """What is known of the text of a project, for everybody in this process."""
    return KnownText(root)
