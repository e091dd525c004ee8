"""The warm process itself: it imports our program, then forks a child for each command until its wire is closed."""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import socket
import sys
import threading
from contextlib import suppress
from typing import Any

from tests.servers import WORKBENCH
from tests.warm_starts.commands import LENGTH_BYTES

BESIDES = ("mcp", "uvicorn", "starlette.applications", "psycopg", "psycopg_pool")
LEFT_OUT = ("fieldguide.__main__",)
MOST_FILES = 4096


def main(kind: str, descriptor: int) -> None:
    """Serve one wire."""
    _import_all(kind)
    with socket.socket(fileno=descriptor) as wire:
        while asked := _received(wire):
            wire.sendall(_started(wire, *asked).to_bytes(LENGTH_BYTES, "big"))


def _import_all(kind: str) -> None:
    import fieldguide

    for name in BESIDES:
        importlib.import_module(name)
    for module in pkgutil.walk_packages(fieldguide.__path__, "fieldguide."):
        if module.name not in LEFT_OUT:
            with suppress(ImportError):  # whoever needs it is told
                importlib.import_module(module.name)
    if len(os.listdir("/proc/self/task")) != 1:
        raise RuntimeError("a warm process must have one thread")
    gc.freeze()


def _received(wire: socket.socket) -> tuple[Any, list[int]] | None:
    head, files, _, _ = socket.recv_fds(wire, LENGTH_BYTES, 3)
    if not head:
        return None
    asked = wire.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL)
    return json.loads(asked), files


def _started(wire: socket.socket, asked: Any, files: list[int]) -> int:
    """The id of a new process, whose parent is by then who asked; zero if there is no such folder."""
    if not os.path.isdir(asked["folder"]):
        return 0
    ids, telling = os.pipe()
    waiting, going = os.pipe()
    between = os.fork()
    if not between:
        child = os.fork()
        if child:
            os.write(telling, child.to_bytes(LENGTH_BYTES, "big"))
            os._exit(0)
        os.close(going)
        os.read(waiting, 1)  # until the process between has ended, so that the parent is the right one
        wire.close()
        _become(asked, files)
    os.close(telling)
    child = int.from_bytes(os.read(ids, LENGTH_BYTES), "big")
    os.waitpid(between, 0)
    for file in (ids, waiting, going, *files):
        os.close(file)
    return child


def _become(asked: Any, files: list[int]) -> None:
    """Be what the command would be if it had been started by itself."""
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.closerange(len(files), MOST_FILES)
    os.umask(asked["umask"])
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    words: list[str] = asked["words"]
    is_workbench = tuple(words[:2]) == WORKBENCH
    sys.argv = words[1:] if is_workbench else words
    sys.path[:1] = [os.path.dirname(sys.argv[0]), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    sys.path[:] = filter(None, sys.path)
    from fieldguide import app
    from fieldguide.cli.main import main as program

    if is_workbench:
        app.register_toolsets = importlib.import_module("tests.toolsets.program").register_toolsets

    try:
        _leave(program())
    except SystemExit as ended:
        _leave(ended.code)
    except BaseException:  # noqa: BLE001  what Python itself does with it
        sys.excepthook(*sys.exc_info())
        _leave(1)


def _leave(code: Any) -> None:
    """End as Python does, but for taking down what was imported."""
    getattr(threading, "_shutdown")()  # noqa: B009
    getattr(atexit, "_run_exitfuncs")()  # noqa: B009
    if not isinstance(code, int | None):
        print(code, file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
