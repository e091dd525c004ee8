"""The child process that runs a parser and answers its parent over a socket.

It serves one parent over a socket: a request is a function of ours by its name, and plain arguments; the answer is
plain data. Both are JSON behind their length. The system ends it when a text takes too long or too much memory: a
parser written in C keeps every thread of its process waiting, and any handler of ours too, so the signals keep their
deadly default. It ends by itself when it was not asked for a while, and when its parent is gone: the parent holds the
other end of its standard input, writes nothing there, and the end of that is a signal too.

Started with something to prepare, it sees no text: it forks others that serve, which share what it has prepared.
"""

import contextlib
import gc
import json
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Generator
from contextvars import ContextVar
from importlib import import_module
from typing import Any

MEMORY_BYTES = 1 << 30
LENGTH = struct.Struct(">I")
NUMBER = struct.Struct(">i")
AT_ONCE = 1 << 18
MOST_UNCOLLECTED = 100_000  # a walk of a tree makes many objects and few cycles, so looking for those often is wasted
OURS = "fieldguide."
HAS_TREES = ContextVar("HAS_TREES", default=True)


def main() -> None:
    """Serve on a socket until nobody asks for a while.

    The last arguments name the socket, the milliseconds of that while, how nice to be to other processes, and nothing,
    or a function of ours that prepares, and others that are imported.
    """
    descriptor, idle_milliseconds, niceness = map(int, sys.argv[-4:-1])
    limit_process()
    end_with_parent()
    if niceness:
        os.nice(niceness)
    gc.disable()
    patience = struct.pack("ll", idle_milliseconds // 1000, idle_milliseconds % 1000 * 1000)
    if sys.argv[-1]:
        prepare, *_ = map(_function, sys.argv[-1].split())
        prepare()
        gc.freeze()
        descriptor = _fork_servers(descriptor, idle_milliseconds / 1000)
    with socket.socket(fileno=descriptor) as parent:
        parent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, patience)
        with contextlib.suppress(BlockingIOError):  # nobody has asked for a while
            while (request := receive(parent)) is not None:
                send(parent, _answered(json.loads(request)))
                _collect()


def _fork_servers(descriptor: int, idle_seconds: float) -> int:
    """Fork a process for each socket and each other end of a standard input that come; only there this returns.

    The answer is its number. A number that comes alone is that of one to end, and the answer its status.
    """
    alive: set[int] = set()
    with socket.socket(fileno=descriptor) as parent:
        while True:
            if not select.select([parent], [], [], idle_seconds)[0]:
                alive.difference_update([each for each in alive if os.waitpid(each, os.WNOHANG)[0]])
                if alive:
                    continue
                break
            content, given, _, _ = socket.recv_fds(parent, NUMBER.size, 2)
            if not content:
                break
            (number,) = NUMBER.unpack(content)
            answer = 0
            if given:
                answer = os.fork()
                if not answer:
                    os.dup2(given[1], 0)
                    os.close(given[1])
                    end_with_parent()
                    return given[0]
                alive.add(answer)
                os.close(given[0])
                os.close(given[1])
            elif number in alive:
                os.kill(number, signal.SIGKILL)
                answer = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
                alive.remove(number)
            parent.sendall(NUMBER.pack(answer))
    raise SystemExit(0)


def _collect() -> None:
    """Look for garbage between two texts, where there may be much; what is left is never looked at again."""
    if gc.get_count()[0] > MOST_UNCOLLECTED:
        gc.collect()
        gc.freeze()


def send(connection: socket.socket, content: bytes) -> None:
    """Send one message."""
    connection.sendall(LENGTH.pack(len(content)) + content)


def receive(connection: socket.socket) -> bytes | None:
    """The next message; None when the other side is gone. Nobody sends two without an answer between them."""
    received = bytearray()
    size = LENGTH.size
    while len(received) < size:
        piece = connection.recv(AT_ONCE)
        if not piece:
            return None
        received += piece
        if len(received) >= LENGTH.size:
            size = LENGTH.size + LENGTH.unpack_from(received)[0]
    return bytes(received[LENGTH.size :])


def limit_process() -> None:
    """Let the system end this process for what no code of ours could stop; no file of its memory is left then."""
    import resource

    _, hardest = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY_BYTES if hardest == resource.RLIM_INFINITY else min(MEMORY_BYTES, hardest)
    with contextlib.suppress(OSError, ValueError):  # a system that knows no such limit still has the one of time
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    deadly = (signal.SIGPROF, signal.SIGIO)
    for number in deadly:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, deadly)


def end_with_parent() -> None:
    """Have the system end this process when the other end of its standard input is closed, whatever it is doing.

    Where a pipe sends no signals, a process without a parent ends after the text that it is parsing: its socket is
    closed then.
    """
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([0], [], [], 0)[0]:
        raise SystemExit(0)


@contextlib.contextmanager
def disable_trees() -> Generator[None]:
    """Take every language for one without a grammar: a text that a parser had to be killed for is asked about so."""
    before = HAS_TREES.set(False)
    try:
        yield
    finally:
        HAS_TREES.reset(before)


def _answered(request: Any) -> bytes:
    try:
        function = _function(request["function"])  # what it imports counts for nobody's text
        with _ended_after(request["seconds"]), contextlib.nullcontext() if request["has_trees"] else disable_trees():
            return json.dumps({"answer": function(*request["arguments"])}).encode()
    except (MemoryError, RecursionError):
        return b'{"ended":true}'
    except Exception as error:  # noqa: BLE001  a bug of ours: told to whoever asked, who knows what to do
        return json.dumps({"failed": f"{type(error).__name__}: {error}"[:500]}).encode()


def _function(name: str) -> Any:
    module, _, function = name.partition(":")
    if not module.startswith(OURS):
        raise ValueError(f"{name!r} is no function of ours")
    return getattr(import_module(module), function)


@contextlib.contextmanager
def _ended_after(seconds: float) -> Generator[None]:
    """Have the system end this process when it has worked for so long; waiting does not count."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
