"""A `.git` that leads elsewhere: no other repository of the person is read through it."""

import hashlib
import os
import shutil
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.git_index import LISTING_SECONDS, find_own_git_folder, keeps_own_history
from fieldguide.files.project_files import FileListing, list_project_files
from fieldguide.prose.discovery import find_text
from tests.git_projects import GitProject
from tests.processes import eventually, is_alive
from tests.projects import Project
from tests.raw_client import RawClient

MESSAGE = "Fix double orders"


@pytest.fixture
def private(tmp_path):
    """Another repository of the same person."""
    (tmp_path / "private").mkdir()
    repository = GitProject(tmp_path / "private")
    repository.write("README.md", "Another project.\n")
    repository.write("secret-plan.md", "# The secret plan\n")
    repository.commit_all(MESSAGE)
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
    assert not keeps_own_history(str(project.root))


@pytest.fixture
def own(tmp_path):
    """A repository with a commit of its own."""
    (tmp_path / "own").mkdir()
    repository = GitProject(tmp_path / "own")
    repository.write("README.md", "Read me.\n")
    repository.commit_all(MESSAGE)
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
def test_commits_that_lie_elsewhere_are_not_the_projects_own(own, private, lead: Callable[[Path, Path], None]):
    assert keeps_own_history(str(own.root))
    lead(own.root, private.root)

    assert not keeps_own_history(str(own.root))
    assert find_own_git_folder(str(own.root)) is not None  # its own index is read all the same
    assert find_text(ConfinedFolder(str(own.root))).is_tracked


def test_a_shared_clone_is_listed_by_its_index_and_has_no_history_of_its_own(own, tmp_path):
    own.git("clone", "--quiet", "--shared", str(own.root), str(tmp_path / "clone"))
    clone = Project(tmp_path / "clone")

    assert find_text(ConfinedFolder(str(clone.root))).is_tracked
    assert not keeps_own_history(str(clone.root))


def test_a_linked_work_tree_has_the_history_of_its_repository(own, tmp_path):
    own.git("worktree", "add", "--quiet", str(tmp_path / "linked"))

    assert keeps_own_history(str(tmp_path / "linked"))


def test_a_submodule_has_a_git_folder_and_a_history_of_its_own(own, tmp_path):
    (tmp_path / "above").mkdir()
    above = GitProject(tmp_path / "above")
    above.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(own.root), "parts/own")
    part = above.root / "parts" / "own"

    assert find_own_git_folder(str(part)) == str(above.root / ".git" / "modules" / "parts" / "own")
    assert find_text(ConfinedFolder(str(part))).is_tracked
    assert keeps_own_history(str(part))
    assert not os.path.isdir(part / ".git")


def make_unfolding_index(names: int, name_bytes: int) -> bytes:
    """An index of the fourth version, whose entries say the same long name again and again with a few bytes."""
    entry = struct.pack(">10I", *[0] * 6, 0o100644, *[0] * 3) + bytes(20) + struct.pack(">H", 0xFFF)
    first = entry + b"\0" + b"d" * (name_bytes - 8) + b"00000000\0"
    others = (entry + b"\x08" + b"%08d\0" % number for number in range(1, names))
    content = b"DIRC" + struct.pack(">II", 4, names) + first + b"".join(others)
    return content + hashlib.sha1(content, usedforsecurity=False).digest()


@pytest.mark.parametrize(("names", "name_bytes"), [(20_000, 100_000), (50_000, 4_000)], ids=["in git", "in us"])
def test_an_index_that_unfolds_without_end_is_none(own, names, name_bytes):
    own.write(".git/index", make_unfolding_index(names, name_bytes))
    started = time.monotonic()

    listing = list_project_files(ConfinedFolder(str(own.root)))

    assert listing == FileListing(["README.md"], is_tracked=False)
    assert time.monotonic() - started < LISTING_SECONDS / 2


def test_a_git_that_waits_for_ever_ends_with_the_server(own, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    own.git("config", "include.path", str(tmp_path / "fifo"))

    def is_listing() -> bool:
        at = f"--git-dir={own.root}/.git".encode()
        commands = [each for each in Path("/proc").glob("[0-9]*/cmdline") if is_alive(int(each.parent.name))]
        return any(at in each.read_bytes().split(b"\0") for each in commands)

    with RawClient(own.root).ready() as client:
        client.submit("tools/call", name="documents_list_collections", arguments={})
        assert eventually(is_listing)
        client.process.terminate()
        client.process.wait()

    assert not is_listing()
