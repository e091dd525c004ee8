"""Every citation of every tool opens to the very bytes of its file, whatever the file is."""

import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fieldguide.text.citation import Citation, hash_lines, read_citation
from fieldguide.text.windows import ByteLines
from tests.document_formats import SAMPLES
from tests.document_wires import FERNS, Ask, ask_over_stdio
from tests.hostile.live_values import github_token
from tests.interaction.test_citations_open import CODE
from tests.interaction.test_pdf_documents import pdf
from tests.proves import proves
from tests.servers import run

ALL = ("--toolsets", "architecture,context,documents,guide,tasks")
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
MOST_AT_ONCE = 20
QUESTIONS = (
    "how are lines of a document counted", "where is a citation read", "rate limit of a tool",
    "open a file of the project safely", "decision about the wire", "tokens of an answer",
)  # fmt: skip
GREPPED = ("def read_", "Citation", "\\bhash\\b")
MOSS = "# Moos\n\nMoos wächst im Schatten, über Steinen.\n\n## Gießen\n\nNie mit Leitungswasser.\n"


@pytest.fixture(scope="module")
def own(our_repository) -> Iterator[Ask]:
    """Our own repository: real files of many kinds."""
    with ask_over_stdio(our_repository, *ALL) as ask:
        yield ask


@pytest.fixture
def odd(project):
    """Files with every kind of line and encoding, in each database."""
    project.write("docs/unix.md", FERNS)
    project.write("docs/windows.md", FERNS.replace("\n", "\r\n"))
    project.write("docs/old mac.md", FERNS.replace("\n", "\r"))
    project.write("docs/marked.md", BOM_UTF8 + FERNS.encode())
    project.write("docs/wide.txt", MOSS.encode("utf-16"))
    project.write("docs/latin.txt", MOSS.encode("latin-1"))
    project.write("docs/broken.md", FERNS.encode() + b"\xff\xfe ferns\n\xe9 fern")
    project.write("docs/feeds.md", FERNS.replace("\n\n", "\n\x0c\n", 2) + "Ferns\u2028and\x85more \x1c ferns")
    project.write("docs/one line.md", "# Ferns\n\n" + "ferns in the shade " * 600)
    project.write("docs/secret.md", f"# Ferns\n\nThe token of the ferns is {github_token()}.\n\nFerns like shade.\n")
    project.write("docs/paper.pdf", pdf("Ferns like shade", "Foxes like ferns"))
    for sample in SAMPLES:
        project.write(f"docs/{sample.name}", sample.text)
    project.write("docs/adr/0001-orders.md", ADR.replace("\n", "\r\n"))
    project.write("mcp/resources/patterns/repository.md", PATTERN.replace("\n", "\r"))
    project.write("src/watering.py", CODE)
    project.write("src/windows.py", CODE.replace("\n", "\r\n"))
    project.write("src/latin.py", CODE.replace("fern", "färn").encode("latin-1"))
    run("index", "--project", project.root, *ALL)
    with ask_over_stdio(project, *ALL) as ask:
        yield project, ask


def citations(value: Any) -> Iterator[tuple[str, Any]]:
    """Every citation of an answer, and what it is the citation of."""
    if isinstance(value, dict):
        for key in ("citation", "next"):
            if isinstance(value.get(key), str):
                yield value[key], value
        yield from ((each, value) for each in value.get("citations", ()))
        for part in value.values():
            yield from citations(part)
    elif isinstance(value, list):
        for part in value:
            yield from citations(part)


def opened(ask: Ask, cited: list[str]) -> dict[str, dict[str, Any]]:
    """What `guide_open` gives for each of these citations, many at once."""
    found: dict[str, dict[str, Any]] = {}
    waiting = [*dict.fromkeys(cited)]
    while waiting:
        given = waiting[:MOST_AT_ONCE]
        told = ask("guide_open", citation="\n".join(given), budget=50_000)
        assert not told.is_error, (given, told.texts)
        items = told.structured["items"]
        for citation, item in zip(given, items, strict=False):
            found[citation] = item
            assert "status" not in item, (citation, item)
        waiting = waiting[len(items) :]
    return found


def assert_same_bytes(root: Path, cited: str, item: dict[str, Any]) -> None:
    """The lines of the file have the hash, and are what was opened; a long answer begins with them."""
    citation = read_citation(cited)
    assert citation is not None
    if "://" in citation.path:
        assert item["citation"] == cited
        return
    if citation.path.endswith(".pdf"):  # an outline is told without opening a text, so it has no hash of it
        assert item["citation"].startswith(cited)
        return
    assert citation.hash, cited
    lines = ByteLines((root / citation.path).read_bytes())
    standing = lines.between(citation.start_line, citation.end_line)
    assert hash_lines(standing) == citation.hash, cited
    assert read_citation(item["citation"]) == citation or "cut" in item or item["end"] < citation.end_line
    shown = lines.between(item["start"], item["end"])
    assert (
        item["text"] in (lines.text(shown), shown.decode("cp1252", "replace"), shown.decode("latin-1")) or "cut" in item
    )
    if shown.decode(errors="replace") == item["text"] and "\ufffd" not in item["text"]:
        assert item["text"].encode() == shown


def answers(asking: Ask, questions: tuple[str, ...], patterns: tuple[str, ...]) -> Iterator[Any]:
    """What the tools that name places answer; while something is still indexed, what is there already."""

    def ask(tool: str, **arguments: Any) -> Any:
        told = asking(tool, **arguments)
        return [] if told.is_error or told.texts[0][:1] not in "[{" else json.loads(told.texts[0])

    for question in questions:
        yield ask("context_search", query=question, limit=20)
        hits = ask("documents_search", query=question, limit=20)
        yield hits
        yield ask("search-architecture", query=question, max_results=10)
        yield ask("check-adr-alignment", decision_description=question)
        yield asking("guide_brief", task=question, budget=8_000).structured
        yield asking("guide_search", query=question, limit=20).structured
        for hit in hits[:3]:
            yield asking("guide_governs", path=hit["citation"]).structured
            place = {"collection": hit["collection"], "document": hit["documentId"]}
            yield ask("documents_get_document", **place)
            yield ask("documents_get_document", collection=hit["collection"], document=hit["citation"])
            yield ask("documents_get_outline", **place)
            yield ask("documents_find_related", **place, limit=5)
            if "sectionHeading" in hit:
                yield ask("documents_get_section", **place, section=hit["sectionHeading"])
    for pattern in patterns:
        found = ask("grep_codebase", pattern=pattern, limit=30)
        yield found
        for match in found["matches"][:5]:
            yield ask("read_file", path=match["citation"])
            yield ask("read_file", path=match["file"], includeDeps=True)


@proves("D-37")
def test_on_our_own_repository_every_citation_opens_to_identical_bytes(own, our_repository):
    cited = [each for answer in answers(own, QUESTIONS, GREPPED) for each, _ in citations(answer)]
    found = opened(own, cited)

    assert len(found) > 150
    for each, item in found.items():
        assert_same_bytes(our_repository.root, each, item)


def test_whatever_a_file_is_every_citation_opens_to_identical_bytes(odd):
    project, ask = odd
    recorded = ask("guide_record", type="rule", content="Ferns like shade", evidence={"files": ["docs/windows.md"]})
    questions = ("ferns like shade", "watering ferns every morning", "Moos wächst im Schatten", "print statements")
    told = [*answers(ask, questions, ("fern", "water")), ask("context_search", query="ferns", type="rule").value]
    told.append(ask("validate-against-pattern", code="print(1)\n", pattern_name="repository", language="python").value)
    cited = [each for answer in told for each, _ in citations(answer)]
    found = opened(ask, cited)

    assert not recorded.is_error
    for each, item in found.items():
        assert_same_bytes(project.root, each, item)
    seen = {read_citation(each).path.rpartition("/")[2] for each in found}  # type: ignore[union-attr]  # all are read
    wanted = {"unix.md", "windows.md", "old mac.md", "marked.md", "wide.txt", "latin.txt", "broken.md", "feeds.md"}
    assert wanted <= seen
    assert {"secret.md", "0001-orders.md", "repository.md", "watering.py", "windows.py"} <= seen


def test_the_same_citation_gives_the_same_answer(own):
    cited = "src/fieldguide/text/citation.py#L1-L40"

    assert own("guide_open", citation=cited) == own("guide_open", citation=cited)


def test_a_hit_whose_file_has_changed_since_cites_what_was_seen(project):
    project.write("src/watering.py", CODE)
    run("index", "--project", project.root, *ALL)
    with ask_over_stdio(project, *ALL) as ask:
        [hit, *_] = ask("context_search", query="water_7", limit=5).value["results"]
        place = read_citation(hit["citation"])
        project.write("src/watering.py", f"import os\n{CODE}")
        moved = ask("guide_open", citation=hit["citation"]).structured["items"][0]

    assert isinstance(place, Citation)
    assert hash_lines(hit["content"].encode()) == place.hash
    assert (moved["status"], moved["start"], moved["text"]) == ("moved", place.start_line + 1, hit["content"])


@proves("D-37")
def test_no_printed_schema_has_got_a_citation(project):
    listed = json.loads(run("call", "--project", project.root, *ALL, "--json").stdout)

    having = [each["name"] for each in listed if "citation" in json.dumps(each["inputSchema"])]
    assert "guide_open" in having
    assert all(name.startswith("guide_") for name in having)
