"""`fieldguide prove`: past commits as tasks, measured on the state before each, and nothing left behind."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.git_projects import GitProject
from tests.processes import eventually
from tests.proves import proves
from tests.servers import FIELDGUIDE, environment, run

WINDING = "Wind the clock twice so that it runs until the evening"
CHIMING = "Let the bell chime at noon and at midnight as well"


@pytest.fixture
def clocks(tmp_path) -> GitProject:
    """A repository with two commits that could be tasks, and some that could not."""
    (tmp_path / "clocks").mkdir()
    made = GitProject(tmp_path / "clocks")
    made.write("src/clock.py", "def wind_the_clock(turns):\n    return turns\n")
    made.write("src/bell.py", "def chime(hour):\n    return hour == 12\n")
    made.write("src/other.py", "def nothing_of_it():\n    return None\n")
    made.commit_all("Begin with a clock and a bell that nobody has wound yet")
    made.commit(f"{WINDING}\n\nSee src/clock.py (#12).\n\nSigned-off-by: Ann <a@example.com>\n", "src/clock.py")
    made.commit("Bump the version of the clock from one to two now", "src/clock.py")
    made.commit("Wind the clock by itself whenever there is time for it", "src/clock.py", author="winder[bot]")
    made.commit("More", "src/bell.py")
    made.commit("Make a new hand for the clock that nobody has seen before", "src/hand.py")
    made.commit(f"{CHIMING}\n", "src/bell.py", "CHANGELOG.md")
    made.commit('Revert "Let the bell chime at noon and at midnight as well"', "src/bell.py")
    return made


def proved(project: GitProject, *flags: str, **more: str) -> dict[str, Any]:
    done = run("prove", "--json", "--budgets", "300,1000", "--project", project.root, *flags, **more)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@proves("G-61", "G-64")
def test_commits_that_say_what_they_do_are_tasks_without_the_names_of_files(clocks):
    tasks = proved(clocks)["tasks"]

    assert [(each["task"].splitlines()[0], each["files"]) for each in tasks] == [
        (WINDING, ["src/clock.py"]),
        (CHIMING, ["src/bell.py"]),
    ]
    assert tasks[0]["before"] == clocks.git("rev-parse", f"{tasks[0]['commit']}^")
    assert "clock.py" not in tasks[0]["task"]
    assert "Signed-off-by" not in tasks[0]["task"]


@proves("G-61")
def test_both_ways_are_measured_within_each_budget(clocks):
    told = proved(clocks)

    by_way = {(each["way"], each["budget"]): each for each in told["totals"]}
    assert set(by_way) == {(way, budget) for way in ("brief", "grep") for budget in (300, 1000)}
    for (_, budget), each in by_way.items():
        assert 0 < each["tokens"] <= budget
    assert by_way["brief", 1000]["share"] == 1
    assert by_way["grep", 1000]["share"] == 1
    assert by_way["brief", 1000]["places"] == 1
    found = [each for task in told["tasks"] for each in task["found"]]
    assert all(each["places"] <= task["places"] for task in told["tasks"] for each in task["found"])
    assert all(set(each["files"]) <= {"src/clock.py", "src/bell.py"} for each in found)


@proves("G-61")
def test_people_get_a_table_and_a_picture(clocks):
    said = run("prove", "--budgets", "300,1000", "--project", clocks.root).stdout

    assert said.startswith("2 tasks from the latest commits, which changed 2 files.\n")
    assert "files per 1,000 tokens" in said
    assert "   1,000  brief ████████████████████████████████████████ 100%" in said


@proves("G-62")
def test_what_the_change_itself_brought_is_not_there_to_be_found(clocks):
    """New files that say all of the task's words would push the changed one out of a small answer."""
    words = "Wind the clock on every Monday so that it runs until Sunday"
    for number in range(24):
        clocks.write(f"src/week_{number}.py", f"# {words}\n" * 5)
    clocks.commit(words, "src/clock.py")

    [task] = proved(clocks, "--commits", "1")["tasks"]

    assert task["task"] == words
    assert [each["files"] for each in task["found"]] == [["src/clock.py"]] * 4


@proves("G-62")
def test_a_part_of_a_repository_is_measured_by_itself(clocks):
    inner = GitProject.__new__(GitProject)
    inner.root = clocks.root / "src"

    tasks = proved(inner)["tasks"]

    assert [each["files"] for each in tasks] == [["clock.py"], ["bell.py"]]
    assert all(found["files"] for each in tasks for found in each["found"] if found["budget"] == 1000)


@proves("G-62")
@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_measurement_leaves_nothing_behind(clocks, tmp_path, signal_):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [FIELDGUIDE, "prove", "--project", str(clocks.root)],
        env={**environment(), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    copied = "fieldguide-prove-*/project/src/clock.py"
    assert eventually(lambda: any(temporary.glob(copied)) or process.poll() is not None)

    process.send_signal(signal_)
    process.communicate(timeout=60)

    assert process.returncode in (130, 0)  # 0: it was done before the signal came
    assert [*temporary.iterdir()] == []


@proves("G-62", "G-63")
def test_neither_the_repository_nor_the_persons_state_is_touched(clocks, tmp_path):
    temporary, state = tmp_path / "temporary", tmp_path / "state"
    temporary.mkdir()
    before = contents(clocks.root)

    proved(clocks, TMPDIR=str(temporary), FIELDGUIDE_STATE=str(state))

    assert contents(clocks.root) == before
    assert [*temporary.iterdir()] == []
    assert not state.exists()


@proves("G-64")
def test_without_a_history_a_sentence_says_so(project, tmp_path):
    (tmp_path / "young").mkdir()
    young = GitProject(tmp_path / "young")
    no_git = run("prove", "--project", project.root, code=1)
    empty = run("prove", "--project", young.root, code=1)
    young.commit("More", "a.py")

    assert "is not in a git repository" in no_git.stderr
    assert "There is no commit here that could be a task" in empty.stderr
    assert "There is no commit here that could be a task" in run("prove", "--project", young.root, code=1).stderr


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--commits", "0"), "not a number from 1 to 200"),
        (("--commits", "5000"), "not a number from 1 to 200"),
        (("--budgets", "4000,x"), "are not numbers from 200 to 50000"),
        (("--budgets", "10"), "are not numbers from 200 to 50000"),
    ],
)
def test_what_can_not_be_meant_is_refused(project, flags, said):
    assert said in run("prove", *flags, "--project", project.root, code=2).stderr


def contents(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below a folder, with when it was changed and what it holds."""
    paths = [Path(folder) / name for folder, _, names in os.walk(root) for name in names]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}
