"""`documents_list_collections`: what is there to search, and what it says of itself."""

import json

from tests.document_wires import FERNS, GUIDE_ID, NOTES_ID, ask_by_command, ask_over_stdio, write_library
from tests.proves import proves

GUIDE = {
    "collection": "guide",
    "collectionId": GUIDE_ID,
    "documentCount": 3,
    "description": "How the garden is kept.",
    "version": "2.1.0",
}
NOTES = {"collection": "notes", "collectionId": NOTES_ID, "documentCount": 1}


@proves("S2-2", "S2-4", "S2-7", "S2-8", "S2-9", "S2-63", "U2-2")
def test_it_lists_the_collections_by_id_with_what_their_manifests_say(ask):
    assert ask("documents_list_collections").value == [NOTES, GUIDE]


@proves("U2-6")
def test_the_list_is_json_with_two_spaces(ask):
    text = ask("documents_list_collections").texts[0]

    assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    assert text.startswith('[\n  {\n    "collection": "notes"')


@proves("U2-2", "S2-5")
def test_a_project_without_documents_says_so(project):
    ask = ask_by_command(project)

    told = ask("documents_list_collections")

    assert told.texts == ["No document collections found."]
    assert not told.is_error
    with ask_over_stdio(project) as served:
        assert served("documents_list_collections") == told


@proves("S2-9")
def test_the_count_follows_the_files(project):
    write_library(project)
    ask = ask_by_command(project)
    before = ask("documents_list_collections").value

    project.write("guide/moss.md", FERNS)
    project.write("notes/more.md", FERNS)
    (project.root / "notes/untitled.md").unlink()
    project.write("notes/rows.csv", "no document")

    assert before == [NOTES, GUIDE]
    assert ask("documents_list_collections").value == [NOTES, {**GUIDE, "documentCount": 4}]


@proves("S2-8")
def test_a_manifest_that_says_less_shows_less(project):
    project.write("context.json", '{"collections": {"bare": {"url": "manifest.json"}}}')
    project.write("manifest.json", '{"name": "bare", "version": "1", "sources": {"glob": ["*.md"]}}')
    ask = ask_by_command(project)
    project.write("a.md", "text")

    bare = {"collection": "bare", "collectionId": "pkg:manifest.json", "documentCount": 1, "version": "1"}
    assert ask("documents_list_collections").value == [bare]
