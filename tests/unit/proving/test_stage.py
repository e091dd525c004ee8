"""The stage of `fieldguide prove`: the files of a commit, a history that ends there, and no way out of the folder."""

import os
from pathlib import Path

import pytest

from fieldguide.cli.prove import CommitPlace, CommitStage, count_found_places
from fieldguide.text.errors import Unreadable
from tests.git_projects import GitProject
from tests.proves import proves


@pytest.fixture
def repository(tmp_path) -> GitProject:
    (tmp_path / "repository").mkdir()
    return GitProject(tmp_path / "repository")


@pytest.fixture
def folder(tmp_path) -> Path:
    made: Path = tmp_path / "out" / "stage"
    made.mkdir(parents=True)
    return made


def files(root: Path) -> dict[str, bytes]:
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(".git/")}


@proves("G-62")
def test_the_stage_has_the_files_and_the_history_of_each_commit_in_turn(repository, folder):
    repository.write("a/b/one.py", "one\n")
    repository.write("two.py", "two\n")
    os.symlink("/etc/hostname", repository.root / "link")
    first = repository.commit_all("First")
    (repository.root / "two.py").unlink()
    repository.write("two.py/now_a_folder.py", "2\n")
    (repository.root / "a" / "b" / "one.py").unlink()
    second = repository.commit_all("Second")
    stage, git = CommitStage(str(folder), str(repository.root)), GitProject.__new__(GitProject)
    git.root = folder

    stage.move_to(first)
    at_first, told_first = files(folder), git.git("log", "--all", "--format=%s", "HEAD")
    stage.move_to(second)

    assert at_first == {"a/b/one.py": b"one\n", "two.py": b"two\n", "link": b"/etc/hostname"}
    assert told_first == "First"
    assert files(folder) == {"two.py/now_a_folder.py": b"2\n", "link": b"/etc/hostname"}
    assert not (folder / "a").exists()
    assert git.git("log", "--all", "--format=%s", "HEAD").splitlines() == ["Second", "First"]
    stage.move_to(first)
    assert files(folder) == at_first


@proves("G-61")
def test_changed_places_are_lines_of_the_state_before(repository, folder):
    repository.write("part/a [odd] name.py", "1\n2\n3\n4\n5\n")
    before = repository.commit_all("Before")
    repository.write("part/a [odd] name.py", "1\nII\n3\n4\nnew\n5\n")
    after = repository.commit_all("After")
    stage = CommitStage(str(folder), str(repository.root / "part"))

    places = stage.changed(before, after, ["a [odd] name.py"])

    assert [(place.path, place.start, place.end) for place in places] == [
        ("a [odd] name.py", 2, 2),
        ("a [odd] name.py", 4, 5),
    ]
    assert count_found_places(places, [CommitPlace("a [odd] name.py", 5, 9), CommitPlace("other.py", 1, 9)]) == 1


@proves("G-63")
@pytest.mark.parametrize("path", ["../outside", ".git/config", ".GIT/config", "a/../../outside"])
def test_a_tree_that_was_made_by_hand_writes_nowhere_else(repository, folder, path):
    blob = repository.git("hash-object", "-w", "--stdin", stdin=b"evil")
    mode, identity = b"100644", bytes.fromhex(blob)
    for name in reversed(path.encode().split(b"/")):
        raw = mode + b" " + name + b"\0" + identity
        tree = repository.git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", stdin=raw)
        mode, identity = b"40000", bytes.fromhex(tree)
    commit = repository.git("commit-tree", tree, "-m", "Evil")
    stage = CommitStage(str(folder), str(repository.root))
    before = (folder / ".git" / "config").read_bytes()

    with pytest.raises(Unreadable):
        stage.move_to(commit)

    assert (folder / ".git" / "config").read_bytes() == before
    assert files(folder) == {}
    assert [each.name for each in folder.parent.iterdir()] == ["stage"]
