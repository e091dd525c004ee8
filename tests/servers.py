"""Server processes for tests: real ones, started as a user would start them."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.processes import PATIENCE_SECONDS

TOKEN = "token-of-the-tests-0123456789"
AUTHORIZATION = {"authorization": f"Bearer {TOKEN}"}
FIELDGUIDE = str(Path(sys.executable).parent / "fieldguide")
WORKBENCH = (sys.executable, str(Path(__file__).parent / "toolsets" / "program.py"))
"""The same program, which serves the toolsets of the tests too."""


def environment() -> dict[str, str]:
    """The environment of a server: ours, and the token of HTTP."""
    kept = ("FIELDGUIDE_STATE", "FIELDGUIDE_BACKGROUND")
    given = {name: value for name, value in os.environ.items() if name in kept or not name.startswith("FIELDGUIDE_")}
    given["FIELDGUIDE_TOKEN"] = TOKEN
    return given


def program(*, with_test_toolsets: bool) -> tuple[str, ...]:
    """The words that start our program."""
    return WORKBENCH if with_test_toolsets else (FIELDGUIDE,)


def run(
    *words: object, code: Any = 0, stdin: Any = "", cwd: Any = None, with_test_toolsets: Any = False, **more: Any
) -> subprocess.CompletedProcess[str]:
    """A command as somebody types it, with more in its environment; `code` is what it must end with, None anything."""
    done = subprocess.run(
        [*program(with_test_toolsets=with_test_toolsets), *map(str, words)],
        input=stdin,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        env={**environment(), **more},
        check=False,
    )
    assert code is None or done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def stdio_command(root: Path, *flags: str, with_test_toolsets: bool = False) -> list[str]:
    """The command that serves a folder over stdio."""
    return [*program(with_test_toolsets=with_test_toolsets), "serve", "--project", str(root), *flags]


@contextmanager
def http_server(
    root: Path,
    *flags: str,
    with_test_toolsets: bool = False,
    command: Sequence[str] | None = None,
    extra_environment: Mapping[str, str | None] | None = None,
) -> Iterator[str]:
    """A server of a folder over HTTP on a free port; gives its MCP URL and ends it. Clients send `AUTHORIZATION`."""
    given = {**environment(), **(extra_environment or {})}
    command = command or program(with_test_toolsets=with_test_toolsets)
    process = subprocess.Popen(
        [*command, "serve", "--project", str(root), "--http", "127.0.0.1:0", *flags],
        stderr=subprocess.PIPE,
        text=True,
        env={name: value for name, value in given.items() if value is not None},
    )
    assert process.stderr is not None
    try:
        yield announced_url(process.stderr.readline)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_SECONDS)


def announced_url(read_line: Callable[[], str]) -> str:
    """The address that a server says when it has started."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        line = read_line()
        if not line:
            break
        found = [word for word in line.split() if word.startswith(("http://", "https://"))]
        if found and not line.startswith("{"):  # the journal may tell of other addresses
            return found[0]
    raise AssertionError("the server did not say where it serves")
