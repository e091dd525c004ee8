"""Opens the socket that an HTTP server listens on: a loopback port, or a private unix socket."""

import contextlib
import errno
import os
import socket
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from fieldguide.files.file_system import PRIVATE_FILE, wait_for_file_lock
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
