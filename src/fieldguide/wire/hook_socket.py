"""A unix socket in the project's state folder, over which the hooks of clients ask a server that is running already.

Each server has a socket of its own, `hook-PID.sock`, for its owner alone. A request and its answer are one line of JSON
each. Both ends are here; the one that asks is imported by every hook, so nothing heavy may be imported.
"""

import json
import os
import socket
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, cast

from fieldguide.files.file_system import PRIVATE_FILE

PREFIX = "hook-"
SUFFIX = ".sock"
LONGEST_ADDRESS = 100  # bytes: the system takes 104 to 108
LARGEST_MESSAGE = 1 << 20
MOST_AT_ONCE = 4
MOST_ASKED = 4  # servers of one project: the newest is asked first
READ_SECONDS = 2.0

HookAnswer = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class HookListener:
    """Answers hooks while a server runs."""

    def __init__(self, find_folder: Callable[[], str], answer: HookAnswer, note: Callable[..., None]) -> None:
        self._find_folder = find_folder
        self._answer = answer
        self._note = note
        self._free = threading.BoundedSemaphore(MOST_AT_ONCE)
        self._path = ""
        self._socket: socket.socket | None = None

    def open(self) -> None:
        """Listen on a thread of its own; where that is not possible, hooks look for themselves."""
        try:
            folder = self._find_folder()
            name = f"{PREFIX}{os.getpid()}{SUFFIX}"
            path = os.path.join(folder, name)
            with suppress(FileNotFoundError):
                os.unlink(path)  # of an earlier process with our number
            listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            with _address(folder, name) as address:
                listening.bind(address)
            os.chmod(path, PRIVATE_FILE)
            listening.listen(MOST_AT_ONCE)
        except Exception as error:  # noqa: BLE001  a server without hooks serves as well
            self._note("Hooks", notice="They are not answered by this server.", cause=type(error).__name__)
            return
        self._path = path
        self._socket = listening
        threading.Thread(target=self._accept, args=(listening,), name="hooks", daemon=True).start()

    def close(self) -> None:
        """Stop listening, and remove the socket."""
        listening = self._socket
        self._socket = None
        if listening is not None:
            listening.close()
            with suppress(OSError):
                os.unlink(self._path)

    def _accept(self, listening: socket.socket) -> None:
        while self._socket is not None:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            if self._free.acquire(blocking=False):
                threading.Thread(target=self._serve, args=(connection,), name="hook", daemon=True).start()
            else:
                connection.close()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                connection.settimeout(READ_SECONDS)
                if not connection.recv(1, socket.MSG_PEEK):
                    return  # somebody only looked whether a server runs
                request = _read_message(connection)
                connection.sendall(json.dumps(self._answer(request)).encode() + b"\n")
        except Exception as error:  # noqa: BLE001  the border of a thread: whoever asked stays silent
            self._note("Hook", notice="A hook was not answered.", cause=type(error).__name__)
        finally:
            self._free.release()


def ask_server(folder: str, request: Mapping[str, Any], seconds: float) -> dict[str, Any] | None:
    """The answer of a running server of the project that has this state folder; None where none runs.

    TimeoutError where one runs and takes longer.
    """
    for name in _list_sockets(folder)[:MOST_ASKED]:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(seconds)
            try:
                with _address(folder, name) as address:
                    connection.connect(address)
                connection.sendall(json.dumps(request).encode() + b"\n")
                return _read_message(connection)
            except ConnectionRefusedError:  # left behind by a server that was killed
                with suppress(OSError):
                    os.unlink(os.path.join(folder, name))
            except TimeoutError:
                raise
            except (OSError, ValueError):  # it ended meanwhile, or is busy
                continue
    return None


def is_listening(folder: str) -> bool:
    """Whether a server of the project that has this state folder runs."""
    for name in _list_sockets(folder)[:MOST_ASKED]:
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(READ_SECONDS)
            with _address(folder, name) as address:
                connection.connect(address)
            return True
    return False


def _list_sockets(folder: str) -> list[str]:
    found: list[tuple[float, str]] = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.name.endswith(SUFFIX):
                with suppress(OSError):
                    found.append((entry.stat(follow_symlinks=False).st_mtime, entry.name))
    return [name for _, name in sorted(found, reverse=True)]


def _read_message(connection: socket.socket) -> dict[str, Any]:
    """One line of JSON that is an object; ValueError where it is none."""
    parts: list[bytes] = []
    size = 0
    while not (parts and parts[-1].endswith(b"\n")):
        part = connection.recv(65536)
        size += len(part)
        if not part or size > LARGEST_MESSAGE:
            raise ValueError("No message.")
        parts.append(part)
    message: Any = json.loads(b"".join(parts))
    if not isinstance(message, dict):
        raise ValueError("No object.")  # noqa: TRY004  one kind of error for what can't be read
    return cast("dict[str, Any]", message)


@contextmanager
def _address(folder: str, name: str) -> Generator[str]:
    """A path that a socket can have: where the real one is too long, through the folder's handle."""
    path = os.path.join(folder, name)
    if len(os.fsencode(path)) <= LONGEST_ADDRESS:
        yield path
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{handle}/{name}"
    finally:
        os.close(handle)
