"""Documents that are not as one would wish, and callers who ask for more than there is."""

import json

from tests.indexed_projects import DocumentsClient, seen_by
from tests.servers import run


def call(project, tool, *flags, **arguments):
    done = run(
        "call", f"documents_{tool}", json.dumps(arguments), "--json", "--project", project.root, *flags, code=None
    )
    return json.loads(done.stdout)


def texts(result):
    return [block["text"] for block in result["content"]]


def documents(project, collection="docs"):
    listed = json.loads(texts(call(project, "list_documents", collection=collection))[0])
    return [each["id"] for each in listed["documents"]]


def test_a_heading_is_found_by_what_the_outline_shows_of_it(project):
    project.write("docs/a.md", "# A\n\n## Soft\u00adhyphen\n\nText.\n")
    outline = json.loads(texts(call(project, "get_outline", collection="docs", document="a.md"))[0])["outline"]

    section = texts(call(project, "get_section", collection="docs", document="a.md", section=outline[1]["text"]))

    assert outline[1]["text"] == "Softhyphen"
    assert json.loads(section[0])["startLine"] == 3


def test_a_file_that_becomes_too_large_or_no_text_is_not_served_as_it_was(project):
    project.write("docs/grows.md", "# Small\n")
    project.write("docs/turns.md", "# Text\n")
    before = documents(project)

    project.write("docs/grows.md", "x" * (9 << 20))
    project.write("docs/turns.md", "now\0bytes")

    assert (before, documents(project)) == (["grows.md", "turns.md"], [])


def test_what_is_fieldguides_own_is_no_document(project):
    project.write("manifest.json", '{"name": "all", "version": "1", "sources": {"glob": ["**/*"]}}')
    project.write("context.json", '{"collections": {"all": {"url": "manifest.json"}}}')
    project.write("fieldguide.toml", "")
    project.write("kept.txt", "a document\n")

    assert documents(project, "all") == ["kept.txt"]


def test_a_server_leaves_alone_what_only_another_has_configured(project, tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "b.md").write_text("# B\n\nplover\n")
    folder = tmp_path / "other-config" / "ctxpkg"
    folder.mkdir(parents=True)
    listed = {"collections": {"theirs": {"url": str(tmp_path / "theirs")}}}
    (folder / "global-context.json").write_text(json.dumps(listed))
    project.write("docs/a.md", "# A\n\nheron\n")
    with DocumentsClient(project.root, XDG_CONFIG_HOME=str(folder.parent)) as theirs:
        seen_by(theirs, lambda: theirs.found("plover", collections=["theirs"]) == ["b.md"])
        with DocumentsClient(project.root) as ours:
            seen_by(ours, lambda: ours.holds("a.md", "heron"))
            project.write("docs/a.md", "# A\n\notter\n")
            seen_by(ours, lambda: ours.holds("a.md", "otter"))

            assert theirs.found("plover", collections=["theirs"]) == ["b.md"]
            assert ours.found("plover", collections=["theirs"]) == []
