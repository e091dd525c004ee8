"""A command that begins an index leaves one process behind that finishes it: started, seen, stopped, killed."""

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fieldguide.cli.console import indexing
from tests.held_indexing import held_sqlite_turn
from tests.processes import PATIENCE_SECONDS, eventually, is_alive
from tests.servers import FIELDGUIDE, environment, run

BACKGROUND = {"FIELDGUIDE_BACKGROUND": "on"}
GOES_ON = "A background process finishes it: `fieldguide status` shows it, `fieldguide index --stop` ends it."


@pytest.fixture
def ponds(project, tmp_path, monkeypatch):
    """A project of code and documents; what is started for it is ended with the test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for number in range(60):
        project.write(f"src/pond_{number}.py", f"def fill_pond_{number}(litres):\n    return litres + {number}\n")
    project.write("docs/ponds.md", "# Ponds\n\nA pond is filled with rain water.\n")
    yield project
    if project.root.exists():
        run("index", "--stop", "--project", project.root)
    else:
        shutil.rmtree(project.state)  # `doctor` would take it for that of a project that was moved


def ask(project, *words, code=0, **more):
    return run("find", "rain water", *words, "--project", project.root, code=code, **{**BACKGROUND, **more})


def record_of(project):
    return indexing.read_record(str(project.state))


def is_over(project):
    return not indexing.is_lock_held(str(project.state))


def processes_of(project):
    """The background processes that were started for a project, zombies left out."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            words = Path("/proc", name, "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if indexing.START.encode() in words and os.fsencode(project.root) in words and is_alive(int(name)):
            found.append(int(name))
    return found


def status_of(project):
    return json.loads(run("status", "--json", "--project", project.root).stdout)["background"]


def test_the_first_answer_leaves_a_process_that_finishes_the_index(ponds):
    with held_sqlite_turn(ponds.root):
        first = ask(ponds)
        running = status_of(ponds)
        nice = os.getpriority(os.PRIO_PROCESS, running["pid"])
        session = os.getsid(running["pid"])
        text = run("status", "--project", ponds.root).stdout

    assert "docs/ponds.md:1" in first.stdout
    assert GOES_ON in first.stderr
    assert (running["running"], running["state"], running["pid"]) == (True, "running", session)
    assert nice == min(os.getpriority(os.PRIO_PROCESS, 0) + indexing.NICENESS, 19)
    assert f"(process {running['pid']}; `fieldguide index --stop` ends it)" in text
    assert eventually(lambda: is_over(ponds))
    assert record_of(ponds).state == "done"
    second = ask(ponds)
    assert second.stdout.splitlines()[0] == first.stdout.splitlines()[0]
    assert second.stderr == ""
    assert processes_of(ponds) == []
    assert "no process runs; the last one finished the index" in run("status", "--project", ponds.root).stdout


def test_there_is_one_process_however_many_commands_begin(ponds):
    command = [FIELDGUIDE, "find", "rain", "--project", ponds.root]
    with held_sqlite_turn(ponds.root):
        given = {**environment(), **BACKGROUND}
        both = [subprocess.Popen(command, env=given, stdout=subprocess.PIPE) for _ in range(3)]
        for each in both:
            each.communicate(timeout=PATIENCE_SECONDS)
        ask(ponds)

        assert eventually(lambda: len(processes_of(ponds)) == 1)
        assert processes_of(ponds) == [record_of(ponds).pid]


def test_it_is_stopped_and_not_begun_again_by_itself(ponds):
    with held_sqlite_turn(ponds.root):
        ask(ponds)
        stopped = run("index", "--stop", "--project", ponds.root)
        left = processes_of(ponds)
        again = ask(ponds)
        nothing = run("index", "--stop", "--project", ponds.root)

        assert stopped.stdout.startswith("The background process was stopped.")
        assert left == processes_of(ponds) == []
        assert record_of(ponds).state == "stopped"
        assert "`fieldguide index` finishes it" in again.stderr
        assert nothing.stdout == "No background process indexes this project.\n"
    run("index", "--project", ponds.root)
    assert ask(ponds).stderr == ""


def test_one_that_was_killed_is_begun_again(ponds):
    with held_sqlite_turn(ponds.root):
        for _ in range(2):
            assert GOES_ON in ask(ponds).stderr
            assert eventually(lambda: record_of(ponds) is not None and record_of(ponds).state == "running")
            os.kill(status_of(ponds)["pid"], signal.SIGKILL)
            assert eventually(lambda: is_over(ponds))

        assert "was ended from outside" in run("status", "--project", ponds.root).stdout


def test_the_children_of_one_that_was_killed_end_too(ponds):
    for number in range(200):
        ponds.write(f"src/lake_{number}.py", f"class Lake{number}:\n    depth = {number}\n" * 40)
    ask(ponds)
    assert eventually(lambda: children_of(record_of(ponds).pid) or is_over(ponds))
    children = children_of(record_of(ponds).pid)

    if not is_over(ponds):
        os.kill(record_of(ponds).pid, signal.SIGKILL)

    assert eventually(lambda: not any(map(is_alive, children)))


def children_of(pid):
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def test_it_ends_when_the_project_or_its_state_is_gone(ponds):
    with held_sqlite_turn(ponds.root):
        ask(ponds)
        (pid,) = processes_of(ponds)
        shutil.rmtree(ponds.root)

        assert eventually(lambda: not is_alive(pid))
        assert record_of(ponds).state == "failed"


def test_its_time_is_bounded(ponds):
    script = (
        "import sys\nfrom fieldguide.cli.console import indexing\n"
        "indexing.MOST_SECONDS = -1.0\nsys.argv = ['', '', *sys.argv[1:]]\nindexing.main()\n"
    )
    with held_sqlite_turn(ponds.root):
        done = subprocess.run(
            [sys.executable, "-c", script, ponds.root, ponds.state],
            env=environment(),
            timeout=PATIENCE_SECONDS,
            check=False,
        )

    assert done.returncode == 1
    assert record_of(ponds).state == "failed"
    assert record_of(ponds).error.startswith("it took longer than")


def test_a_full_disk_is_told(ponds):
    script = (
        "import resource, signal, sys\nfrom fieldguide.cli.console import indexing\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))\n"
        "indexing.LEAST_FREE_BYTES = 1 << 62\nsys.argv = ['', '', *sys.argv[1:]]\nindexing.main()\n"
    )
    with held_sqlite_turn(ponds.root):
        pass  # the state folder is there

    done = subprocess.run(
        [sys.executable, "-c", script, ponds.root, ponds.state],
        env=environment(),
        timeout=PATIENCE_SECONDS,
        check=False,
    )

    assert done.returncode == 1
    assert record_of(ponds).error.startswith("the disk is full (")
    assert "the last one failed, the disk is full" in run("status", "--project", ponds.root).stdout


def test_where_nobody_wants_one_none_is_started(ponds):
    with held_sqlite_turn(ponds.root):
        done = ask(ponds, FIELDGUIDE_BACKGROUND="off")

    assert "docs/ponds.md:1" in done.stdout
    assert "`fieldguide index` finishes it" in done.stderr
    assert record_of(ponds) is None


def test_an_index_that_fails_says_why(ponds):
    ponds.write_state("index.db", b"")
    (ponds.state / "index.db").unlink()
    (ponds.state / "index.db").mkdir()

    ask(ponds, code=1)
    indexing.start_process(str(ponds.root), str(ponds.state))

    assert eventually(lambda: record_of(ponds) is not None and record_of(ponds).state == "failed" and is_over(ponds))
    assert "The database can't be opened" in record_of(ponds).error


class Terminal:
    """A command on a terminal of its own, as wide as people's are."""

    def __init__(self, *words, **more):
        self.ours, theirs = pty.openpty()
        given = {name: value for name, value in environment().items() if name != "NO_COLOR"}
        self.process = subprocess.Popen(
            [FIELDGUIDE, *map(str, words)],
            env={**given, "TERM": "xterm-256color", "COLUMNS": "100", **more},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = b""

    def read(self):
        """Everything until it ends."""
        while True:
            select.select([self.ours], [], [], PATIENCE_SECONDS)
            try:
                some = os.read(self.ours, 10_000)
            except OSError:  # the other end is closed: everything was read
                break
            self.seen += some
        self.process.wait(PATIENCE_SECONDS)
        return self.seen.decode().replace("\r\n", "\n")

    def close(self):
        """Close the window."""
        os.close(self.ours)


def test_it_survives_the_terminal(ponds):
    with held_sqlite_turn(ponds.root):
        terminal = Terminal("find", "rain water", "--project", ponds.root, **BACKGROUND)
        terminal.read()
        terminal.close()
        (pid,) = processes_of(ponds)
        os.kill(pid, signal.SIGHUP)

        assert status_of(ponds)["running"]
        assert is_alive(pid)
    assert eventually(lambda: is_over(ponds))
    assert record_of(ponds).state == "done"


def test_the_progress_line_is_gone_before_the_answer(ponds):
    for number in range(300):
        ponds.write(f"src/lake_{number}.py", f"def lake_{number}():\n    return {number}\n" * 20)

    shown = Terminal("find", "rain water", "--wait", "--project", ponds.root).read()
    bar, cleared, answer = shown.rpartition("\r\x1b[K")

    assert "indexing context" in bar
    assert cleared
    assert answer.startswith(("\x1b[1m", "\n\x1b[1m"))
    assert "docs/ponds.md:1" in answer
    assert "░" not in answer
