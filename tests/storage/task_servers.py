"""Server processes with the task tools, and what a test does to them."""

import ctypes
import json
import os
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

from fieldguide.storage.state_folder import find_expected_folder
from tests.raw_client import RawClient
from tests.servers import environment, stdio_command

USER = "ann"
TASKS_ONLY = ("--toolsets", "tasks")
DROP_FROM_BOUNDING_SET = 24  # PR_CAPBSET_DROP
RIGHTS_OF_ROOT = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


class TaskClient(RawClient):
    """A server of the task tools, and its answers as the values that they carry."""

    def __init__(self, root: Path, *flags: str, state: Path | None = None) -> None:
        extra = {} if state is None else {"FIELDGUIDE_STATE": str(state)}
        extra["XDG_CONFIG_HOME"] = str(_with_long_answers(root))
        super().__init__(root, *TASKS_ONLY, *flags, extra_environment=extra)

    def __enter__(self) -> Self:
        return self

    def add(self, title: str, **more: Any) -> dict[str, Any]:
        """The answer to `add_task`."""
        answer: dict[str, Any] = value(self.call("add_task", user_id=USER, title=title, **more))
        return answer

    def begin_adding(self, title: str) -> int:
        """Send `add_task` and wait for nothing; gives the request's id."""
        return self.submit("tools/call", name="add_task", arguments={"user_id": USER, "title": title})

    def listed(self) -> Any:
        """The answer to `list_tasks`."""
        return value(self.call("list_tasks", user_id=USER))

    def titles(self) -> list[str]:
        """The titles of every task, oldest first."""
        return [task["title"] for task in reversed(self.listed())]

    def notices(self) -> list[str]:
        """End the server; what its journal said of the storage."""
        _, _, journal = self.leave()
        return [line["notice"] for line in journal if line["message"] == "Storage"]


class PlainUserClient(TaskClient):
    """A server that file permissions hold for, also when the tests run as root."""

    def __init__(self, root: Path, *flags: str, state: Path | None = None) -> None:
        extra = {} if state is None else {"FIELDGUIDE_STATE": str(state)}
        self.process = subprocess.Popen(
            stdio_command(root, *TASKS_ONLY, *flags),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={**environment(), **extra},
            preexec_fn=_without_rights_of_root if os.geteuid() == 0 else None,
        )
        self._last_id = 0
        self._pending = b""
        self._answers = {}


def _with_long_answers(root: Path) -> Path:
    """The person's settings that let a list of thousands of tasks through whole."""
    folder = root.parent / "long-answers"
    (folder / "fieldguide").mkdir(parents=True, exist_ok=True)
    (folder / "fieldguide" / "config.toml").write_text("[limits]\nanswer_tokens = 100000000\n")
    return folder


def value(result: Mapping[str, Any]) -> Any:
    """What the one text of a result says."""
    return json.loads(result["content"][0]["text"])


def database_file(root: Path) -> Path:
    """Where a server keeps the tasks of a project."""
    return Path(find_expected_folder(str(root))) / "fieldguide.db"


def set_aside_files(root: Path) -> list[Path]:
    """The damaged databases that were kept, without their logs."""
    kept = database_file(root).parent.glob("fieldguide.db.damaged-*")
    return sorted(path for path in kept if not path.name.endswith(("-wal", "-shm")))


def stored_titles(path: Path) -> list[str]:
    """The titles in a database file, oldest first, once SQLite has found the whole file sound."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return [row[0] for row in connection.execute("SELECT title FROM task ORDER BY id")]


@contextmanager
def unwritable(folder: Path) -> Iterator[None]:
    """A folder in which nobody can write while the block runs, nor into any file of it."""
    paths = [folder, *folder.rglob("*")]
    modes = [path.stat().st_mode for path in paths]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        for path, mode in zip(paths, modes, strict=True):
            path.chmod(mode)


def _without_rights_of_root() -> None:
    for right in RIGHTS_OF_ROOT:
        if _C_LIBRARY.prctl(DROP_FROM_BOUNDING_SET, right, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "a right could not be given up")


_C_LIBRARY = ctypes.CDLL(None, use_errno=True)
