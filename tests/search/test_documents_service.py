"""The service behind the document tools, as other code in this process uses it, on SQLite and on PostgreSQL."""

import pytest

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.text.errors import NotFound
from fieldguide.toolsets.documents.collections import DocumentCollection
from fieldguide.toolsets.documents.service import DocumentsService, Query
from tests.proves import proves
from tests.search.engines import DOCS, OTHER, put

TEXT = "# Ferns\n\nA fern.\n\n## Water\n\nA pond.\n"


@pytest.fixture
def service(engine, tmp_path):
    """Two collections; the second is configured under two aliases."""
    put(engine, ferns=TEXT, foxes="# Foxes\n\nA fox.\n")
    put(engine, OTHER, moss="moss")
    collections = [
        DocumentCollection("docs", DOCS.name, "docs", "/"),
        DocumentCollection("b", OTHER.name, "other", "/"),
    ]
    aliased = {each.alias: each for each in [*collections, DocumentCollection("z", OTHER.name, "other", "/")]}
    return DocumentsService(engine, ConfinedFolder(str(tmp_path)), aliased)


@proves("S2-61")
def test_the_service_has_the_methods_that_the_specification_names(service):
    page = service.listDocuments("docs", limit=1, offset=1)
    outline = service.getDocumentOutline("docs", "ferns", 1)
    section = service.getDocumentSection("docs", "ferns", "water", True)
    related = service.findRelated("docs", "ferns", chunk="fox", limit=1, sameDocument=False)

    assert (page["documents"], page["total"]) == ([{"id": "foxes", "title": "Foxes", "size": 16}], 2)
    assert (outline["title"], outline["outline"]) == ("Ferns", [{"level": 1, "text": "Ferns", "line": 1}])
    assert (section["content"], section["startLine"], section["endLine"]) == ("## Water\n\nA pond.", 5, 7)
    assert [item["document"] for item in related] == ["foxes"]


@proves("S2-4")
def test_a_collection_is_shown_by_its_first_alias_and_without_one_by_its_id(service):
    assert service.named("dir:other") == {"collection": "b", "collectionId": "dir:other"}
    assert service.named("pkg:elsewhere") == {"collection": "pkg:elsewhere"}
    assert [each["collection"] for each in service.listCollections()] == ["docs", "b"]
    assert service.listDocuments("z") == service.listDocuments("b") == service.listDocuments("dir:other")


@proves("S2-65", "S2-27")
def test_a_page_and_an_outline_are_told_without_opening_a_text(engine, service):
    page = service.listDocuments("docs")
    outline = service.getDocumentOutline("docs", "ferns")
    with engine.database.writing() as transaction:
        transaction.execute("DELETE FROM search_text", {})
        transaction.execute("DELETE FROM search_chunk", {})

    assert service.listDocuments("docs") == page
    assert service.getDocumentOutline("docs", "ferns") == outline
    assert [each["size"] for each in page["documents"]] == [len(TEXT), 16]
    assert service.getDocument("docs", "ferns")["content"] == ""


def test_a_collection_that_is_not_configured_any_more_is_not_told(engine, tmp_path):
    put(engine, ferns=TEXT)
    service = DocumentsService(engine, ConfinedFolder(str(tmp_path)), {})

    assert service.listCollections() == []
    with pytest.raises(NotFound, match='Collection "dir:docs" not found'):
        service.listDocuments("dir:docs")


def test_characters_that_nobody_sees_are_not_told_in_a_hit_and_warned_of_in_a_document(engine, service):
    put(engine, hidden="# Fern\u200bs\n\nA fern\U000e0041.\n")

    hits = service.search([Query("fern", ["docs"], limit=100)])[0]
    shown = next(item for item in hits if item["documentId"] == "hidden")

    assert shown["content"] == "# Ferns\n\nA fern."
    assert shown["sectionHeading"] == "Ferns"
    told = service.getDocument("docs", "hidden")
    assert told["content"] == "# Fern\u200bs\n\nA fern\U000e0041.\n"
    assert told["warnings"]
