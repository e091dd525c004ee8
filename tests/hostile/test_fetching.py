"""What a fetch reaches and takes: public hosts and those that a person allows, within bytes and time."""

import gzip
import json
import socket

import pytest

from fieldguide.search.backlog import SourceFile
from fieldguide.toolsets.documents import fetching
from fieldguide.toolsets.documents.bundle import forget_snapshot, keep_snapshot, read_kept_snapshot
from fieldguide.toolsets.documents.snapshot import Snapshot
from tests.document_sources import allow_loopback, bundle, web_server
from tests.hostile.rude_servers import dripping, flooding, rude_server, saying

OK = b"HTTP/1.1 200 OK\r\n"
REFUSED = "is not on the public internet. Allow it with --allow-address"


@pytest.fixture(autouse=True)
def _own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def web():
    with web_server() as server:
        yield server


def manifest(*files, **more):
    return json.dumps({"name": "n", "version": "1", "sources": {"files": list(files)}, **more}).encode()


@pytest.mark.parametrize(
    "address",
    ["10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "192.168.1.5", "0.1.2.3",
     "240.0.0.1", "::1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "fd00:ec2::254", "fe80::1%eth0",
     "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1", "2002:7f00:1::1", "fec0::1", "ff02::1", "224.0.0.1"],
)  # fmt: skip
@pytest.mark.parametrize("source", ["https://docs.example/manifest.json", "git+https://docs.example/x.git",
                                    "git+ssh://git@docs.example/x.git"])  # fmt: skip
def test_a_host_that_is_not_public_is_not_asked(fieldguide, monkeypatch, source, address):
    found = [(0, 0, 0, "", ("93.184.216.34", 443)), (0, 0, 0, "", (address, 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **more: found)

    done = fieldguide("documents", "add", "x", source, code=1)

    assert f"docs.example {REFUSED} docs.example" in done.err


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "127.1", "localhost.", "LOCALHOST", "[::1]"])
def test_an_odd_spelling_of_loopback_is_judged_by_where_it_leads(fieldguide, web, host):
    done = fieldguide("documents", "add", "x", f"https://{host}:{web.port}/manifest.json", code=1)

    assert REFUSED in done.err or "can't be found" in done.err
    assert web.asked == []


def test_only_a_person_allows_a_host(fieldguide, web, project):
    web.pages = {"/manifest.json": manifest("one.md"), "/one.md": b"# One\n"}
    project.write("fieldguide.toml", '[fetch]\nallow = ["127.0.0.1"]\n')

    refused = fieldguide("documents", "add", "docs", f"{web.address}/manifest.json", code=1)
    asked = web.paths()
    added = fieldguide("documents", "add", "docs", f"{web.address}/manifest.json", "--allow-address", "127.0.0.1")

    assert "is not encrypted: write https://. Allow it with --allow-address 127.0.0.1" in refused.err
    assert asked == []
    assert added.out == "docs  1 added, 0 updated, 0 removed, 1 in total\n"


@pytest.mark.parametrize("of", ["file", "base", "redirect", "bundle"])
def test_what_a_manifest_names_stays_on_its_host(fieldguide, web, of):
    allow_loopback()
    with web_server() as other:
        far = f"{other.address}/far.md"
        other.pages = {"/far.md": b"# Far\n", "/manifest.json": manifest("far.md")}
        web.pages = {
            "/file.json": manifest({"url": far}),
            "/base.json": manifest("far.md", baseUrl=other.address),
            "/redirect.json": f"{other.address}/manifest.json",
            "/bundle.tar.gz": bundle(("manifest.json", manifest({"url": far}))),
        }
        name = "bundle.tar.gz" if of == "bundle" else f"{of}.json"

        done = fieldguide("documents", "add", "x", f"{web.address}/{name}", code=1)

        assert "another host" in done.err
        assert other.asked == []


@pytest.mark.parametrize(
    "speak",
    [
        dripping(OK + b"Content-Length: 1000000\r\n\r\n", b"x"),
        dripping(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        lambda line, over: over.wait(),
        dripping(OK + b"X-Header: ", b"x"),
        dripping(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
        dripping(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"),
        flooding(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["body", "chunks", "silence", "a header", "the length of a chunk", "trailers", "continue"],
)
def test_a_server_that_never_ends_is_left_when_the_time_is_over(fieldguide, monkeypatch, speak):
    allow_loopback()
    monkeypatch.setenv("FIELDGUIDE_LIMIT_FETCH_SECONDS", "1")

    with rude_server(speak) as rude:
        done = fieldguide("documents", "add", "x", f"http://127.0.0.1:{rude.port}/x.json", code=1)

    assert "The fetch is given up: the limit is 1 (fetch_seconds)." in done.err


@pytest.mark.parametrize(
    "speak",
    [
        flooding(OK + b"\r\n", b"x" * 65536),
        flooding(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"x" * 65536 + b"\r\n"),
        flooding(OK + b"Content-Length: 99999999999999\r\n\r\n", b"x" * 65536),
    ],
    ids=["no end", "chunks", "length"],
)
def test_a_server_that_floods_is_left_at_the_limit(fieldguide, speak):
    allow_loopback()
    with rude_server(speak) as rude:
        done = fieldguide("documents", "add", "x", f"http://127.0.0.1:{rude.port}/x.json", code=1)

    assert "x.json is too large." in done.err


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"Content-Length: 10\r\n\r\nshort", OK + b"X: y\r\n" * 101 + b"\r\n", b"H" * 70_000 + b"\r\n\r\n", b"",
        b"220 mail.example ESMTP\r\n", b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
    ],
    ids=["short", "many headers", "long status", "nothing", "no web", "nowhere", "a file"],
)  # fmt: skip
def test_an_answer_that_is_none_is_an_error(fieldguide, answer):
    allow_loopback()
    with rude_server(saying(answer)) as rude:
        done = fieldguide("documents", "add", "x", f"http://127.0.0.1:{rude.port}/x.json", code=1)

    assert "can't be fetched" in done.err or "answered 302" in done.err or "another host" in done.err


def test_a_compressed_answer_is_never_unpacked(fieldguide):
    allow_loopback()
    bomb = gzip.compress(bytes(100 << 20))
    head = OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)

    with rude_server(saying(head + bomb)) as rude:
        done = fieldguide("documents", "add", "x", f"http://127.0.0.1:{rude.port}/x.json", code=1)

    assert "is compressed, which was not requested" in done.err


@pytest.mark.parametrize("limit", ["fetched_files", "fetched_megabytes"])
def test_a_collection_beyond_a_limit_keeps_what_was_there(fieldguide, web, monkeypatch, limit):
    allow_loopback()
    web.pages = {"/manifest.json": manifest("one.md"), "/one.md": b"# One\n"}
    fieldguide("documents", "add", "docs", f"{web.address}/manifest.json")
    web.pages = {f"/{number}.md": b"# Large\n" + b"x" * 500_000 for number in range(3)}
    web.pages["/manifest.json"] = manifest("0.md", "1.md", "2.md")
    monkeypatch.setenv(f"FIELDGUIDE_LIMIT_{limit.upper()}", "1")

    refused = fieldguide("documents", "sync", code=1)
    listed = fieldguide("call", "documents_list_documents", '{"collection": "docs"}').out

    assert f"The fetch is given up: the limit is 1 ({limit}). What was there is kept.\n" in refused.err
    assert [document["id"] for document in json.loads(listed)["documents"]] == ["one.md"]


def test_a_file_that_is_too_large_is_an_error(fieldguide, web, monkeypatch):
    allow_loopback()
    monkeypatch.setattr(fetching, "LARGEST_DOCUMENT_BYTES", 10)
    web.pages = {"/manifest.json": manifest("a.md"), "/a.md": b"x" * 11}

    done = fieldguide("documents", "add", "docs", f"{web.address}/manifest.json", code=1)

    assert done.err == f"fieldguide: {web.address}/a.md is too large.\n"


def test_a_proxy_is_used_and_looks_up_what_is_unknown_here(fieldguide, monkeypatch):
    monkeypatch.setenv("no_proxy", "")
    with rude_server(saying(b"HTTP/1.1 403 Forbidden\r\n\r\n")) as proxy:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
        refused = fieldguide("documents", "add", "x", "https://127.0.0.1/x.json", code=1)
        heard = list(proxy.heard)
        fieldguide("documents", "add", "x", "https://docs.invalid/x.json", code=1)

    assert (REFUSED in refused.err, heard) == (True, [])
    assert proxy.heard[0].startswith(b"CONNECT docs.invalid:443 HTTP/1.")


def test_what_is_kept_is_for_nobody_else(tmp_path):
    def read():
        return b"# One\n"

    entry = SourceFile("https://docs.example/1.md", "", read)
    keep_snapshot(str(tmp_path), "pkg:x", Snapshot([entry], {}))
    (path,) = (tmp_path / "sources").iterdir()
    found = read_kept_snapshot(str(tmp_path), "pkg:x")

    assert found is not None
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [(each.name, each.read()) for each in found.entries] == [("https://docs.example/1.md", b"# One\n")]
    forget_snapshot(str(tmp_path), "pkg:x")
    assert read_kept_snapshot(str(tmp_path), "pkg:x") is None
