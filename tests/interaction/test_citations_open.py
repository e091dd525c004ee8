"""Every place that a tool names can be opened as it is named, and what stands there is what the file has."""

import io
import json
import re
import tarfile
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from tests.document_wires import FERNS, FOXES, Ask, ask_by_command, ask_over_http, ask_over_stdio
from tests.interaction.test_command_line import run
from tests.projects import Project
from tests.proves import proves

ALL = ("--toolsets", "architecture,context,documents,guide")
CITED = re.compile(r"(.+)#L(\d+)(?:-L(\d+))?(?:@([0-9a-f]{8}))?", re.DOTALL)
ADR = """\
# 1. Keep orders in PostgreSQL

## Status

Accepted

## Decision

We will use PostgreSQL for orders, and no other database.
"""
PATTERN = """\
# Repository

## Common Pitfalls

### No print statements

Never call `print()`: write a line of the journal.
"""
CODE = "".join(
    f'def water_{n}(fern):\n    """Water a fern {n} times."""\n    return fern * {n}\n\n\n' for n in range(40)
)


@pytest.fixture(scope="module")
def cited(tmp_path_factory):
    """A project whose tools have places to name: files of every kind, and a bundle, whose documents lie nowhere."""
    project = Project(tmp_path_factory.mktemp("cited"))
    collections = {"guide": "guide", "notes": "deep/notes", "packed": "packed.tar.gz", "all": "manual/manifest.json"}
    urls = {alias: {"url": source} for alias, source in collections.items()}
    project.write("context.json", json.dumps({"collections": urls}))
    project.write("guide/ferns.md", FERNS)
    project.write("guide/windows.md", FERNS.replace("\n", "\r\n"))
    project.write("guide/old mac: 3#L4.md", FERNS.replace("\n", "\r"))
    project.write("deep/notes/foxes.md", FOXES)
    project.write("manual/manifest.json", json.dumps({"name": "m", "version": "1", "sources": {"glob": ["**/*.md"]}}))
    project.write("manual/ferns/summer.md", FERNS)
    project.write("packed.tar.gz", packed({"ferns/packed.md": FERNS}))
    project.write("docs/adr/0001-orders.md", ADR)
    project.write("mcp/resources/patterns/repository.md", PATTERN)
    project.write("src/watering.py", CODE)
    project.write("src/ünïcode 🦊.py", CODE.replace("fern", "färn"))
    run("index", "--project", project.root)
    return project


def packed(files: dict[str, str]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as bundle:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            bundle.addfile(member, io.BytesIO(text.encode()))
    return made.getvalue()


@pytest.fixture(scope="module", params=["stdio", "http"])
def wire(request, cited):
    asking = ask_over_stdio if request.param == "stdio" else ask_over_http
    with asking(cited, *ALL) as ask:
        yield ask


def asked(ask: Ask) -> list[tuple[str, Any]]:
    """What every tool that names places answers."""
    ask("guide_record", type="rule", content="Water ferns at the root", evidence={"files": ["src/watering.py#L1-L3"]})
    shown = {"files": ["deep/notes/foxes.md", "src/watering.py"]}
    ask("guide_record", type="issue", content="Foxes drink from the brook", evidence=shown)
    related = {"collection": "guide", "document": "ferns.md", "allCollections": True, "sameDocument": True, "limit": 20}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("documents_search", {"query": "watering ferns", "limit": 50}),
        ("documents_search_batch", {"queries": [{"query": "ferns in summer"}, {"query": "fox"}], "limit": 20}),
        ("documents_find_related", related),
        ("documents_get_outline", {"collection": "guide", "document": "windows.md"}),
        ("documents_get_section", {"collection": "notes", "document": "foxes.md", "section": "Watering"}),
        ("documents_get_section", {"collection": "packed", "document": "ferns/packed.md", "section": "Watering"}),
        ("context_search", {"query": "water a fern", "limit": 20}),
        ("context_search", {"query": "foxes drink", "type": "issue", "limit": 20}),
        ("grep_codebase", {"pattern": "water", "limit": 20}),
        ("search-architecture", {"query": "PostgreSQL print statements", "max_results": 20}),
        ("check-adr-alignment", {"decision_description": "Use MongoDB for orders instead of PostgreSQL"}),
        ("validate-against-pattern", {"code": "print(1)\n", "pattern_name": "repository", "language": "python"}),
    ]
    return [(tool, ask(tool, **arguments).value) for tool, arguments in calls]


def places(value: Any) -> Iterator[dict[str, Any]]:
    """Every object of an answer that has a citation."""
    if isinstance(value, dict):
        if "citation" in value:
            yield value
        for part in value.values():
            yield from places(part)
    elif isinstance(value, list):
        for part in value:
            yield from places(part)


def standing(project: Project, citation: str) -> str:
    """What a file of the project has at a cited place."""
    found = CITED.fullmatch(citation)
    if found is None:
        return (project.root / citation).read_bytes().decode()
    path, start, end, hash_ = found.groups()
    lines = re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", (project.root / path).read_bytes().decode())
    standing = "".join(lines[int(start) - 1 : int(end or start)])
    bare = standing.removesuffix("\n").removesuffix("\r").encode()
    assert hash_ in (None, sha256(bare).hexdigest()[:8])
    return standing


def opened(ask: Ask, citation: str, collection: str) -> dict[str, Any]:
    """What a citation opens: a file of the project, or else a document of its collection."""
    if citation.startswith("packed:"):
        return dict(ask("documents_get_document", collection=collection, document=citation).value)
    return dict(ask("read_file", path=citation).value["file"])


def test_every_citation_of_every_tool_opens_what_stands_there(wire, cited):
    answers = asked(wire)
    named = [(tool, item) for tool, value in answers for item in places(value)]
    collections = {item["citation"]: item.get("collection", "") for _, item in named}
    files = {each: opened(wire, each, collections[each]) for each in collections}

    for tool, item in named:
        assert re.search(r"#L\d+-L\d+@[0-9a-f]{8}$", item["citation"]), tool
        citation, file = item["citation"], files[item["citation"]]
        told = item.get("content", item.get("text")) if item.get("source") != "discovery" else ""
        assert file["content"] in FERNS if citation.startswith("packed:") else True
        assert citation.startswith("packed:") or file["content"] == standing(cited, citation)
        assert (told or "") in file["content"] or (told or "") in f"{file['content']}\n", tool
        if "documentId" in item:
            again = wire("documents_get_document", collection=item["collection"], document=citation).value
            assert (again["document"], again["content"]) == (item["documentId"], file["content"])
            assert (again["startLine"], again["endLine"]) == (item["startLine"], item["endLine"])
    assert {tool for tool, _ in named} == {tool for tool, _ in answers}


@pytest.mark.parametrize(
    ("path", "first", "last"),
    [
        ("src/watering.py#L6-L8", 6, 8),
        ("src/watering.py#L6-8", 6, 8),
        ("src/watering.py#L6", 6, 6),
        ("src/watering.py#L6-L8@00000000", 6, 8),
        ("src/watering.py:6", 6, 6),
        ("src/watering.py:6-8", 6, 8),
        ("src/watering.py:6:12", 6, 6),
        ("./src/watering.py#L6C3-L8C1", 6, 8),
        ("src/watering.py#L199-L999", 199, 200),
        ("guide/old mac: 3#L4.md:2", 2, 2),
    ],
)
def test_lines_are_returned_with_their_numbers(cited, path, first, last):
    file = ask_by_command(cited, "--toolsets", "context")("read_file", path=path).value["file"]

    lines = re.split(r"(?<=\n)|(?<=\r)", standing(cited, f"{file['path']}#L{first}-L{last}"))[: last - first + 1]
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
        (".env:1", "Permission denied"),
        ("keys/.env.local:1-2", "Permission denied"),
        ("../outside.txt:1", "Path traversal not allowed"),
        ("/etc/passwd#L1", "Absolute paths not allowed"),
        ("leaving.txt#L1", "Path traversal not allowed"),
        ("nothing.txt:3", "File not found"),
        ("a.txt:0", "File not found"),
        ("a.txt#L3-L2", "File not found"),
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
        asked(ask)
        [drink] = ask("context_search", query="foxes drink", type="issue").value["results"]
        [water] = ask("context_search", query="water ferns", type="rule").value["results"]

    assert [each.partition("@")[0] for each in drink["citations"]] == [
        "deep/notes/foxes.md#L7-L7",
        "src/watering.py#L1-L200",
    ]
    assert drink["citation"] == drink["citations"][0]
    assert water["citation"].startswith("src/watering.py#L1-L3@")
