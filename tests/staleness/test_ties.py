"""What documents, decisions and findings cite of the code: tied to it at indexing, and told where it is stale."""

import json
import os

import pytest

from tests.document_wires import ask_over_stdio
from tests.processes import eventually
from tests.raw_client import RawClient
from tests.servers import run
from tests.staleness.cited_projects import citation, functions, replaced

ALL = ("--toolsets", "architecture,context,documents,guide,tasks")
STALE = "changed: {}; now src/a.py#L6-L8; -two_total = value + 1 +two_total = value * 20"


@pytest.fixture
def cited(garden):
    """A project whose document, decision, spec and finding cite the second function; gives the citation."""
    two = citation(garden, 6, 8)
    garden.write("docs/totals.md", f"# Totals\n\nTotals of ferns are made by {two}.\n")
    garden.write("docs/adr/0001-totals.md", f"# 1. Totals of ferns\n\n## Decision\n\nTotals as {two} makes them.\n")
    garden.write("directive/specs/totals/spec.md", f"# Totals of ferns\n\nSee {two}.\n")
    garden.commit_all("Describe it")
    return two


def items(told):
    return {item["path"]: item for item in told.structured["items"]}


def test_whatever_cites_the_code_says_so_once_it_is_stale_in_every_tool(garden, cited):
    with ask_over_stdio(garden, *ALL) as ask:
        words = f"Totals of ferns rest on {cited}"
        ask("guide_record", type="rule", content=words)
        paths = ("docs/totals.md", "docs/adr/0001-totals.md", "directive/specs/totals/spec.md")
        assert eventually(lambda: set(paths) <= items(ask("guide_search", query="totals of ferns")).keys(), every=1.5)
        assert not any("stale" in each for each in items(ask("guide_search", query="totals of ferns")).values())

        replaced(garden, "    two_total = value + 1\n", "    two_total = value * 20\n")

        def is_told(path: str) -> bool:
            return "stale" in items(ask("guide_open", citation=path))[path]

        assert eventually(lambda: all(map(is_told, paths)), every=0.3)
        for path in paths:
            assert items(ask("guide_open", citation=path))[path]["stale"] == STALE.format(cited)
        for tool, given in (
            ("guide_search", {"query": "totals of ferns"}),
            ("guide_brief", {"task": "totals of ferns"}),
        ):
            told = ask(tool, **given)
            stale = {path for path, item in items(told).items() if "stale" in item}
            assert {"docs/totals.md", "docs/adr/0001-totals.md"} <= stale, tool
            assert f"[stale: {STALE.format(cited)}]" in told.texts[0]
        hits = ask("context_search", query="totals of ferns rest on", type="rule").value["results"]
        assert [hit["stale"] for hit in hits] == [STALE.format(cited)]

        replaced(garden, "    two_total = value * 20\n", "    two_total = value + 1\n")
        assert eventually(lambda: not any(map(is_told, paths)), every=0.3)


def test_a_document_that_cites_other_lines_is_tied_to_those(garden, cited):
    with ask_over_stdio(garden, *ALL) as ask:
        replaced(garden, "    two_total = value + 1\n", "    two_total = value * 20\n")
        stale = lambda: items(ask("guide_open", citation="docs/totals.md"))["docs/totals.md"].get("stale")  # noqa: E731
        assert eventually(lambda: stale() is not None, every=0.3)

        garden.write("docs/totals.md", f"# Totals\n\nTotals of ferns are made by {citation(garden, 6, 8)}.\n")

        assert eventually(lambda: stale() is None)


def test_resources_of_findings_tell_what_is_stale(garden, cited):
    garden.write(".context/project.yaml", "version: 1\nproject: {name: Garden}\nmodules: {ferns: {name: ferns}}\n")
    run("findings", "add", f"Totals rest on {cited}", "--type", "rule", "--module", "ferns", "--project", garden.root)
    replaced(garden, "    two_total = value + 1\n", "    two_total = value * 20\n")
    run("index", "--project", garden.root)

    with RawClient(garden.root, *ALL).ready() as client:
        for uri in ("context://project/overview", "context://module/ferns"):
            [text] = client.request("resources/read", uri=uri)["result"]["contents"]
            assert f"Totals rest on {cited}\n  [stale: {STALE.format(cited)}]" in text["text"]


def test_a_task_is_judged_by_content_for_the_user_who_sees_it(garden, cited):
    with ask_over_stdio(garden, *ALL, "--user", "ann") as ask:
        ask("add_task", user_id="ann", title="Count totals of ferns anew", description=f"as {cited} does")
        assert "stale" not in items(ask("guide_open", citation="task://1"))["task://1"]

        replaced(garden, "def two", "# Above.\ndef two")

        moved = f"moved: {cited}; now src/a.py#L7-L9"
        assert items(ask("guide_open", citation="task://1"))["task://1"]["stale"] == moved
        found = items(ask("guide_search", query="count totals of ferns anew", kinds=["task"]))
        assert found["task://1"]["stale"] == moved


def test_a_finding_is_tied_to_the_files_that_it_names(garden):
    words = "Ferns grow in `src/a.py`, as `src/never.py` says"
    run("findings", "add", words, "--type", "rule", "--file", "src/a.py", "--project", garden.root)
    garden.git("mv", "src/a.py", "src/b.py")
    commit = garden.commit_all("Rename it")
    done = run("stale", "--json", "--project", garden.root, code=1)

    [named, evidence] = json.loads(done.stdout)["stale"]
    assert (named["state"], named["says"], named["path"], named["commit"]) == (
        "moved", "src/a.py", "src/b.py", commit[:10],
    )  # fmt: skip
    assert evidence["line"] == 2

    garden.git("rm", "--quiet", "src/b.py")
    garden.commit_all("Take it away")
    [named, _] = json.loads(run("stale", "--json", "--project", garden.root, code=1).stdout)["stale"]
    assert (named["state"], named["says"]) == ("gone", "src/a.py")


def test_citations_are_read_in_the_forms_that_people_write(garden):
    commit = garden.git("rev-parse", "HEAD")
    host = "https://example.org/o/r/blob"
    garden.write(
        "docs/deep/links.md",
        "# Links\n\n"
        "[link](../../src/a.py#L6-L8) and `src/a.py:6`, src/a.py#L6.\n"
        f"{host}/{commit}/src/a.py#L6-L8\n"
        f"Not: {host}/main/src/a.py#L6, http://localhost:8080, 12:30, never/was.py:3, src/a.py:900\n"
        "```\nsrc/a.py:6: error\n```\n",
    )
    garden.commit_all("Link it")
    replaced(garden, "def two", "# Above.\ndef two")

    found = json.loads(run("stale", "--json", "--project", garden.root, code=1).stdout)["stale"]

    assert [(each["line"], each["says"], each["start"]) for each in found] == [
        (3, "../../src/a.py#L6-L8", 7),
        (3, "src/a.py:6", 7),
        (3, "src/a.py#L6", 7),
    ]


def test_without_anything_that_is_cited_git_is_not_asked(garden, tmp_path):
    garden.write("docs/plain.md", "# Plain\n\nNothing is cited here.\n")
    asked = tmp_path / "asked"
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {asked}\nexit 1\n', encoding="utf-8")
    program.chmod(0o755)

    run("stale", "--project", garden.root, PATH=f"{program.parent}:{os.environ['PATH']}")

    said = asked.read_text(encoding="utf-8") if asked.exists() else ""
    assert not any(word in said for word in ("blame", "diff-tree", "cat-file", "grep"))


def test_the_same_text_in_two_places_is_found_at_the_nearest(garden):
    one = citation(garden, 1, 3)
    garden.write("docs/a.md", f"# A\n\n{one}\n")
    garden.commit_all("Describe it")
    garden.write("src/a.py", f"# Above.\n{functions('one')}{functions('two', 'one')}")

    [found] = json.loads(run("stale", "--json", "--project", garden.root, code=1).stdout)["stale"]

    assert (found["state"], found["start"]) == ("moved", 2)
