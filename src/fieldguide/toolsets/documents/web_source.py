"""Collections from the web: a manifest with the files it names, or a bundle, fetched into a folder of our own."""

import hashlib
import os
import shutil
import urllib.error
import urllib.request
from functools import partial
from urllib.parse import quote, urljoin, urlsplit

from fieldguide.errors import Unreadable
from fieldguide.toolsets.documents.bundle import bundle_snapshot
from fieldguide.toolsets.documents.manifest import parse_manifest
from fieldguide.toolsets.documents.snapshot import (
    LARGEST_DOCUMENT_BYTES,
    LARGEST_MANIFEST_BYTES,
    Entry,
    Snapshot,
    verified,
)

SECONDS = 30.0
LARGEST_BUNDLE_BYTES = 256 << 20
NOT_THERE = (404, 410)


def web_snapshot(address: str, cache: str) -> Snapshot:
    """What a manifest or a bundle on the web holds; a file that is not there is skipped, anything else is an error."""
    if urlsplit(address).path.endswith((".tar.gz", ".tgz")):
        return bundle_snapshot(_kept(address, _required(address, LARGEST_BUNDLE_BYTES), cache))
    manifest = parse_manifest(_required(address, LARGEST_MANIFEST_BYTES))
    if manifest.globs:
        raise Unreadable("A manifest on the web must name its files: a web server does not list folders.")
    base = manifest.base_url or address
    base = base if base == address or base.endswith("/") else f"{base}/"
    entries: list[Entry] = []
    for file in manifest.files:
        name = file.path.removeprefix("./") if file.path is not None else file.url or ""
        where = urljoin(base, quote(name)) if file.path is not None else name
        content = verified(_fetched(where, LARGEST_DOCUMENT_BYTES), file.hash)
        entries.append(Entry(name, "", partial(_same, content)))
    return Snapshot(entries, manifest.details())


def _same(content: bytes | None) -> bytes | None:
    return content


def _kept(address: str, content: bytes, cache: str) -> str:
    os.makedirs(cache, exist_ok=True)
    path = os.path.join(cache, f"{hashlib.sha256(address.encode()).hexdigest()[:20]}.tar.gz")
    with open(f"{path}.new", "wb") as file:
        file.write(content)
    shutil.move(f"{path}.new", path)
    return path


def _required(address: str, limit_bytes: int) -> bytes:
    content = _fetched(address, limit_bytes)
    if content is None:
        raise Unreadable(f"There is nothing at {address}.")
    return content


def _fetched(address: str, limit_bytes: int) -> bytes | None:
    """What an address answers with; None when it says that nothing is there."""
    if urlsplit(address).scheme not in ("https", "http"):
        raise Unreadable(f"{address!r} is not an address on the web.")
    request = urllib.request.Request(address, headers={"User-Agent": "fieldguide"})  # noqa: S310  checked above
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            content: bytes = answer.read(limit_bytes + 1)
    except urllib.error.HTTPError as error:
        if error.code in NOT_THERE:
            return None
        raise Unreadable(f"{address} answered {error.code}.") from error
    except (OSError, ValueError) as error:
        raise Unreadable(f"{address} can't be fetched.") from error
    if len(content) > limit_bytes:
        raise Unreadable(f"{address} is too large.")
    return content
