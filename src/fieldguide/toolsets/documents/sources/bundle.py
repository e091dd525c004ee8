"""Bundles: a collection in one `.tar.gz`, its manifest at the top; written the same bytes for the same files."""

import gzip
import io
import os
import posixpath
import tarfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import IO, NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Unreadable
from fieldguide.toolsets.documents.manifest import FILE_NAME
from fieldguide.toolsets.documents.snapshot import LARGEST_DOCUMENT_BYTES, Snapshot, legible
from fieldguide.toolsets.documents.sources.contents import Fetch, contents_snapshot, is_inside
from fieldguide.toolsets.documents.sources.tar_members import Budget, TooMuch, regular_files

LARGEST_BUNDLE_BYTES = 256 << 20
MOST_FILES = 100_000
MOST_BYTES = 512 << 20
MOST_TIMES = 200  # as many bytes as were packed; text shrinks to a tenth, a bomb to a thousandth
LEAST_BYTES = 16 << 20
MOST_SECONDS = 60.0
TOO_LARGE = "The bundle is too large."


class BundleFiles(NamedTuple):
    """The regular files of a bundle, in memory."""

    files: Mapping[str, bytes]

    @property
    def names(self) -> Collection[str]:
        """Every path."""
        return self.files.keys()

    def read(self, name: str) -> bytes | None:
        """The bytes of a file."""
        return self.files.get(name)


def bundle_snapshot(path: str, fetch: Fetch) -> Snapshot:
    """What a bundle on this machine holds."""
    folder, name = os.path.split(os.path.realpath(path))
    packed = ConfinedFolder(folder).read(name, limit_bytes=LARGEST_BUNDLE_BYTES)
    return packed_snapshot(packed, fetch)


def packed_snapshot(packed: bytes, fetch: Fetch) -> Snapshot:
    """What the bytes of a bundle hold."""
    try:
        files = BundleFiles(dict(_members(packed)))
    except TooMuch as error:
        raise Unreadable(TOO_LARGE) from error
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise Unreadable("The bundle can't be read: it is no .tar.gz, or a damaged one.") from error
    return contents_snapshot(files, manifest=_nested_manifest(files), fetch=fetch)


def write_bundle(target: str, files: Iterable[tuple[str, bytes]]) -> None:
    """Pack files, whole or not at all."""
    from tempfile import NamedTemporaryFile

    with NamedTemporaryFile(dir=os.path.dirname(os.path.abspath(target)), delete=False) as draft:
        try:
            pack_into(draft, files)
            os.chmod(draft.name, 0o644)
            os.replace(draft.name, target)
        except BaseException:
            os.unlink(draft.name)
            raise


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


def _members(packed: bytes) -> Iterator[tuple[str, bytes]]:
    """The regular files; links, devices and names that lead out are passed over."""
    most_bytes = min(MOST_BYTES, LEAST_BYTES + MOST_TIMES * len(packed))
    budget = Budget(MOST_FILES, most_bytes, LARGEST_DOCUMENT_BYTES, MOST_SECONDS)
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as unpacked:
        for written, content in regular_files(unpacked, budget):
            name = written if "://" in written else posixpath.normpath(written)
            if is_inside(name):
                yield legible(name), content


def _nested_manifest(files: BundleFiles) -> str | None:
    """The manifest of a bundle that was packed with its folder around it; None where it lies at the top, or nowhere."""
    tops = {name.partition("/")[0] for name in files.names}
    inner = f"{next(iter(tops))}/{FILE_NAME}" if len(tops) == 1 else ""
    return inner if inner in files.names else None
