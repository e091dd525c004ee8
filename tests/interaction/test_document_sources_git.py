"""Collections from git repositories, with the real `git` program."""

import json
import re
import shutil

import pytest

from tests.document_sources import Repository
from tests.proves import proves

pytestmark = pytest.mark.usefixtures("own_home")


@pytest.fixture
def repository(tmp_path):
    made = Repository(tmp_path / "repository")
    made.write("README.md", "# Read me\n\nFirst words.\n")
    made.write("docs/guide.md", "# Guide\n\nWater the ferns.\n")
    made.write("logo.png", "no document")
    made.commit()
    return made


def listed(fieldguide, collection):
    called = fieldguide("call", "documents_list_documents", json.dumps({"collection": collection}))
    return [each["id"] for each in json.loads(called.out)["documents"]]


def text_of(fieldguide, collection, document):
    called = fieldguide("call", "documents_get_document", json.dumps({"collection": collection, "document": document}))
    return json.loads(called.out)["content"]


@proves("U2-9")
def test_the_markdown_of_a_repository_is_a_collection(fieldguide, repository):
    done = fieldguide("documents", "add", "--global", "ferns", repository.address)

    assert done.out == "ferns  2 added, 0 updated, 0 removed, 2 in total\n"
    assert listed(fieldguide, "ferns") == ["README.md", "docs/guide.md"]
    assert listed(fieldguide, f"pkg:{repository.address}") == ["README.md", "docs/guide.md"]


def test_a_branch_a_tag_and_a_commit_can_be_pinned(fieldguide, repository):
    first = repository.git("rev-parse", "HEAD")
    repository.git("tag", "--annotate", "v1", "--message", "one")
    repository.git("branch", "old/one")
    repository.write("README.md", "# Read me\n\nSecond words.\n")
    repository.commit()

    for alias, ref in (("tag", "v1"), ("branch", "old/one"), ("commit", first), ("newest", "main")):
        fieldguide("documents", "add", "--global", alias, f"{repository.address}#{ref}")

    texts = {alias: text_of(fieldguide, alias, "README.md") for alias in ("tag", "branch", "commit", "newest")}
    assert texts == {
        "tag": "# Read me\n\nFirst words.\n",
        "branch": "# Read me\n\nFirst words.\n",
        "commit": "# Read me\n\nFirst words.\n",
        "newest": "# Read me\n\nSecond words.\n",
    }


@pytest.mark.parametrize(
    "form", ["#main?manifest=docs/ferns.json", "?manifest=docs/ferns.json", "?manifest=docs/ferns.json#main"]
)
def test_a_manifest_anywhere_in_the_repository_says_what_belongs_to_it(fieldguide, repository, form):
    manifest = {"name": "ferns", "version": "2.1", "description": "All on ferns", "sources": {"glob": ["*.md"]}}
    repository.write("docs/ferns.json", json.dumps(manifest))
    repository.commit()

    fieldguide("documents", "add", "--global", "ferns", f"{repository.address}{form}")

    (collection,) = json.loads(fieldguide("call", "documents_list_collections").out)
    assert (collection["documentCount"], collection["version"], collection["description"]) == (1, "2.1", "All on ferns")
    assert listed(fieldguide, "ferns") == ["guide.md"]


def test_a_manifest_at_the_top_is_found_without_naming_it(fieldguide, repository):
    files = {"files": ["./docs/guide.md", {"path": "README.md"}, "gone.md"]}
    repository.write("manifest.json", json.dumps({"name": "n", "version": "1", "sources": files}))
    repository.commit()

    done = fieldguide("documents", "add", "--global", "ferns", repository.address)

    assert listed(fieldguide, "ferns") == ["README.md", "docs/guide.md"]
    assert done.err == "fieldguide: ferns: gone.md was passed over: it is not there, or not what its manifest says.\n"


@proves("U2-10")
def test_what_was_fetched_needs_no_network_afterwards(fieldguide, repository, project):
    fieldguide("documents", "add", "--global", "ferns", repository.address)
    shutil.rmtree(repository.root)

    failed = fieldguide("documents", "sync", code=1)
    kept = listed(fieldguide, "ferns")
    for path in project.state.glob("index.db*"):
        path.unlink()
    rebuilt = fieldguide("index")

    assert "fieldguide: ferns: git could not fetch file://" in failed.err
    assert failed.err.endswith("What was there is kept.\n")
    assert kept == ["README.md", "docs/guide.md"]
    assert re.search(r"ferns +2 files, 2 new", rebuilt.out)
    assert text_of(fieldguide, "ferns", "docs/guide.md") == "# Guide\n\nWater the ferns.\n"


@proves("U2-10")
def test_a_sync_adds_updates_and_removes(fieldguide, repository):
    fieldguide("documents", "add", "--global", "ferns", repository.address)
    repository.write("new.md", "# New\n")
    repository.write("README.md", "# Other\n")
    (repository.root / "docs" / "guide.md").unlink()
    repository.commit()

    done = json.loads(fieldguide("documents", "sync", "--json").out)
    again = json.loads(fieldguide("documents", "sync", "ferns", "--json").out)

    assert done == {"ferns": {"added": 1, "updated": 1, "removed": 1, "total": 2}}
    assert again == {"ferns": {"added": 0, "updated": 0, "removed": 0, "total": 2}}


def test_serving_and_searching_never_fetch(fieldguide, repository):
    fieldguide("documents", "add", "--global", "ferns", repository.address)
    repository.write("new.md", "# A word that is new\n")
    repository.commit()

    fieldguide("index")
    fieldguide("find", "new")

    assert listed(fieldguide, "ferns") == ["README.md", "docs/guide.md"]


@pytest.mark.parametrize(
    ("suffix", "sentence"),
    [
        ("#--upload-pack=touch hacked", "is not the name of a branch or a tag"),
        ("#--upload-pack=hacked", "is not the name of a branch or a tag"),
        ("#-q", "is not the name of a branch or a tag"),
        ("#+main:refs/heads/x", "is not the name of a branch or a tag"),
        ("#main:refs/heads/x", "is not the name of a branch or a tag"),
        ("#nowhere", "couldn't find remote ref nowhere."),
        ("#abc1234", "couldn't find remote ref abc1234."),
        ("?manifest=../../etc/manifest.json", "There is no manifest '../../etc/manifest.json' in it."),
        ("?manifest=docs/nowhere.json", "There is no manifest 'docs/nowhere.json' in it."),
    ],
)
def test_what_can_not_be_fetched_is_refused_and_nothing_is_written(fieldguide, repository, project, suffix, sentence):
    done = fieldguide("documents", "add", "--global", "ferns", f"{repository.address}{suffix}", code=1)

    assert sentence in done.err
    assert not (project.root / "context.json").exists()


@pytest.mark.parametrize(
    "address",
    ["git+ext::sh -c touch% hacked", "git+/somewhere", "git+git@example.org:a/b.git", "git+ftp://example.org/x",
     "git+--upload-pack=x", "git+ssh://-oProxyCommand=touch/x"],
)  # fmt: skip
def test_only_known_ways_lead_to_a_repository(fieldguide, address):
    done = fieldguide("documents", "add", "x", address, code=1)

    assert "is no repository: write git+https://…, git+ssh://… or git+file://…." in done.err


def test_links_hooks_and_filters_of_a_repository_do_nothing(fieldguide, repository, project, tmp_path, monkeypatch):
    secret = tmp_path / "secret.md"
    secret.write_text("# Secret\n")
    ran = tmp_path / "ran"
    (repository.root / "link.md").symlink_to(secret)
    (repository.root / "folder").symlink_to(tmp_path)
    repository.write(".gitattributes", "*.md filter=touch\n")
    repository.commit()
    hooks = tmp_path / "template" / "hooks"
    hooks.mkdir(parents=True)
    for name in ("post-checkout", "reference-transaction", "post-merge"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (hooks / name).chmod(0o755)
    settings = f"[init]\n templateDir = {hooks.parent}\n[core]\n hooksPath = {hooks}\n"
    settings += f'[filter "touch"]\n smudge = touch {ran}\n[protocol]\n allow = always\n'
    (tmp_path / "gitconfig").write_text(settings)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))

    fieldguide("documents", "add", "--global", "ferns", repository.address)

    assert listed(fieldguide, "ferns") == ["README.md", "docs/guide.md"]
    assert not ran.exists()
    assert sorted(path.name for path in (project.state / "sources").iterdir())[0].endswith(".tar.gz")


def test_nobody_can_lead_git_elsewhere_by_the_environment(fieldguide, repository, tmp_path, monkeypatch):
    other = Repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))

    fieldguide("documents", "add", "--global", "ferns", repository.address)

    assert listed(fieldguide, "ferns") == ["README.md", "docs/guide.md"]
    assert not (other.root / ".git" / "FETCH_HEAD").exists()


def test_without_git_a_sentence_says_so(fieldguide, repository, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    done = fieldguide("documents", "add", "--global", "ferns", repository.address, code=1)

    assert done.err == "fieldguide: A collection from git needs the `git` program, which is not installed.\n"
