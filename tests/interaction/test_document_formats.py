"""Documents of every format: listed, outlined, read and searched as Markdown is, with places in the original file."""

import subprocess

import pytest

from tests.document_formats import PLAIN, SAMPLES, notebook
from tests.document_wires import ask_by_command, ask_over_stdio
from tests.projects import Project
from tests.proves import proves
from tests.servers import FIELDGUIDE, environment


@pytest.fixture(scope="module")
def garden(tmp_path_factory):
    """A server of one document in each format, which is only asked."""
    project = Project(tmp_path_factory.mktemp("garden"))
    for sample in SAMPLES:
        project.write(f"docs/{sample.name}", sample.text)
    with ask_over_stdio(project) as ask:
        yield ask


@proves("D-36")
def test_every_format_is_listed_with_its_own_title(garden):
    listed = garden("documents_list_documents", collection="docs").value

    assert {each["id"]: each["title"] for each in listed["documents"]} == {each.name: each.title for each in SAMPLES}


@proves("D-36")
def test_outline_section_and_document_give_the_lines_of_the_original(garden):
    for sample in SAMPLES:
        place = {"collection": "docs", "document": sample.name}
        outline = garden("documents_get_outline", **place).value["outline"]
        section = garden("documents_get_section", **place, section="Watering").value

        assert [(each["level"], each["text"], each["line"]) for each in outline] == sample.outline
        assert (section["startLine"], section["endLine"]) == sample.watering
        lines = sample.text.splitlines(keepends=True)[sample.watering[0] - 1 : sample.watering[1]]
        assert section["content"] == "".join(lines).removesuffix("\n")
        assert garden("documents_get_document", **place).value["content"] == sample.text


@proves("D-36")
def test_a_search_finds_each_by_what_it_says_and_cites_the_lines_that_say_it(garden):
    items = garden("documents_search", query="rainwater from the barrel every morning", limit=50).value

    found = {item["documentId"]: item for item in reversed(items) if "rainwater" in item["content"]}
    assert sorted(found) == sorted(each.name for each in SAMPLES)
    for sample in SAMPLES:
        item = found[sample.name]
        lines = sample.text.splitlines()[item["startLine"] - 1 : item["endLine"]]
        assert item["citation"].partition("@")[0] == f"docs/{sample.name}#L{item['startLine']}-L{item['endLine']}"
        assert any("rainwater" in line for line in lines)
        assert item["sectionHeading"].casefold() == "watering"


@proves("D-36")
def test_what_is_searched_of_a_page_or_a_notebook_is_what_a_person_reads(garden):
    items = garden("documents_search", query="watering ferns rainwater", limit=50).value

    said = {item["documentId"]: item["content"] for item in reversed(items)}
    assert "rainwater & care" in said["ferns.html"]
    assert not any(mark in said["ferns.html"] for mark in ("<p>", "Elsewhere", "color: green"))
    assert "water(ferns)" in said["ferns.ipynb"]
    assert not any(mark in said["ferns.ipynb"] for mark in ("cell_type", "image/png", "\\n", '"'))


def test_half_characters_and_zeros_in_a_notebook_hinder_nothing(project):
    project.write("docs/a.ipynb", notebook(("markdown", "# Beds \ud800\0"), ("code", "mulch('\udfff')")))
    ask = ask_by_command(project)

    hit = ask("documents_search", query="mulch").value[0]

    assert hit["sectionHeading"] == "Beds ?"


def test_a_file_with_only_the_name_of_a_document_is_left_out(project):
    for name, text in {
        "ferns.txt": PLAIN,
        "requirements.txt": "flask==3.0.0\njinja2>=3.1\n# pinned by hand\nclick~=8.1\n",
        "words.txt": "alder\nash\nbeech\nbirch\n",
        "layout.html": "<html><body>{% block content %}" + "some words to read " * 40 + "{% endblock %}",
        "api.html": '<html><head><meta name="generator" content="x"></head><body>' + "many words here " * 40,
        "LICENSE.txt": "Permission is hereby granted, free of charge, to any person obtaining a copy.\n",
        "broken.ipynb": '{"not": "a notebook"}',
    }.items():
        project.write(f"docs/{name}", text)

    listed = ask_by_command(project)("documents_list_documents", collection="docs").value

    assert [each["id"] for each in listed["documents"]] == ["ferns.txt"]


def test_a_folder_with_such_a_file_is_added_without_a_word_about_it(project):
    project.write("notes/ferns.txt", PLAIN)
    project.write("notes/words.txt", "alder\nash\nbeech\n")

    def told(*command: str) -> str:
        call = [FIELDGUIDE, "documents", *command]
        done = subprocess.run(call, cwd=project.root, capture_output=True, text=True, env=environment(), check=True)
        return f"{done.stdout}{done.stderr}"

    assert "1 added" in (added := told("add", "notes", "notes"))
    assert "words.txt" not in added


def test_a_manifest_takes_what_it_names(project):
    project.write("docs/words.txt", "alder\nash\nbeech\n")
    project.write("docs/manifest.json", '{"name": "a", "version": "1", "sources": {"files": ["words.txt"]}}')
    project.write("context.json", '{"collections": {"words": {"url": "docs/manifest.json"}}}')

    listed = ask_by_command(project)("documents_list_documents", collection="words").value

    assert [each["id"] for each in listed["documents"]] == ["words.txt"]


def test_other_encodings_lose_no_line(project):
    plain = "Überschrift\n===========\n\nEin Satz über Farne.\n"
    files = {
        "marked.rst": f"\ufeff{plain}".replace("\n", "\r\n").encode(),
        "latin.rst": plain.encode("latin-1"),
        "wide.rst": plain.encode("utf-16"),
    }
    for name, encoded in files.items():
        project.write(f"docs/{name}", encoded)
    with ask_over_stdio(project) as ask:
        for name in files:
            outline = ask("documents_get_outline", collection="docs", document=name).value
            section = ask("documents_get_section", collection="docs", document=name, section="Überschrift").value

            assert outline["outline"] == [{"level": 1, "text": "Überschrift", "line": 1}]
            assert section["endLine"] == 4
            assert "Ein Satz über Farne." in section["content"]


@proves("D-36")
def test_a_manual_page_is_found_as_the_text_it_is_written_in_and_a_numbered_file_is_none(project):
    project.write(
        "sow.1",
        '.\\" Copyright nobody\n.Dd May 1, 2026\n.Dt SOW 1\n.Sh NAME\n.Nm sow\nPuts the seeds of beans into rows.\n',
    )
    project.write("words.2", "alder\nash\nbeans in rows of seeds\n")
    with ask_over_stdio(project) as ask:
        listed = ask("documents_list_documents", collection="project").value
        (item, *_) = ask("documents_search", query="seeds of beans into rows").value

    assert [each["id"] for each in listed["documents"]] == ["sow.1"]
    assert item["citation"].startswith("sow.1#L")
