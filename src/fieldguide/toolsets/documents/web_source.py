"""Fetches collections from the web: one request at a time, to hosts that the policy allows.

A proxy that the person's environment names is used. It looks hosts up by itself, so that its own rules decide about
names that are unknown here; a host that is known here not to be public is refused before the proxy hears of it.

A user in the address is sent to its own host only, nothing leads from an encrypted address to one that is not, and
each hop is judged anew.
"""

import http.client
import io
import socket
import ssl
import string
from base64 import b64encode
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from fieldguide.text.errors import Unreadable
from fieldguide.toolsets.documents.bundle import LARGEST_BUNDLE_BYTES, take_packed_snapshot
from fieldguide.toolsets.documents.collections import BUNDLES, WEB
from fieldguide.toolsets.documents.fetch_policy import (
    PORTS,
    FetchBudget,
    HostPolicy,
    find_origin,
    format_host,
    hide_secrets,
    resolve_host,
    split_credentials,
)
from fieldguide.toolsets.documents.snapshot import (
    LARGEST_DOCUMENT_BYTES,
    LARGEST_MANIFEST_BYTES,
    Snapshot,
    list_manifest_files,
    parse_manifest,
)

SILENCE_SECONDS = 30.0
MOST_TRIED = 4


class RequestTarget(NamedTuple):
    """Where a request goes: an address on the web, taken apart once."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The host as a server is told it."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return shown if self.port == PORTS[self.scheme] else f"{shown}:{self.port}"


class WebProxy(NamedTuple):
    """A proxy, and the header that stands for its user."""

    host: str
    port: int
    authorization: str | None

    def headers(self) -> dict[str, str]:
        """What it is told beside the request."""
        return {"Proxy-Authorization": self.authorization} if self.authorization else {}


def read_target(address: str) -> RequestTarget:
    """The parts of an address without a user; one that is none on the web is refused."""
    try:
        parts = urlsplit(address)
        port = PORTS[parts.scheme] if parts.port is None else parts.port
        host = (parts.hostname or "").rstrip(".")
        host = host if host.isascii() else host.encode("idna").decode()
    except (ValueError, KeyError):
        raise Unreadable(f"{hide_secrets(address)!r} is not an address on the web.") from None
    if not address.startswith(WEB) or not host or not port:
        raise Unreadable(f"{hide_secrets(address)!r} is not an address on the web.")
    path = parts.path or "/"
    return RequestTarget(
        parts.scheme, host, port, quote(f"{path}?{parts.query}" if parts.query else path, string.punctuation)
    )


def find_proxy(target: RequestTarget) -> WebProxy | None:
    """The proxy that the environment names for an address; it is the person's, wherever it is."""
    address = getproxies_environment().get(target.scheme)
    if not address or proxy_bypass(format_host(target.host, target.port)):
        return None
    parts = urlsplit(address if "://" in address else f"http://{address}")
    if parts.scheme != "http" or not parts.hostname:
        raise Unreadable("The proxy that your environment names can't be used: it must be http://HOST:PORT.")
    user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    authorization = f"Basic {b64encode(user.encode()).decode()}" if parts.username else None
    return WebProxy(parts.hostname, parts.port or PORTS["http"], authorization)


class WebClient:
    """Asks hosts that may be reached, within the budget of a fetch."""

    def __init__(self, *, reach: HostPolicy, budget: FetchBudget) -> None:
        self._reach = reach
        self._budget = budget
        self._context: ssl.SSLContext | None = None

    @contextmanager
    def answer(self, target: RequestTarget, headers: Mapping[str, str]) -> Generator[http.client.HTTPResponse]:
        """The answer to one GET while the block reads it; its head must come at once, all of it while there is time."""
        proxy = find_proxy(target)
        patience = min(SILENCE_SECONDS, self._budget.seconds_left())
        plain = self._connected(target, proxy, patience)
        with plain, self._encrypted(plain, target, proxy) if target.scheme == "https" else plain as connected:
            line = _Line(connected, self._budget, patience)
            with _head(line, target, headers, proxy) as answer:
                line.head_is_over()
                yield answer

    def _connected(self, target: RequestTarget, proxy: WebProxy | None, timeout_seconds: float) -> socket.socket:
        """A connection to the host that is asked, or to the proxy: to an address that was judged, and to no other."""
        if proxy is None:
            return _connection(self._reach.addresses(target.host, target.port), target.port, timeout_seconds)
        self._reach.behind_proxy(target.host, target.port)
        return _connection(resolve_host(proxy.host, proxy.port), proxy.port, timeout_seconds)

    def _encrypted(self, plain: socket.socket, target: RequestTarget, proxy: WebProxy | None) -> ssl.SSLSocket:
        """The same connection, encrypted for the host that was asked for, whichever address it went to."""
        if proxy is not None:
            _tunnel(_Line(plain, self._budget, SILENCE_SECONDS), target, proxy)
        self._context = self._context or ssl.create_default_context()
        return self._context.wrap_socket(plain, server_hostname=target.host)


class _Line:
    """A connection as `http.client` uses one: every read within the time that is left, every byte counted.

    The library itself would wait for each piece anew, so that a drop now and then could keep it for ever.
    """

    def __init__(self, connected: socket.socket, budget: FetchBudget, head_seconds: float) -> None:
        self._connected = connected
        self._budget = budget
        self._head_until: float | None = monotonic() + head_seconds

    def head_is_over(self) -> None:
        """From now on only the budget counts."""
        self._head_until = None

    def sendall(self, content: bytes) -> None:
        """Say it all."""
        self._connected.sendall(content)

    def makefile(self, mode: str) -> io.BufferedReader:
        """What an answer is read from."""
        return io.BufferedReader(_Reads(self))

    def close(self) -> None:
        """Whoever made the connection closes it."""

    def receive(self, buffer: Any) -> int:
        """The next bytes, while there is time and room for them."""
        left = self._budget.seconds_left()
        if self._head_until is not None:
            left = min(left, self._head_until - monotonic())
        if left <= 0:
            raise TimeoutError
        self._connected.settimeout(min(left, SILENCE_SECONDS))
        size = self._connected.recv_into(buffer)
        self._budget.receive(size)
        return size


class _Reads(io.RawIOBase):
    def __init__(self, line: _Line) -> None:
        self._line = line

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes; none at the end."""
        return self._line.receive(buffer)


def _head(
    line: Any, target: RequestTarget, headers: Mapping[str, str], proxy: WebProxy | None
) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.auto_open = 0  # never by itself: it would look the host up again
    connection.sock = line
    sent = {"Host": target.authority, "Connection": "close", **headers}
    if proxy is None or target.scheme == "https":
        connection.request("GET", target.path, headers=sent)
    else:
        where = f"http://{target.authority}{target.path}"
        connection.request("GET", where, headers={**sent, **proxy.headers()})
    return connection.getresponse()


def _tunnel(line: Any, target: RequestTarget, proxy: WebProxy) -> None:
    where = format_host(target.host, target.port)
    head = "".join(f"{name}: {value}\r\n" for name, value in {"Host": where, **proxy.headers()}.items())
    line.sendall(f"CONNECT {where} HTTP/1.1\r\n{head}\r\n".encode("ascii"))
    with http.client.HTTPResponse(line, method="CONNECT") as answer:
        answer.begin()
        if answer.status != http.HTTPStatus.OK:
            raise http.client.HTTPException(f"The proxy answered {answer.status}")


def _connection(addresses: list[str], port: int, timeout_seconds: float) -> socket.socket:
    failed: OSError = OSError("nowhere")
    for address in addresses[:MOST_TRIED]:
        made = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
        made.settimeout(timeout_seconds)
        try:
            made.connect((address, port))
        except OSError as error:
            made.close()
            failed = error
        else:
            return made
    raise failed


PIECE_BYTES = 1 << 16
MOST_REDIRECTS = 5
NOT_THERE = (404, 410)
REDIRECTS = (301, 302, 303, 307, 308)
PLAIN = ("", "identity")


class WebSource:
    """A source that may name files on the web: itself, or only some of its files."""

    def __init__(self, address: str, *, reach: HostPolicy, budget: FetchBudget) -> None:
        self._address, self._authorization = split_credentials(address)
        self._is_encrypted = address.startswith("https://")
        self._client = WebClient(reach=reach, budget=budget)
        self._budget = budget

    def snapshot(self) -> Snapshot:
        """What a manifest or a bundle on the web holds; its files are fetched when they are read."""
        if _is_bundle(self._address):
            return take_packed_snapshot(self._required(LARGEST_BUNDLE_BYTES), self.fetch)
        manifest = parse_manifest(self._required(LARGEST_MANIFEST_BYTES))
        if manifest.globs:
            raise Unreadable("A manifest on the web must name its files: a web server does not list folders.")
        base = urljoin(self._address, f"{manifest.base_url.rstrip('/')}/") if manifest.base_url else self._address
        entries = list_manifest_files(manifest, lambda name: self.fetch(urljoin(base, quote(name))), self.fetch)
        return Snapshot([*entries], manifest.details())

    def fetch(self, address: str) -> bytes | None:
        """A file that a manifest names by its address; None when it is not there."""
        if self._is_encrypted and not address.startswith("https://"):
            raise Unreadable(f"{hide_secrets(address)} is not encrypted, though what names it is.")
        return self._fetched(address, LARGEST_DOCUMENT_BYTES)

    def _required(self, limit_bytes: int) -> bytes:
        content = self._fetched(self._address, limit_bytes)
        if content is None:
            raise Unreadable(f"There is nothing at {hide_secrets(self._address)}.")
        return content

    def _fetched(self, address: str, limit_bytes: int) -> bytes | None:
        """What an address answers with, after a few redirects; None when it says that nothing is there."""
        plain, authorization = split_credentials(address)
        if authorization is None and find_origin(plain) == find_origin(self._address):
            authorization = self._authorization
        shown = hide_secrets(address)
        for _ in range(MOST_REDIRECTS + 1):
            try:
                found = self._asked(plain, authorization, limit_bytes)
            except (OSError, ValueError, http.client.HTTPException) as error:
                self._budget.seconds_left()  # whatever was broken off because the time is over says so
                raise Unreadable(f"{shown} can't be fetched{_reason(error)}.") from None
            if not isinstance(found, str):
                return found
            if find_origin(found) != find_origin(plain):
                authorization = None
            plain = found
        raise _wandering(shown)

    def _asked(self, address: str, authorization: str | None, limit_bytes: int) -> bytes | str | None:
        """One hop: what is there, the address where it is instead, or that it is not there."""
        shown = hide_secrets(address)
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


def _following(address: str, answer: http.client.HTTPResponse) -> str:
    """The address that follows, without a user; one that is not on the web, or less safe, is an error."""
    location = answer.getheader("Location")
    if answer.status not in REDIRECTS or not location:
        raise _wandering(hide_secrets(address))
    following = split_credentials(
        urljoin(address, quote(location, "%/:=&?~#+!$,;'@()*[]", encoding="iso-8859-1"))
    ).address
    if not following.startswith(WEB) or (address.startswith("https://") and not following.startswith("https://")):
        raise _wandering(hide_secrets(address))
    return following


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
