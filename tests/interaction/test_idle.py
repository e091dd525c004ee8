"""A server that nobody asks for anything costs nothing: no thread of it is woken, and a change still reaches it."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.architecture_projects import write_architecture
from tests.processes import eventually
from tests.raw_client import RawClient
from tests.servers import environment, stdio_command

LOOKS = 150  # of 10 ms each: what wakes ten times a second, or once, would be seen

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps books of every thread")


def switches(process: int) -> int:
    """How often the threads of a process have been woken or taken off a processor."""
    total = 0
    for status in Path(f"/proc/{process}/task").glob("*/status"):
        with suppress(OSError):  # that thread has ended meanwhile
            total += sum(int(line.split()[1]) for line in status.read_bytes().splitlines() if b"ctxt_switches" in line)
    return total


def comes_to_rest(process: int) -> bool:
    """Whether a process comes to a point from which on nothing wakes it for a while."""
    counted: list[int] = []

    def is_at_rest() -> bool:
        counted.append(switches(process))
        return len(counted) >= LOOKS and len(set(counted[-LOOKS:])) == 1

    return eventually(is_at_rest)


@pytest.fixture
def busy_project(project):
    """A project in which every toolset has something to watch, in several folders."""
    write_architecture(project)
    for number in range(5):
        project.write(f"docs/part-{number}/page.md", f"# Page {number}\n")
        project.write(f"src/module_{number}/code.py", f"def function_{number}(): ...\n")
    return project


def test_over_stdio_an_idle_server_is_not_woken_and_still_sees_a_change(busy_project):
    with RawClient(busy_project.root).ready() as client:
        assert client.call("grep_codebase", pattern="function_3")
        assert client.call("documents_search", query="page")

        assert comes_to_rest(client.process.pid)
        before = switches(client.process.pid)
        busy_project.write("docs/part-0/page.md", "# Changed\n")

        assert eventually(lambda: switches(client.process.pid) > before)


def test_over_http_an_idle_server_is_not_woken_and_ends_at_once_when_told(busy_project):
    command = stdio_command(busy_project.root, "--http", "127.0.0.1:0", "--no-token")
    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        try:
            assert any(b"http://" in line for line in process.stderr)

            assert comes_to_rest(process.pid)
            os.kill(process.pid, signal.SIGTERM)

            assert process.wait(30) == 0
        finally:
            process.kill()
