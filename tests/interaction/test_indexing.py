"""The index of a served project follows its files: what is saved, removed, renamed or configured is soon searchable."""

import json
import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from tests.embedding_server import embedding_server
from tests.indexed_projects import (
    DocumentsClient,
    assert_sound,
    index_file,
    is_indexed,
    seen_by,
    write_tree,
)
from tests.processes import eventually
from tests.storage.task_servers import _without_rights_of_root, unwritable

DOCUMENTS = 60


@pytest.fixture
def served(project):
    """A project with one document, and a server that has indexed it."""
    project.write("docs/first.md", "# First\n\nThe heron stands in the reeds.\n")
    with DocumentsClient(project.root) as client:
        seen_by(client, lambda: client.found("heron") == ["first.md"])
        yield client


def test_a_saved_file_is_soon_searchable(project, served):
    project.write("docs/guide/second.md", "# Second\n\nThe otter sleeps on its back.\n")
    seen_by(served, lambda: served.holds("guide/second.md", "otter"))
    project.write("docs/first.md", "# First\n\nThe heron has left; a kingfisher came.\n")
    seen_by(served, lambda: served.holds("first.md", "kingfisher"))

    assert served.documents() == ["first.md", "guide/second.md"]


def test_a_file_saved_again_and_again_is_seen_as_it_was_saved_last(project, served):
    for number in range(50):
        project.write("docs/first.md", f"# First\n\nVersion {number}: plover{number}.\n")

    seen_by(served, lambda: served.holds("first.md", "plover49"))
    assert served.content("first.md") == "# First\n\nVersion 49: plover49.\n"


def test_a_file_saved_while_the_first_documents_are_indexed_is_not_overlooked(project):
    wanted = write_tree(project, 200)
    with DocumentsClient(project.root) as client:
        assert eventually(lambda: index_file(project.root).exists() and len(client.documents()) > 0)
        project.write("docs/aaa.md", "# Late\n\nThe bittern booms.\n")
        seen_by(client, lambda: client.holds("aaa.md", "bittern"))  # what is asked for comes first
        seen_by(client, lambda: len(client.documents()) == len(wanted) + 1)


def test_removed_and_renamed_files_and_folders_are_followed(project, served):
    docs = project.root / "docs"
    project.write("docs/old/second.md", "# Second\n\nThe otter sleeps on its back.\n")
    seen_by(served, lambda: served.holds("old/second.md", "otter"))

    os.rename(docs / "old", docs / "new")
    seen_by(served, lambda: served.documents() == ["first.md", "new/second.md"])
    assert served.holds("new/second.md", "otter")

    os.rename(docs / "first.md", docs / "renamed.md")
    seen_by(served, lambda: served.documents() == ["new/second.md", "renamed.md"])
    assert "renamed.md" in served.found("heron")
    assert "first.md" not in served.found("heron")

    (docs / "new" / "second.md").unlink()
    seen_by(served, lambda: served.documents() == ["renamed.md"])
    assert served.found("otter") in ([], ["renamed.md"])


def test_a_docs_folder_that_comes_after_the_start_is_indexed(project):
    with DocumentsClient(project.root) as client:
        assert client.documents() == []

        project.write("docs/first.md", "# First\n\nThe heron stands in the reeds.\n")

        seen_by(client, lambda: client.found("heron") == ["first.md"])
        project.write("docs/second.md", "# Second\n\nThe otter sleeps on its back.\n")
        seen_by(client, lambda: client.holds("second.md", "otter"))


def test_other_collections_in_context_json_count_without_a_restart(project, served):
    project.write("guide/second.md", "# Second\n\nThe otter sleeps on its back.\n")
    project.write("context.json", json.dumps({"collections": {"handbook": {"url": "guide"}}}))

    seen_by(served, lambda: served.documents("handbook") == ["second.md"])
    seen_by(served, lambda: served.found("heron the otter") == ["second.md"])
    project.write("guide/third.md", "# Third\n\nThe ibex climbs.\n")
    seen_by(served, lambda: served.holds("third.md", "ibex"))


@pytest.mark.parametrize("damage", ["garbage", "cut short", "deleted"])
def test_an_index_that_was_damaged_is_made_again_at_the_next_start(project, damage):
    wanted = write_tree(project, DOCUMENTS)
    path = index_file(project.root)
    with DocumentsClient(project.root):
        assert is_indexed(path, wanted)
    spoil(path, damage)

    with DocumentsClient(project.root) as client:
        seen_by(client, lambda: sorted(client.documents()) == sorted(wanted))
        assert client.holds("part-3/page-17.md", "page17edition0")
    assert_sound(path)


def test_an_index_that_is_deleted_under_a_server_is_made_again(project, served):
    project.write("docs/second.md", "# Second\n\nThe otter sleeps on its back.\n")
    seen_by(served, lambda: served.holds("second.md", "otter"))

    for path in index_file(project.root).parent.glob("index.db*"):
        path.unlink()

    seen_by(served, lambda: served.documents() == ["first.md", "second.md"])
    assert served.holds("first.md", "heron")


def test_a_project_that_cannot_be_written_to_is_indexed_like_any_other(project):
    wanted = write_tree(project, DOCUMENTS)
    before = sorted(project.root.iterdir())
    rights = _without_rights_of_root if os.geteuid() == 0 else None
    with unwritable(project.root), DocumentsClient(project.root, before_start=rights) as client:
        seen_by(client, lambda: sorted(client.documents()) == sorted(wanted))
        assert client.holds("part-3/page-17.md", "page17edition0")

    assert sorted(project.root.iterdir()) == before
    assert (project.state / "index.db").is_file()


def test_another_model_makes_every_vector_again(project, tmp_path):
    wanted = write_tree(project, 10)
    path = index_file(project.root)
    with DocumentsClient(project.root):
        assert is_indexed(path, wanted)
    before = makers(path)
    with embedding_server() as server:
        client = DocumentsClient(
            project.root,
            FIELDGUIDE_SEARCH_MODEL="openai:small",
            FIELDGUIDE_SEARCH_ENDPOINT=server.address,
            XDG_CACHE_HOME=str(tmp_path / "cache"),
        )
        with client:
            assert eventually(lambda: makers(path).isdisjoint(before))
            assert client.holds("part-3/page-3.md", "page3edition0")

    assert len(before) == 1
    assert ["openai:" in maker for maker in makers(path)] == [True]
    assert is_indexed(path, wanted)
    assert_sound(path, server.dimensions)


def makers(path) -> set[str]:
    """Who made the documents and the vectors that are in an index."""
    with closing(sqlite3.connect(path, timeout=20)) as connection:
        told = connection.execute("SELECT maker FROM search_document UNION SELECT maker FROM search_vectors")
        return {row[0] for row in told}


def spoil(path, damage: str) -> None:
    """Do to an index what disks and people do."""
    for log in path.parent.glob("index.db-*"):
        log.unlink()
    if damage == "deleted":
        shutil.rmtree(path.parent)
    elif damage == "garbage":
        path.write_bytes(b"this is no database at all " * 1000)
    else:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
