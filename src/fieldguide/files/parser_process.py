"""Runs parsers of foreign text in child processes that are limited in time and memory.

tree-sitter can't be interrupted and holds the interpreter's lock: measured, 12,000 characters of `x=>` take Java's
grammar more than 10 seconds and 4.6 GB, and 100,000 brackets overflow a stack. No look at a text tells this beforehand,
so every text goes to a child (`parser_worker`), also a small one: 2,000 characters of `/*` take Swift's grammar 7.6 s,
and a round trip takes 0.2 ms.

A child is started when one is first needed, kept, and used again by whoever asks next; up to a few of them, so that
one hostile text does not hold up the others. It imports only what this server imports, from the same places; nothing of
the folder it was started in, of the environment or of the project reaches it but the text.

Indexing has children of its own, one for each processor, so that a call never waits for them: `map_ahead` keeps all of
them busy. They are forks of one process, so that modules and model are loaded once and their memory is shared. While a
project is served they give way to everything else on the machine.
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
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextvars import ContextVar, copy_context
from functools import cache, partial
from itertools import chain, islice
from queue import SimpleQueue
from typing import Any, TypeVar, cast

from fieldguide.files.parser_worker import NUMBER, receive, send
from fieldguide.text.errors import Failure, ToolFailed

MOST_CHILDREN = 3
MOST_PROCESSORS = 8  # one process writes what all of them read: more would wait for it, and each has 60 MB
IDLE_SECONDS = 300.0
INDEXING_IDLE_SECONDS = 20.0
BACKGROUND_NICENESS = 10
AHEAD = 24  # for each child: enough to go on with while a batch is written
MOST_AHEAD_CHARACTERS = 2_000_000
LEAST_SECONDS = 0.6
SECONDS_PER_CHARACTER = 6e-6  # five times what the slowest check of code took
SPARE_SECONDS = (
    5.0  # a child's own limit counts only its work; this is for its start, and for its turn on a busy machine
)
INDEXING_SPARE_SECONDS = 60.0  # nobody waits for an answer, and a busy machine gives little to whoever is nice
PREPARE = "fieldguide.code.symbols.index:prepare_process"
START = "import sys; sys.path.append(sys.argv[1]); from fieldguide.files.parser_worker import main; main()"
OWN_GROUPS = "/proc/self/cgroup"
GROUPS = "/sys/fs/cgroup"
ALLOCATION = {"MALLOC_TRIM_THRESHOLD_": "131072", "MALLOC_MMAP_THRESHOLD_": "131072"}
"""Has glibc give memory back that a large tree took: a tenth of a child's."""
KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # without them some interpreters do not start


def run_in_child(function: str, *arguments: str | None, more_seconds: float = 0.0, is_tried_once: bool = False) -> Any:
    """What a function of ours, named as `module:function`, makes of foreign text; None when it had to be ended.

    The answer is plain data. The module is imported in the child alone, before its time counts. A text that a parser
    had to be killed for is asked about once more without any tree, as if its language had no grammar, unless it
    `is_tried_once`. `more_seconds` is for work that does not grow with the length of its texts.
    """
    children = CHILDREN.get() or _children(os.getpid(), CALLS)
    return children.ask(function, *arguments, more_seconds=more_seconds, is_tried_once=is_tried_once)


def end_children() -> None:
    """End every child of this process and give up what they were asked; who asks later gets another."""
    for use in (CALLS, INDEXING, BACKGROUND):
        _children(os.getpid(), use).close()


def prepare_children(function: str) -> None:
    """Start what children for indexing are forks of, before texts come for this function: others are busy meanwhile."""
    _children(os.getpid(), USE.get()).prepare(function)


class ParserProcesses:
    """The children of this process, for any number of threads."""

    def __init__(
        self,
        *,
        most: int = MOST_CHILDREN,
        idle_seconds: float = IDLE_SECONDS,
        spare_seconds: float = SPARE_SECONDS,
        niceness: int = 0,
        prepare: str = "",
    ) -> None:
        self.most = most
        self._spare_seconds = spare_seconds
        self._arguments = (str(int(idle_seconds * 1000)), str(niceness))
        self._prepare = prepare
        self._stem: _Stem | None = None
        self._places = threading.BoundedSemaphore(most)
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        self._all: set[_Child] = set()
        self._endings = 0

    def ask(self, function: str, *arguments: str | None, more_seconds: float = 0.0, is_tried_once: bool = False) -> Any:
        """The function's answer, from a child."""
        seconds = LEAST_SECONDS + more_seconds + SECONDS_PER_CHARACTER * sum(len(each) for each in arguments if each)
        endings = self._endings
        for has_trees in (True,) if is_tried_once else (True, False):
            asked = {"function": function, "arguments": arguments, "seconds": seconds, "has_trees": has_trees}
            answer = self._asked(json.dumps(asked).encode(), seconds, function) if endings == self._endings else {}
            if "failed" in answer:
                raise ToolFailed(f"A parser process failed: {answer['failed']}")
            if "answer" in answer:
                return answer["answer"]
        return None

    def prepare(self, function: str) -> None:
        """Start the process that children are forks of; it is ready before long."""
        with self._lock:
            self._find_stem(function)

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
        with self._lock:
            if self._stem is not None and not self._all:
                self._stem.end()
                self._stem = None

    def _asked(self, request: bytes, seconds: float, function: str) -> dict[str, Any]:
        endings = self._endings
        with self._places:
            while endings == self._endings:
                child = self._taken(function)
                is_fresh = not child.answers
                answer = child.ask(request, seconds + self._spare_seconds)
                if answer is not None:
                    with self._lock:
                        self._idle.append(child)
                    return answer
                child.end()
                with self._lock:
                    self._all.discard(child)
                if is_fresh and child.has_crashed:
                    raise Failure("A parser process could not be started.")
                if is_fresh or child.is_late:
                    break  # it was this text; an older child may have had enough of others, or just left
        return {}

    def _taken(self, function: str) -> "_Child":
        with self._lock:
            if self._idle:
                return self._idle.pop()
            child = self._made(function)
            self._all.add(child)
            return child

    def _made(self, function: str) -> "_Child":
        if not self._prepare:
            return _Child(lambda theirs: _start(theirs, *self._arguments, ""))
        for _ in range(2):  # one that was there may have left, or have been killed
            stem = self._find_stem(function)
            try:
                return _Child(partial(_Fork, stem))
            except OSError:
                stem.end()
                self._stem = None
        raise Failure("A parser process could not be started.")

    def _find_stem(self, function: str) -> "_Stem":
        if self._stem is None:
            self._stem = _Stem(*self._arguments, f"{self._prepare} {function}")
        return self._stem


class _Child:
    """One child process, asked by one thread at a time: a process of its own, or a fork of one."""

    def __init__(self, start: "Callable[[socket.socket], subprocess.Popen[bytes] | _Fork]") -> None:
        self.answers = 0
        self.is_late = False
        self.has_crashed = False
        self._connection, theirs = socket.socketpair()
        try:
            with theirs:
                self._process = start(theirs)
        except OSError:
            self._connection.close()
            raise

    @property
    def id(self) -> int:
        """Its process id."""
        return self._process.pid

    def ask(self, request: bytes, seconds: float) -> dict[str, Any] | None:
        """The answer; None when the child ended over it or was too late."""
        try:
            self._connection.settimeout(seconds)
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


def _start(theirs: socket.socket, *arguments: str) -> "subprocess.Popen[bytes]":
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return subprocess.Popen(
        [sys.executable, "-I", "-c", START, package, str(theirs.fileno()), *arguments],
        stdin=subprocess.PIPE,
        pass_fds=[theirs.fileno()],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=ALLOCATION | {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ},
        start_new_session=True,
    )


class _Fork:
    """A fork of a `_Stem`, with what `_Child` needs of a `Popen`."""

    def __init__(self, stem: "_Stem", theirs: socket.socket) -> None:
        reading, writing = os.pipe()
        self._stem = stem
        self._status = 0
        self.stdin = open(writing, "wb")  # noqa: SIM115  closed with the child
        try:
            self.pid = stem.tell(0, [theirs.fileno(), reading])
        except OSError:
            self.stdin.close()
            raise
        finally:
            os.close(reading)

    def kill(self) -> None:
        """End it. Where its stem is gone, it ends with its standard input."""
        self._status = self._stem.tell(self.pid, [])

    def wait(self) -> int:
        """What it ended of."""
        return self._status


class _Stem:
    """A process that sees no text: what it has imported and loaded, its forks share."""

    def __init__(self, *arguments: str) -> None:
        self._lock = threading.Lock()
        self._connection, theirs = socket.socketpair()
        self._connection.settimeout(INDEXING_SPARE_SECONDS)
        with theirs:
            self._process = _start(theirs, *arguments)

    def tell(self, number: int, descriptors: list[int]) -> int:
        """Have it fork a process that gets these descriptors, or end the one of a number; `OSError` when it is gone."""
        with self._lock:
            socket.send_fds(self._connection, [NUMBER.pack(number)], descriptors)
            answer = self._connection.recv(NUMBER.size)
        if not answer:
            raise ConnectionResetError
        return int(NUMBER.unpack(answer)[0])

    def end(self) -> None:
        """End it; its forks are ended before."""
        self._process.kill()
        self._connection.close()
        self._process.communicate()


CALLS = "calls"
INDEXING = "indexing"
BACKGROUND = "background"
CHILDREN: ContextVar[ParserProcesses | None] = ContextVar("CHILDREN", default=None)
USE = ContextVar("USE", default=INDEXING)


@cache
def _children(process: int, use: str) -> ParserProcesses:
    """The one set of children of a process for a use: they cost memory, so that all parts of a server share them."""
    if use == CALLS:
        children = ParserProcesses()
    else:
        niceness = BACKGROUND_NICENESS if use == BACKGROUND else 0
        children = ParserProcesses(
            most=count_processors(),
            idle_seconds=INDEXING_IDLE_SECONDS,
            spare_seconds=INDEXING_SPARE_SECONDS,
            niceness=niceness,
            prepare=PREPARE,
        )
    atexit.register(children.close)
    return children


@contextlib.contextmanager
def index_in_background() -> Generator[None]:
    """Give way to everything else on the machine with what is indexed while the block runs."""
    before = USE.set(BACKGROUND)
    try:
        yield
    finally:
        USE.reset(before)


T = TypeVar("T")
R = TypeVar("R")


def works_ahead() -> bool:
    """Whether this thread is one that works ahead, with a child for indexing of its own."""
    return CHILDREN.get() is not None


def map_ahead(
    function: Callable[[T], R],
    items: Iterable[T],
    weigh: Callable[[T], int] = lambda item: 0,
    *,
    joins: bool = False,
) -> Iterator[R]:
    """What a function makes of each item, in their order, while children for indexing work on the next ones.

    Items are taken on the caller's own thread, and only so many ahead, by their number and by their weight in
    characters. A single item is worked on at once, with a child that answers calls and is perhaps there already, unless
    it `joins` the children of an index that a person waits for: then this process need not load the model for it.
    """
    source = iter(items)
    first = list(islice(source, 2))
    children = _children(os.getpid(), USE.get())
    if not first or (len(first) < 2 and not (joins and USE.get() == INDEXING and children.ids())):
        yield from map(function, first)
        return
    from concurrent.futures import Future  # 10 ms

    waiting: SimpleQueue[tuple[T, Future[R]] | None] = SimpleQueue()
    ahead: deque[tuple[T, Future[R]]] = deque()
    is_given_up = threading.Event()

    def work() -> None:
        CHILDREN.set(children)
        while (task := waiting.get()) is not None:
            item, future = task
            if is_given_up.is_set():
                continue
            try:
                future.set_result(function(item))
            except BaseException as error:  # noqa: BLE001  raised where the result is asked for
                future.set_exception(error)

    for _ in range(children.most):
        threading.Thread(target=copy_context().run, args=(work,), name="indexing", daemon=True).start()
    weight = 0
    try:
        for item in chain(first, source):
            ahead.append((item, Future()))
            waiting.put(ahead[-1])
            weight += weigh(item)
            while len(ahead) > AHEAD * children.most or (weight > MOST_AHEAD_CHARACTERS and len(ahead) > 1):
                first_item, future = ahead.popleft()
                weight -= weigh(first_item)
                yield future.result()
        for _, future in ahead:
            yield future.result()
    finally:
        is_given_up.set()
        for _ in range(children.most):
            waiting.put(None)


def count_processors() -> int:
    """How many processors this process may use: those that it may run on, and no more than its groups' quota."""
    allowed = os.cpu_count() or 1
    if sys.platform == "linux":
        allowed = len(os.sched_getaffinity(0))
    return max(1, min(allowed, _read_quota(), MOST_PROCESSORS))


def _read_quota() -> int:
    """The processors that Linux control groups allow, rounded up; very many where they say nothing."""
    quota = float(MOST_PROCESSORS)
    for line in _read_lines(OWN_GROUPS):
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        parts = [part for part in path.split("/") if part]
        for depth in range(len(parts) + 1):
            folder = os.path.join(GROUPS, "cpu" if controllers else "", *parts[:depth])
            quota = min(quota, _read_group_quota(folder))
    return int(-(-quota // 1))


def _read_group_quota(folder: str) -> float:
    """The quota of one group, in either version of the file system."""
    said = " ".join(_read_lines(os.path.join(folder, "cpu.max")))
    if not said:
        names = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
        said = " ".join(line for name in names for line in _read_lines(os.path.join(folder, name)))
    numbers = [int(word) for word in said.split() if word.isdigit()]
    return numbers[0] / numbers[1] if len(numbers) == 2 and numbers[0] and numbers[1] else float(MOST_PROCESSORS)


def _read_lines(path: str) -> list[str]:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []
