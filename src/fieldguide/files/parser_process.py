"""Runs parsers of foreign text in child processes that are limited in time and memory.

tree-sitter can't be interrupted and holds the interpreter's lock: measured, 12,000 characters of `x=>` take Java's
grammar more than 10 seconds and 4.6 GB, and 100,000 brackets overflow a stack. No look at a text tells this beforehand,
so every text goes to a child (`parser_worker`), also a small one: 2,000 characters of `/*` take Swift's grammar 7.6 s,
and a round trip takes 0.2 ms (`python -m benchmarks.parsers`).

A child is started when one is first needed, kept, and used again by whoever asks next; up to a few of them, so that
one hostile text does not hold up the others. It imports only what this server imports, from the same places; nothing of
the folder it was started in, of the environment or of the project reaches it but the text.
"""

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from functools import cache
from typing import Any, cast

from fieldguide.files.parser_worker import receive, send
from fieldguide.text.errors import ToolFailed

MOST_CHILDREN = 3
IDLE_SECONDS = 300.0
LEAST_SECONDS = 0.6
SECONDS_PER_CHARACTER = 6e-6  # five times what the slowest check of code took in `benchmarks.patterns`
SPARE_SECONDS = (
    5.0  # a child's own limit counts only its work; this is for its start, and for its turn on a busy machine
)
START = "import sys; sys.path.append(sys.argv[1]); from fieldguide.files.parser_worker import main; main()"
KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # without them some interpreters do not start


def run_in_child(function: str, *arguments: str | None, more_seconds: float = 0.0) -> Any:
    """What a function of ours, named as `module:function`, makes of foreign text; None when it had to be ended.

    The answer is plain data. The module is imported in the child alone, before its time counts. A text that a parser
    had to be killed for is asked about once more without any tree, as if its language had no grammar.
    `more_seconds` is for work that does not grow with the length of its texts.
    """
    return _children(os.getpid()).ask(function, *arguments, more_seconds=more_seconds)


def end_children() -> None:
    """End every child of this process and give up what they were asked; who asks later gets another."""
    _children(os.getpid()).close()


class ParserProcesses:
    """The children of this process, for any number of threads."""

    def __init__(self, *, most: int = MOST_CHILDREN, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._places = threading.BoundedSemaphore(most)
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        self._all: set[_Child] = set()
        self._endings = 0

    def ask(self, function: str, *arguments: str | None, more_seconds: float = 0.0) -> Any:
        """The function's answer, from a child."""
        seconds = LEAST_SECONDS + more_seconds + SECONDS_PER_CHARACTER * sum(len(each) for each in arguments if each)
        endings = self._endings
        for has_trees in (True, False):
            asked = {"function": function, "arguments": arguments, "seconds": seconds, "has_trees": has_trees}
            answer = self._asked(json.dumps(asked).encode(), seconds) if endings == self._endings else {}
            if "failed" in answer:
                raise ToolFailed(f"A parser process failed: {answer['failed']}")
            if "answer" in answer:
                return answer["answer"]
        return None

    def ids(self) -> list[int]:
        """The process ids of the children."""
        with self._lock:
            return [child.id for child in self._all]

    def close(self) -> None:
        """End every child, whatever it is doing; nobody who waits for one gets another."""
        with self._lock:
            self._endings += 1
            children, self._all, self._idle = self._all, set[_Child](), []
        for child in children:
            child.end()

    def _asked(self, request: bytes, seconds: float) -> dict[str, Any]:
        endings = self._endings
        with self._places:
            while endings == self._endings:
                child = self._taken()
                is_fresh = not child.answers
                answer = child.ask(request, seconds)
                if answer is not None:
                    with self._lock:
                        self._idle.append(child)
                    return answer
                child.end()
                with self._lock:
                    self._all.discard(child)
                if is_fresh and child.has_crashed:
                    raise ToolFailed("A parser process could not be started.")
                if is_fresh or child.is_late:
                    break  # it was this text; an older child may have had enough of others, or just left
        return {}

    def _taken(self) -> "_Child":
        with self._lock:
            if self._idle:
                return self._idle.pop()
            child = _Child(self._idle_seconds)
            self._all.add(child)
            return child


class _Child:
    """One child process, asked by one thread at a time."""

    def __init__(self, idle_seconds: float) -> None:
        self.answers = 0
        self.is_late = False
        self.has_crashed = False
        self._connection, theirs = socket.socketpair()
        given = [str(theirs.fileno()), str(int(idle_seconds * 1000))]
        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", START, package, *given],
                stdin=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ},
                start_new_session=True,
            )

    @property
    def id(self) -> int:
        """Its process id."""
        return self._process.pid

    def ask(self, request: bytes, seconds: float) -> dict[str, Any] | None:
        """The answer; None when the child ended over it or was too late."""
        try:
            self._connection.settimeout(seconds + SPARE_SECONDS)
            send(self._connection, request)
            content = receive(self._connection)
        except TimeoutError:
            self.is_late = True
            return None
        except OSError:
            return None
        if content is None:
            return None
        self.answers += 1
        return cast("dict[str, Any]", json.loads(content))

    def end(self) -> None:
        """End it at once, and see what it ended of."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._connection.close()
        if self._process.stdin:
            self._process.stdin.close()
        status = self._process.wait()
        self.is_late = self.is_late or status == -signal.SIGPROF
        self.has_crashed = status > 0


@cache
def _children(process: int) -> ParserProcesses:
    """The one set of children of a process: they cost memory, so that all parts of a server share them."""
    children = ParserProcesses()
    atexit.register(children.close)
    return children
