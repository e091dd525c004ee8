"""Collections from the web: a manifest with the files it names, or a bundle.

A user in the address is sent to its own host only, nothing leads from an encrypted address to one that is not, and
each hop is judged anew.
"""

import http.client
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from fieldguide.errors import Unreadable
from fieldguide.search.syncing import Entry
from fieldguide.toolsets.documents.manifest import Manifest, parse_manifest
from fieldguide.toolsets.documents.snapshot import (
    LARGEST_DOCUMENT_BYTES,
    LARGEST_MANIFEST_BYTES,
    Snapshot,
    verified,
)
from fieldguide.toolsets.documents.sources.addresses import opened, origin, without_secrets
from fieldguide.toolsets.documents.sources.budget import Budget
from fieldguide.toolsets.documents.sources.bundle import LARGEST_BUNDLE_BYTES, packed_snapshot
from fieldguide.toolsets.documents.sources.contents import is_served
from fieldguide.toolsets.documents.sources.reach import Reach
from fieldguide.toolsets.documents.sources.web_request import WEB, WebClient, read_target

PIECE_BYTES = 1 << 16
MOST_REDIRECTS = 5
NOT_THERE = (404, 410)
REDIRECTS = (301, 302, 303, 307, 308)
BUNDLES = (".tar.gz", ".tgz")
PLAIN = ("", "identity")


class WebSource:
    """A source that may name files on the web: itself, or only some of its files."""

    def __init__(self, address: str, *, reach: Reach, budget: Budget) -> None:
        self._address, self._authorization = opened(address)
        self._is_encrypted = address.startswith("https://")
        self._client = WebClient(reach=reach, budget=budget)
        self._budget = budget

    def snapshot(self) -> Snapshot:
        """What a manifest or a bundle on the web holds; its files are fetched when they are read."""
        if _is_bundle(self._address):
            return packed_snapshot(self._required(LARGEST_BUNDLE_BYTES), self.fetch)
        manifest = parse_manifest(self._required(LARGEST_MANIFEST_BYTES))
        if manifest.globs:
            raise Unreadable("A manifest on the web must name its files: a web server does not list folders.")
        return Snapshot([*self._entries(manifest)], manifest.details())

    def fetch(self, address: str) -> bytes | None:
        """A file that a manifest names by its address; None when it is not there."""
        if self._is_encrypted and not address.startswith("https://"):
            raise Unreadable(f"{without_secrets(address)} is not encrypted, though what names it is.")
        return self._fetched(address, LARGEST_DOCUMENT_BYTES)

    def _entries(self, manifest: Manifest) -> Iterator[Entry]:
        base = urljoin(self._address, f"{manifest.base_url.rstrip('/')}/") if manifest.base_url else self._address
        for file in manifest.files:
            if file.path is not None:
                name = file.path
                if not is_served(name):
                    continue
                where = urljoin(base, quote(name))
            else:
                name, where = without_secrets(file.url or ""), file.url or ""
            yield Entry(name, "", partial(self._verified, where, file.hash, name))

    def _verified(self, address: str, expected: str | None, name: str) -> bytes | None:
        return verified(self.fetch(address), expected, name)

    def _required(self, limit_bytes: int) -> bytes:
        content = self._fetched(self._address, limit_bytes)
        if content is None:
            raise Unreadable(f"There is nothing at {without_secrets(self._address)}.")
        return content

    def _fetched(self, address: str, limit_bytes: int) -> bytes | None:
        """What an address answers with, after a few redirects; None when it says that nothing is there."""
        plain, authorization = opened(address)
        if authorization is None and origin(plain) == origin(self._address):
            authorization = self._authorization
        shown = without_secrets(address)
        for _ in range(MOST_REDIRECTS + 1):
            try:
                found = self._asked(plain, authorization, limit_bytes)
            except (OSError, ValueError, http.client.HTTPException) as error:
                self._budget.seconds_left()  # whatever was broken off because the time is over says so
                raise Unreadable(f"{shown} can't be fetched{_reason(error)}.") from None
            if not isinstance(found, _Elsewhere):
                return found
            if origin(found.address) != origin(plain):
                authorization = None
            plain = found.address
        raise _wandering(shown)

    def _asked(self, address: str, authorization: str | None, limit_bytes: int) -> "bytes | _Elsewhere | None":
        """One hop: what is there, where it is instead, or that it is not there."""
        shown = without_secrets(address)
        headers = {"User-Agent": "fieldguide", "Accept-Encoding": "identity"}
        if authorization is not None:
            headers["Authorization"] = authorization
        with self._client.answer(read_target(address), headers) as answer:
            if answer.status in NOT_THERE:
                return None
            if 300 <= answer.status < 400:
                return _following(address, answer)
            if answer.status != http.HTTPStatus.OK:
                raise Unreadable(f"{shown} answered {answer.status}.")
            if (answer.getheader("Content-Encoding") or "").strip().lower() not in PLAIN and not _is_bundle(address):
                raise Unreadable(f"{shown} is packed, which nobody asked for.")
            return self._read(answer, limit_bytes, shown)

    def _read(self, answer: http.client.HTTPResponse, limit_bytes: int, shown: str) -> bytes:
        """What comes, as long as all of it fits and there is time."""
        pieces: list[bytes] = []
        size = 0
        while size <= limit_bytes and (piece := answer.read(min(PIECE_BYTES, limit_bytes + 1 - size))):
            pieces.append(piece)
            size += len(piece)
        if size > limit_bytes:
            raise Unreadable(f"{shown} is too large.")
        if answer.length:
            raise http.client.IncompleteRead(b"")
        return b"".join(pieces)


class _Elsewhere(NamedTuple):
    """What a redirect says."""

    address: str


def _following(address: str, answer: http.client.HTTPResponse) -> _Elsewhere:
    """The address that follows, without a user; one that is not on the web, or less safe, is an error."""
    location = answer.getheader("Location")
    if answer.status not in REDIRECTS or not location:
        raise _wandering(without_secrets(address))
    following = opened(urljoin(address, quote(location, "%/:=&?~#+!$,;'@()*[]", encoding="iso-8859-1"))).address
    if not following.startswith(WEB) or (address.startswith("https://") and not following.startswith("https://")):
        raise _wandering(without_secrets(address))
    return _Elsewhere(following)


def _wandering(shown: str) -> Unreadable:
    return Unreadable(f"{shown} sends one from place to place.")


def _is_bundle(address: str) -> bool:
    return urlsplit(address).path.endswith(BUNDLES)


def _reason(error: Exception) -> str:
    """Why, as far as that tells nothing of the address."""
    if isinstance(error, TimeoutError):
        return ": it takes too long"
    told = error.strerror if isinstance(error, OSError) else None
    return f": {told}" if told else ""
