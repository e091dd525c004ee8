"""The doctor's advice is followed to the letter, in a project that has the problem: afterwards the problem is gone."""

import json
import re
import shlex
import shutil

import pytest

from fieldguide.cli.main import COMMANDS
from tests.servers import run

NAMED = re.compile(rf"fieldguide (?:{'|'.join(COMMANDS)})\b")
SAID = {"ALIAS": "handbook", "SOURCE": "handbook"}


def nothing(project):
    """A project that has none of all this."""


def documents_that_are_not_indexed(project):
    project.write("docs/a.md", "# A\n")


def half_a_directive(project):
    project.write("directive/agent_context.md", "# Context\n")


def a_moved_project(project):
    before = project.root.parent / "before" / project.root.name
    before.mkdir(parents=True)
    run("call", "add_task", '{"user_id": "ann", "title": "x"}', "--project", before)
    shutil.rmtree(before)


PROBLEMS = {
    nothing: {"directive", "documents", "architecture"},
    documents_that_are_not_indexed: {"documents"},
    half_a_directive: {"directive"},
    a_moved_project: {"state"},
}


@pytest.mark.parametrize("make", PROBLEMS, ids=lambda make: make.__name__)
def test_following_the_doctors_advice_mends_what_it_is_about(project, tmp_path, make):
    home = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "PYTHONDONTWRITEBYTECODE": ""}
    make(project)
    project.write("handbook/first.md", "# First\n")  # what a person would name, where the advice has a blank to fill
    said = diagnosed(project, home)
    advised = {each["about"]: each for each in said if each["command"]}

    for each in said:  # a command that is named is there as it is to be typed
        named = NAMED.findall(each["mend"])
        assert bool(named) == bool(each["command"])
        assert all(name in each["command"] for name in named)
    assert PROBLEMS[make] <= advised.keys()
    for about in PROBLEMS[make]:
        follow(project, advised[about]["command"], home)

    left = {each["about"] for each in diagnosed(project, home) if each["command"]}
    assert not PROBLEMS[make] & left


def diagnosed(project, home):
    return json.loads(run("doctor", "--json", "--project", project.root, code=None, **home).stdout)


def follow(project, command, home):
    """Type a command in the project, with a folder of documents where there is a blank to fill."""
    run(*(SAID.get(word, word) for word in shlex.split(command)[1:]), cwd=project.root, **home)
