"""One request on the web: to an address that was judged, within its time, redirects left to the caller.

A proxy that the person's environment names is used. It looks hosts up by itself, so that its own rules decide about
names that are unknown here; a host that is known here not to be public is refused before the proxy hears of it.
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
from urllib.parse import quote, unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from fieldguide.errors import Unreadable
from fieldguide.toolsets.documents.sources.addresses import without_secrets
from fieldguide.toolsets.documents.sources.budget import Budget
from fieldguide.toolsets.documents.sources.reach import PORTS, Reach, resolved, spelled

SILENCE_SECONDS = 30.0
MOST_TRIED = 4
WEB = ("https://", "http://")


class Target(NamedTuple):
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


class Proxy(NamedTuple):
    """A proxy, and the header that stands for its user."""

    host: str
    port: int
    authorization: str | None

    def headers(self) -> dict[str, str]:
        """What it is told beside the request."""
        return {"Proxy-Authorization": self.authorization} if self.authorization else {}


def read_target(address: str) -> Target:
    """The parts of an address without a user; one that is none on the web is refused."""
    try:
        parts = urlsplit(address)
        port = PORTS[parts.scheme] if parts.port is None else parts.port
        host = (parts.hostname or "").rstrip(".")
        host = host if host.isascii() else host.encode("idna").decode()
    except (ValueError, KeyError):
        raise Unreadable(f"{without_secrets(address)!r} is not an address on the web.") from None
    if not address.startswith(WEB) or not host or not port:
        raise Unreadable(f"{without_secrets(address)!r} is not an address on the web.")
    path = parts.path or "/"
    return Target(parts.scheme, host, port, quote(f"{path}?{parts.query}" if parts.query else path, string.punctuation))


def proxy_for(target: Target) -> Proxy | None:
    """The proxy that the environment names for an address; it is the person's, wherever it is."""
    address = getproxies_environment().get(target.scheme)
    if not address or proxy_bypass(spelled(target.host, target.port)):
        return None
    parts = urlsplit(address if "://" in address else f"http://{address}")
    if parts.scheme != "http" or not parts.hostname:
        raise Unreadable("The proxy that your environment names can't be used: it must be http://HOST:PORT.")
    user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    authorization = f"Basic {b64encode(user.encode()).decode()}" if parts.username else None
    return Proxy(parts.hostname, parts.port or PORTS["http"], authorization)


class WebClient:
    """Asks hosts that may be reached, within the budget of a fetch."""

    def __init__(self, *, reach: Reach, budget: Budget) -> None:
        self._reach = reach
        self._budget = budget
        self._context: ssl.SSLContext | None = None

    @contextmanager
    def answer(self, target: Target, headers: Mapping[str, str]) -> Generator[http.client.HTTPResponse]:
        """The answer to one GET while the block reads it; its head must come at once, all of it while there is time."""
        proxy = proxy_for(target)
        patience = min(SILENCE_SECONDS, self._budget.seconds_left())
        plain = self._connected(target, proxy, patience)
        with plain, self._encrypted(plain, target, proxy) if target.scheme == "https" else plain as connected:
            line = _Line(connected, self._budget, patience)
            with _head(line, target, headers, proxy) as answer:
                line.head_is_over()
                yield answer

    def _connected(self, target: Target, proxy: Proxy | None, timeout_seconds: float) -> socket.socket:
        """A connection to the host that is asked, or to the proxy: to an address that was judged, and to no other."""
        if proxy is None:
            return _connection(self._reach.addresses(target.host, target.port), target.port, timeout_seconds)
        self._reach.behind_proxy(target.host, target.port)
        return _connection(resolved(proxy.host, proxy.port), proxy.port, timeout_seconds)

    def _encrypted(self, plain: socket.socket, target: Target, proxy: Proxy | None) -> ssl.SSLSocket:
        """The same connection, encrypted for the host that was asked for, whichever address it went to."""
        if proxy is not None:
            _tunnel(_Line(plain, self._budget, SILENCE_SECONDS), target, proxy)
        self._context = self._context or ssl.create_default_context()
        return self._context.wrap_socket(plain, server_hostname=target.host)


class _Line:
    """A connection as `http.client` uses one: every read within the time that is left, every byte counted.

    The library itself would wait for each piece anew, so that a drop now and then could keep it for ever.
    """

    def __init__(self, connected: socket.socket, budget: Budget, head_seconds: float) -> None:
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


def _head(line: Any, target: Target, headers: Mapping[str, str], proxy: Proxy | None) -> http.client.HTTPResponse:
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


def _tunnel(line: Any, target: Target, proxy: Proxy) -> None:
    where = spelled(target.host, target.port)
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
