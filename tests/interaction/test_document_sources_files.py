"""Collections on this machine: folders, manifests and bundles, and the files that name them."""

import gzip
import json
import os
import random
import tarfile

import pytest

from fieldguide.toolsets.documents import bundle as bundles
from tests.document_sources import bundle
from tests.proves import proves


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "ctxpkg"


def name_collections(project, **sources):
    project.write("context.json", json.dumps({"collections": {name: {"url": url} for name, url in sources.items()}}))


def listed(fieldguide, collection):
    called = fieldguide("call", "documents_list_documents", json.dumps({"collection": collection}))
    return [each["id"] for each in json.loads(called.out)["documents"]] if called.out.startswith("{") else called.out


def ids(fieldguide):
    called = fieldguide("call", "documents_list_collections")
    return {each["collection"]: each["collectionId"] for each in json.loads(called.out)}


def member(name, kind, target=""):
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, target
    return made


@proves("U2-7")
def test_a_project_and_its_user_name_collections_and_the_project_wins(fieldguide, project, home):
    project.write("own/a.md", "# Own\n")
    project.write("shared.md", "# No document of any collection\n")
    name_collections(project, both="own", mine="own/")
    home.mkdir(parents=True)
    (home / "notes").mkdir()
    (home / "notes" / "n.md").write_text("# Note\n")
    (home / "global-context.json").write_text(
        json.dumps({"collections": {"both": {"url": "notes"}, "notes": {"url": "./notes"}}})
    )

    assert (listed(fieldguide, "both"), listed(fieldguide, "notes")) == (["a.md"], ["n.md"])
    assert ids(fieldguide)["notes"] == f"dir:{home / 'notes'}"


def test_the_same_relative_path_in_both_files_means_two_folders(fieldguide, project, home):
    project.write("notes/own.md", "# Own\n")
    name_collections(project, own="notes")
    (home / "notes").mkdir(parents=True)
    (home / "notes" / "far.md").write_text("# Far\n")
    (home / "global-context.json").write_text('{"collections": {"far": {"url": "notes"}}}')

    assert (listed(fieldguide, "own"), listed(fieldguide, "far")) == (["own.md"], ["far.md"])


def test_the_global_file_may_be_a_link_to_where_its_user_keeps_such_files(fieldguide, project, home, tmp_path):
    project.write("docs/a.md", "# A\n")
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles" / "context.json").write_text(
        json.dumps({"collections": {"far": {"url": str(project.root / "docs")}}})
    )
    home.mkdir(parents=True)
    (home / "global-context.json").symlink_to(tmp_path / "dotfiles" / "context.json")

    fieldguide("documents", "add", "more", project.root / "docs", "--global")

    assert listed(fieldguide, "far") == ["a.md"]
    assert (home / "global-context.json").is_symlink()
    assert list(json.loads((tmp_path / "dotfiles" / "context.json").read_text())["collections"]) == ["far", "more"]


def test_without_a_file_the_docs_folder_is_a_collection_and_settings_name_others(fieldguide, project):
    project.write("docs/a.md", "# A\n")
    by_default = ids(fieldguide)
    project.write("fieldguide.toml", '[documents.collections.handbook]\nsource = "docs/"\n')

    assert by_default == {"docs": "dir:docs"}
    assert ids(fieldguide) == {"handbook": "dir:docs"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "context.json can't be read: Expecting property name"),
        ("[]", "context.json must hold a JSON object"),
        ('{"collections": []}', '"collections" in context.json must be an object.'),
        ('{"collections": {"docs": "docs"}}', "The collection 'docs' must say where it comes from"),
        ('{"collections": {"docs": {"url": " "}}}', "The collection 'docs' must say where it comes from"),
        (
            '{"collections": {"x": {"url": "\\ud800"}}}',
            "context.json must hold a JSON object, without half characters.",
        ),
        (b"\xff\xfe\x00", "context.json can't be read: it is not UTF-8."),
        ("[" * 100_000, "context.json can't be read"),
    ],
)
def test_a_file_that_can_not_be_understood_is_a_clear_error_and_loses_nothing(fieldguide, project, content, sentence):
    project.write("docs/a.md", "# A\n")
    name_collections(project, docs="docs")
    fieldguide("index")
    project.write("context.json", content)

    wrong = [fieldguide("index", code=2), fieldguide("documents", "sync", code=2), fieldguide("find", "a", code=2)]
    wrong.append(fieldguide("documents", "add", "x", "docs", code=2))
    after = (project.root / "context.json").read_bytes()
    name_collections(project, docs="docs")
    again = json.loads(fieldguide("index", "--json").out)

    assert all(done.err.startswith(f"fieldguide: {sentence}") for done in wrong), wrong
    assert after == (content if isinstance(content, bytes) else content.encode())
    assert again["documents"]["indexed"] == {"docs": {"added": 0, "updated": 0, "removed": 0, "total": 1}}


@proves("U2-8")
def test_a_manifest_on_disk_takes_files_by_globs_and_leaves_some_out(fieldguide, project):
    globs = {"glob": ["**/*.md", "*.txt", "!drafts/**", "!**/secret.md"]}
    project.write("d/manifest.json", json.dumps({"name": "n", "version": "3", "sources": globs, "metadata": {"x": 1}}))
    for path in ("a.md", "b.txt", "sub/c.md", "sub/b.txt", "drafts/d.md", "sub/secret.md", "e.png"):
        project.write(f"d/{path}", f"# {path}\n")
    name_collections(project, docs="d/manifest.json")

    assert listed(fieldguide, "docs") == ["a.md", "b.txt", "sub/c.md"]
    assert ids(fieldguide) == {"docs": "pkg:d/manifest.json"}


def test_a_glob_and_a_link_never_lead_out_of_the_folder(fieldguide, project, tmp_path):
    (tmp_path / "outside.md").write_text("# Outside\n")
    project.write("d/manifest.json", '{"name": "n", "version": "1", "sources": {"glob": ["../**/*.md", "**/*.md"]}}')
    project.write("d/a.md", "# A\n")
    (project.root / "d" / "link.md").symlink_to(tmp_path / "outside.md")
    (project.root / "d" / "up").symlink_to(tmp_path)
    name_collections(project, docs="d/manifest.json")

    assert listed(fieldguide, "docs") == ["a.md"]


@proves("U2-9")
@pytest.mark.parametrize(
    "form",
    ["file://{root}/my docs", "file://{root}/my%20docs", "file://localhost{root}/my%20docs", "{root}/my docs",
     "my docs", "./my docs/", "file://my docs"],
)  # fmt: skip
def test_a_folder_is_named_by_its_path_or_its_address(fieldguide, project, form):
    project.write("my docs/a.md", "# A\n")
    source = form.format(root=project.root)
    name_collections(project, docs=source)

    assert listed(fieldguide, "docs") == ["a.md"]
    assert ids(fieldguide)["docs"].rstrip("/") == f"{'pkg' if '://' in source else 'dir'}:{source}".rstrip("/")


@proves("U2-9")
@pytest.mark.parametrize("name", ["docs.tar.gz", "docs.tgz"])
def test_a_bundle_is_read_without_unpacking_it(fieldguide, project, name):
    manifest = {"name": "n", "version": "4", "description": "Packed", "sources": {"files": ["a.md", "gone.md"]}}
    project.write(name, bundle(("manifest.json", json.dumps(manifest)), ("./a.md", "# A\n"), ("b.md", "# B\n")))
    name_collections(project, docs=name)

    assert listed(fieldguide, "docs") == ["a.md"]
    (row,) = json.loads(fieldguide("documents", "list", "--json").out)
    assert (row["version"], row["description"]) == ("4", "Packed")
    assert sorted(os.listdir(project.root)) == ["context.json", name]


def test_a_bundle_may_have_its_folder_around_it(fieldguide, project):
    manifest = {"name": "n", "version": "4", "sources": {"glob": ["**/*.md"]}}
    packed = bundle(("docs-4/manifest.json", json.dumps(manifest)), ("docs-4/a.md", "# A\n"))
    project.write("docs.tar.gz", packed)
    name_collections(project, docs="docs.tar.gz")

    assert listed(fieldguide, "docs") == ["a.md"]


@pytest.mark.parametrize(
    ("packed", "sentence"),
    [
        (
            bundle(*((f"{number}.md", "# x\n") for number in range(20))),
            "The bundle is too large: more than 64 MiB or 10 files.",
        ),
        (b"not gzip", "it is no .tar.gz, or a damaged one"),
        (gzip.compress(b"not a tar", mtime=0), "it is no .tar.gz, or a damaged one"),
        (bundle(("a.md", random.Random(1).randbytes(50_000)))[:-2000], "it is no .tar.gz, or a damaged one"),
    ],
    ids=["many", "no gzip", "no tar", "cut"],  # bytes hold the time
)
def test_a_bundle_that_is_a_bomb_or_broken_is_refused_and_keeps_what_was_there(
    fieldguide, project, monkeypatch, packed, sentence
):
    monkeypatch.setattr(bundles, "MOST_FILES", 10)
    project.write("docs.tar.gz", bundle(("a.md", "# A\n")))
    name_collections(project, docs="docs.tar.gz")
    before = listed(fieldguide, "docs")
    project.write("docs.tar.gz", packed)

    done = fieldguide("documents", "sync", code=1)

    assert sentence in done.err
    assert before == listed(fieldguide, "docs") == ["a.md"]


def test_a_pipe_instead_of_a_bundle_holds_nobody_up(fieldguide, project):
    os.mkfifo(project.root / "docs.tar.gz")

    done = fieldguide("documents", "add", "docs", "docs.tar.gz", code=1)

    assert done.err == "fieldguide: Not a regular file: docs.tar.gz\n"


def test_a_file_whose_name_is_no_utf_8_hinders_no_other(fieldguide, project):
    project.write("docs/a.md", "# A\n")
    (project.root / "docs" / os.fsdecode(b"caf\xe9.md")).write_text("# Odd\n")

    assert listed(fieldguide, "docs") == ["a.md", "caf\ufffd.md"]


def test_documents_of_a_folder_that_is_gone_stay_until_its_collection_goes(fieldguide, project):
    project.write("handbook/a.md", "# A\n")
    name_collections(project, handbook="handbook")
    fieldguide("index")
    (project.root / "handbook").rename(project.root / "away")

    done = fieldguide("index", code=1)
    kept = listed(fieldguide, "handbook")
    name_collections(project)
    fieldguide("index")

    assert done.err == "fieldguide: handbook: There is no folder 'handbook' to read documents from.\n"
    assert kept == ["a.md"]
    assert listed(fieldguide, "handbook") == 'Collection "handbook" not found.\n'


def test_an_unknown_kind_of_address_is_told(fieldguide):
    done = fieldguide("documents", "add", "x", "ftp://ann:pw@example.org/x", code=1)

    assert done.err == "fieldguide: 'ftp://example.org/x' is no address that documents come from.\n"
