"""Whether the index is of the tree that is checked out, by the files of git."""

import os
import time

import pytest

from fieldguide.toolsets.upkeep import LONGEST_WRITING_SECONDS, ServedTree
from tests.git_projects import GitProject


class Watched(list[bool]):
    """What was told about whether every change is seen."""

    def watching(self, *, is_whole):
        self.append(is_whole)


@pytest.fixture
def project(tmp_path):
    made = GitProject(tmp_path)
    made.commit("First", "a.py")
    return made


@pytest.fixture
def watched():
    return Watched()


@pytest.fixture
def tree(project, watched):
    """A tree that the index has been brought up to."""
    made = ServedTree(str(project.root), lambda: watched)
    made.places()
    made.follow(made.stamp(), is_watched=True)
    watched.clear()
    return made


@pytest.mark.parametrize("change", ["checkout", "commit", "reset", "stage"])
def test_what_git_does_to_the_tree_is_noticed_until_it_is_followed(project, tree, watched, change):
    project.commit("Second", "a.py")
    tree.follow(tree.stamp(), is_watched=True)
    watched.clear()
    assert not tree.is_behind()

    project.write("a.py", "changed\n")
    done = {
        "checkout": ("checkout", "-q", "-f", "--detach", "HEAD~1"),
        "commit": ("commit", "-q", "--allow-empty", "-m", "Third"),
        "reset": ("reset", "-q", "--hard"),
        "stage": ("add", "a.py"),
    }
    project.git(*done[change])

    assert tree.is_behind()
    assert watched == [False]

    tree.follow(tree.stamp(), is_watched=True)

    assert not tree.is_behind()
    assert watched == [False, True]


def test_a_file_that_is_saved_is_no_other_tree(project, tree):
    project.write("a.py", "saved\n")

    assert not tree.is_behind()


def test_a_lock_counts_while_git_may_be_writing_and_no_longer(project, tree):
    lock = project.root / ".git/index.lock"
    lock.touch()
    assert tree.is_behind()

    long_ago = time.time() - LONGEST_WRITING_SECONDS - 1
    os.utime(lock, (long_ago, long_ago))

    assert not tree.is_behind()


def test_a_tree_that_was_never_followed_or_has_no_git_is_not_behind(tmp_path, watched):
    without = ServedTree(str(tmp_path), lambda: watched)

    assert without.places() == []
    assert not without.is_behind()

    without.follow(without.stamp(), is_watched=True)

    assert not without.is_behind()


def test_calls_are_patient_from_when_the_change_was_first_noticed(project, tree):
    project.commit("Second", "a.py")

    assert tree.is_behind()
    noticed = tree.behind_since()
    assert tree.is_behind()
    assert tree.behind_since() == noticed

    project.commit("Third", "a.py")

    assert tree.is_behind()
    assert tree.behind_since() > noticed
