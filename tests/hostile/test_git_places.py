"""A `.git` that leads elsewhere: no other repository of the person is read through it."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from fieldguide.app import build_app
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.git_index import find_own_git_folder
from fieldguide.prose.discovery import find_text
from fieldguide.settings.config import Settings
from fieldguide.toolsets.context.upkeep import ContextUpkeep
from fieldguide.toolsets.upkeep import LateUpkeep
from tests.git_projects import GitProject
from tests.projects import Project
from tests.servers import run

LESSON = "Fix double orders when two foxes pay at once\n\nThe lock was released too early because of a missing await.\n"


@pytest.fixture
def private(tmp_path):
    """Another repository of the same person."""
    (tmp_path / "private").mkdir()
    repository = GitProject(tmp_path / "private")
    repository.write("README.md", "Another project.\n")
    repository.write("secret-plan.md", "# The secret plan\n")
    repository.commit_all(LESSON)
    repository.git("worktree", "add", "--quiet", str(tmp_path / "beside"))
    return repository


def link(project: Path, private: Path) -> None:
    (project / ".git").symlink_to(private / ".git")


def name(project: Path, private: Path) -> None:
    (project / ".git").write_text(f"gitdir: {private}/.git\n")


def name_work_tree(project: Path, private: Path) -> None:
    (project / ".git").write_text(f"gitdir: {private}/.git/worktrees/beside\n")


def name_through_a_link(project: Path, private: Path) -> None:
    (project / "inner").symlink_to(private / ".git")
    (project / ".git").write_text("gitdir: inner\n")


@pytest.mark.parametrize("lead", [link, name, name_work_tree, name_through_a_link])
def test_a_git_folder_of_another_project_counts_as_none(project, private, lead: Callable[[Path, Path], None]):
    project.write("README.md", "Read me.\n")
    project.write("secret-plan.md", "# Not tracked here\n")
    lead(project.root, private.root)

    assert find_own_git_folder(str(project.root)) is None
    assert not find_text(ConfinedFolder(str(project.root))).is_tracked
    assert not has_learnt(project)


def has_learnt(project: Project) -> bool:
    """Whether a served project has looked at its history by itself after its first pass."""
    settings = Settings(project=str(project.root), toolsets=("context",))
    app = build_app(settings, write_journal=lambda lines: None)
    cast("LateUpkeep[ContextUpkeep]", app.toolsets[0].upkeep).made().follow(None)
    return (project.state / "learned.json").exists()


@pytest.fixture
def own(tmp_path):
    """A repository that learns by itself."""
    (tmp_path / "own").mkdir()
    repository = GitProject(tmp_path / "own")
    repository.write("README.md", "Read me.\n")
    repository.commit_all(LESSON)
    return repository


def borrow(own: Path, private: Path) -> None:
    (own / ".git/objects/info").mkdir(exist_ok=True)
    (own / ".git/objects/info/alternates").write_text(f"{private}/.git/objects\n")


def share_commits(own: Path, private: Path) -> None:
    (own / ".git/commondir").write_text(f"{private}/.git\n")


def link_objects(own: Path, private: Path) -> None:
    shutil.rmtree(own / ".git/objects")
    (own / ".git/objects").symlink_to(private / ".git/objects")


def link_packs(own: Path, private: Path) -> None:
    shutil.rmtree(own / ".git/objects/pack", ignore_errors=True)
    (own / ".git/objects/pack").symlink_to(private / ".git/objects/pack")


def link_one_pack(own: Path, private: Path) -> None:
    (own / ".git/objects/pack/pack-1.pack").symlink_to(private / ".git/objects/pack/pack-1.pack")


def call_itself_linked(own: Path, private: Path) -> None:
    """A folder of git inside the project, which names the project and takes its commits from elsewhere."""
    (own / ".git").rename(own / "inner")
    (own / "inner/gitdir").write_text(f"{own}/.git\n")
    (own / "inner/commondir").write_text(f"{private}/.git\n")
    (own / ".git").write_text("gitdir: inner\n")


@pytest.mark.parametrize("lead", [borrow, share_commits, link_objects, link_packs, link_one_pack, call_itself_linked])
def test_commits_that_lie_elsewhere_are_not_learnt_without_a_word(own, private, lead: Callable[[Path, Path], None]):
    assert has_learnt(own)
    (own.state / "learned.json").unlink()
    lead(own.root, private.root)

    assert not has_learnt(own)
    assert find_own_git_folder(str(own.root)) is not None  # its own index is read all the same
    assert find_text(ConfinedFolder(str(own.root))).is_tracked


def test_a_shared_clone_is_listed_by_its_index_and_learns_when_a_person_says_so(own, tmp_path):
    own.git("clone", "--quiet", "--shared", str(own.root), str(tmp_path / "clone"))
    clone = Project(tmp_path / "clone")

    assert find_text(ConfinedFolder(str(clone.root))).is_tracked
    assert not has_learnt(clone)
    assert run("findings", "learn", "--project", clone.root).stdout.startswith("Kept 1 new finding")


def test_a_linked_work_tree_learns_as_its_repository_does(own, tmp_path):
    own.git("worktree", "add", "--quiet", str(tmp_path / "linked"))

    assert has_learnt(Project(tmp_path / "linked"))


def test_a_submodule_has_a_git_folder_of_its_own_and_learns(own, tmp_path):
    (tmp_path / "above").mkdir()
    above = GitProject(tmp_path / "above")
    above.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(own.root), "parts/own")
    part = above.root / "parts" / "own"

    assert find_own_git_folder(str(part)) == str(above.root / ".git" / "modules" / "parts" / "own")
    assert find_text(ConfinedFolder(str(part))).is_tracked
    assert has_learnt(Project(part))
    assert not os.path.isdir(part / ".git")
