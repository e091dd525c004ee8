"""Packs collections into `.tar.gz` bundles, reads bundles safely, and keeps fetched collections.

The standard library reads headers that other headers announce by calling itself, keeps what every one of them says,
and has had holes in all of that. A bundle of documents needs none of it: names up to a length, sizes up to a limit;
links, devices, sparse files and what the headers say besides are passed over.

It is written below a handle of the folder, under a name that nobody can guess, then renamed; no link is followed.
"""

import gzip
import hashlib
import io
import json
import os
import posixpath
import tarfile
import zlib
from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import IO

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import PRIVATE_FILE, PRIVATE_FOLDER, find_open_flag, replace_file
from fieldguide.files.kinds import GLOBS
from fieldguide.text.errors import FieldguideError, NotFound, StorageFailed, Unreadable
from fieldguide.toolsets.documents.snapshot import (
    FILE_NAME,
    LARGEST_DOCUMENT_BYTES,
    LARGEST_MANIFEST_BYTES,
    Fetch,
    Snapshot,
    is_inside,
    is_no_document,
    make_legible,
    parse_manifest,
    take_contents_snapshot,
    take_folder_snapshot,
    take_manifest_snapshot,
)

BLOCK = 512
LARGEST_HEADER_BYTES = 64 << 10
PLAIN = b"0\x00"
LONG_NAME = b"L"
OWN_HEADER = b"x"
EMPTY = bytes(BLOCK)


class BrokenArchive(ValueError):
    """What is no archive, or a damaged one."""


class ArchiveTooLarge(ValueError):
    """An archive beyond its budget; it says which part of it."""


def read_regular_files(stream: gzip.GzipFile, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Each regular file with its name as it is written, in the order of the archive; too large ones are passed over."""
    reader = _Reader(stream, most_bytes)
    said: dict[str, str] = {}
    while (header := reader.header()) is not None:
        kind = header[156:157]
        size = _number(header[124:136])
        if kind in (LONG_NAME, OWN_HEADER):
            content = reader.content(size, LARGEST_HEADER_BYTES)
            said |= {"path": _text(content)} if kind == LONG_NAME else dict(_records(content))
            continue
        size = _size(said, size)
        name = said.get("path") or _read_member_name(header)
        is_sparse = any(key.startswith("GNU.sparse") for key in said)
        said = {}
        if kind in PLAIN and not is_sparse and size <= LARGEST_DOCUMENT_BYTES and not name.endswith("/"):
            yield reader.name(name), reader.content(size, LARGEST_DOCUMENT_BYTES)
        else:
            reader.skip(size)


class _Reader:
    """Reads blocks and counts what is left of the budget."""

    def __init__(self, stream: gzip.GzipFile, most_bytes: int) -> None:
        self._stream = stream
        self._most_bytes = most_bytes
        self._names = MOST_NAME_BYTES
        self._is_begun = False
        self._headers = MOST_FILES
        self._bytes = most_bytes
        self._until = monotonic() + MOST_SECONDS

    def header(self) -> bytes | None:
        """The next header; None at the end."""
        self._headers -= 1
        if self._headers < 0:
            raise ArchiveTooLarge(f"it has more than {MOST_FILES} files")
        block = self._read(BLOCK)
        if block == EMPTY or (not block and self._is_begun):
            return None
        self._is_begun = True
        if len(block) < BLOCK or not _is_right_sum(block, _number(block[148:156])):
            raise BrokenArchive
        return block

    def content(self, size: int, most: int) -> bytes:
        """What a header announces, without what fills its last block."""
        if size > most:
            raise ArchiveTooLarge(f"a header has more than {most >> 10} KiB")
        whole = self._read(_padded(size))
        if len(whole) < size:
            raise BrokenArchive
        return whole[:size]

    def skip(self, size: int) -> None:
        """Pass over what a header announces."""
        left = _padded(size)
        if left > self._bytes:
            raise self._too_large()
        while left > 0:
            passed = len(self._read(min(left, 1 << 20)))
            if not passed:
                raise BrokenArchive
            left -= passed

    def _read(self, size: int) -> bytes:
        self._bytes -= size
        if self._bytes < 0:
            raise self._too_large()
        if monotonic() > self._until:
            raise ArchiveTooLarge(f"to unpack it takes longer than {MOST_SECONDS:.0f} seconds")
        return self._stream.read(size)

    def name(self, name: str) -> str:
        """A name, counted: of long ones there may be few."""
        self._names -= len(name.encode("utf-8", errors="surrogatepass"))
        if self._names < 0:
            raise ArchiveTooLarge(f"its names have more than {MOST_NAME_BYTES >> 20} MiB")
        return name

    def _too_large(self) -> ArchiveTooLarge:
        return ArchiveTooLarge(f"unpacked it has more than {self._most_bytes >> 20} MiB")


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def _is_right_sum(block: bytes, told: int) -> bool:
    """Whether a header adds up, in one of the two ways that are in use; the sum in it counts as spaces."""
    rest = block[:148] + block[156:]
    unsigned = sum(rest) + 8 * 32
    return told == unsigned or told == unsigned - 256 * sum(byte > 127 for byte in rest)


def _number(field: bytes) -> int:
    """A number in octal digits, or in binary behind a mark."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.split(b"\0", 1)[0].strip()
    try:
        number = int(digits or b"0", 8)
    except ValueError:
        raise BrokenArchive from None
    if number < 0:
        raise BrokenArchive
    return number


def _read_member_name(header: bytes) -> str:
    name = _text(header[:100])
    prefix = _text(header[345:500]) if header[257:263] == b"ustar\0" else ""
    return f"{prefix}/{name}" if prefix else name


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode("utf-8", errors="surrogateescape")


def _size(said: dict[str, str], size: int) -> int:
    written = said.get("size", "")
    if not written:
        return size
    if not (written.isascii() and written.isdecimal()) or len(written) > 15:
        raise BrokenArchive
    return int(written)


def _records(content: bytes) -> Iterator[tuple[str, str]]:
    """The records of an extended header, `LENGTH KEY=VALUE`, each behind the other."""
    at = 0
    while at < len(content):
        space = content.find(b" ", at, at + 8)
        digits = content[at:space] if space > at else b""
        if not digits.isdigit():
            raise BrokenArchive
        end = at + int(digits)
        if not space < end <= len(content):
            raise BrokenArchive
        key, equals, value = content[space + 1 : end - 1].partition(b"=")
        if not equals:
            raise BrokenArchive
        yield _text(key), value.decode("utf-8", errors="surrogateescape")
        at = end


LARGEST_BUNDLE_BYTES = 24 << 20
MOST_FILES = 100_000
MOST_NAME_BYTES = 8 << 20
MOST_BYTES = 64 << 20  # both are in memory at once: with what Python adds, less than 100 MB
LARGEST_KEPT_BYTES = 256 << 20
MOST_KEPT_BYTES = 512 << 20  # what was fetched within the person's own limits, and packed by ourselves
MOST_TIMES = 200  # as many bytes as were packed; text shrinks to a tenth, a bomb to a thousandth
LEAST_BYTES = 16 << 20
MOST_SECONDS = 60.0
TOO_LARGE = "The bundle is too large"


def take_packed_snapshot(packed: bytes, fetch: Fetch, *, most_bytes: int = MOST_BYTES) -> Snapshot:
    """What the bytes of a bundle hold."""
    try:
        files = dict(_members(packed, most_bytes))
    except ArchiveTooLarge as error:
        raise Unreadable(f"{TOO_LARGE}: {error}.") from error
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise Unreadable("The bundle can't be read: it is no .tar.gz, or a damaged one.") from error
    return take_contents_snapshot(files, files.get, manifest=_nested_manifest(files), fetch=fetch)


def write_bundle(target: str, files: Iterable[tuple[str, bytes]]) -> None:
    """Pack files, whole or not at all."""
    with replace_file(target, 0o644) as file:
        pack_into(file, files)


def pack_into(file: IO[bytes], files: Iterable[tuple[str, bytes]]) -> None:
    """Pack files, one after another. Dates and owners are left out: same files, same bytes."""
    with (
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    file.flush()


def _members(packed: bytes, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """The regular files; links, devices and names that lead out are passed over."""
    believed = min(most_bytes, LEAST_BYTES + MOST_TIMES * len(packed))
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as unpacked:
        for written, content in read_regular_files(unpacked, believed):
            name = written if "://" in written else posixpath.normpath(written)
            if is_inside(name):
                yield make_legible(name), content


def _nested_manifest(names: Collection[str]) -> str | None:
    """The manifest of a bundle that was packed with its folder around it; None where it lies at the top, or nowhere."""
    tops = {name.partition("/")[0] for name in names}
    inner = f"{next(iter(tops))}/{FILE_NAME}" if len(tops) == 1 else ""
    return inner if inner in names else None


FOLDER = "sources"
_FOLDER_FLAGS = os.O_RDONLY | find_open_flag("O_DIRECTORY") | find_open_flag("O_NOFOLLOW") | find_open_flag("O_CLOEXEC")


def keep_snapshot(state: str, collection: str, snapshot: Snapshot) -> None:
    """Keep a collection as it was fetched, in place of what was kept; files that were not there stay listed."""
    try:
        with _sources(state) as folder, replace_file(_name(collection), PRIVATE_FILE, folder=folder) as file:
            pack_into(file, _read_kept_files(snapshot))
    except OSError as error:
        raise StorageFailed(f"What was fetched can't be kept: {error.strerror}.") from error


def read_kept_snapshot(state: str, collection: str) -> Snapshot | None:
    """The collection as it was fetched last; None when it never was, or nothing legible is left of it."""
    try:
        packed = ConfinedFolder(state).read(f"{FOLDER}/{_name(collection)}", limit_bytes=LARGEST_KEPT_BYTES)
        return take_packed_snapshot(packed, lambda address: None, most_bytes=MOST_KEPT_BYTES)
    except FieldguideError:
        return None


def forget_snapshot(state: str, collection: str) -> None:
    """Keep a collection no longer."""
    with suppress(FileNotFoundError), _sources(state) as folder:
        os.unlink(_name(collection), dir_fd=folder)


@contextmanager
def _sources(state: str) -> Generator[int]:
    """A handle of the folder that bundles are kept in; one that is a link is not opened."""
    outer = os.open(state, _FOLDER_FLAGS)
    try:
        with suppress(FileExistsError):
            os.mkdir(FOLDER, PRIVATE_FOLDER, dir_fd=outer)
        inner = os.open(FOLDER, _FOLDER_FLAGS, dir_fd=outer)
    finally:
        os.close(outer)
    try:
        yield inner
    finally:
        os.close(inner)


def _name(collection: str) -> str:
    return f"{hashlib.sha256(collection.encode()).hexdigest()[:20]}.tar.gz"


def _read_kept_files(snapshot: Snapshot) -> Iterator[tuple[str, bytes]]:
    said = {"name": "", "version": "", **snapshot.details}
    entries = [entry for entry in snapshot.entries if entry.name != FILE_NAME]
    listed: dict[str, list[str]] = {"files": [entry.name for entry in entries]} if entries else {"glob": []}
    yield FILE_NAME, json.dumps({**said, "sources": listed}).encode()
    for entry in entries:
        content = entry.read()
        if content is not None:
            yield entry.name, content


FIRST_VERSION = "1.0.0"


def pack_bundle(source: str, target: str, *, name: str | None, version: str | None) -> tuple[str, int]:
    """Pack what a manifest asks for, or a folder; the name of the bundle, and how many documents it has.

    A file that a manifest names and that can't be read is an error.
    """
    path = os.path.abspath(source)
    if os.path.isdir(path) and not os.path.exists(os.path.join(path, FILE_NAME)):
        said = {"name": name or os.path.basename(path), "version": version or FIRST_VERSION}
        manifest = json.dumps({**said, "sources": {"glob": list(GLOBS)}}, indent=2).encode()
        snapshot = take_folder_snapshot(ConfinedFolder(path))
        snapshot = snapshot._replace(entries=[each for each in snapshot.entries if not is_no_document(each)])
    else:
        folder, file_name = (path, FILE_NAME) if os.path.isdir(path) else os.path.split(path)
        manifest = ConfinedFolder(folder).read(file_name, limit_bytes=LARGEST_MANIFEST_BYTES)
        snapshot = take_manifest_snapshot(ConfinedFolder(folder), file_name)
    files = [(FILE_NAME, manifest), *_read_packed_files(snapshot)]
    if len(files) == 1:
        raise NotFound(f"There are no documents to pack in {source!r}.")
    write_bundle(target, files)
    return parse_manifest(manifest).name, len(files) - 1


def _read_packed_files(snapshot: Snapshot) -> Iterator[tuple[str, bytes]]:
    for entry in snapshot.entries:
        content = entry.read()
        if content is not None:
            yield entry.name, content
        elif "://" not in entry.name:  # what has an address of its own is fetched by whoever adds the bundle
            raise Unreadable(f"{entry.name!r} can't be packed: it is not there, or not what its manifest says.")
