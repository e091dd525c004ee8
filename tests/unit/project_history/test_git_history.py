"""The history as git tells it, whatever state the repository is in."""

import os
import stat

import pytest

from fieldguide.git import program
from fieldguide.git.log import GitHistory
from fieldguide.text.errors import InvalidArguments, Unreadable


def commits_of(folder, since=None, limit=100):
    return list(GitHistory(str(folder)).commits(since=since, limit=limit))


def messages_of(folder, **asked):
    return [commit.message.strip() for commit in commits_of(folder, **asked)]


def test_a_commit_has_its_author_date_files_and_message(repository):
    first = repository.commit("first\n\nwhy", "src/auth/x.py", author="Bob Büilder", date="2026-02-03T04:05:06+02:00")
    second = repository.commit("second", "src/auth/x.py", "a b\n\tc.py")

    newest, oldest = commits_of(repository.root)

    assert (oldest.id, oldest.author, oldest.message.strip()) == (first, "Bob Büilder", "first\n\nwhy")
    assert oldest.date.isoformat() == "2026-02-03T02:05:06+00:00"
    assert [change.path for change in oldest.changes] == ["src/auth/x.py"]
    assert oldest.changes[0].before is None
    assert newest.id == second
    assert sorted(change.path for change in newest.changes) == ["a b\n\tc.py", "src/auth/x.py"]


def test_deleted_and_moved_files_are_told_as_gone_and_new(repository):
    repository.commit("first", "old.py")
    repository.git("mv", "old.py", "new.py")
    repository.commit_all("move")

    changes = {
        change.path: (change.before is None, change.after is None) for change in commits_of(repository.root)[0].changes
    }

    assert changes == {"new.py": (True, False), "old.py": (False, True)}


def test_merges_and_commits_without_files_do_not_disturb(repository):
    repository.commit("first", "a.py")
    repository.git("checkout", "--quiet", "-b", "side")
    repository.commit("on the side", "b.py")
    repository.git("checkout", "--quiet", "main")
    repository.commit("empty")
    repository.git("merge", "--quiet", "--no-ff", "--no-edit", "side")

    assert sorted(messages_of(repository.root)) == ["empty", "first", "on the side"]


def test_a_repository_without_commits_has_no_history(repository):
    assert commits_of(repository.root) == []
    assert GitHistory(str(repository.root)).folders("src") == []


def test_a_folder_inside_has_the_commits_that_touch_it_with_its_own_paths(repository):
    repository.commit("inside", "web/src/x.ts", "api/y.py")
    repository.commit("outside", "api/y.py")

    (commit,) = commits_of(repository.root / "web")

    assert (commit.message.strip(), [change.path for change in commit.changes]) == ("inside", ["src/x.ts"])


def test_history_can_begin_at_a_commit_a_tag_or_a_date(repository):
    first = repository.commit("first", "a.py", date="2026-01-01T12:00:00Z")
    repository.git("tag", "v1")
    repository.commit("second", "a.py", date="2026-02-01T00:00:00Z")
    repository.commit("third", "a.py", date="2026-03-01T12:00:00Z")

    assert messages_of(repository.root, since=first) == ["third", "second"]
    assert messages_of(repository.root, since="v1") == ["third", "second"]
    assert messages_of(repository.root, since="HEAD~1") == ["third"]
    assert messages_of(repository.root, since="2026-02-01") == ["third", "second"]
    assert messages_of(repository.root, since="2026-02-02T00:00:00Z") == ["third"]
    assert messages_of(repository.root, limit=1) == ["third"]


@pytest.mark.parametrize(
    "since",
    ["--output=stolen", "-n1", "--all", "nonsense", "", "HEAD..main", "v1\0", "--exec=touch x", "yesterday-ish"],
)
def test_what_is_neither_a_commit_nor_a_date_is_refused(repository, since):
    repository.commit("first", "a.py")

    with pytest.raises(InvalidArguments, match="is neither a commit"):
        commits_of(repository.root, since=since)

    assert sorted(os.listdir(repository.root)) == [".git", "a.py"]


def test_a_tag_that_looks_like_an_option_is_a_tag(repository):
    repository.commit("first", "a.py")
    repository.git("update-ref", "refs/tags/--all", "HEAD")
    repository.commit("second", "a.py")

    assert messages_of(repository.root, since="--all") == ["second"]


def test_messages_in_other_encodings_are_read(repository):
    repository.commit_raw(b"author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n" + "Déjà vu".encode("latin-1"))
    repository.commit("Müßig".encode("iso-8859-15"), "a.py", flags=("-c", "i18n.commitEncoding=iso-8859-15"))
    repository.commit("a\x01b\x1b[31m", "a.py")

    assert messages_of(repository.root) == ["a\x01b\x1b[31m", "Müßig", "Déjà vu"]


def test_the_oldest_commit_of_a_shallow_clone_is_not_said_to_have_added_everything(repository, tmp_path):
    repository.write("AGENTS.md", "Never push to the main branch by hand.\n")
    repository.commit("Always write the rules down", "a.py")
    repository.commit("second", "b.py")
    repository.commit("third", "c.py")
    clone = tmp_path / "clone"
    repository.git("clone", "--quiet", "--depth", "2", f"file://{repository.root}", str(clone))

    history = GitHistory(str(clone))
    newest, oldest = history.commits(limit=10)

    assert [change.path for change in newest.changes] == ["c.py"]
    assert (oldest.message.strip(), oldest.changes) == ("second", ())


def test_a_clone_without_files_is_not_completed_from_the_network(repository, tmp_path):
    repository.write("AGENTS.md", "Never push to the main branch by hand.\n")
    repository.commit("first", "a.py")
    repository.git("rm", "--quiet", "AGENTS.md")
    repository.commit("Never wait for the network here", "b.py")
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    repository.git("clone", "--quiet", "--bare", "--filter=blob:none", f"file://{repository.root}", str(clone))

    history = GitHistory(str(clone))
    commits = list(history.commits(limit=10))

    assert [len(commit.changes) for commit in commits] == [2, 2]


def test_a_folder_without_a_repository_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    with pytest.raises(Unreadable, match="is not in a git repository"):
        GitHistory(str(tmp_path))


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
        GitHistory(str(tmp_path))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give a folder away")
def test_git_itself_refuses_a_repository_of_another_user(repository):
    repository.commit("first", "a.py")
    for folder in (repository.root, repository.root / ".git"):
        os.chown(folder, 12345, 12345)

    with pytest.raises(Unreadable, match="belongs to another user"):
        GitHistory(str(repository.root))


def test_git_that_never_answers_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(program, "READ_SECONDS", 0.2)
    pretend(monkeypatch, tmp_path, "exec sleep 60")

    with pytest.raises(Unreadable, match="took longer"):
        GitHistory(str(tmp_path))


def test_a_machine_without_git_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(Unreadable, match="needs the `git` program"):
        GitHistory(str(tmp_path))


def test_nothing_that_a_repository_asks_for_is_run(repository, tmp_path):
    signature = b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n"
    repository.commit_raw(b"author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n" + signature + b"\nsigned\n")
    repository.write(".gitattributes", "*.md diff=evil filter=evil\n")
    repository.write("AGENTS.md", "Never trust the settings of a repository.\n")
    repository.commit("Never trust the settings of a repository", "a.py")
    trap = tmp_path / "trap"
    for setting in ("diff.evil.textconv", "diff.evil.command", "diff.external", "pager.log", "core.fsmonitor"):
        repository.git("config", setting, f"touch {trap} #")
    write_program(tmp_path / "bin" / "gpg", f"touch {trap}")
    repository.git("config", "log.showSignature", "true")
    repository.git("config", "gpg.program", str(tmp_path / "bin" / "gpg"))

    history = GitHistory(str(repository.root))

    assert len(list(history.commits(limit=10))) == 2
    assert not trap.exists()


def test_a_date_that_no_calendar_has_does_not_stop_the_rest(repository):
    repository.commit_raw(b"author A <a@b> 99999999999999999 +0000\ncommitter A <a@b> 1 +0000\n\nfar away\n")

    (found,) = commits_of(repository.root)

    assert found.message.strip() == "far away"
