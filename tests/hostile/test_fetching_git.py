"""git on a short lead: one protocol, one judged host, an end of bytes and time, and nothing of the repository acts."""

import os
import subprocess

import pytest

from fieldguide.settings.limits import Limits
from fieldguide.text.errors import Unreadable
from fieldguide.toolsets.documents import fetching
from fieldguide.toolsets.documents.collections import parse_git
from fieldguide.toolsets.documents.fetch_policy import FetchBudget, HostPolicy, read_named_host
from fieldguide.toolsets.documents.fetching import check_host, fetch_git_snapshot
from tests.document_sources import Repository, web_server
from tests.hostile.rude_servers import dripping, git_server, rude_server
from tests.processes import eventually, is_alive
from tests.unit.project_history.test_git_history import write_program

REFUSED = "is not on the public internet"


@pytest.fixture(autouse=True)
def _own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("FIELDGUIDE_FETCH_ALLOW", raising=False)


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "served").mkdir()
    made = Repository(tmp_path / "served" / "repository")
    made.write("README.md", "# Read me\n")
    made.commit()
    return made


def fetched(address, *, reach=None, **limits):
    """The contents that are found, by name."""
    snapshot = fetch_git_snapshot(
        parse_git(address),
        lambda found: found._replace(entries=[each._replace(stamp=str(each.read())) for each in found.entries]),
        reach=reach or HostPolicy(),
        budget=FetchBudget(Limits(**limits)),
    )
    return {entry.name: entry.stamp for entry in snapshot.entries}


def fake_git(tmp_path, monkeypatch, script):
    write_program(tmp_path / "bin" / "git", script)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/bin:/usr/bin")


@pytest.mark.parametrize(
    "address",
    ["git+http://127.0.0.1:{port}/x.git", "git+https://localhost:{port}/x.git", "git+ssh://git@127.0.0.1:{port}/x.git",
     "git+http://[::ffff:127.0.0.1]:{port}/x.git", "git+https://169.254.169.254/x.git"],
)  # fmt: skip
def test_a_host_that_is_not_public_is_not_asked(address):
    with web_server() as web:
        source = address.format(port=web.address.rpartition(":")[2])
        with pytest.raises(Unreadable, match=REFUSED):
            fetched(source)

    assert web.asked == []


@pytest.mark.parametrize(
    "address",
    ["https://2130706433/x.git", "https://0x7f.1/x.git", "https://127.1/x.git", "https://good.example\\@127.0.0.1/x.git",
     "https://a\\@good.example/x.git", "https://good.example?@127.0.0.1/x.git", "https://good.example:1:2/x.git",
     "https://exämple.org/x.git", "https:///x.git", "ssh://git@-oProxyCommand=x/x.git", "https://good example/x.git"],
)  # fmt: skip
def test_a_host_that_git_could_read_otherwise_is_refused(address):
    with pytest.raises(Unreadable, match="is not written in the usual way"):
        check_host(address)


def test_git_connects_to_the_address_that_was_judged_and_to_no_other(repository, tmp_path):
    asked = []

    def resolve(host, port):
        asked.append(host)
        return ["127.0.0.1"]

    with git_server(tmp_path / "served") as (port, hosts):
        reach = HostPolicy([read_named_host("127.0.0.1")], resolve=resolve)
        found = fetched(f"git+http://docs.example:{port}/repository/.git", reach=reach)

    assert found == {"README.md": str(b"# Read me\n")}
    assert asked == ["docs.example"]
    assert set(hosts) == {f"docs.example:{port}"}


def test_git_follows_no_redirect(fieldguide):
    with web_server() as web, web_server() as other:
        path = "/x.git/info/refs?service=git-upload-pack"
        web.pages = {path: f"{other.address}{path}"}

        done = fieldguide("documents", "add", "x", f"git+{web.address}/x.git", code=1)

        assert "It has moved: name the address that it has now." in done.err
        assert web.paths() == [path]
        assert other.asked == []


def test_a_repository_that_is_too_large_is_given_up(fieldguide, repository, monkeypatch):
    fieldguide("documents", "add", "x", repository.address)
    (repository.root / "large.bin").write_bytes(os.urandom(3 << 20))
    repository.commit()
    monkeypatch.setenv("FIELDGUIDE_LIMIT_FETCHED_MEGABYTES", "1")

    done = fieldguide("documents", "sync", code=1)

    assert "has more than 1 megabytes. You raise that limit with FIELDGUIDE_LIMIT_FETCHED_MEGABYTES" in done.err
    assert done.err.endswith("What was there is kept.\n")


def test_git_is_ended_while_it_still_grows(tmp_path, monkeypatch):
    fake_git(tmp_path, monkeypatch, 'case "$*" in *--depth*) yes > grown & echo $! > ../pid; wait;; esac')

    with pytest.raises(Unreadable, match="has more than 1 megabytes"):
        fetched("git+file:///nowhere", fetched_megabytes=1)


@pytest.mark.parametrize("address", ["git+file:///nowhere", "git+http://127.0.0.1:{port}/x.git"])
def test_git_is_ended_when_its_time_is_over(tmp_path, monkeypatch, address):
    pid = tmp_path / "pid"
    if "nowhere" in address:
        fake_git(tmp_path, monkeypatch, f'case "$*" in *--depth*) sleep 1000 & echo $! > {pid}; wait;; esac')

    slow = dripping(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n")
    with rude_server(slow) as rude, pytest.raises(Unreadable, match="takes longer than 1 seconds"):
        fetched(address.format(port=rude.port), reach=HostPolicy([read_named_host("127.0.0.1")]), fetch_seconds=1)

    if pid.exists():
        assert eventually(lambda: not is_alive(int(pid.read_text())))  # a killed process takes a moment to go


def test_trees_that_hold_each_other_are_not_listed_to_their_end(repository, monkeypatch):
    monkeypatch.setattr(fetching, "MOST_LISTED", 10_000)
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

    with pytest.raises(Unreadable, match="more than 10000 files"):
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

    assert fetched(repository.address) == {"README.md": str(b"# Read me\n")}
    assert not ran.exists()


def test_a_person_s_settings_do_not_widen_what_git_may_do(repository, tmp_path, monkeypatch):
    ran = tmp_path / "ran"
    (tmp_path / "gitconfig").write_text(
        f'[url "ext::touch {ran} "]\n insteadOf = https://docs.example/\n[protocol]\n allow = always\n'
        '[protocol "ext"]\n allow = always\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))

    with pytest.raises(Unreadable, match="transport 'ext' not allowed"):
        fetched("git+https://docs.example/x.git", reach=HostPolicy([read_named_host("docs.example")]))

    assert not ran.exists()
