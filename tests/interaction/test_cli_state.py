"""`fieldguide data`: what is kept of each project, outside of it."""

import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.proves import proves
from tests.servers import run


@pytest.fixture
def state(tmp_path):
    """Runs an action of `data` with a state root of this test's own."""
    root = {"FIELDGUIDE_STATE": str(tmp_path / "state")}

    def act(action, *words, **more):
        return run("data", action, *words, **root, **more)

    return act


@pytest.fixture
def tasks(tmp_path):
    """Adds a task to a project, or lists the titles there."""
    root = {"FIELDGUIDE_STATE": str(tmp_path / "state")}

    def titles(project, add=None):
        if add:
            run("tasks", "add", add, "--user", "ann", "--project", project, **root)
        listed = run("tasks", "list", "--user", "ann", "--json", "--project", project, **root).stdout
        return [task["title"] for task in json.loads(listed)]

    return titles


@proves("D-39")
def test_what_is_kept_lies_outside_the_project_in_a_folder_that_names_it(project, state, tasks, tmp_path):
    tasks(project.root, add="one")

    path = Path(state("where", "--project", project.root).stdout.strip())

    assert list(project.root.iterdir()) == []
    assert path.parent == tmp_path / "state"
    assert path.name.startswith("project-")
    assert (path / "fieldguide.db").is_file()


def test_a_project_that_was_moved_is_told_where_its_tasks_are_and_gets_them_back(project, state, tasks, tmp_path):
    tasks(project.root, add="one")
    moved = project.root.rename(tmp_path / "renamed")
    root = {"FIELDGUIDE_STATE": str(tmp_path / "state")}

    told = [run(command, "--project", moved, **root).stdout for command in ("doctor", "status")]
    done = state("move", str(project.root), "--project", moved)
    after = run("doctor", "--project", moved, **root).stdout

    assert all(f"`fieldguide data move {project.root}`" in each for each in told)
    assert "now belongs to" in done.stdout
    assert tasks(moved) == ["one"]
    assert "data move" not in after


def test_a_move_takes_nothing_away_from_a_project_that_is_there_or_has_its_own(project, state, tasks, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    tasks(project.root, add="one")

    still_there = state("move", str(project.root), "--project", other, code=1).stderr
    unknown = state("move", str(tmp_path / "never"), "--project", other, code=1).stderr
    tasks(other, add="two")
    project.root.rename(tmp_path / "gone")
    has_own = state("move", str(project.root), "--project", other, code=1).stderr

    assert "is still there" in still_there
    assert "Nothing is kept of" in unknown
    assert "has tasks or findings of its own" in has_own
    assert tasks(other) == ["two"]


def test_the_list_names_every_project_and_prune_removes_what_is_gone(project, state, tasks, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    tasks(project.root, add="one")
    tasks(other, add="two")
    other.rename(tmp_path / "moved away")

    listed = {row["project"]: row["is_there"] for row in json.loads(state("where", "--all", "--json").stdout)}
    shown = state("prune").stdout
    unchanged = json.loads(state("where", "--all", "--json").stdout)
    state("prune", "--yes")
    left = [row["project"] for row in json.loads(state("where", "--all", "--json").stdout)]

    assert listed == {str(project.root): True, str(other): False}
    assert f"Would remove what was kept of {other}" in shown
    assert len(unchanged) == 2
    assert left == [str(project.root)]


def test_a_worktree_is_a_project_of_its_own(project, tasks, tmp_path):
    git = ["git", "-C", str(project.root), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "begin"], check=True)
    tree = tmp_path / "tree"
    subprocess.run([*git, "worktree", "add", "-q", str(tree)], check=True)
    tasks(project.root, add="one")

    assert tasks(tree) == []


def test_a_state_with_a_foreign_trigger_is_not_used(project, tasks, state, tmp_path):
    tasks(project.root, add="one")
    folder = Path(state("where", "--project", project.root).stdout.strip())
    with closing(sqlite3.connect(folder / "fieldguide.db")) as connection, connection:
        connection.execute("CREATE TRIGGER evil AFTER INSERT ON task BEGIN DELETE FROM task; END")

    root = {"FIELDGUIDE_STATE": str(tmp_path / "state")}
    done = run("tasks", "list", "--user", "ann", "--project", project.root, code=1, **root)

    assert "Failed to list tasks" in done.stderr
