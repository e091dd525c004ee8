"""Collections from the web, served by a thread on this machine."""

import hashlib
import json
from base64 import b64encode

import pytest

from fieldguide.toolsets.documents.snapshot import hide_secrets
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep
from tests.document_sources import allow_loopback, bundle, web_server
from tests.proves import proves
from tests.servers import run

ANN = f"Basic {b64encode(b'ann:pa/ss@word').decode()}"


@pytest.fixture(autouse=True)
def _own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("no_proxy", "*")
    allow_loopback()


@pytest.fixture
def web():
    with web_server() as server:
        yield server


def manifest(*files, **more):
    return json.dumps({"name": "n", "version": "1", "sources": {"files": list(files)}, **more}).encode()


def listed(fieldguide, collection="docs"):
    called = fieldguide("call", "documents_list_documents", json.dumps({"collection": collection}))
    return [each["id"] for each in json.loads(called.out)["documents"]]


def synced(fieldguide, code=0):
    return json.loads(fieldguide("documents", "sync", "--json", code=code).out)["docs"]


@proves("U2-8", "U2-9")
def test_a_manifest_names_files_beside_it_and_elsewhere(fieldguide, web):
    digest = hashlib.sha256(b"# Three\n").hexdigest()
    web.pages = {
        "/d/manifest.json": manifest(
            "one.md",
            {"path": "./one.md"},
            "./sub/two words.md",
            {"url": f"{web.address}/other/three.md", "hash": f"sha256:{digest}"},
        ),
        "/d/one.md": b"# One\n",
        "/d/sub/two%20words.md": b"# Two\n",
        "/other/three.md": b"# Three\n",
    }

    fieldguide("documents", "add", "docs", f"{web.address}/d/manifest.json")

    assert listed(fieldguide) == [f"{web.address}/other/three.md", "one.md", "sub/two words.md"]
    assert json.loads(fieldguide("call", "documents_list_collections").out) == [
        {"collection": "docs", "collectionId": f"pkg:{web.address}/d/manifest.json", "documentCount": 3, "version": "1"}
    ]


@pytest.mark.parametrize("base", ["/files", "/files/", "../files/", "{web}/files"])
def test_a_base_url_says_where_the_files_are(fieldguide, web, base):
    web.pages = {
        "/d/manifest.json": manifest("one.md", baseUrl=base.format(web=web.address)),
        "/files/one.md": b"# One\n",
    }

    fieldguide("documents", "add", "docs", f"{web.address}/d/manifest.json")

    assert listed(fieldguide) == ["one.md"]


@proves("U2-10")
def test_a_file_that_is_gone_is_passed_over_and_not_forgotten(fieldguide, web, monkeypatch):
    web.pages = {"/manifest.json": manifest("one.md", "two.md"), "/one.md": b"# One\n", "/two.md": b"# Two\n"}
    fieldguide("documents", "add", "docs", f"{web.address}/manifest.json")
    del web.pages["/one.md"]
    web.pages["/two.md"] = b"# Two, again\n"

    done = fieldguide("documents", "sync", "--json")
    monkeypatch.setattr(DocumentsUpkeep, "_is_current", lambda *given: False)  # as after a change of the model
    fieldguide("index")

    assert json.loads(done.out) == {"docs": {"added": 0, "updated": 1, "removed": 0, "total": 2, "skipped": ["one.md"]}}
    assert "one.md was passed over" in done.err
    assert listed(fieldguide) == ["one.md", "two.md"]


@proves("U2-10")
def test_a_file_that_the_manifest_no_longer_names_is_removed(fieldguide, web):
    web.pages = {"/manifest.json": manifest("one.md", "two.md"), "/one.md": b"# One\n", "/two.md": b"# Two\n"}
    fieldguide("documents", "add", "docs", f"{web.address}/manifest.json")
    web.pages["/manifest.json"] = manifest("two.md")

    assert synced(fieldguide) == {"added": 0, "updated": 0, "removed": 1, "total": 1}
    assert listed(fieldguide) == ["two.md"]


@proves("U2-10")
@pytest.mark.parametrize("page", [404, 410, 500, 503, b"not json", b"[]", b'{"name": "n"}', "/manifest.json"])
def test_a_manifest_that_can_not_be_had_keeps_everything(fieldguide, web, page):
    web.pages = {"/manifest.json": manifest("one.md"), "/one.md": b"# One\n"}
    fieldguide("documents", "add", "docs", f"{web.address}/manifest.json")
    web.pages["/manifest.json"] = page

    done = synced(fieldguide, code=1)

    assert list(done) == ["error"]
    assert listed(fieldguide) == ["one.md"]


@pytest.mark.parametrize("page", [500, 403, "/a.md"])
def test_a_file_that_fails_keeps_everything(fieldguide, web, page):
    web.pages = {"/manifest.json": manifest("a.md", "b.md"), "/a.md": b"# A\n", "/b.md": b"# B\n"}
    fieldguide("documents", "add", "docs", f"{web.address}/manifest.json")
    web.pages |= {"/a.md": page, "/b.md": b"# New\n", "/manifest.json": manifest("b.md", "a.md")}

    assert "/a.md" in synced(fieldguide, code=1)["error"]
    called = fieldguide("call", "documents_get_document", '{"collection": "docs", "document": "b.md"}')
    assert json.loads(called.out)["content"] == "# B\n"


def test_a_file_with_another_hash_is_passed_over(fieldguide, web):
    web.pages = {"/manifest.json": manifest({"path": "one.md", "hash": "sha256:" + "0" * 64}), "/one.md": b"# One\n"}

    done = fieldguide("documents", "add", "docs", f"{web.address}/manifest.json")

    assert "one.md was passed over: it is not there, or not what its manifest says." in done.err
    assert listed(fieldguide) == []


def test_redirects_are_followed_a_few_times(fieldguide, web):
    web.pages = {
        "/manifest.json": "/moved/manifest.json",
        "/moved/manifest.json": manifest("one.md"),
        "/one.md": "/2",
        "/2": b"# One\n",
        **{f"/long{step}.json": f"/long{step + 1}.json" for step in range(40)},
    }

    fieldguide("documents", "add", "docs", f"{web.address}/manifest.json")
    refused = fieldguide("documents", "add", "long", f"{web.address}/long0.json", code=1)

    assert listed(fieldguide) == ["one.md"]
    assert refused.err == f"fieldguide: {web.address}/long0.json answered 302.\n"


def test_a_manifest_on_the_web_can_not_use_globs(fieldguide, web):
    web.pages = {"/manifest.json": b'{"name": "n", "version": "1", "sources": {"glob": ["**/*.md"]}}'}

    done = fieldguide("documents", "add", "docs", f"{web.address}/manifest.json", code=1)

    assert "must name its files" in done.err


@proves("U2-9")
def test_a_bundle_comes_over_the_web(fieldguide, web):
    web.pages = {"/v2/docs.tar.gz": bundle(("one.md", "# One\n"), ("sub/two.md", "# Two\n"), ("x.txt", "no"))}

    fieldguide("documents", "add", "docs", f"{web.address}/v2/docs.tar.gz")

    assert listed(fieldguide) == ["one.md", "sub/two.md"]


def test_files_on_the_web_of_a_manifest_on_disk_are_fetched_when_a_person_syncs(fieldguide, web, project):
    web.pages = {"/far.md": b"# Far\n"}
    project.write("docs/manifest.json", manifest("near.md", {"url": f"{web.address}/far.md"}))
    project.write("docs/near.md", "# Near\n")
    project.write("context.json", '{"collections": {"docs": {"url": "docs/manifest.json"}}}')

    fieldguide("index")
    before = (listed(fieldguide), web.paths())
    fieldguide("documents", "sync")
    fieldguide("index")

    assert before == (["near.md"], [])
    assert (listed(fieldguide), web.paths()) == ([f"{web.address}/far.md", "near.md"], ["/far.md"])


def test_a_user_in_the_address_is_sent_with_every_request(fieldguide, web):
    web.pages = {
        "/d/manifest.json": manifest("near.md", "here.md"),
        "/d/near.md": b"# Near\n",
        "/d/here.md": "/there.md",
        "/there.md": b"# There\n",
    }
    address = f"http://ann:pa%2Fss%40word@{web.address.removeprefix('http://')}/d/manifest.json"

    fieldguide("documents", "add", "docs", address)

    assert len(listed(fieldguide)) == 2
    assert [headers.get("Authorization") for _, headers in web.asked] == [ANN] * 4


def test_a_password_is_never_shown(fieldguide, web, project):
    address = f"http://ann:hush-hush@{web.address.removeprefix('http://')}/manifest.json?token=psst&v=1"
    web.pages = {"/manifest.json?token=psst&v=1": manifest("one.md"), "/one.md": b"# One\n"}

    said = [fieldguide("documents", "add", "docs", address)]
    said += [fieldguide("documents", "list"), fieldguide("documents", "list", "--json"), fieldguide("find", "one")]
    said += [fieldguide("call", name, text, "--json", "--journal") for name, text in (
        ("documents_list_collections", "{}"), ("documents_search", '{"query": "one"}'),
        ("documents_get_document", '{"collection": "docs", "document": "one.md"}'),
    )]  # fmt: skip
    web.pages["/manifest.json?token=psst&v=1"] = 500
    said += [fieldguide("documents", "sync", code=1), fieldguide("documents", "sync", "--json", code=1)]
    served = run("call", "documents_list_documents", '{"collection": "docs"}', "--project", project.root, "--journal")

    told = "".join([*(each.out + each.err for each in said), served.stdout, served.stderr])
    assert "hush" not in told
    assert "psst" not in told
    assert f"pkg:{web.address}/manifest.json?token=…&v=1" in told
    assert "now holds what lets you in there" in said[0].err


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://ann:pw@example.org/x", "https://example.org/x"),
        ("https://ghp_token@example.org/x", "https://example.org/x"),
        ("https://ann:p@w@example.org/x", "https://example.org/x"),
        ("https://ann:p/w@example.org/x", "https://…"),
        ("https://example.org:8443/@scope/x", "https://example.org:8443/@scope/x"),
        ("https://[::1]:80/x", "https://[::1]:80/x"),
        ("git+https://ann:pw@example.org/x.git#v1", "git+https://example.org/x.git#v1"),
        ("git+ssh://git@example.org/x.git", "git+ssh://git@example.org/x.git"),
        ("git+ssh://git:pw@example.org/x.git", "git+ssh://git@example.org/x.git"),
        ("https://example.org/x?X-Amz-Signature=a&b=c#d", "https://example.org/x?X-Amz-Signature=…&b=c#d"),
        ("docs/a@b", "docs/a@b"),
        ("file:///home/ann/a@b", "file:///home/ann/a@b"),
    ],
)
def test_what_of_an_address_is_shown(address, shown):
    assert hide_secrets(address) == shown


def test_a_password_for_git_is_in_no_argument_and_no_message(fieldguide, tmp_path, monkeypatch):
    seen = tmp_path / "seen"
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {seen}\nenv >> {seen}.env\n'
        'case "$*" in *--depth*) echo "fatal: no $*" >&2; exit 1;; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/bin:/usr/bin")

    address = "git+https://ann:pa%2Fss%40word@example.org/x.git"
    done = fieldguide("documents", "add", "x", address, "--allow-address", "example.org", code=1)

    assert "--depth" in seen.read_text()
    assert "pa%2Fss" not in done.err + seen.read_text()
    assert "git could not fetch https://example.org/x.git" in done.err
    assert f"Authorization: {ANN}" in (tmp_path / "seen.env").read_text()
