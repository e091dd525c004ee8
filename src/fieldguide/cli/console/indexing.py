"""Brings the index up to date for a command: for a moment in this process, and the rest in one background process.

The background process holds the lock on `background.lock` in the project's state folder as long as it lives, so there
is never a second one and a killed one leaves nothing behind. What it does is in `background.json`, what it notes in
`background.log`. It runs nothing of the project, has a lower priority, and ends by itself: when it is done, when its
time is used up, when the project or the state folder is gone, or when `fieldguide index --stop` asks it to.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide.cli.console.terminal import ProgressLine, complain
from fieldguide.files.file_system import PRIVATE_FILE, replace_file, try_file_lock
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import FieldguideError, Misconfiguration, StorageFailed

if TYPE_CHECKING:
    from fieldguide.app import App
    from fieldguide.settings.config import Settings
    from fieldguide.spine.tool import Answer
    from fieldguide.toolsets.upkeep import LateUpkeep

LOCK_FILE = "background.lock"
RECORD_FILE = "background.json"
LOG_FILE = "background.log"
STOP_FILE = "background.stop"
LARGEST_RECORD_BYTES = 16 << 10
LARGEST_LOG_BYTES = 1 << 20
VARIABLE = "FIELDGUIDE_BACKGROUND"
OFF = frozenset(("0", "no", "off", "false"))
RUNNING = "running"
DONE = "done"
FAILED = "failed"
STOPPED = "stopped"
REPLACED = "replaced"
"""How a process ended: by itself, by a person, or because a command that is waited for goes on in its place."""
STOPPED_SECONDS = 3600.0  # what a person stopped is not begun again within this time
STOP_SECONDS = 5.0  # then it is killed
LOOK_SECONDS = 0.2  # between two looks of the process at what may end it
NICENESS = 10
LONGEST_ERROR = 500
LEAST_FREE_BYTES = 1 << 20
MOST_SECONDS = 1800.0  # the next command begins another one, which goes on


class IndexingProgress(NamedTuple):
    """How far a pass over everything is: the toolset whose files are indexed, and how many of them are."""

    title: str
    done: int = 0
    total: int = 0

    def paint(self) -> tuple[float, str]:
        """The share that is done, and words for the progress line."""
        return self.done / max(self.total, 1), f"indexing {self.describe()}"

    def describe(self) -> str:
        """The progress in words: `context, 120 of 818 files`."""
        return f"{self.title}, {self.done:,} of {self.total:,} files" if self.total else self.title


class IndexingStopped(Exception):
    """Raised where a pass reports its progress, to end it: what is indexed by then is kept."""


class IndexPass:
    """One pass over everything that the toolsets of an app index, or one of them, in this process."""

    def __init__(self, app: "App", only: str | None = None) -> None:
        self.done: dict[str, dict[str, Any]] = {}
        self.seconds: dict[str, float] = {}
        self._app = app
        self._names = [each.name for each in app.toolsets if each.upkeep is not None and only in (None, each.name)]
        self._is_stopped = False
        self._now = IndexingProgress(self._names[0] if self._names else "")
        self._misconfigured: Misconfiguration | None = None
        self._thread = threading.Thread(target=self.run, name="indexing", daemon=True)

    @property
    def problems(self) -> list[str]:
        """What could not be indexed, and why."""
        found: list[str] = []
        for parts in self.done.values():
            found += [f"{part}: {result['error']}" for part, result in parts.items() if "error" in result]
        return found

    def run(self) -> None:
        """Index every toolset; what goes wrong with one stops no other, but wrong settings stop all."""
        for is_settled, name in product((False, True), self._names):
            began = monotonic()
            try:
                self.done.setdefault(name, self._refresh(name, is_settled=is_settled))
            except IndexingStopped:
                return
            except Misconfiguration as error:
                self._misconfigured = error
                return
            except FieldguideError as error:
                self.done[name] = {name: {"error": error.message}}
            except Exception as error:  # noqa: BLE001  the border of a thread: whoever waits searches what is there
                self.done[name] = {name: {"error": f"{type(error).__name__}: {error}"}}
            self.seconds[name] = self.seconds.get(name, 0.0) + monotonic() - began

    def wait(self, seconds: float | None) -> bool:
        """Index on a thread, and wait no longer than this; whether it is done. Wrong settings are an error."""
        if not self._thread.ident:
            self._thread.start()
        self._thread.join(seconds)
        if self._misconfigured is not None:
            raise self._misconfigured
        return not self._thread.is_alive()

    def stop(self) -> None:
        """End the pass at the next batch of files."""
        self._is_stopped = True

    def see(self) -> IndexingProgress:
        """How far it is."""
        return self._now

    def paint(self) -> tuple[float, str]:
        """The same for a progress line."""
        return self._now.paint()

    def _refresh(self, name: str, *, is_settled: bool) -> dict[str, Any]:
        def report(done: int, total: int, part: str) -> None:
            if self._is_stopped:
                raise IndexingStopped
            self._now = IndexingProgress(name, done, total)

        (upkeep,) = (each.upkeep for each in self._app.toolsets if each.name == name)
        if upkeep is None:
            return {}
        if is_settled:
            upkeep.settle(report)
            return {}
        self._now = IndexingProgress(name)
        return dict(upkeep.refresh(report))


class BackgroundRecord(NamedTuple):
    """What is known of the latest background process of a project."""

    pid: int
    state: str
    seen: float = 0.0
    title: str = ""
    done: int = 0
    total: int = 0
    error: str = ""

    @property
    def progress(self) -> IndexingProgress | None:
        """How far it is; None before it has begun to index."""
        return IndexingProgress(self.title, self.done, self.total) if self.title else None


class Background:
    """The background process of one project, seen from a command."""

    def __init__(self, settings: "Settings") -> None:
        self._settings = settings

    def read(self) -> BackgroundRecord | None:
        """The record of the latest process; None where there was none, or it can't be read."""
        folder = self._find_folder()
        return None if folder is None else read_record(folder)

    def is_running(self) -> bool:
        """Whether the process lives: it holds its lock as long."""
        folder = self._find_folder()
        return folder is not None and is_lock_held(folder)

    def may_start(self) -> bool:
        """Whether a process may be started for this project."""
        wanted = os.environ.get(VARIABLE, "").lower()
        setting = self._settings.sections.get("index", {}).get("background", True)
        if wanted in OFF or (not wanted and setting in (False, "off")):
            return False
        record = self.read()
        if record is None or record.state != STOPPED:
            return True
        return not 0 <= time.time() - record.seen < STOPPED_SECONDS

    def start(self) -> bool:
        """Start the process, unless it runs or may not; whether one runs now."""
        if not self.may_start():
            return False
        if self.is_running():
            return True
        from fieldguide.storage.state_folder import make_state_folder

        try:
            folder = make_state_folder(self._settings.project)
            if not os.access(folder, os.W_OK):
                return False
            start_process(self._settings.project, folder)
        except (OSError, StorageFailed):
            return False
        return True

    def stop(self, state: str = STOPPED) -> bool:
        """Ask the process to end and wait until it is gone; whether there was one. One that hangs is killed."""
        folder = self._find_folder()
        if folder is None or not is_lock_held(folder):
            return False
        until = monotonic() + STOP_SECONDS
        with suppress(OSError), open(os.path.join(folder, STOP_FILE), "wb", opener=_open_privately) as file:
            file.write(state.encode())
        while is_lock_held(folder):
            record = read_record(folder)
            if monotonic() > until and record is not None and record.state == RUNNING:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(record.pid, signal.SIGKILL)
            sleep(LOOK_SECONDS / 4)
        return True

    def see(self) -> IndexingProgress | None:
        """How far it is."""
        record = self.read()
        return None if record is None else record.progress

    def paint(self) -> tuple[float, str] | None:
        """The same for a progress line."""
        progress = self.see()
        return None if progress is None else progress.paint()

    def _find_folder(self) -> str | None:
        from fieldguide.storage.state_folder import find_known_folder

        return find_known_folder(self._settings.project)


def is_lock_held(folder: str) -> bool:
    """Whether a background process of the project with this state folder lives."""
    try:
        lock = os.open(os.path.join(folder, LOCK_FILE), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        return not try_file_lock(lock)
    finally:
        os.close(lock)


def read_record(folder: str) -> BackgroundRecord | None:
    """The record in a state folder; None where there is none that can be read."""
    try:
        with open(os.path.join(folder, RECORD_FILE), "rb") as file:
            said: Any = json.loads(file.read(LARGEST_RECORD_BYTES))
        known = {name: said[name] for name in BackgroundRecord._fields if name in said}
        usual = {**BackgroundRecord(0, "")._asdict()}
        if any(type(value) is not type(usual[name]) for name, value in known.items()):
            return None
        return BackgroundRecord(**cast("Any", known))
    except (OSError, ValueError, TypeError, RecursionError):
        return None


START = "import sys; sys.path.append(sys.argv[1]); from fieldguide.cli.console.indexing import main; main()"


def start_process(project: str, folder: str) -> None:
    """Start the process in a session of its own, so that it survives the terminal; nobody waits for it.

    It imports nothing from the folder that the command runs in, nor from the project.
    """
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    started = subprocess.Popen(
        [sys.executable, "-I", "-c", START, package, os.path.realpath(project), folder],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )
    started.returncode = 0  # it outlives this process: nobody asks how it ended


def main() -> None:
    """Index a project to its end, in the process that `start_process` began."""
    project, folder = sys.argv[2:4]
    lock = os.open(os.path.join(folder, LOCK_FILE), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, PRIVATE_FILE)
    if not try_file_lock(lock):
        return
    run = BackgroundRun(project, folder, lock)
    try:
        run.index()
    except Exception as error:  # noqa: BLE001  the border of the process
        run.end(FAILED, str(error) or type(error).__name__)


class BackgroundRun:
    """The run of a background process, seen from within; a thread of it watches its limits."""

    def __init__(self, project: str, folder: str, lock: int) -> None:
        self._project = project
        self._folder = folder
        self._lock = lock
        self._began = monotonic()
        self._pass: IndexPass | None = None
        self._ending = threading.Lock()
        self._logged = 0
        self._record = BackgroundRecord(os.getpid(), RUNNING, time.time())
        self._root = os.stat(project)

    def index(self) -> None:
        """Bring everything up to date; the process ends here."""
        with suppress(OSError):
            os.unlink(os.path.join(self._folder, STOP_FILE))  # it was meant for the process before
        self._write()
        os.nice(NICENESS)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        threading.Thread(target=self._watch, name="limits", daemon=True).start()
        from fieldguide.app import build_app
        from fieldguide.settings.config import read_settings

        with open(os.path.join(self._folder, LOG_FILE), "w", encoding="utf-8", opener=_open_privately) as log:

            def note(lines: list[str]) -> None:
                self._logged += sum(map(len, lines))
                if self._logged <= LARGEST_LOG_BYTES:
                    log.writelines(f"{line.rstrip()}\n" for line in lines)
                    log.flush()

            app = build_app(read_settings({"project": self._project}, os.environ), write_journal=note)
            self._pass = IndexPass(app)
            self._pass.run()
            self._pass.wait(0.0)
            app.executor.journal.flush()
        problems = "; ".join(self._pass.problems)
        self.end(FAILED if problems else DONE, problems)

    def end(self, state: str, error: str = "") -> None:
        """Write how it ended, and leave at once: what is indexed is kept, and children see that we are gone."""
        self._ending.acquire()
        if state == FAILED and _count_free_bytes(self._folder) < LEAST_FREE_BYTES:
            error = f"the disk is full ({error})"
        self._record = self._record._replace(state=state, error=error[:LONGEST_ERROR])
        self._write()
        os._exit(0 if state == DONE else 1)

    def _watch(self) -> None:
        while True:
            sleep(LOOK_SECONDS)
            try:
                reason = self._find_reason_to_end()
            except OSError as error:
                reason = (FAILED, str(error))
            if reason is not None:
                self.end(*reason)
            if self._pass is not None:
                self._record = self._record._replace(**self._pass.see()._asdict())
            if not self._ending.locked():
                self._write()

    def _find_reason_to_end(self) -> tuple[str, str] | None:
        with suppress(FileNotFoundError), open(os.path.join(self._folder, STOP_FILE), "rb") as file:
            return (REPLACED if file.read(20) == REPLACED.encode() else STOPPED), ""
        if monotonic() - self._began > MOST_SECONDS:
            return FAILED, f"it took longer than {MOST_SECONDS / 60:.0f} minutes"
        root = os.stat(self._project)
        if (root.st_dev, root.st_ino) != (self._root.st_dev, self._root.st_ino):
            return FAILED, "the project was replaced"
        if os.stat(os.path.join(self._folder, LOCK_FILE)).st_ino != os.fstat(self._lock).st_ino:
            return FAILED, "the state folder was replaced"
        return None

    def _write(self) -> None:
        """Write the record; on a full disk there is room only in place of the one before."""
        said = json.dumps(self._record._replace(seen=time.time())._asdict()).encode()
        path = os.path.join(self._folder, RECORD_FILE)
        try:
            with replace_file(path, PRIVATE_FILE) as file:
                file.write(said)
        except OSError:
            with suppress(OSError), open(path, "r+b") as file:
                file.write(said)
                file.truncate()


def _count_free_bytes(folder: str) -> int:
    try:
        found = os.statvfs(folder)
    except OSError:
        return 0
    return found.f_bavail * found.f_frsize


def _open_privately(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, PRIVATE_FILE)


PATIENCE_SECONDS = 3.0  # a pass over an index that was whole before is over by then, unless much has changed
SMALL_PROJECT_SECONDS = 0.5  # a background process has a small project indexed by then
SMALL_PROJECT_FILES = 40


class Preparation(NamedTuple):
    """How the index stands when a command asks: what could not be indexed, whether all is, and who finishes it."""

    problems: Sequence[str] = ()
    is_whole: bool = True
    finisher: str = ""
    progress: IndexingProgress | None = None

    def report(self) -> None:
        """Say on stderr what could not be indexed, and what is not yet."""
        complain(*map(to_visible_line, self.problems))
        if not self.is_whole:
            so_far = f" ({self.progress.describe()})" if self.progress is not None else ""
            complain(f"Not everything is indexed yet{so_far}. {self.finisher}")


IN_BACKGROUND = "A background process finishes it: `fieldguide status` shows it, `fieldguide index --stop` ends it."
BY_HAND = "`fieldguide index` finishes it, and so does --wait."


def prepare_index(app: "App", *, waits: bool) -> Preparation:
    """Bring the index up to date as far as a moment allows, or to its end; a background process does the rest."""
    background = Background(app.settings)
    here = IndexPass(app)
    if waits:
        background.stop(REPLACED)
        with ProgressLine(here.paint):
            here.wait(None)
        return Preparation(here.problems)
    began = time.time()
    is_continued = background.is_running() or (not _was_whole(app) and background.start())
    if is_continued:
        is_continued, is_done = _wait_for(background, began)
        if is_done:
            return Preparation()
    if not is_continued:
        with ProgressLine(here.paint):
            if here.wait(PATIENCE_SECONDS):
                return Preparation(here.problems)
        is_continued = background.start()
    if is_continued:
        here.stop()
        _expect_background(app)
        return Preparation(here.problems, False, IN_BACKGROUND, background.see())
    return Preparation(here.problems, False, BY_HAND)


def _wait_for(background: Background, began: float) -> tuple[bool, bool]:
    """Wait a moment for a background process, enough for a small project; whether it runs still, or is done."""
    until = monotonic() + SMALL_PROJECT_SECONDS
    with ProgressLine(background.paint):
        while monotonic() < until:
            record = background.read()
            if record is not None and record.seen >= began:
                if not background.is_running():
                    return False, record.state == DONE
                if record.total > SMALL_PROJECT_FILES:
                    break
            sleep(0.02)
    return True, False


def _was_whole(app: "App") -> bool:
    """Whether everything was once indexed to its end."""
    return all(each.made().is_whole() for each in _list_upkeeps(app))


def _expect_background(app: "App") -> None:
    """Let the tools know that another process indexes: they say how far it is, and index first what is asked for."""
    for each in _list_upkeeps(app):
        each.is_kept_elsewhere = True


def _list_upkeeps(app: "App") -> "Iterator[LateUpkeep[Any]]":
    from fieldguide.toolsets.upkeep import LateUpkeep

    for toolset in app.toolsets:
        upkeep: Any = toolset.upkeep
        if isinstance(upkeep, LateUpkeep):
            yield upkeep


def refresh_for_tool(app: "App", tool: str) -> None:
    """Bring up to date what a tool reads of the index, if it reads any; the guide reads what all others index."""
    for toolset in app.toolsets:
        if any(each.name == tool and each.reads_index for each in toolset.tools):
            if toolset.upkeep is None:
                prepare_index(app, waits=False).report()
                continue
            here = IndexPass(app, toolset.name)
            with ProgressLine(here.paint):
                here.wait(None)
            complain(*map(to_visible_line, here.problems))


def ask_tool(app: "App", tool: str, arguments: Mapping[str, Any], *, waits: bool) -> "tuple[Answer, Preparation]":
    """Bring the index up to date and ask a tool; arguments that are None are left out.

    Print the answer first, then `report` how the index stands: that is what stays in sight.
    """
    prepared = prepare_index(app, waits=waits)
    try:
        return execute_once(app, tool, arguments), prepared
    except FieldguideError:
        prepared.report()
        raise


def execute_once(app: "App", tool: str, arguments: Mapping[str, Any]) -> "Answer":
    """Run one tool in this process; arguments that are None are left out."""
    return app.executor.call(tool, {name: value for name, value in arguments.items() if value is not None})
