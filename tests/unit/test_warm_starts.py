"""A command that is forked off the tests' warm process is what it would be if it had been started by itself."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.raw_client import RawClient
from tests.servers import FIELDGUIDE, environment
from tests.warm_starts.commands import FRESH

STARTS = {"warm": {}, "fresh": FRESH}


@pytest.fixture(params=STARTS)
def start(request) -> dict[str, str]:
    return STARTS[request.param]


def program_of(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


def test_one_is_warm_and_one_is_fresh(project):
    with RawClient(project.root) as warm, RawClient(project.root, extra_environment=FRESH) as fresh:
        warm.initialize()
        fresh.initialize()

        assert b"warm_starts" in program_of(warm.process.pid)
        assert FIELDGUIDE.encode() in program_of(fresh.process.pid)


def test_it_has_its_own_words_folder_input_outputs_and_code(project, start):
    project.write("notes.md", "# Notes\n")
    done = subprocess.run(
        [FIELDGUIDE, "call", "read_file", "-"],
        cwd=project.root,
        input=b'{"path": "notes.md"}',
        capture_output=True,
        env={**environment(), **start},
        check=True,
    )
    refused = subprocess.run([FIELDGUIDE, "nonsense"], capture_output=True, env={**environment(), **start}, check=False)

    assert b"# Notes" in done.stdout
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert b"nonsense" in refused.stderr


def test_it_is_a_child_of_ours_that_a_signal_ends(project, start):
    with RawClient(project.root, extra_environment=start) as client:
        client.initialize()
        [parent] = [
            line.split()[1]
            for line in Path(f"/proc/{client.process.pid}/status").read_text(encoding="utf-8").splitlines()
            if line.startswith("PPid:")
        ]
        client.process.kill()

        assert int(parent) == os.getpid()
        assert client.process.wait(60) == -signal.SIGKILL


def test_it_holds_no_file_of_another(project, start):
    with (
        RawClient(project.root, extra_environment=start) as one,
        RawClient(project.root, extra_environment=start) as two,
    ):
        one.initialize()
        two.initialize()

        assert one.leave()[0] == 0
        assert two.request("ping")["result"] == {}


def test_a_folder_that_is_not_there_is_told_as_ever(tmp_path, start):
    with pytest.raises(FileNotFoundError):
        subprocess.run([FIELDGUIDE, "--version"], cwd=tmp_path / "none", env={**environment(), **start}, check=False)
