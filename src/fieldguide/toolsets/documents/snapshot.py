"""Takes a snapshot of the files of a collection: from a folder, a manifest, or contents in memory."""

import hashlib
import json
import os
import posixpath
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import GLOBS
from fieldguide.files.secrets import EVERYBODYS
from fieldguide.prose.readers import is_document
from fieldguide.search.backlog import SourceFile, SourcePart, make_stamp
from fieldguide.storage.state_folder import OLD_FOLDER
from fieldguide.text import regex as re
from fieldguide.text.data_formats import MalformedText, read_json
from fieldguide.text.errors import InvalidArguments, NotFound, Refusal
from fieldguide.text.globs import compile_globs
from fieldguide.text.secrets import is_secret_name

FILE_NAME = "manifest.json"
LARGEST_BYTES = 10 << 20
HOST = re.compile(r"(?:[^:@]*|\[[^@\]]*\])(?::\d*)?")
QUERY_VALUE = re.compile(r"([?&])([^=&#]+)=[^&#]*")


def hide_secrets(address: str) -> str:
    """An address as it may be shown: without its user (but that of ssh), and without values of tokens in its query."""
    scheme, mark, rest = address.partition("://")
    if not mark:
        return address
    end = next((place for place, character in enumerate(rest) if character in "/?#"), len(rest))
    user, _, host = rest[:end].rpartition("@")
    if not HOST.fullmatch(host):  # the password of a user who forgot to quote its `/`
        return f"{scheme}://…"
    shown = f"{user.partition(':')[0]}@" if user and scheme.endswith("ssh") else ""
    return f"{scheme}://{shown}{host}{QUERY_VALUE.sub(_hide_value, rest[end:])}"


def _hide_value(match: re.Match[str]) -> str:
    return f"{match.group(1)}{match.group(2)}=…" if is_secret_name(match.group(2)) else match.group()


def find_origin(address: str) -> tuple[str, str]:
    """The scheme and the host of an address on the web."""
    scheme, _, rest = address.partition("://")
    return scheme, re.split(r"[/?#]", rest)[0].rpartition("@")[2].lower()


class Manifest(NamedTuple):
    """What a manifest says; it has either globs or files: by path or address, each with its hash where one is given."""

    details: Mapping[str, str]
    base_url: str | None = None
    globs: tuple[str, ...] = ()
    files: Mapping[str, str | None] = MappingProxyType({})

    @property
    def name(self) -> str:
        """Its name."""
        return self.details.get("name", "")


def parse_manifest(content: bytes) -> Manifest:
    """Read a manifest; a sentence says what is wrong with one that is none."""
    try:
        value = read_json(content, most_bytes=LARGEST_BYTES)
    except MalformedText as error:
        raise InvalidArguments(f"The manifest is not JSON: {error}.") from error
    if not isinstance(value, dict) or not is_storable(value):
        raise InvalidArguments("The manifest must be a JSON object, without half characters.")
    entries = cast("dict[str, Any]", value)
    texts: dict[str, Any] = {
        key: entries[key] for key in ("name", "version", "description", "baseUrl") if key in entries
    }
    for key in ("name", "version", *texts):
        if not isinstance(texts.get(key), str):
            raise InvalidArguments(f'The manifest\'s "{key}" must be a text.')
    base_url = texts.pop("baseUrl", None)
    details = {key: text for key, text in texts.items() if text}
    given: Any = entries.get("sources")
    if not isinstance(given, dict) or ("glob" in given) == ("files" in given):
        raise InvalidArguments('The manifest\'s "sources" must be {"glob": […]} or {"files": […]}.')
    sources = cast("dict[str, Any]", given)
    if "files" in sources:
        return Manifest(details, base_url, files=dict(map(_read_file, _read_list(sources, "files"))))
    globs = _read_list(sources, "glob")
    if not all(isinstance(glob, str) for glob in globs):
        raise InvalidArguments('The manifest\'s "glob" must be a list of patterns.')
    return Manifest(details, base_url, tuple(globs))


def _read_list(sources: dict[str, Any], key: str) -> list[Any]:
    items: list[Any] = [sources[key]] if key == "glob" and isinstance(sources[key], str) else sources[key]
    if not isinstance(items, list):  # pyright: ignore[reportUnnecessaryIsInstance]  # JSON: it may be anything
        raise InvalidArguments(f'The manifest\'s "{key}" must be a list.')
    return items


def is_storable(value: Any) -> bool:
    """Whether a value read from JSON can be stored and sent: an escape may stand for half a character."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def _read_file(item: Any) -> tuple[str, str | None]:
    """The path (below the manifest's folder) or the address of a file, and its hash."""
    entry = cast("dict[str, Any]", {"path": item} if isinstance(item, str) else item if isinstance(item, dict) else {})
    path, url, digest = (entry.get(key) for key in ("path", "url", "hash"))
    if (path is None) == (url is None) or not isinstance(path or url, str) or not isinstance(digest, str | None):
        raise InvalidArguments("Each of the manifest's files has exactly one of path and url.")
    if url is not None:
        if not url.startswith(("https://", "http://")) or ".." in url.split("/"):
            raise InvalidArguments("The manifest names a url that is no address on the web.")
        return url, digest
    if not is_inside(str(path)) or "://" in str(path):
        raise InvalidArguments(f"The manifest names {path!r}, which does not lie in its folder.")
    return posixpath.normpath(str(path)), digest


SETTINGS = ("context.json", "fieldguide.toml")
LARGEST_DOCUMENT_BYTES = 8 << 20
LARGEST_MANIFEST_BYTES = 4 << 20


class Snapshot(NamedTuple):
    """A collection's files, the details of its manifest, and the files that are too large.

    `part` is the part of the collection that was read; None for all of it.
    """

    entries: Sequence[SourceFile]
    details: Mapping[str, str]
    part: SourcePart | None = None
    too_large: tuple[str, ...] = ()


def take_folder_snapshot(
    folder: ConfinedFolder,
    globs: Sequence[str] = GLOBS,
    details: Mapping[str, str] | None = None,
    part: SourcePart | None = None,
    names: frozenset[str] | None = None,
) -> Snapshot:
    """The files of a folder, or of a part of it, that some globs want, or that are among these names."""
    if not folder.exists():
        raise NotFound(f"There is no folder {os.path.basename(folder.root)!r} to read documents from.")
    wanted = compile_globs(globs) if names is None else names.__contains__
    is_by_name = names is not None or globs is GLOBS
    now = time.time()
    entries: list[SourceFile] = []
    too_large: list[str] = []
    if part is not None:
        found = _entries_of(folder, part)
    else:
        found = folder.entries() if names is None else _named_entries(folder, names)
    for path, status in found:
        is_ours = path in SETTINGS or OLD_FOLDER in path.split("/")  # settings may hold secrets
        if wanted(path) and not is_ours:
            read = _reader(folder, path)
            if is_by_name:
                read = GenuineReader(path, read)
            entries.append(SourceFile(make_legible(path), make_stamp(status, now), read, is_only_away=False))
            if status.st_size > LARGEST_DOCUMENT_BYTES:
                too_large.append(make_legible(path))
    entries.sort(key=lambda entry: entry.name)
    if part is not None:
        part = SourcePart(frozenset(map(make_legible, part.names)), frozenset(map(make_legible, part.folders)))
    return Snapshot(entries, details or {}, part, tuple(sorted(too_large)))


def _named_entries(folder: ConfinedFolder, names: Iterable[str]) -> Iterator[tuple[str, os.stat_result]]:
    for path in names:
        status = folder.entry(path)
        if status is not None:
            yield path, status


def _entries_of(folder: ConfinedFolder, part: SourcePart) -> Iterator[tuple[str, os.stat_result]]:
    """The files of a part of a folder, each once, with their status."""
    for path, status in _named_entries(folder, part.names):
        if not any(path.startswith(f"{each}/") for each in part.folders):
            yield path, status
    for inner in part.folders:
        if not any(inner.startswith(f"{each}/") for each in part.folders):
            for path, status in folder.folder(inner).entries():
                yield f"{inner}/{path}", status


def take_manifest_snapshot(
    folder: ConfinedFolder,
    name: str,
    fetch: Callable[[str], bytes | None] | None = None,
    part: SourcePart | None = None,
) -> Snapshot:
    """The files that a manifest on disk asks for, below its own folder; `fetch` gets those with an address.

    Of a manifest that has itself changed, or that lists its files, there is no part.
    """
    manifest = parse_manifest(folder.read(name, limit_bytes=LARGEST_MANIFEST_BYTES))
    if not manifest.files:
        is_same = part is not None and name not in part.names
        globs = (*manifest.globs, f"!{name}")
        return take_folder_snapshot(folder, globs, manifest.details, part if is_same else None)
    now = time.time()
    entries: list[SourceFile] = []
    for entry in list_manifest_files(manifest, lambda path: _reader(folder, path)(), fetch or fetch_nothing):
        status = None if "://" in entry.name else folder.status(entry.name)
        stamp = "" if status is None else make_stamp(status, now)
        entries.append(entry._replace(stamp=stamp, is_only_away="://" in entry.name))
    return Snapshot(entries, manifest.details)


def make_legible(name: str) -> str:
    """A file's name that can be stored and sent: bytes in it that are no UTF-8 are replaced."""
    return name if name.isascii() else name.encode(errors="surrogateescape").decode(errors="replace")


def _verified(read: Callable[[], bytes | None], name: str, expected: str | None) -> bytes | None:
    """The content that is read; None if it is a secret, or not the content whose hash is expected."""
    content = read()
    if content is None or EVERYBODYS.refuses_content((name.rpartition("/")[2],), content):
        return None
    if expected is None:
        return content
    digest = hashlib.sha256(content).hexdigest()
    return content if expected.removeprefix("sha256:").lower() == digest else None


def fetch_nothing(address: str) -> bytes | None:
    """Fetch nothing, for collections that are read without asking for the web."""
    return None


def _reader(folder: ConfinedFolder, path: str) -> Callable[[], bytes | None]:
    def read() -> bytes | None:
        try:
            return folder.read(path, limit_bytes=LARGEST_DOCUMENT_BYTES)
        except Refusal:  # removed meanwhile, too large, or not a file any more
            return None

    return read


@dataclass(frozen=True, slots=True)
class GenuineReader:
    """Reads a file that has the name of a document; None where its content is none."""

    name: str
    read: Callable[[], bytes | None]

    def __call__(self) -> bytes | None:
        """The bytes of a document."""
        content = self.read()
        return content if content is not None and is_document(self.name, content) else None


def is_no_document(entry: SourceFile) -> bool:
    """Whether a file can be read, and only has the name of a document."""
    return isinstance(entry.read, GenuineReader) and entry.read.read() is not None and entry.read() is None


Fetch = Callable[[str], bytes | None]


def take_contents_snapshot(
    names: Collection[str], read: Callable[[str], bytes | None], *, manifest: str | None, fetch: Fetch
) -> Snapshot:
    """A snapshot of the files of these names by a manifest (the named one, or that at the top), or of all documents."""
    place = manifest or FILE_NAME
    said = Manifest({}, globs=GLOBS)
    folder = ""
    if place in names:
        said = parse_manifest(read(place) or b"")
        folder = f"{posixpath.dirname(place)}/".lstrip("/")
    elif manifest is not None:
        raise NotFound(f"There is no manifest {manifest!r} in it.")
    if said.files:
        return Snapshot([*list_manifest_files(said, lambda name: read(f"{folder}{name}"), fetch)], said.details)
    wanted = compile_globs(said.globs)
    entries: list[SourceFile] = []
    for name in sorted(names):
        inner = name[len(folder) :]
        if name.startswith(folder) and name != place and wanted(inner) and is_served(name):
            verified = partial(_verified, partial(read, name), name, None)
            entries.append(SourceFile(inner, "", GenuineReader(name, verified) if said.globs is GLOBS else verified))
    return Snapshot(entries, said.details)


def is_inside(path: str) -> bool:
    """Whether a path stays below the folder that it begins in."""
    return bool(path) and not path.startswith("/") and ".." not in path.split("/") and "\0" not in path


def is_served(path: str) -> bool:
    """Whether a path of a bundle, a commit or a manifest is not on the list of what is never served."""
    return not EVERYBODYS.refuses(path.split("/"))


def list_manifest_files(manifest: Manifest, read: Callable[[str], bytes | None], fetch: Fetch) -> Iterator[SourceFile]:
    """The files that a manifest names, by the path that `read` takes or by an address; secrets are left out."""
    for name, digest in manifest.files.items():
        if "://" in name:
            yield SourceFile(hide_secrets(name), "", partial(_verified, partial(fetch, name), name, digest))
        elif is_served(name):
            yield SourceFile(name, "", partial(_verified, partial(read, name), name, digest))
