"""`fieldguide brief`: the guide's answer in a terminal."""

import json
import re
import subprocess

import pytest

from docs.writers.command_line import command_words, help_text
from fieldguide.cli.main import COMMANDS
from tests.servers import FIELDGUIDE, environment, run


@pytest.fixture
def clocks(project):
    project.write("src/clock.py", "def wind_the_clock(turns):\n    return turns * 2\n")
    project.write("docs/clocks.md", "# Clocks\n\nWind the clock every morning.\n")
    return project


def piped(project, task: str, *flags: str) -> "subprocess.CompletedProcess[str]":
    command = [FIELDGUIDE, "brief", "--project", str(project.root), *flags]
    return subprocess.run(command, input=task, capture_output=True, text=True, timeout=60, env=environment())


def test_a_task_in_words_gets_the_map_that_an_agent_gets_without_words_of_the_protocol(clocks):
    typed = run("brief", "wind", "the", "clock", "--project", clocks.root).stdout
    called = run("call", "guide_brief", json.dumps({"task": "wind the clock"}), "--project", clocks.root).stdout

    assert "1. src/clock.py: possible\n   1-2 wind_the_clock\n" in called
    assert "1. src/clock.py: possible\n   1-2 wind_the_clock\n" in typed
    assert not [word for word in ("guide_open", "cursor", "guide_search", "#L") if word in typed]


def test_a_called_tool_of_the_guide_knows_files_that_are_new_since_the_last_index(clocks):
    run("index", "--project", clocks.root)
    clocks.write("src/bell.py", "def ring_the_bell(times):\n    return times\n")

    found = run("call", "guide_search", "query=ring the bell", "--project", clocks.root)
    assert "src/bell.py#L1-L2@" in found.stdout


@pytest.mark.parametrize("flags", [(), ("-",)])
def test_a_task_may_come_from_a_pipe(clocks, flags):
    done = piped(clocks, "wind the clock\n", *flags)

    assert done.returncode == 0
    assert "1. src/clock.py: possible\n" in done.stdout


def test_a_script_gets_the_whole_result(clocks):
    result = json.loads(run("brief", "wind the clock", "--budget", 300, "--json", "--project", clocks.root).stdout)

    assert "src/clock.py" in {item["path"] for item in result["items"]}


def test_without_a_task_or_with_a_wrong_budget_a_sentence_says_so(clocks):
    empty = piped(clocks, " \n")
    wrong = run("brief", "wind the clock", "--budget", 5, "--project", clocks.root, code=1)

    assert empty.returncode == 2
    assert "There is no task on stdin." in empty.stderr
    assert "budget" in wrong.stderr


def test_the_help_fits_a_screen_and_has_every_command_once():
    lines = run("--help").stdout.splitlines()

    listed = [line[12:].split()[0] for line in lines[1:]]
    assert sorted(listed) == sorted(COMMANDS)
    assert len(listed) <= 22
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    assert "ask         find       answer a question" in "\n".join(lines)


WITHOUT_JSON = {
    ("serve",): "it speaks a protocol",
    ("team", "audit"): "it prints JSON lines, or CSV",
}


def test_every_command_prints_json_for_programs_by_the_same_flag():
    without = [
        words
        for words in command_words()
        if not re.search(r"--json|ACTION \.\.\.|PART \.\.\.", " ".join(help_text(*words).split()))
    ]

    assert {*without} == {*WITHOUT_JSON}
