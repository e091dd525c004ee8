"""Copies of projects from git: whole commits with their history, within bounds, and nothing that a repository wants."""

import os
import threading

import pytest

from fieldguide.settings.limits import Limits
from fieldguide.team.copies import GitCopy
from fieldguide.team.registry import HostedProject
from fieldguide.text.errors import Unreadable
from tests.git_projects import GitProject, write_program


@pytest.fixture
def source(tmp_path):
    (tmp_path / "source").mkdir()
    project = GitProject(tmp_path / "source")
    project.write("README.md", "# One\n")
    project.commit_all("Begin")
    return project


def copy_of(source, tmp_path, **given):
    address = given.pop("address", f"file://{source.root}")
    return GitCopy(HostedProject("p1", "shop", "", address=address, **given), str(tmp_path / "copies" / "p1"))


def test_a_copy_is_a_checkout_of_the_latest_commit_with_its_history(source, tmp_path):
    copy = copy_of(source, tmp_path)
    first = copy.bring_up_to_date(Limits())
    source.write("README.md", "# Two\n")
    second = source.commit_all("Go on")

    assert copy.bring_up_to_date(Limits()) == second

    checkout = GitProject.__new__(GitProject)
    checkout.root = tmp_path / "copies" / "p1" / "checkout"
    assert str(checkout.root) == copy.root
    assert (checkout.root / "README.md").read_text() == "# Two\n"
    assert checkout.git("rev-list", "HEAD").split() == [second, first]
    assert checkout.git("status", "--short") == ""


def test_whoever_looks_sees_one_commit_or_the_other_and_never_none(source, tmp_path):
    names = [f"file{number}.txt" for number in range(20)]

    def change(word):
        for name in names:
            source.write(name, word)
        source.commit_all(word)

    change("0")
    copy = copy_of(source, tmp_path)
    copy.bring_up_to_date(Limits())
    seen, is_over = set(), threading.Event()

    def look():
        while not is_over.is_set():
            handle = os.open(copy.root, os.O_RDONLY | os.O_DIRECTORY)
            try:
                seen.add(frozenset(_read(handle, name) for name in names))
            finally:
                os.close(handle)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        for number in range(1, 6):
            change(str(number))
            copy.bring_up_to_date(Limits())
    finally:
        is_over.set()
        looking.join()

    assert all(len(each) == 1 for each in seen)
    assert copy.bring_up_to_date(Limits()) == source.git("rev-parse", "HEAD")


def test_a_branch_is_followed_also_when_it_was_written_anew(source, tmp_path):
    source.git("checkout", "--quiet", "-b", "release/1")
    source.write("README.md", "# Release\n")
    source.commit_all("Release")
    source.git("checkout", "--quiet", "main")
    copy = copy_of(source, tmp_path, branch="release/1")
    copy.bring_up_to_date(Limits())
    source.git("checkout", "--quiet", "release/1")
    source.write("README.md", "# Other release\n")
    source.git("add", "--all")
    source.git("commit", "--quiet", "--amend", "-m", "Other")

    copy.bring_up_to_date(Limits())

    with open(os.path.join(copy.root, "README.md"), encoding="utf-8") as file:
        assert file.read() == "# Other release\n"


def test_a_repository_runs_nothing(source, tmp_path, monkeypatch):
    told = tmp_path / "told"
    home = tmp_path / "home"
    home.mkdir()
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(home))
    (home / ".gitconfig").write_text(
        f'[filter "evil"]\n smudge = touch {told}-filter\n required = true\n[core]\n hooksPath = {tmp_path}/hooks\n'
    )
    write_program(tmp_path / "hooks" / "post-checkout", f"touch {told}-hook")
    write_program(tmp_path / "hooks" / "reference-transaction", f"touch {told}-hook")
    source.write(".gitattributes", "*.txt filter=evil\n*.bin filter=lfs\n")
    source.write("a.txt", "as it is\n")
    source.write("big.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
    source.write(".gitmodules", f'[submodule "sub"]\n path = sub\n url = file://{source.root}\n')
    commit = source.commit_all("Want much")
    source.git("update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
    source.git("commit", "--quiet", "-m", "Want more")
    copy = copy_of(source, tmp_path)

    copy.bring_up_to_date(Limits())

    assert sorted(os.listdir(copy.root)) == [
        ".git",
        ".gitattributes",
        ".gitmodules",
        "README.md",
        "a.txt",
        "big.bin",
        "sub",
    ]
    assert os.listdir(os.path.join(copy.root, "sub")) == []
    with open(os.path.join(copy.root, "a.txt"), encoding="utf-8") as file:
        assert file.read() == "as it is\n"
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith("told")] == []
    assert not os.path.exists(os.path.join(copy.root, ".git", "hooks"))


def test_a_repository_that_is_too_large_or_too_slow_is_given_up(source, tmp_path):
    (source.root / "noise.bin").write_bytes(os.urandom(3 << 20))
    source.commit_all("Noise")

    with pytest.raises(Unreadable, match=r"too large: the limit is 1 \(project_repository_megabytes\)"):
        copy_of(source, tmp_path).bring_up_to_date(Limits(project_repository_megabytes=1))
    write_program(tmp_path / "slow-ssh", "sleep 60")
    os.environ["GIT_SSH_COMMAND"] = str(tmp_path / "slow-ssh")
    try:
        with pytest.raises(Unreadable, match=r"took too long: the limit is 1 \(project_fetch_seconds\)"):
            copy_of(source, tmp_path, address="ssh://git@example.org/x").bring_up_to_date(
                Limits(project_fetch_seconds=1)
            )
    finally:
        del os.environ["GIT_SSH_COMMAND"]


def test_what_went_wrong_is_told_without_what_lets_somebody_in(source, tmp_path):
    gone = copy_of(source, tmp_path, address=f"file://{tmp_path}/nowhere")
    secret = copy_of(source, tmp_path, address="https://ann:s3cret@127.0.0.1:1/shop")

    with pytest.raises(Unreadable, match=r"git fetch did not work: .*nowhere"):
        gone.bring_up_to_date(Limits())
    with pytest.raises(Unreadable) as refused:
        secret.bring_up_to_date(Limits())

    assert "s3cret" not in refused.value.message
    assert "127.0.0.1" in refused.value.message


def test_many_fetches_do_not_pile_up(source, tmp_path, monkeypatch):
    monkeypatch.setattr("fieldguide.team.copies.MOST_PACKS", 2)
    copy = copy_of(source, tmp_path)
    for number in range(4):
        source.commit(f"Change {number}", "README.md")
        copy.bring_up_to_date(Limits())

    packs = os.listdir(tmp_path / "copies" / "p1" / "repository.git" / "objects" / "pack")

    assert len([name for name in packs if name.endswith(".pack")]) <= 3


def _read(folder, name):
    handle = os.open(name, os.O_RDONLY, dir_fd=folder)
    try:
        return os.read(handle, 100)
    finally:
        os.close(handle)
