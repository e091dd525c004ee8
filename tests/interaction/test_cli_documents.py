"""`fieldguide documents` as a person or a script uses it."""

import json
import os

import pytest

from tests.document_sources import command_in
from tests.proves import proves
from tests.servers import run


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "ctxpkg"


@pytest.fixture
def fieldguide(project, capsys):
    project.write("handbook/ferns.md", "# Ferns\n\nWater them.\n")
    project.write("handbook/foxes.md", "# Foxes\n\nLeave them alone.\n")
    return command_in(project, capsys)


def written(project):
    return json.loads((project.root / "context.json").read_text())


@proves("U2-7")
def test_a_collection_is_added_listed_synced_and_removed(fieldguide, project):
    said = [
        fieldguide("documents", "list").out,
        fieldguide("documents", "add", "handbook", "handbook").out,
        fieldguide("documents", "list").out,
        fieldguide("documents", "sync").out,
        fieldguide("documents", "remove", "handbook").out,
        fieldguide("documents", "list").out,
    ]

    table = "alias     documents  version  synced  id            description\n"
    assert said == [
        f"{table}handbook  0                   no      dir:handbook\n",
        "handbook  2 added, 0 updated, 0 removed, 2 in total\n",
        f"{table}handbook  2                   yes     dir:handbook\n",
        "handbook  0 added, 0 updated, 0 removed, 2 in total\n",
        "Removed handbook.\n",
        f"{table}handbook  2                   yes     dir:handbook\n",  # found by itself again
    ]  # fmt: skip
    assert not (project.root / "context.json").exists()


@pytest.mark.parametrize("source", ["nowhere", "nowhere/manifest.json", "nowhere.tar.gz"])
def test_a_source_that_can_not_be_read_leaves_the_file_as_it_was(fieldguide, project, source):
    fieldguide("documents", "add", "handbook", "handbook")
    before = (project.root / "context.json").read_bytes()

    done = fieldguide("documents", "add", "other", source, code=1)

    assert "There is no" in done.err
    assert (project.root / "context.json").read_bytes() == before
    assert [row["alias"] for row in json.loads(fieldguide("documents", "list", "--json").out)] == ["handbook"]


def test_adding_keeps_everything_else_that_the_file_holds(fieldguide, project):
    project.write(
        "context.json", '{"$schema": "x", "collections": {"a": {"url": "handbook", "note": "é"}}, "more": [1]}'
    )
    os.chmod(project.root / "context.json", 0o600)

    fieldguide("documents", "add", "b", "./handbook/")
    fieldguide("documents", "add", "a", project.root / "handbook")

    assert written(project) == {
        "$schema": "x",
        "collections": {"b": {"url": "handbook"}, "a": {"url": "handbook", "note": "é"}},
        "more": [1],
    }
    assert (project.root / "context.json").stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(project.root)) == ["context.json", "handbook"]


def test_the_docs_folder_can_be_left_out(fieldguide, project):
    project.write("docs/a.md", "# A\n")
    fieldguide("index")

    fieldguide("documents", "remove", "docs")

    assert json.loads(fieldguide("documents", "list", "--json").out) == []
    assert written(project) == {"collections": {}}
    assert fieldguide("call", "documents_list_collections").out == "No document collections found.\n"


def test_a_global_collection_is_there_in_every_project(fieldguide, project, home, tmp_path):
    fieldguide("documents", "add", "handbook", project.root / "handbook", "--global")
    (tmp_path / "another").mkdir()

    elsewhere = run("documents", "sync", "--project", tmp_path / "another", "--json")
    fieldguide("documents", "remove", "handbook", code=1)
    removed = fieldguide("documents", "remove", "handbook", "--global")

    assert json.loads(elsewhere.stdout)["handbook"]["total"] == 2
    assert removed.out == "Removed handbook.\n"
    assert not (home / "global-context.json").exists()
    assert not (project.root / "context.json").exists()


def test_what_a_collection_of_the_same_name_hides_is_told(fieldguide, project):
    fieldguide("documents", "add", "handbook", "handbook")

    done = fieldguide("documents", "add", "handbook", project.root / "handbook", "--global")

    assert "This project has a collection 'handbook' of its own, which wins here." in done.err


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("remove", "nope"), 1, "There is no collection 'nope' in context.json."),
        (("sync", "nope"), 1, "There is no collection 'nope'. The collections: set."),
        (("remove", "set"), 1, "There is no collection 'set' in context.json. It is in fieldguide.toml."),
        (("add", "-x", "handbook"), 2, None),
        (("add", "a b", "handbook"), 2, "'a b' is no alias: letters, digits and . _ - / @ + make one."),
        (("add", "", "handbook"), 2, "'' is no alias: letters, digits and . _ - / @ + make one."),
        (("add", "x"), 2, None),
        (("dance",), 2, None),
    ],
)
def test_what_can_not_be_done_is_a_sentence(project, words, code, sentence):
    project.write("handbook/a.md", "# A\n")
    project.write("fieldguide.toml", '[documents.collections.set]\nsource = "handbook"\n')

    done = run("documents", *words, "--project", project.root, code=code)

    assert done.stdout == ""
    assert done.stderr == f"fieldguide: {sentence}\n" if sentence else "usage: fieldguide documents" in done.stderr


def test_one_collection_that_fails_does_not_hold_up_the_others(fieldguide, project):
    sources = {"a": {"url": "nowhere"}, "b": {"url": "handbook"}}
    project.write("context.json", json.dumps({"collections": sources}))

    done = fieldguide("documents", "sync", code=1)
    as_json = fieldguide("documents", "sync", "--json", code=1)

    sentence = "There is no folder 'nowhere' to read documents from."
    assert done.out == "b  2 added, 0 updated, 0 removed, 2 in total\n"
    assert done.err == f"fieldguide: a: {sentence} What was there is kept.\n"
    assert json.loads(as_json.out)["a"] == {"error": sentence}


def test_a_context_file_that_leads_out_of_the_project_is_refused(fieldguide, project, tmp_path):
    (tmp_path / "precious.json").write_text("{}")
    (project.root / "context.json").symlink_to(tmp_path / "precious.json")

    done = fieldguide("documents", "add", "handbook", "handbook", code=2)

    assert "context.json can't be read" in done.err
    assert (tmp_path / "precious.json").read_text() == "{}"
