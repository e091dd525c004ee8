"""What git says where it can't be asked, as a sentence."""

import os
import stat

import pytest

from fieldguide.git import program
from fieldguide.git.program import GitProgram
from fieldguide.text.errors import Unreadable

ASKED = ("rev-parse", "--show-prefix")


def test_a_folder_without_a_repository_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    with pytest.raises(Unreadable, match="is not in a git repository"):
        GitProgram(str(tmp_path)).ask(*ASKED)


def write_program(path, script):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def pretend(monkeypatch, folder, script):
    """Put another `git` before the real one."""
    write_program(folder / "bin" / "git", script)
    monkeypatch.setenv("PATH", str(folder / "bin"), prepend=os.pathsep)


def test_somebody_elses_repository_is_a_sentence_with_the_way_out(tmp_path, monkeypatch):
    pretend(monkeypatch, tmp_path, "echo \"fatal: detected dubious ownership in repository at '/x'\" >&2; exit 128")

    with pytest.raises(Unreadable, match=r"belongs to another user; `git config --global --add safe.directory"):
        GitProgram(str(tmp_path)).ask(*ASKED)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give a folder away")
def test_git_itself_refuses_a_repository_of_another_user(repository):
    repository.commit("first", "a.py")
    for folder in (repository.root, repository.root / ".git"):
        os.chown(folder, 12345, 12345)

    with pytest.raises(Unreadable, match="belongs to another user"):
        GitProgram(str(repository.root)).ask(*ASKED)


def test_git_that_never_answers_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(program, "READ_SECONDS", 0.2)
    pretend(monkeypatch, tmp_path, "exec sleep 60")

    with pytest.raises(Unreadable, match="took longer"):
        GitProgram(str(tmp_path)).ask(*ASKED)


def test_a_machine_without_git_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(Unreadable, match="needs the `git` program"):
        GitProgram(str(tmp_path)).ask(*ASKED)
