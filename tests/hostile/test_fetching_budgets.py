"""How much a fetch takes: bytes, files and time have an end, whatever a server does, and the old state stays."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import cast

import pytest

from fieldguide.app import build_app
from fieldguide.search.backlog import SourceFile
from fieldguide.settings.config import Settings
from fieldguide.settings.limits import Limits
from fieldguide.text.errors import StorageFailed, Unreadable
from fieldguide.toolsets.documents import web_source
from fieldguide.toolsets.documents.bundle import forget_snapshot, keep_snapshot, read_kept_snapshot
from fieldguide.toolsets.documents.collections import make_collection
from fieldguide.toolsets.documents.fetch_policy import FetchBudget, HostPolicy, read_named_host
from fieldguide.toolsets.documents.fetching import FetchPermission, open_spool
from fieldguide.toolsets.documents.snapshot import Snapshot
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep
from fieldguide.toolsets.documents.web_source import WebSource
from fieldguide.toolsets.upkeep import LateUpkeep
from tests.document_sources import bundle, name_loopback, web_server
from tests.hostile.rude_servers import dripping, flooding, rude_server, saying

OK = b"HTTP/1.1 200 OK\r\n"
TIME = r"takes longer than 1 seconds\. You raise that limit with FIELDGUIDE_LIMIT_FETCH_SECONDS, or with fetch_seconds"
SIZE = r"has more than 1 megabytes\. You raise that limit with FIELDGUIDE_LIMIT_FETCHED_MEGABYTES"


@pytest.fixture(autouse=True)
def _own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("no_proxy", "*")
    name_loopback(monkeypatch)


def fetched(port, path="x.md", **limits):
    address = f"http://127.0.0.1:{port}/{path}"
    budget = FetchBudget(Limits(**limits))
    return WebSource(address, reach=HostPolicy([read_named_host("127.0.0.1")]), budget=budget).fetch(address)


def manifest(*files):
    return json.dumps({"name": "n", "version": "1", "sources": {"files": list(files)}}).encode()


ENDLESS = {
    "status": dripping(b"", b"H"),
    "headers": dripping(OK, b"X: y\r\n"),
    "continue": dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "body": dripping(OK + b"Content-Length: 1000000\r\n\r\n", b"x"),
    "no end": dripping(OK + b"\r\n", b"x"),
    "chunks": dripping(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "trailer": dripping(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"),
    "continues": flooding(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "trailers": flooding(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n" * 1000),
    "silence": lambda line, over: over.wait(),
}


def test_a_server_that_never_ends_is_left_when_the_time_is_over():
    def left(speak):
        with rude_server(speak) as rude, pytest.raises(Unreadable, match=TIME):
            fetched(rude.port, fetch_seconds=1)

    with ThreadPoolExecutor(len(ENDLESS)) as threads:  # each takes a second
        running = {name: threads.submit(left, speak) for name, speak in ENDLESS.items()}
    problems = {name: each.exception() for name, each in running.items()}

    assert {name: problem for name, problem in problems.items() if problem} == {}


def test_a_head_must_come_at_once_however_much_time_the_whole_has(monkeypatch):
    monkeypatch.setattr(web_source, "SILENCE_SECONDS", 0.3)

    continuing = dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n")
    with rude_server(continuing) as rude, pytest.raises(Unreadable, match="can't be fetched"):
        fetched(rude.port)


@pytest.mark.parametrize(
    "speak",
    [
        flooding(OK + b"\r\n", b"x" * 65536),
        flooding(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"x" * 65536 + b"\r\n"),
        flooding(OK + b"Content-Length: 99999999999999\r\n\r\n", b"x" * 65536),
    ],
    ids=["no end", "chunks", "length"],
)
def test_a_server_that_floods_is_left_at_the_limit(speak):
    with rude_server(speak) as rude:
        with pytest.raises(Unreadable, match=SIZE):
            fetched(rude.port, fetched_megabytes=1)
        with pytest.raises(Unreadable, match=r"x\.md is too large"):
            fetched(rude.port)


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"Content-Length: 10\r\n\r\nshort",
        OK + b"Content-Length: -1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", OK + b"X: y\r\n" * 101 + b"\r\n",
        OK + b"X: " + b"y" * 70_000 + b"\r\n\r\n", b"H" * 70_000 + b"\r\n\r\n", b"", b"220 mail.example ESMTP\r\n",
    ],
    ids=["short", "no chunk", "many headers", "long header", "long status", "nothing", "no web"],
)  # fmt: skip
def test_an_answer_that_is_none_is_an_error(answer):
    with rude_server(saying(answer)) as rude, pytest.raises(Unreadable, match="can't be fetched"):
        fetched(rude.port)


def test_a_packed_answer_is_never_unpacked():
    bomb = gzip.compress(bytes(100 << 20))
    head = OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)

    with rude_server(saying(head + bomb)) as rude, pytest.raises(Unreadable, match="is packed, which nobody asked for"):
        fetched(rude.port)

    assert b"Accept-Encoding: identity" in rude.heard[0]


@pytest.mark.parametrize("location", [b"", b"file:///etc/passwd", b"http://[", b"http://127.0.0.1:x/"])
def test_a_redirect_to_nowhere_is_an_error(location):
    answer = b"HTTP/1.1 302 Found\r\nLocation: " + location + b"\r\nContent-Length: 0\r\n\r\n"

    with rude_server(saying(answer)) as rude, pytest.raises(Unreadable):
        fetched(rude.port)

    assert len(rude.heard) == 1


@pytest.mark.parametrize(
    ("variable", "sentence"),
    [
        ("FIELDGUIDE_LIMIT_FETCHED_FILES=2", "has more than 2 files. You raise that limit with"),
        ("FIELDGUIDE_LIMIT_FETCHED_MEGABYTES=1", "has more than 1 megabytes. You raise that limit with"),
    ],
)
def test_a_collection_beyond_a_limit_keeps_what_was_there(fieldguide, monkeypatch, variable, sentence):
    name, _, value = variable.partition("=")
    with web_server() as web:
        web.pages = {"/manifest.json": manifest("one.md"), "/one.md": b"# One\n"}
        fieldguide("documents", "add", "docs", f"{web.address}/manifest.json")
        web.pages = {f"/{each}.md": b"# Large\n" + b"x" * 500_000 for each in range(3)}
        web.pages["/manifest.json"] = manifest("0.md", "1.md", "2.md")
        monkeypatch.setenv(name, value)

        refused = fieldguide("documents", "sync", code=1)
        listed = fieldguide("call", "documents_list_documents", '{"collection": "docs"}').out
        monkeypatch.delenv(name)
        done = fieldguide("documents", "sync")

    assert f"{sentence} {name}" in refused.err
    assert refused.err.endswith("What was there is kept.\n")
    assert [each["id"] for each in json.loads(listed)["documents"]] == ["one.md"]
    assert done.out == "docs  3 added, 0 updated, 1 removed, 3 in total\n"


def test_a_bundle_counts_as_large_as_it_is_unpacked(fieldguide, monkeypatch):
    monkeypatch.setenv("FIELDGUIDE_LIMIT_FETCHED_MEGABYTES", "1")
    with web_server() as web:
        web.pages = {"/x.tar.gz": bundle(*((f"{each}.md", bytes(1 << 19)) for each in range(3)))}

        assert "has more than 1 megabytes" in fieldguide("documents", "add", "x", f"{web.address}/x.tar.gz", code=1).err


def test_the_time_is_that_of_the_whole_collection(project):
    app = build_app(Settings(project=str(project.root), toolsets=("documents",)), write_journal=lambda lines: None)
    upkeep = cast("LateUpkeep[DocumentsUpkeep]", app.toolsets[0].upkeep).made()
    ticks = iter(range(1000))
    with web_server() as web:
        web.pages = {f"/{each}.md": b"# Small\n" for each in range(50)}
        web.pages["/manifest.json"] = manifest(*(f"{each}.md" for each in range(50)))
        project.write("context.json", json.dumps({"collections": {}}))
        budget = FetchBudget(Limits(fetch_seconds=60), clock=lambda: next(ticks))
        collection = make_collection("docs", f"{web.address}/manifest.json", str(project.root), "global")
        with pytest.raises(Unreadable, match="takes longer than 60 seconds"):
            upkeep.fetch(
                collection, lambda *given: None, FetchPermission(HostPolicy([read_named_host("127.0.0.1")]), budget)
            )

    assert 1 < len(web.asked) < 50


def test_what_waits_to_be_indexed_is_on_disk_and_gone_afterwards():
    with open_spool() as spool:
        reads = [spool(content) for content in (b"one", b"", b"three" * 100_000)]

        assert [read() for read in reads] == [b"one", b"", b"three" * 100_000]
    with pytest.raises(ValueError):
        reads[0]()


def snapshot_of(*contents):
    return Snapshot([SourceFile(f"{number}.md", "", partial(bytes, each)) for number, each in enumerate(contents)], {})


def kept_contents(folder):
    kept = read_kept_snapshot(str(folder), "pkg:x")
    return kept and [entry.read() for entry in kept.entries]


def test_what_is_kept_is_for_nobody_else(tmp_path):
    keep_snapshot(str(tmp_path), "pkg:x", snapshot_of(b"# One\n"))
    keep_snapshot(str(tmp_path), "pkg:x", snapshot_of(b"# One\n", b"# Two\n"))

    (path,) = (tmp_path / "sources").iterdir()
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert kept_contents(tmp_path) == [b"# One\n", b"# Two\n"]
    forget_snapshot(str(tmp_path), "pkg:x")
    assert [*path.parent.iterdir()] == []


def test_a_link_in_the_place_of_what_is_kept_leads_nowhere(tmp_path):
    state, outside = tmp_path / "state", tmp_path / "outside"
    outside.mkdir()
    state.mkdir()
    keep_snapshot(str(state), "pkg:x", snapshot_of(b"# One\n"))
    (path,) = (state / "sources").iterdir()
    path.unlink()
    path.symlink_to(outside / "victim")
    (outside / "victim").write_text("precious")

    keep_snapshot(str(state), "pkg:x", snapshot_of(b"# Two\n"))

    assert (outside / "victim").read_text() == "precious"
    assert not path.is_symlink()
    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(outside)
    with pytest.raises(StorageFailed, match="can't be kept"):
        keep_snapshot(str(state), "pkg:x", snapshot_of(b"# Two\n"))
    assert [each.name for each in outside.iterdir()] == ["victim"]


def test_what_can_not_be_written_whole_leaves_no_draft(tmp_path):
    keep_snapshot(str(tmp_path), "pkg:x", snapshot_of(b"# One\n"))

    def fail():
        raise Unreadable("gone")

    with pytest.raises(Unreadable, match="gone"):
        keep_snapshot(str(tmp_path), "pkg:x", Snapshot([SourceFile("a.md", "", fail)], {}))

    assert len([*(tmp_path / "sources").iterdir()]) == 1
    assert kept_contents(tmp_path) == [b"# One\n"]
