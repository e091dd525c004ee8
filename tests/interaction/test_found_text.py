"""A project that says nothing of itself: its documents and decisions are found, told, followed, and corrected."""

import json
import os

import pytest

from tests.git_projects import GitProject
from tests.indexed_projects import DocumentsClient
from tests.processes import eventually
from tests.proves import proves
from tests.servers import run

RECORD = "# ADR 7: Use Postgres\n\n## Status\n\nAccepted\n\n## Context\n\nWe keep orders.\n\n## Decision\n\nPostgres.\n"
RST_RECORD = (
    "Use Kafka\n=========\n\nStatus\n------\n\nAccepted\n\nContext\n-------\n\nEvents.\n\n"
    "Decision\n--------\n\nKafka.\n"
)


pytestmark = pytest.mark.usefixtures("own_home")


def collections(client):
    listed = client._value("documents_list_collections")
    return {each["collection"]: each for each in listed} if isinstance(listed, list) else {}


def searched(client, query, **more):
    """The collections that the hits of a search come from."""
    items = client._value("documents_search", query=query, **more)
    return {item["collection"] for item in items} if isinstance(items, list) else set()


@proves("D-36")
def test_documentation_is_found_wherever_it_lies_and_docs_holds_that_folder_alone(project):
    written = ("README.rst", "docs/guide.adoc", "docs/inner/more.md", "handbook/first.md", "packages/web/README.md")
    for path in (*written, "packages/web/docs/setup.md"):
        project.write(path, "Ferns\n\nThey need water.\n")
    project.write("src/fern.py", "WATER = 1\n")
    project.write("tests/data/case.md", "# No documentation\n")

    with DocumentsClient(project.root) as client:
        assert eventually(lambda: len(found_files(client)) == len(written) + 1)
        found, docs = found_files(client), client.documents("docs")

    assert found == {*written, "packages/web/docs/setup.md"}
    assert docs == ["guide.adoc", "inner/more.md"]


def found_files(client):
    """The documents of all collections, as paths in the project."""
    return {
        os.path.normpath(f"{each['collectionId'].removeprefix('dir:')}/{name}")
        for alias, each in collections(client).items()
        for name in client.documents(alias)
    }


@proves("D-36")
def test_documents_become_collections_with_names_a_person_would_give(project):
    project.write("README.md", "# Ferns\n\nThe readme tells of lanterns.\n")
    project.write("docs/guide.md", "# Guide\n")
    for name in ("install", "use"):
        project.write(f"website/content/en/{name}.md", f"# {name}\n")
        project.write(f"website/content/zh-cn/{name}.md", "# 安装 指南\n\n这是安装指南。\n")

    with DocumentsClient(project.root) as client:
        assert eventually(lambda: len(collections(client)) == 4)
        listed = collections(client)
        readme = client.found("lanterns")
        english = searched(client, "how to install")
        chinese = searched(client, "安装指南")
        asked = searched(client, "install", collections=["docs-zh-cn"])

    assert {alias: each["collectionId"] for alias, each in listed.items()} == {
        "docs": "dir:docs",
        "project": "dir:.",
        "content": "dir:website/content/en",
        "docs-zh-cn": "dir:website/content/zh-cn",
    }
    assert readme[0] == "README.md"
    assert "content" in english
    assert "docs-zh-cn" not in english
    assert "docs-zh-cn" in chinese
    assert asked == {"docs-zh-cn"}


def test_a_readme_and_a_folder_that_come_later_are_noticed(project):
    project.write("src/a.py", "pass\n")

    with DocumentsClient(project.root) as client:
        assert collections(client) == {}
        project.write("README.md", "# Lanterns\n")
        assert eventually(lambda: client.documents("project") == ["README.md"])
        project.write("handbook/first.md", "# First\n")
        project.write("handbook/second.md", "# Second\n")
        assert eventually(lambda: client.documents("handbook") == ["first.md", "second.md"])


def test_what_git_begins_to_track_is_noticed(tmp_path):
    (tmp_path / "project").mkdir()
    project = GitProject(tmp_path / "project")
    project.write("docs/a.md", "# A\n")
    project.commit_all("Begin")

    with DocumentsClient(project.root) as client:
        assert eventually(lambda: client.documents() == ["a.md"])
        project.write("docs/b.md", "# B\n")
        project.git("add", "docs/b.md")

        assert eventually(lambda: client.documents() == ["a.md", "b.md"])


@proves("D-36")
def test_a_configured_project_decides_alone(project):
    project.write("README.md", "# Lanterns\n")
    project.write("docs/a.md", "# A\n")
    project.write("context.json", '{"collections": {"handbook": {"url": "docs"}}}')

    with DocumentsClient(project.root) as client:
        assert eventually(lambda: [*collections(client)] == ["handbook"])


def test_one_setting_corrects_what_was_found(project):
    project.write("README.md", "# Lanterns\n")
    project.write("docs/a.md", "# A\n")
    project.write("docs/old/b.md", "# B\n")
    project.write("fieldguide.toml", '[documents]\nleave_out = ["docs/old/**", "README.md"]\n')
    left_out = json.loads(run("status", "--json", "--project", project.root).stdout)

    project.write("fieldguide.toml", '[documents]\nfolders = ["docs/old"]\n')
    named = json.loads(run("status", "--json", "--project", project.root).stdout)

    assert left_out["documents"] == ["docs (1 file; found by its name)"]
    assert named["documents"] == ["docs-old: docs/old (named in fieldguide.toml)"]


def test_decisions_are_found_by_what_they_say(project):
    project.write("docs/design/adr-007-postgres.md", RECORD)
    project.write("notes/kafka.rst", RST_RECORD)
    project.write("docs/design/adr-template.md", RECORD)
    project.write("docs/design/README.md", f"# Decisions\n\n{RECORD}")
    project.write("docs/guide.md", "# Guide\n\n## Context\n\nThis is no decision.\n\n## Status\n\nGreen.\n")

    status = json.loads(run("status", "--json", "--project", project.root).stdout)
    found = json.loads(run("call", "search-architecture", '{"query": "Postgres"}', "--project", project.root).stdout)
    rst = json.loads(run("call", "search-architecture", '{"query": "Kafka"}', "--project", project.root).stdout)

    assert status["decisions"] == [
        "docs/design (1, found by their text)",
        "notes (1, found by their text)",
    ]
    assert [each["uri"] for each in found["results"]][:1] == ["architecture://adr/adr-007-postgres"]
    assert [each["title"] for each in rst["results"]][:1] == ["Use Kafka"]


def test_a_named_folder_of_decisions_decides_alone(project):
    project.write("docs/design/adr-007-postgres.md", RECORD)
    project.write("choices/001-kafka.md", RECORD)
    project.write("fieldguide.toml", '[architecture]\nadr = ["choices"]\n')

    status = json.loads(run("status", "--json", "--project", project.root).stdout)

    assert status["decisions"] == ["choices (1, found by their folder)"]
