"""The document tools as plain functions in one's own process: the specification's names, the values of the wire."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from fieldguide import documents_for
from fieldguide.text.errors import Misconfiguration, NotFound
from tests.proves import proves
from tests.raw_client import RawClient

FERNS = "# Ferns\n\nShade.\n\n## Watering\n\nAt the root.\n\n### In summer\n\nTwice.\n"


pytestmark = pytest.mark.usefixtures("own_home")


@pytest.fixture
def library(project):
    project.write("docs/ferns.md", FERNS)
    project.write("docs/foxes.md", "# Foxes\n\nA fox digs its den below old trees.\n")
    project.write("docs/brook.md", "# Brook\n\nFoxes drink at night.\n")
    return project


@pytest.fixture
def documents(library):
    with documents_for(library.root) as functions:
        yield functions


@proves("S2-64")
def test_every_function_gives_what_its_tool_answers(library, documents):
    of_ferns = {"collection": "docs", "document": "ferns.md"}
    shade = {"query": "shade", "collections": ["docs"]}
    told: list[tuple[str, dict[str, Any], Any]] = [
        ("list_collections", {}, documents.listCollections()),
        ("list_documents", {"collection": "docs", "limit": 2}, documents.listDocuments("docs", limit=2)),
        ("list_documents", {"collection": "docs", "offset": 2}, documents.listDocuments("docs", offset=2)),
        ("get_document", of_ferns, documents.getDocument("docs", "ferns.md")),
        ("get_outline", {**of_ferns, "maxDepth": 2}, documents.getOutline("docs", "ferns.md", 2)),
        ("get_section", {**of_ferns, "section": "water"}, documents.getSection("docs", "ferns.md", "water")),
        (
            "get_section",
            {**of_ferns, "section": "water", "includeSubsections": False},
            documents.getSection("docs", "ferns.md", "water", includeSubsections=False),
        ),
        ("search", {"query": "fox", "limit": 3}, documents.search("fox", limit=3)),
        ("search_batch", {"queries": [{"query": "fox"}, shade]}, documents.searchBatch(["fox", shade])),
        ("find_related", {**of_ferns, "limit": 1}, documents.findRelated("docs", "ferns.md", limit=1)),
    ]

    with RawClient(library.root, "--toolsets", "documents").ready() as client:
        for tool, arguments, value in told:
            spoken = json.loads(client.call(f"documents_{tool}", **arguments)["content"][0]["text"])
            assert (tool, value) == (tool, spoken)


@proves("S2-64")
def test_what_is_not_there_is_none(documents):
    assert documents.getOutline("docs", "nope.md") is None
    assert documents.getSection("docs", "nope.md", "x") is None
    assert documents.getSection("docs", "ferns.md", "nope") is None
    assert documents.getDocument("nope", "ferns.md") is None
    assert documents.search("fox", collections=["nope"]) == []
    with pytest.raises(NotFound, match='Collection "nope" not found'):
        documents.listDocuments("nope")
    with pytest.raises(NotFound, match=r'Document "nope\.md" not found in collection "docs"\.'):
        documents.findRelated("docs", "nope.md")


def test_a_refresh_sees_what_changed(library, documents):
    library.write("docs/new.md", "# New\n")
    before = documents.getDocument("docs", "new.md")

    done = documents.refresh()

    assert before is None
    assert done == {"docs": {"added": 1, "updated": 0, "removed": 0, "total": 4}}
    assert documents.getDocument("docs", "new.md")["content"] == "# New\n"


def test_many_threads_may_ask_at_once(documents):
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: documents.search("fox"), range(32)))

    assert answers[0]
    assert all(answer == answers[0] for answer in answers)


def test_they_work_inside_a_running_event_loop(documents):
    async def conversation():
        return documents.search("fox")[0]["documentId"], (await asyncio.to_thread(documents.search, "shade"))[0]

    found, beside = asyncio.run(conversation())
    assert (found, beside["documentId"]) == ("foxes.md", "ferns.md")


def test_a_broken_context_file_is_told_at_once(project):
    project.write("context.json", "{")

    with pytest.raises(Misconfiguration, match=r"context\.json can't be read"):
        documents_for(project.root)
