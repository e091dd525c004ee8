"""`documents_list_documents`: the table of contents of a collection, page by page."""

import pytest

from tests.document_wires import FERNS, FOXES, GUIDE_ID, INSTALL, NOTES_ID, UNTITLED, ask_by_command
from tests.proves import proves

PAGE = {
    "collection": "guide",
    "documents": [
        {"id": "ferns.md", "title": "Ferns", "size": len(FERNS)},
        {"id": "foxes.md", "title": "Foxes", "size": len(FOXES)},
        {"id": "setup/install.md", "title": "Install the sprinkler", "size": len(INSTALL)},
    ],
    "total": 3,
    "hasMore": False,
}


@proves("S2-3", "S2-4", "S2-14", "S2-15", "S2-16", "S2-18", "S2-63", "U2-3")
@pytest.mark.parametrize("collection", ["guide", GUIDE_ID])
def test_it_lists_ids_titles_and_sizes_in_the_order_of_the_ids(ask, collection):
    told = ask("documents_list_documents", collection=collection)

    assert told.value == PAGE
    assert told.structured == PAGE


@proves("D-12", "D-13", "S2-16", "S2-17")
def test_without_a_heading_the_title_is_the_id_and_a_character_counts_once(ask):
    documents = ask("documents_list_documents", collection=NOTES_ID).value["documents"]

    assert documents == [{"id": "untitled.md", "title": "untitled.md", "size": len(UNTITLED)}]
    assert len(UNTITLED) < len(UNTITLED.encode()) - 2


@proves("D-31", "S2-5")
@pytest.mark.parametrize("name", ["nowhere", "Guide", "", "pkg:", "guide/", "' OR 1=1 --"])
def test_an_unknown_collection_is_told_as_it_was_written(ask, name):
    assert ask("documents_list_documents", collection=name).sentence == f'Collection "{name}" not found.'


@proves("D-31", "S2-5")
def test_it_says_which_collections_look_alike(ask):
    told = ask("documents_list_documents", collection="guides")

    assert told.texts == ['Collection "guides" not found.', "Did you mean 'guide'?"]
    assert not told.is_error


@proves("S2-19", "S2-18", "S2-12", "S2-13")
@pytest.mark.parametrize(
    ("window", "ids", "more"),
    [
        ({"limit": 2}, ["ferns.md", "foxes.md"], True),
        ({"limit": 2, "offset": 1}, ["foxes.md", "setup/install.md"], False),
        ({"limit": 3}, ["ferns.md", "foxes.md", "setup/install.md"], False),
        ({"offset": 2}, ["setup/install.md"], False),
        ({"offset": 3}, [], False),
        ({"offset": 2**53}, [], False),
        ({"limit": 0}, [], True),
        ({"limit": 0, "offset": 3}, [], False),
        ({"limit": 2**53}, ["ferns.md", "foxes.md", "setup/install.md"], False),
    ],
)
def test_a_page_says_whether_more_follows(ask, window, ids, more):
    page = ask("documents_list_documents", collection="guide", **window).value

    assert [each["id"] for each in page["documents"]] == ids
    assert (page["total"], page["hasMore"]) == (3, more)


@proves("D-31")
def test_numbers_are_cut_to_whole_ones_and_negative_ones_are_refused(ask):
    cut = ask("documents_list_documents", collection="guide", limit=1.9, offset=1.9).value

    assert [each["id"] for each in cut["documents"]] == ["foxes.md"]
    assert ask("documents_list_documents", collection="guide", limit=-1).error.startswith("Error: ")
    assert "offset must not be negative" in ask("documents_list_documents", collection="guide", offset=-0.5).error


@proves("S2-20", "S2-12", "S2-63", "U2-3")
def test_pages_hold_every_document_once_in_code_point_order(project):
    names = sorted(f"{folder}{number}.md" for folder in ("", "a/", "B/", "é/", "日/", "_") for number in range(21))
    for name in names:
        project.write(f"docs/{name}", f"# {name}\n")

    ask = ask_by_command(project)

    pages = [ask("documents_list_documents", collection="docs", limit=50, offset=at).value for at in (0, 50, 100)]
    default = ask("documents_list_documents", collection="docs").value

    assert [each["id"] for page in pages for each in page["documents"]] == names
    assert [(len(page["documents"]), page["hasMore"]) for page in pages] == [(50, True), (50, True), (26, False)]
    assert len(default["documents"]) == 100
    assert {page["total"] for page in pages} == {126}
