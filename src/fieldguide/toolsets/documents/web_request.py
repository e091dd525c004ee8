"""One request on the web: to an address that was judged, within its time, redirects left to the caller.

A proxy that the person's environment names is used. It looks hosts up by itself, so that its own rules decide about
names that are unknown here; a host that is known here not to be public is refused before the proxy hears of it.
"""

import http.client
import socket
import ssl
import string
import threading
from base64 import b64encode
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from fieldguide.errors import Unreadable
from fieldguide.toolsets.documents.addresses import without_secrets
from fieldguide.toolsets.documents.budget import Budget
from fieldguide.toolsets.documents.reach import PORTS, Reach, resolved, spelled

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
        with plain.dup() as handle, plain:
            with _cut_off(handle, patience):
                line = self._encrypted(plain, target, proxy) if target.scheme == "https" else plain
                with line:
                    answer = _head(line, target, headers, proxy)
            with answer, _cut_off(handle, self._budget.seconds_left()):
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
            _tunnel(plain, target, proxy)
        self._context = self._context or ssl.create_default_context()
        return self._context.wrap_socket(plain, server_hostname=target.host)


def _head(
    line: socket.socket, target: Target, headers: Mapping[str, str], proxy: Proxy | None
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


def _tunnel(plain: socket.socket, target: Target, proxy: Proxy) -> None:
    where = spelled(target.host, target.port)
    head = "".join(f"{name}: {value}\r\n" for name, value in {"Host": where, **proxy.headers()}.items())
    plain.sendall(f"CONNECT {where} HTTP/1.1\r\n{head}\r\n".encode("ascii"))
    with http.client.HTTPResponse(plain, method="CONNECT") as answer:
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


@contextmanager
def _cut_off(handle: socket.socket, seconds: float) -> Generator[None]:
    """End a connection when its time is over, whatever it is in the middle of: a drop now and then is no answer."""
    timer = threading.Timer(seconds, _end, (handle,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _end(handle: socket.socket) -> None:
    with suppress(OSError):
        handle.shutdown(socket.SHUT_RDWR)
