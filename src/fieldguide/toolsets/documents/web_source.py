"""Collections from the web: a manifest with the files it names, or a bundle.

A user in the address is sent to its own host only, and nothing leads from an encrypted address to one that is not.
"""

import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from time import monotonic
from typing import IO, Any
from urllib.parse import quote, urljoin, urlsplit

from fieldguide.errors import Unreadable
from fieldguide.search.syncing import Entry
from fieldguide.toolsets.documents.addresses import opened, origin, without_secrets
from fieldguide.toolsets.documents.bundle import LARGEST_BUNDLE_BYTES, packed_snapshot
from fieldguide.toolsets.documents.contents import is_served
from fieldguide.toolsets.documents.manifest import Manifest, parse_manifest
from fieldguide.toolsets.documents.snapshot import (
    LARGEST_DOCUMENT_BYTES,
    LARGEST_MANIFEST_BYTES,
    Snapshot,
    verified,
)

SILENCE_SECONDS = 30.0
FETCH_SECONDS = 300.0
PIECE_BYTES = 1 << 16
MOST_REDIRECTS = 5
NOT_THERE = (404, 410)
BUNDLES = (".tar.gz", ".tgz")


class WebSource:
    """A source that may name files on the web: itself, or only some of its files."""

    def __init__(self, address: str) -> None:
        self._address, self._authorization = opened(address)
        self._is_encrypted = address.startswith("https://")
        self._opener = urllib.request.build_opener(_Redirects())

    def snapshot(self) -> Snapshot:
        """What a manifest or a bundle on the web holds; its files are fetched when they are read."""
        if urlsplit(self._address).path.endswith(BUNDLES):
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
        """What an address answers with; None when it says that nothing is there."""
        shown = without_secrets(address)
        if not address.startswith(("https://", "http://")):
            raise Unreadable(f"{shown!r} is not an address on the web.")
        try:
            with self._opener.open(self._request(address), timeout=SILENCE_SECONDS) as answer:
                content = _read(answer, limit_bytes)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in NOT_THERE:
                return None
            what = "sends one from place to place" if 300 <= error.code < 400 else f"answered {error.code}"
            raise Unreadable(f"{shown} {what}.") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise Unreadable(f"{shown} can't be fetched{_reason(error)}.") from None
        if len(content) > limit_bytes:
            raise Unreadable(f"{shown} is too large.")
        return content

    def _request(self, address: str) -> urllib.request.Request:
        plain, authorization = opened(address)
        request = urllib.request.Request(plain, headers={"User-Agent": "fieldguide"})  # noqa: S310  checked by the caller
        if authorization is None and origin(plain) == origin(self._address):
            authorization = self._authorization
        if authorization is not None:
            request.add_unredirected_header("Authorization", authorization)
        return request


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a few redirects on the web; a user's header goes along to the same host only."""

    max_redirections = MOST_REDIRECTS

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """The request that follows; an address that is no web address, or less safe, is an error."""
        if not newurl.startswith(("https://", "http://")) or (req.type == "https" and newurl.startswith("http://")):
            raise urllib.error.HTTPError(req.full_url, code, "a redirect that is not followed", headers, fp)
        following = super().redirect_request(req, fp, code, msg, headers, newurl)
        authorization = req.unredirected_hdrs.get("Authorization")
        if following is not None and authorization and origin(newurl) == origin(req.full_url):
            following.add_unredirected_header("Authorization", authorization)
        return following


def _read(answer: Any, limit_bytes: int) -> bytes:
    """What comes, up to a byte beyond the limit, within the time that a fetch may take as a whole."""
    until = monotonic() + FETCH_SECONDS
    pieces: list[bytes] = []
    missing = limit_bytes + 1
    while missing > 0 and (piece := answer.read(min(PIECE_BYTES, missing))):
        pieces.append(piece)
        missing -= len(piece)
        if monotonic() > until:
            raise TimeoutError
    if missing > 0 and answer.length:
        raise http.client.IncompleteRead(b"")
    return b"".join(pieces)


def _reason(error: Exception) -> str:
    """Why, as far as that tells nothing of the address."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return ": it takes too long"
    told = cause.strerror if isinstance(cause, OSError) else None
    return f": {told}" if told else ""
