"""`fieldguide search` as a person or a script uses it."""

import json
import os
import pty
import subprocess

import pytest

from tests.cited import cited_lines
from tests.document_sources import command_in
from tests.held_indexing import held_sqlite_turn
from tests.interaction.test_command_line import run
from tests.servers import FIELDGUIDE, environment

FERNS = "# Ferns\n\nFerns like shade.\n\n## Watering\n\nLong words come first.\n\nWater the ferns at the root.\n"
FOXES = "# Foxes\n\nA fox digs its den below old trees.\n"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config"


@pytest.fixture
def fieldguide(project, capsys):
    project.write("docs/ferns.md", FERNS)
    project.write("docs/foxes.md", FOXES)
    return command_in(project, capsys)


def on_a_terminal(project, home, *words, **more):
    ours, theirs = pty.openpty()
    given = {name: value for name, value in environment().items() if name != "NO_COLOR"}
    with subprocess.Popen(
        [FIELDGUIDE, "search", *words, "--project", project.root],
        env={**given, "XDG_CONFIG_HOME": str(home), "TERM": "xterm", **more},
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(theirs)
        seen = b""
        while process.poll() is None or seen[-1:] == b"":
            try:
                seen += os.read(ours, 10_000)
            except OSError:  # the other end is closed: everything was read
                break
    os.close(ours)
    return seen.decode().replace("\r\n", "\n")


def test_a_hit_says_what_it_is_where_it_stands_and_how_well_it_fits(fieldguide):
    done = fieldguide("search", "watering", "ferns", "--limit", 1)

    assert done.out == (
        "1. Ferns > Watering\n"
        f"   {cited_lines('docs/ferns.md', FERNS, 5, 9)}  1.00\n"
        "   Long words come first.\n"
        "   Water the ferns at the root.\n"
    )  # fmt: skip


def test_words_are_one_question_and_the_best_hit_comes_first(fieldguide):
    together = fieldguide("search", "where does a fox live").out
    apart = fieldguide("search", "where", "does", "a", "fox", "live").out

    assert together == apart
    assert together.startswith("1. Foxes\n")


def test_scripts_get_what_the_tool_answers(fieldguide):
    hits = json.loads(fieldguide("search", "fox den", "--json").out)
    called = json.loads(fieldguide("call", "documents_search", '{"query": "fox den"}').out)

    assert hits == called
    assert hits[0]["citation"] == cited_lines("docs/foxes.md", FOXES, 1, 3)


@pytest.fixture
def everything(fieldguide, project):
    project.write("src/den.py", "def dig_fox_den(tree):\n    return tree\n")
    project.write("docs/adr/0001-shelter-foxes.md", "# 1. Shelter foxes\n\nStatus: accepted\n\nA fox den is kept.\n")
    fieldguide("remember", "A fox den must never be dug up", "--type", "rule")
    return fieldguide


def test_a_search_finds_code_decisions_and_findings_too(everything):
    hits = json.loads(everything("search", "fox den", "--json").out)
    plain = everything("search", "fox den").out

    assert {hit.get("kind", "documents") for hit in hits} == {"documents", "code", "decisions", "findings"}
    assert "code: src/den.py#L1-L2@" in plain
    assert "adr: docs/adr/0001-shelter-foxes.md" in plain
    assert "A fox den must never be dug up\n   rule: " in plain


@pytest.mark.parametrize("kind", ["documents", "code", "decisions", "findings"])
def test_a_search_keeps_to_the_kind_that_is_named(everything, kind):
    hits = json.loads(everything("search", "fox den", "--kind", kind, "--json").out)

    assert {hit.get("kind", "documents") for hit in hits} == {kind}


def test_only_documents_lie_in_collections(everything):
    done = everything("search", "fox", "--kind", "code", "--collection", "docs", code=2)

    assert done.err == "fieldguide: --collection and --related are about documents; leave --kind out.\n"


def test_a_search_that_can_not_wait_for_the_whole_index_says_so(project, home):
    for number in range(200):
        project.write(f"docs/{number}.md", f"# Page {number}\n")
    project.write("docs/foxes.md", FOXES)

    with held_sqlite_turn(project.root):
        done = run("search", "fox", "--kind", "documents", "--project", project.root, XDG_CONFIG_HOME=str(home))

    assert done.stdout.startswith("1. Foxes\n")
    assert "indexing: 1 of 201 files are in the index so far." in done.stderr
    assert "`fieldguide index` finishes it" in done.stderr


def test_nothing_found_is_no_error(fieldguide, project):
    for name in ("ferns.md", "foxes.md"):
        (project.root / "docs" / name).unlink()

    assert fieldguide("search", "fox").out == "No results found for the given query.\n"
    assert fieldguide("search", "fox", "--json").out == "[]\n"


def test_a_search_keeps_to_the_collections_that_are_named(fieldguide, project):
    project.write("other/fox.md", "# A fox elsewhere\n")
    sources = {"docs": {"url": "docs"}, "other": {"url": "other"}, "third": {"url": "docs/"}}
    project.write("context.json", json.dumps({"collections": sources}))

    def found(*words):
        return {hit["collection"] for hit in json.loads(fieldguide("search", "fox", *words, "--json").out)}

    assert found("--collection", "other") == {"other"}
    assert found("--collection", "dir:other") == {"other"}
    assert found("--collection", "docs", "--collection", "other") == {"docs", "other"}


def test_what_is_like_a_document_is_found(fieldguide, project):
    project.write("docs/more.md", "# More on foxes\n\nThe den of a fox lies below a tree.\n")

    hits = json.loads(fieldguide("search", "--related", "foxes.md", "--limit", 1, "--json").out)

    assert [hit["document"] for hit in hits] == ["more.md"]
    assert fieldguide("search", "--related", "foxes.md").out.startswith("1. More on foxes\n")


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((), 2, "Say what to look for, or name a document with --related; one of the two."),
        ((" ",), 2, "Say what to look for, or name a document with --related; one of the two."),
        (("x", "--related", "a.md"), 2, "Say what to look for, or name a document with --related; one of the two."),
        (("x", "--collection", "nope"), 1, 'Collection "nope" not found. The collections that can be searched: docs.'),
        (("--related", "nope.md"), 1, 'Document "nope.md" not found in collection "docs".'),
        (("x", "--limit", "0"), 2, None),
        (("x", "--limit", "many"), 2, None),
    ],
)
def test_what_can_not_be_searched_is_a_sentence(project, home, words, code, sentence):
    project.write("docs/a.md", "# A\n")

    done = run("search", *words, "--project", project.root, code=code, XDG_CONFIG_HOME=str(home))

    assert done.stdout == ""
    assert done.stderr == f"fieldguide: {sentence}\n" if sentence else "is not a number from 1" in done.stderr


def test_a_document_of_two_collections_must_be_told_apart(fieldguide, project):
    project.write("other/foxes.md", "# Other foxes\n")
    project.write("context.json", '{"collections": {"docs": {"url": "docs"}, "other": {"url": "other"}}}')

    done = fieldguide("search", "--related", "foxes.md", code=2)
    chosen = fieldguide("search", "--related", "foxes.md", "--collection", "docs")

    assert done.err == "fieldguide: 'foxes.md' is in docs and in other; choose one with --collection.\n"
    assert chosen.out.startswith("1. Ferns")


def test_what_was_never_fetched_is_told_beside_the_hits(fieldguide, project):
    sources = {"docs": {"url": "docs"}, "far": {"url": "https://example.org/manifest.json"}}
    project.write("context.json", json.dumps({"collections": sources}))

    waiting = fieldguide("search", "fox", "--limit", 1)
    fieldguide("trust", "--allow")
    done = fieldguide("search", "fox", "--limit", 1)

    assert waiting.out == done.out
    assert done.out.startswith("1. Foxes\n")
    assert "context.json asks for collection far = https://example.org/manifest.json, which is not" in waiting.err
    assert done.err == "fieldguide: far: it was never fetched. `fieldguide documents sync far` does that.\n"


def test_words_are_highlighted_on_a_terminal_only(fieldguide, project, home):
    plain = fieldguide("search", "digging foxes", "--limit", 1).out
    seen = on_a_terminal(project, home, "dens", "foxes", "--limit", "1")

    assert "\x1b" not in plain
    assert "A \x1b[1mfox\x1b[0m digs its \x1b[1mden\x1b[0m below old trees." in seen


@pytest.mark.parametrize("unwanted", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_whoever_wants_no_colour_gets_none(fieldguide, project, home, unwanted):
    seen = on_a_terminal(project, home, "fox", "--limit", "1", **unwanted)

    assert "A fox digs its den below old trees." in seen
    assert "\x1b" not in seen


def test_chinese_words_are_highlighted_too(project, home):
    project.write("docs/a.md", "# 部署\n\n集群的自动伸缩需要指标。\n")

    seen = on_a_terminal(project, home, "自动伸缩")

    assert "集群的\x1b[1m自动\x1b[0m\x1b[1m伸缩\x1b[0m需要指标。" in seen


def test_lines_keep_to_the_width_of_the_terminal(project, home):
    project.write("docs/long.md", f"# {'Title ' * 20}\n\n{'many words ' * 30}\n")

    lines = run(
        "search", "many", "--project", project.root, XDG_CONFIG_HOME=str(home), COLUMNS="40"
    ).stdout.splitlines()

    assert [len(line) <= 40 for line in lines] == [True] * len(lines)
    assert lines[0].endswith("…")
