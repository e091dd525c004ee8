"""`fieldguide find` as a person or a script uses it."""

import json
import os
import pty
import subprocess

import pytest

from tests.cited import cited_lines
from tests.document_sources import command_in
from tests.held_indexing import held_sqlite_turn
from tests.servers import FIELDGUIDE, environment, run

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
        [FIELDGUIDE, "find", *words, "--project", project.root],
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


def test_words_are_one_question_and_the_best_hit_comes_first(fieldguide, project):
    together = fieldguide("find", "where does a fox live").out
    apart = fieldguide("find", "where", "does", "a", "fox", "live").out

    assert together == apart
    assert together.startswith(f"{project.root}/docs/foxes.md:1  Foxes  document\n")


def test_scripts_get_what_the_tool_answers(fieldguide):
    found = json.loads(fieldguide("find", "fox den", "--json").out)
    called = json.loads(fieldguide("call", "guide_search", "query=fox den", "--json").out)

    assert found == called["structuredContent"]
    assert found["items"][0]["citation"] == cited_lines("docs/foxes.md", FOXES, 1, 3)


@pytest.fixture
def everything(fieldguide, project):
    project.write("src/den.py", "def dig_fox_den(tree):\n    return tree\n")
    project.write("docs/adr/0001-shelter-foxes.md", "# 1. Shelter foxes\n\nStatus: accepted\n\nA fox den is kept.\n")
    fieldguide("findings", "add", "A fox den must never be dug up", "--type", "rule")
    return fieldguide


def test_all_kinds_are_found(everything):
    items = json.loads(everything("find", "fox den", "--json").out)["items"]

    assert {item["kind"] for item in items} >= {"document", "code", "decision", "finding"}


@pytest.mark.parametrize("kind", ["document", "code", "decision", "finding"])
def test_a_search_keeps_to_the_kind_that_is_named(everything, kind):
    items = json.loads(everything("find", "fox den", "--kind", kind, "--json").out)["items"]

    assert {item["kind"] for item in items} == {kind}


def test_a_kind_that_there_is_not_is_named_as_it_was_typed(everything):
    assert "There is no kind 'docs'; the kinds are code, " in everything("find", "fox", "--kind", "docs", code=1).err


def test_a_kind_may_be_named_as_several(everything):
    one = everything("find", "fox den", "--kind", "decision").out
    several = everything("find", "fox den", "--kind", "decisions").out

    assert one == several


def test_a_search_that_can_not_wait_for_the_whole_index_says_so(project, home):
    for number in range(200):
        project.write(f"docs/{number}.md", f"# Page {number}\n")
    project.write("docs/foxes.md", FOXES)

    with held_sqlite_turn(project.root):
        done = run("find", "fox", "--kind", "documents", "--project", project.root, XDG_CONFIG_HOME=str(home))

    assert done.stdout.startswith(f"{project.root}/docs/foxes.md:1 ")
    assert "Not everything is indexed yet. `fieldguide index` finishes it" in done.stderr


def test_nothing_found_is_no_error_except_where_that_is_asked_for(fieldguide, project):
    for name in ("ferns.md", "foxes.md"):
        (project.root / "docs" / name).unlink()

    assert json.loads(fieldguide("find", "fox", "--json").out)["items"] == []
    assert fieldguide("find", "fox").out == fieldguide("find", "fox", "--fail", code=1).out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((" ",), 'Say what to look for, as in: fieldguide find "how are retries counted".'),
        (("x", "--limit", "0"), "is not a number from 1"),
        (("x", "--limit", "many"), "is not a number from 1"),
    ],
)
def test_what_can_not_be_searched_is_a_sentence(project, home, words, sentence):
    project.write("docs/a.md", "# A\n")

    done = run("find", *words, "--project", project.root, code=2, XDG_CONFIG_HOME=str(home))

    assert done.stdout == ""
    assert sentence in done.stderr


def test_what_was_never_fetched_is_told_beside_the_hits(fieldguide, project):
    sources = {"docs": {"url": "docs"}, "far": {"url": "https://example.org/manifest.json"}}
    project.write("context.json", json.dumps({"collections": sources}))

    done = fieldguide("find", "fox", "--limit", 1)

    assert done.out.startswith(f"{project.root}/docs/foxes.md:1 ")
    assert done.err == "fieldguide: far: it was never fetched. `fieldguide documents sync far` does that.\n"


def test_words_are_highlighted_on_a_terminal_only(fieldguide, project, home):
    plain = fieldguide("find", "digging foxes", "--limit", 1).out
    seen = on_a_terminal(project, home, "dens", "foxes", "--limit", "1")

    assert "\x1b" not in plain
    assert "A \x1b[1mfox\x1b[0m digs its \x1b[1mden\x1b[0m below old trees." in seen


@pytest.mark.parametrize("unwanted", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_whoever_wants_no_colour_gets_none(fieldguide, project, home, unwanted):
    seen = on_a_terminal(project, home, "fox", "--limit", "1", **unwanted)

    assert "A fox digs its den below old trees." in seen
    assert "\x1b" not in seen
