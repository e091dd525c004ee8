"""Opens the socket of an HTTP server, and runs it: uvicorn with limits for each connection, and an end in order.

The socket is a loopback port or a private unix socket.

All of this comes before a token is seen: any program on this machine may open a connection.
"""

import asyncio
import contextlib
import errno
import gc
import logging
import os
import signal
import socket
import stat
import typing
from collections.abc import Callable, Sequence
from email.utils import formatdate
from functools import lru_cache, partial
from time import time
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from fieldguide.files.confined_folder import wait_for_file_lock
from fieldguide.settings.folders import PRIVATE_FILE
from fieldguide.settings.limits import Limits
from fieldguide.settings.service import MCP_PATH
from fieldguide.text.errors import Misconfiguration

if TYPE_CHECKING:
    from ssl import SSLContext

BACKLOG = 128
HTTP_PORT = 80
PROBE_SECONDS = 2.0
GROUP_FILE = 0o660


class Endpoint(NamedTuple):
    """A listening socket, its MCP address, and the only values of `Host` that name it; None: any does.

    `tls` is what it speaks, where it speaks TLS.
    """

    listener: socket.socket
    url: str
    hosts: frozenset[str] | None
    close: Callable[[], None]
    tls: "SSLContext | None" = None


def listen_on_port(host: str, port: int) -> Endpoint:
    """Listen on a loopback address; port 0 takes any free one."""
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise Misconfiguration(f"Can't serve on {host}:{port}: {error.strerror or error}. Try another port.") from error
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # asyncio leaves it off: 40 ms in each answer
    bound = listener.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    names = {"[::1]" if ":" in host else "127.0.0.1", "localhost"}
    hosts = {f"{name}:{bound}" for name in names}
    if bound == HTTP_PORT:  # browsers leave it out
        hosts |= names
    return Endpoint(listener, f"http://{shown}:{bound}{MCP_PATH}", frozenset(hosts), listener.close)


def listen_on_socket(path: str, group: str | None = None) -> Endpoint:
    """Listen on a unix socket, 0600 before anybody can connect; its file goes when the endpoint is closed.

    Where a group is named, its members may connect too: a proxy seldom runs as the same user.
    """
    folder = os.path.dirname(path)
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise Misconfiguration(f"There is no folder {folder} for a socket: {error.strerror or error}.") from error
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        wait_for_file_lock(handle)  # of two that start at once, neither removes the other's
        _remove_left_over(path)
        ours = _bind(listener, path, _group(group))
    except OSError as error:
        listener.close()
        raise Misconfiguration(f"Can't serve on {path}: {error.strerror or error}.") from error
    except Misconfiguration:
        listener.close()
        raise
    finally:
        os.close(handle)

    def close() -> None:
        listener.close()
        with contextlib.suppress(FileNotFoundError):
            if _identity(path) == ours:
                os.unlink(path)

    return Endpoint(listener, f"unix:{path}", None, close)


def _group(name: str | None) -> int | None:
    import grp

    try:
        return None if name is None else grp.getgrnam(name).gr_gid
    except KeyError as error:
        raise Misconfiguration(f"There is no group {name!r} for the socket.") from error


def _bind(listener: socket.socket, path: str, group: int | None) -> tuple[int, int]:
    with contextlib.suppress(OSError):  # Linux gives the file this mode; elsewhere `chmod` does
        os.fchmod(listener.fileno(), PRIVATE_FILE)
    listener.bind(path)
    os.chmod(path, PRIVATE_FILE)  # nobody can connect before `listen`
    if group is not None:
        os.chown(path, -1, group)
        os.chmod(path, GROUP_FILE)
    listener.listen(BACKLOG)
    return _identity(path)


def _identity(path: str) -> tuple[int, int]:
    found = os.lstat(path)
    return found.st_dev, found.st_ino


def _remove_left_over(path: str) -> None:
    """Remove a socket of ours that nobody listens on; anything else stays and is told."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise Misconfiguration(f"{path} is there and is not a socket; it was left alone. Name another path.")
    if found.st_uid != os.geteuid():
        raise Misconfiguration(f"{path} belongs to another user; it was left alone. Name another path.")
    if _is_served(path):
        raise Misconfiguration(f"A server listens on {path} already. End it, or name another path.")
    os.unlink(path)


def _is_served(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_SECONDS)
        try:
            probe.connect(path)
        except OSError as error:
            return error.errno != errno.ECONNREFUSED
    return True


SHUTDOWN_SECONDS = 1


class GracefulEnd(typing.Protocol):
    """Lets what runs on a server come to its end."""

    async def run(self) -> None:
        """Come back when everything has ended."""
        ...

    def hurry(self) -> None:
        """Wait for nothing any more."""
        ...


class PatientProtocol(H11Protocol):
    """One connection: a request's head must arrive in time, and after an answer the rest of its body too.

    What is sent must be taken in time as well: a client that leaves its answer or its stream unread loses it. 512
    connections are two for each of 200 sessions, and within the 1,024 files that most systems allow.
    """

    def __init__(self, *, limits: Limits, **given: Any) -> None:
        super().__init__(**given)
        self._limits = limits
        self._hurry: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self.since = self.loop.time()

    @property
    def is_waiting(self) -> bool:
        """Whether no request is being answered on it."""
        return not self.cycle or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin; where there are too many, the one that has waited longest ends."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self._limits.http_connections:
            ours = cast("set[PatientProtocol]", self.connections)
            waiting = (each for each in ours if each.is_waiting and not each.transport.is_closing())
            min(waiting, key=lambda each: each.since, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers with the connection."""
        self._calm()
        self._forget_unread()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came; whatever is not yet a request has until the timer ends."""
        self.server_state.default_headers = [(b"date", _date(int(time())))]
        super().data_received(data)
        self._watch() if self.is_waiting else self._calm()

    def on_response_complete(self) -> None:
        """Wait for the next request; uvicorn ends a connection on which none comes."""
        self.since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait for a client that does not read, and for so long only."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self._limits.http_unread_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client has read nearly all of it."""
        self._forget_unread()
        super().resume_writing()

    def _forget_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _watch(self) -> None:
        if self._hurry is None and not self.transport.is_closing():
            self._hurry = self.loop.call_later(self._limits.http_request_seconds, self.transport.abort)

    def _calm(self) -> None:
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None


@lru_cache(maxsize=2)
def _date(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode()


class ExtraListener(NamedTuple):
    """A further socket, with an application of its own."""

    listener: socket.socket
    app: ASGIApp


class QuietServer(uvicorn.Server):
    """A server that nothing wakes while nobody asks it for anything.

    With a drain the first signal lets what runs come to its end; a second one ends it at once.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        drain: GracefulEnd | None = None,
        beside: Sequence[tuple[socket.socket, uvicorn.Config]] = (),
    ) -> None:
        super().__init__(config)
        self._beside = beside
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = asyncio.Event()
        self._drain = drain
        self._signals: list[int] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, on the sockets beside too."""
        await super().startup(sockets)
        for listener, config in self._beside:
            config.load()
            listening = partial(
                cast("Any", config.http_protocol_class), config=config, server_state=self.server_state, app_state={}
            )
            self.servers.append(await asyncio.get_running_loop().create_server(listening, sock=listener))

    async def main_loop(self) -> None:
        """Serve until a signal comes, and until what ran then has ended."""
        self._loop = asyncio.get_running_loop()
        if not self.should_exit and not self._signals:  # it may have come during the start
            await self._ended.wait()
        if self._drain is not None:
            await self._drain.run()
            super().handle_exit(self._signals[0] if self._signals else 0, None)  # only now do others hear of it

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal, and wake whoever waits for it."""
        self._signals.append(sig)
        if self._drain is None:
            super().handle_exit(sig, frame)
        elif len(self._signals) > 1:
            self.config.timeout_graceful_shutdown = 0
            self._tell(self._drain.hurry)
        self._tell(self._ended.set)

    def _tell(self, what: Callable[[], None]) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(what)


def serve_http(
    asgi: ASGIApp,
    endpoint: Endpoint,
    limits: Limits,
    drain: GracefulEnd | None = None,
    beside: Sequence[ExtraListener] = (),
) -> int:
    """Serve until a signal comes; with a drain, until what ran then has come to its end.

    `beside` are further sockets, each with an application of its own.
    """
    logging.getLogger("mcp").setLevel(logging.ERROR)
    gc.freeze()  # at the end, and now and then before it, the SDK's 87,000 objects would be gone through: a second
    config = _config(asgi, limits, endpoint.tls)
    signal.signal(signal.SIGHUP, lambda number, frame: signal.raise_signal(signal.SIGTERM))
    server = QuietServer(config, drain, [(each.listener, _config(each.app, limits)) for each in beside])
    signal.signal(signal.SIGTERM, server.handle_exit)  # before uvicorn takes it over, and after it has
    try:
        with contextlib.suppress(KeyboardInterrupt):  # it was told to end, and has
            server.run(sockets=[endpoint.listener])
    finally:
        endpoint.close()
    return 0


def _config(asgi: Any, limits: Limits, tls: "SSLContext | None" = None) -> uvicorn.Config:
    return uvicorn.Config(
        asgi,
        http=cast("Any", partial(PatientProtocol, limits=limits)),
        ws="none",
        log_level="error",
        access_log=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        server_header=False,
        ssl_context_factory=None if tls is None else lambda config, default: tls,
        date_header=False,  # it would be that of the last tick: each connection dates its own answers
    )
