"""git within limits: one protocol, an end of bytes and time, and nothing of the repository acts."""

import os
import subprocess

import pytest

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.settings.limits import Limits
from fieldguide.text.errors import FieldguideError, Unreadable
from fieldguide.toolsets.documents import fetching
from fieldguide.toolsets.documents.collections import make_collection
from fieldguide.toolsets.documents.fetching import FetchRules, fetch_snapshot
from tests.document_sources import Repository
from tests.git_projects import write_program
from tests.processes import eventually, is_alive


@pytest.fixture(autouse=True)
def _own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "served").mkdir()
    made = Repository(tmp_path / "served" / "repository")
    made.write("README.md", "# Read me\n")
    made.commit()
    return made


def fetched(address, *allowed, **limits):
    """The contents that are found, by name."""
    collection = make_collection("x", address, "/", "global")
    rules = FetchRules(Limits(**limits), allowed)
    snapshot = fetch_snapshot(collection, lambda *_: None, rules, project=ConfinedFolder("/"))
    return {entry.name: entry.read() for entry in snapshot.entries}


def fake_git(tmp_path, monkeypatch, script):
    write_program(tmp_path / "bin" / "git", script)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/bin:/usr/bin")


@pytest.mark.parametrize(
    "address",
    ["https://2130706433\\@x/x.git", "https://good.example\\@127.0.0.1/x.git", "https://a\\@good.example/x.git",
     "https://good.example?@127.0.0.1/x.git", "https://good.example:1:2/x.git", "https://exämple.org/x.git",
     "https:///x.git", "ssh://git@-oProxyCommand=x/x.git", "https://good example/x.git"],
)  # fmt: skip
def test_a_host_that_git_could_read_otherwise_is_refused(address):
    with pytest.raises(FieldguideError, match=r"not written in the usual way|is no repository"):
        fetched(f"git+{address}")


def test_a_repository_that_is_too_large_is_given_up(fieldguide, repository, monkeypatch):
    fieldguide("documents", "add", "--global", "x", repository.address)
    (repository.root / "large.bin").write_bytes(os.urandom(3 << 20))
    repository.commit()
    monkeypatch.setenv("FIELDGUIDE_LIMIT_FETCHED_MEGABYTES", "1")

    done = fieldguide("documents", "sync", code=1)

    assert "the limit is 1 (fetched_megabytes)" in done.err
    assert done.err.endswith("What was there is kept.\n")


def test_git_is_ended_while_it_still_grows(tmp_path, monkeypatch):
    fake_git(tmp_path, monkeypatch, 'case "$*" in *--depth*) yes > grown & echo $! > ../pid; wait;; esac')

    with pytest.raises(Unreadable, match=r"the limit is 1 \(fetched_megabytes\)"):
        fetched("git+file:///nowhere", fetched_megabytes=1)


def test_git_is_ended_when_its_time_is_over(tmp_path, monkeypatch):
    pid = tmp_path / "pid"
    fake_git(tmp_path, monkeypatch, f'case "$*" in *--depth*) sleep 1000 & echo $! > {pid}; wait;; esac')

    with pytest.raises(Unreadable, match=r"the limit is 1 \(fetch_seconds\)"):
        fetched("git+file:///nowhere", fetch_seconds=1)

    assert eventually(lambda: not is_alive(int(pid.read_text())))  # a killed process takes a moment to go


def test_trees_that_hold_each_other_are_not_listed_to_their_end(repository, monkeypatch):
    monkeypatch.setattr(fetching, "LARGEST_LISTING_BYTES", 100_000)
    blob = repository.git("hash-object", "-w", "README.md")
    entry = f"100644 blob {blob}\t"
    for _ in range(10):
        listing = "".join(f"{entry}{name}.md\n" for name in range(10))
        made = subprocess.run(
            ["git", "mktree"], cwd=repository.root, input=listing, capture_output=True, text=True, check=True
        )
        entry = f"040000 tree {made.stdout.strip()}\t"
    commit = repository.git("commit-tree", "-m", "bomb", entry.split()[2])
    repository.git("update-ref", "refs/heads/bomb", commit)

    with pytest.raises(Unreadable, match="more files than can be listed"):
        fetched(f"{repository.address}#bomb")


def test_nothing_of_a_repository_on_this_machine_runs(repository, tmp_path):
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\n")
    script.chmod(0o755)
    missing = repository.git("rev-parse", "HEAD:README.md")
    settings = {
        "core.fsmonitor": script, "core.sshCommand": script, "core.alternateRefsCommand": script, "core.pager": script,
        "diff.external": script, "uploadpack.packObjectsHook": script, "core.hooksPath": tmp_path,
        "core.repositoryFormatVersion": 1, "extensions.partialClone": "far", "remote.far.promisor": "true",
        "remote.far.url": f"file://{tmp_path}", "remote.far.uploadpack": script, "protocol.allow": "always",
    }  # fmt: skip
    for key, value in settings.items():
        repository.git("config", key, str(value))
    (repository.root / ".git" / "objects" / missing[:2] / missing[2:]).unlink()  # it would be fetched from `far`

    with pytest.raises(Unreadable, match="git could not fetch"):
        fetched(repository.address)

    assert not ran.exists()


def test_submodules_and_filters_are_left_alone(repository, tmp_path, monkeypatch):
    ran = tmp_path / "ran"
    (tmp_path / "gitconfig").write_text(
        f'[filter "lfs"]\n smudge = touch {ran}\n process = touch {ran}\n required = true\n'
        "[fetch]\n recurseSubmodules = true\n[submodule]\n recurse = true\n[protocol]\n allow = always\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    repository.write(".gitattributes", "*.md filter=lfs\n")
    repository.write(".gitmodules", f'[submodule "x"]\n path = x\n url = ext::sh -c "touch {ran}"\n')
    head = repository.git("rev-parse", "HEAD")
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{head},x")
    repository.git("-c", "filter.lfs.clean=cat", "add", ".gitmodules", ".gitattributes")
    repository.git("commit", "--quiet", "--message", "x")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))

    assert fetched(repository.address) == {"README.md": b"# Read me\n"}
    assert not ran.exists()


def test_a_person_s_settings_do_not_widen_what_git_may_do(repository, tmp_path, monkeypatch):
    ran = tmp_path / "ran"
    (tmp_path / "gitconfig").write_text(
        f'[url "ext::touch {ran} "]\n insteadOf = https://docs.example/\n[protocol]\n allow = always\n'
        '[protocol "ext"]\n allow = always\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))

    with pytest.raises(Unreadable, match="transport 'ext' not allowed"):
        fetched("git+https://docs.example/x.git", "docs.example")

    assert not ran.exists()
