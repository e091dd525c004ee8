"""Places in files and documents, as people and tools write them: opened, refused, or told with what is near."""

import json
import re

import pytest

from tests.document_wires import FERNS, FOXES, ask_by_command, ask_over_stdio
from tests.projects import Project
from tests.proves import proves
from tests.servers import run

ALL = ("--toolsets", "architecture,context,documents,guide")
CODE = "".join(
    f'def water_{n}(fern):\n    """Water a fern {n} times."""\n    return fern * {n}\n\n\n' for n in range(40)
)


@pytest.fixture(scope="module")
def cited(tmp_path_factory):
    """A project with files that can be cited."""
    project = Project(tmp_path_factory.mktemp("cited"))
    project.write("context.json", '{"collections": {"guide": {"url": "guide"}, "notes": {"url": "deep/notes"}}}')
    project.write("guide/ferns.md", FERNS)
    project.write("guide/old mac: 3#L4.md", FERNS.replace("\n", "\r"))
    project.write("deep/notes/foxes.md", FOXES)
    project.write("src/watering.py", CODE)
    run("index", "--project", project.root)
    return project


@pytest.mark.parametrize(
    ("path", "first", "last"),
    [
        ("src/watering.py#L6-L8@00000000", 6, 8),
        ("./src/watering.py#L6C3-L8C1", 6, 8),
        ("src/watering.py#L199-L999", 199, 200),
        ("guide/old mac: 3#L4.md:2", 2, 2),
    ],
)
def test_lines_are_returned_with_their_numbers(cited, path, first, last):
    file = ask_by_command(cited, "--toolsets", "context")("read_file", path=path).value["file"]

    lines = re.split(r"(?<=\n)|(?<=\r)", (cited.root / file["path"]).read_bytes().decode())[first - 1 : last]
    assert (file["startLine"], file["endLine"]) == (first, last)
    assert file["content"] == "".join(lines)
    assert file["numbered"] == [f"{number}: {line.rstrip()}" for number, line in enumerate(lines, first)]
    assert file["size"] == len((cited.root / file["path"]).read_bytes())


def test_a_file_that_is_really_named_so_wins(project):
    project.write("a.txt", "one\ntwo\n")
    project.write("a.txt:2", "a file of its own\n")
    ask = ask_by_command(project, "--toolsets", "context")

    file = ask("read_file", path="a.txt:2").value["file"]

    assert file.pop("citation") == "a.txt:2#L1-L1@9c64a762"
    assert file == {"path": "a.txt:2", "content": "a file of its own\n", "size": 18, "lines": 1, "language": "text"}
    assert ask("read_file", path="a.txt:1").value["file"]["content"] == "one\n"


@pytest.mark.parametrize(
    ("path", "error"),
    [
        (".env#L1", "Permission denied"),
        ("../outside.txt:1", "Path traversal not allowed"),
        ("/etc/passwd#L1", "Absolute paths not allowed"),
        ("leaving.txt#L1", "Path traversal not allowed"),
        ("nothing.txt:3", "File not found"),
        ("a.txt#L3", "Lines not found"),
    ],
)
def test_lines_of_what_may_not_be_read_are_refused_alike(project, tmp_path, path, error):
    project.write("a.txt", "one\ntwo\n")
    project.write(".env", "SECRET=1\n")
    (tmp_path / "outside.txt").write_text("not yours", encoding="utf-8")
    (project.root / "leaving.txt").symlink_to("../outside.txt")

    told = json.loads(ask_by_command(project, "--toolsets", "context")("read_file", path=path).error)

    assert (told["error"], told["path"]) == (error, path)


def test_a_file_that_is_searched_can_be_cited_though_it_is_too_large_to_be_read(project):
    project.write("large.txt", "plain line\n" * 200_000 + "needle\n")
    ask = ask_by_command(project, "--toolsets", "context")

    [match] = ask("grep_codebase", pattern="needle").value["matches"]

    assert ask("read_file", path=match["citation"]).value["file"]["content"] == "needle\n"
    assert json.loads(ask("read_file", path="large.txt").error)["error"] == "File too large"


@proves("D-35")
@pytest.mark.parametrize(
    ("wanted", "near"),
    [
        ("guide/fern.md", ["guide/ferns.md"]),
        ("watering.py", ["src/watering.py"]),
        ("src/watering.ts", ["src/watering.py"]),
        ("src/wattering.py:3", ["src/watering.py"]),
        ("quite/another/thing.rb", None),
        ("x", None),
    ],
)
def test_a_path_that_is_almost_right_is_told_with_the_one_that_is(cited, wanted, near):
    told = json.loads(ask_by_command(cited, "--toolsets", "context")("read_file", path=wanted).error)

    assert (told["error"], told["path"]) == ("File not found", wanted)
    assert told.get("didYouMean") == near


@proves("D-35", "D-37", "S2-28")
@pytest.mark.parametrize(
    ("wanted", "near"),
    [("fern.md", "'ferns.md'"), ("guide/fern.md#L3", "'ferns.md'"), ("zebra.md", None), ("quantum/recipe.rst", None)],
)
def test_near_ids_follow_the_sentence_and_far_ones_do_not(cited, wanted, near):
    told = ask_by_command(cited, "--toolsets", "documents")(
        "documents_get_outline", collection="guide", document=wanted
    )

    assert told.texts[0] == f'Document "{wanted}" not found in collection "guide".'
    assert told.texts[1:] == ([f"Did you mean {near}?"] if near else [])


def test_lines_that_a_document_has_not_are_told_with_how_many_it_has(cited):
    told = ask_by_command(cited, "--toolsets", "documents")(
        "documents_get_document", collection="guide", document="guide/ferns.md#L90-L99"
    )

    assert told.texts == ["There is no line 90: it has 24."]


def test_a_discovery_cites_the_lines_that_say_it_or_the_whole_file(cited):
    with ask_over_stdio(cited, *ALL) as ask:
        ask(
            "guide_record",
            type="rule",
            content="Water ferns at the root",
            evidence={"files": ["src/watering.py#L1-L3"]},
        )
        shown = {"files": ["deep/notes/foxes.md", "src/watering.py"]}
        ask("guide_record", type="issue", content="Foxes drink from the brook", evidence=shown)
        [drink] = ask("context_search", query="foxes drink", type="issue").value["results"]
        [water] = ask("context_search", query="water ferns", type="rule").value["results"]

    assert [each.partition("@")[0] for each in drink["citations"]] == [
        "deep/notes/foxes.md#L7-L7",
        "src/watering.py#L1-L200",
    ]
    assert drink["citation"] == drink["citations"][0]
    assert water["citation"].startswith("src/watering.py#L1-L3@")
