"""The tests' own way to start our program: what a test gives to `subprocess` is forked off a process that is warm.

A start takes a tenth of a second, one with HTTP a whole one, and nearly all of it is importing, which is the same for
every test. A command that is asked for something odd is started as ever, and so is one with `FRESH` in its environment;
with it in the environment of the tests, every one is. What a test sees is the same either way: a child of ours with its
own id, pipes, signals and exit code.
"""

import atexit
import ctypes
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from tests.servers import FIELDGUIDE, WORKBENCH

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SET_CHILD_SUBREAPER = 36  # of prctl: children of a child that ends become ours, so that we can wait for them
LENGTH_BYTES = 4
FRESH = {"TESTS_START": "fresh"}  # for a test that looks at what a new process has loaded
# What Python or its libraries read once, when a process starts: where they differ, it must start anew.
READ_AT_START = (*FRESH, "PYTHON", "LC_", "LANG", "LD_", "TZ", "MALLOC_", "OPENBLAS", "OMP_")
PYTHONPATH = "PYTHONPATH"
EXECUTE = subprocess.Popen._execute_child  # type: ignore[attr-defined]  # the one place that knows the pipes


def start_warm() -> None:
    """From now on a command of our program is forked off a warm process, where that is the same."""
    if FRESH.items() <= os.environ.items() or not sys.platform.startswith("linux"):
        return
    subprocess.Popen._execute_child = _executing(  # type: ignore[attr-defined]  # as above
        serving=_Starts("serve"), others=_Starts("others")
    )


def _executing(*, serving: "_Starts", others: "_Starts") -> Any:
    def execute(process: Any, args: Any, executable: Any, *how: Any) -> None:
        preexec_fn, close_fds, pass_fds, folder, environment = how[:5]
        ends, rest = how[8:14], how[14:]
        starts = serving if _is_ours(args) and "serve" in args[1:3] else others
        is_plain = close_fds and not (executable or preexec_fn or pass_fds) and _is_plain(rest)
        if not (is_plain and _is_ours(args) and starts.can_give(environment)):
            EXECUTE(process, args, executable, *how)
            return
        files = [own if end == -1 else end for own, end in enumerate((ends[0], ends[3], ends[5]))]
        try:
            process.pid = starts.start([*map(os.fspath, args)], folder=folder, environment=environment, files=files)
            process._child_created = True
        finally:
            process._close_pipe_fds(*ends)

    return execute


def _is_plain(rest: Sequence[Any]) -> bool:
    """Whether signals are restored as ever, and no other group, user, mask or session is asked for."""
    return rest[0] is True and all(each in (None, -1, False) for each in rest[1:])


def _is_ours(args: Any) -> bool:
    if not isinstance(args, Sequence) or isinstance(args, str | bytes):
        return False
    return str(args[0]) == FIELDGUIDE or tuple(map(str, args[:2])) == WORKBENCH


class _Starts:
    """A warm process, begun when the first command needs it, and asked for one command at a time."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._asking = threading.Lock()
        self._wire: socket.socket | None = None
        self._environment = {name: value for name, value in os.environ.items() if name != PYTHONPATH}

    def can_give(self, environment: Mapping[str, str] | None) -> bool:
        """Whether a process with this environment is the same as one that had it from its start."""
        wanted = os.environ if environment is None else environment
        names = {name for name in {*wanted, *self._environment} if name.startswith(READ_AT_START)} - {PYTHONPATH}
        more = {*wanted.get(PYTHONPATH, "").split(os.pathsep)} - {*os.environ.get(PYTHONPATH, "").split(os.pathsep)}
        is_known = more <= {""}  # any may hold what Python imports as it starts
        return is_known and all(wanted.get(name) == self._environment.get(name) for name in names)

    def start(self, words: list[str], *, folder: Any, environment: Mapping[str, str] | None, files: list[int]) -> int:
        """Start a command with these files as its standard ones; gives its process id."""
        wanted = dict(os.environ if environment is None else environment)
        within = os.path.abspath(os.fsdecode(folder or os.getcwd()))
        asked = json.dumps({"words": words, "folder": within, "environment": wanted, "umask": _umask()}).encode()
        with self._asking:
            wire = self._wire = self._wire or _begun(self._kind, self._environment)
            socket.send_fds(wire, [len(asked).to_bytes(LENGTH_BYTES, "big")], files)
            wire.sendall(asked)
            told = wire.recv(LENGTH_BYTES, socket.MSG_WAITALL)
        assert told, "the warm process has ended"
        process = int.from_bytes(told, "big")
        if not process:
            raise FileNotFoundError(2, "No such file or directory", within)
        return process


def _umask() -> int:
    with open("/proc/self/status", encoding="utf-8") as file:
        return next(int(line.split()[1], 8) for line in file if line.startswith("Umask:"))


def _begun(kind: str, environment: Mapping[str, str]) -> socket.socket:
    """The wire to a new warm process, which ends when we do."""
    if ctypes.CDLL(None, use_errno=True).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "children of children can't become ours")
    ours, its = socket.socketpair()
    with its:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.warm_starts.process", kind, str(its.fileno())],
            stdin=subprocess.PIPE,  # pipes, as most commands have
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=environment,
            pass_fds=[its.fileno()],
        )
    atexit.register(_end, process, ours)
    return ours


def _end(process: subprocess.Popen[bytes], wire: socket.socket) -> None:
    wire.close()
    process.communicate()
