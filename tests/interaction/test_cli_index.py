"""`fieldguide index` as a person or a script uses it."""

import json
import os
import re
import threading

import pytest

from fieldguide.cli.console.terminal import ProgressBar, ProgressLine
from fieldguide.files import listing, parser_process
from fieldguide.search import backlog, engine
from fieldguide.toolsets.context import file_documents
from tests.indexed_projects import index_file

pytestmark = pytest.mark.usefixtures("own_home")


def test_it_says_what_was_done_and_how_long_it_took(fieldguide, project):
    project.write("docs/a.md", "# A\n")
    project.write("docs/b.md", "# B\n")

    first = fieldguide("index", "--toolsets", "documents").out
    project.write("docs/b.md", "# B, changed\n")
    (project.root / "docs" / "a.md").unlink()
    second = fieldguide("index", "--toolsets", "documents").out

    time = r"Up to date after \d+\.\d seconds\.\n"
    assert re.fullmatch(r"docs  2 files, 2 new\n" + time, first)
    assert re.fullmatch(r"docs  1 file, 1 changed, 1 removed\n" + time, second)


def test_a_content_that_comes_back_is_not_read_again(fieldguide, project, monkeypatch):
    def run_in_child(*asked, **more):
        read.append(asked[1])
        return parser_process.run_in_child(*asked, **more)

    read: list[str] = []
    monkeypatch.setattr(backlog, "run_in_child", run_in_child)
    for name in ("water_ferns", "feed_foxes") * 2:
        project.write("src/garden.py", f"def {name}():\n    return 1\n")
        for title in ("First", "Second"):
            project.write(f"docs/{title}.md", f"# {title}\n\nHow to {name}.\n")
        fieldguide("index", "--toolsets", "context,documents")
        assert len(re.findall(r"garden\.py|First\.md|Second\.md", fieldguide("find", name).out)) == 3

    assert sorted(read) == ["First"] * 2 + ["Second"] * 2 + ["src/garden.py"] * 2


def test_very_much_vendored_code_is_left_out_and_reported(fieldguide, project, monkeypatch):
    monkeypatch.setattr(file_documents, "MOST_VENDORED", 1)
    project.write("src/garden.py", "def water_ferns():\n    return 1\n")
    for name in ("a", "b"):
        project.write(f"vendor/{name}.py", "def feed_foxes():\n    return 2\n")

    done = fieldguide("index", "--toolsets", "context")

    assert "code: 2 files of vendored code are not indexed" in done.err
    assert "vendor/" not in fieldguide("find", "feed foxes").out


def test_code_that_is_too_large_is_named(fieldguide, project):
    project.write("src/garden.py", "def water_ferns():\n    return 1\n")
    project.write("src/registers.h", "#define FERN_WATER 0x1\n" * (1 << 16))

    done = fieldguide("index", "--toolsets", "context")

    assert "code: not indexed, because larger than 1 MiB (1): src/registers.h" in done.err


def test_a_toolset_that_fails_does_not_stop_the_others(fieldguide, project, monkeypatch):
    project.write("docs/a.md", "# A\n")
    monkeypatch.setattr(listing, "_told", fail)

    done = fieldguide("index", code=1)

    assert re.search(r"docs +1 file, 1 new", done.out)
    assert "context: The files could not be listed" in done.err
    assert "Traceback" not in done.err


def test_beside_a_process_that_indexes_it_waits_says_so_and_ends_well(fieldguide, project, monkeypatch):
    project.write("docs/a.md", "# A\n")
    fieldguide("index", "--toolsets", "documents")
    monkeypatch.setattr(engine, "PATIENCE_SECONDS", 0.0)
    has_turn, may_end = threading.Event(), threading.Event()
    said: list[str] = []

    def take_long():
        with engine.hold_file_turn(f"{index_file(project.root)}.indexing", said.append):
            has_turn.set()
            may_end.wait(60)

    def hear(sentence):
        said.append(sentence)
        may_end.set()

    monkeypatch.setattr(ProgressLine, "remark", lambda self, sentence: hear(sentence))
    other = threading.Thread(target=take_long)
    other.start()
    assert has_turn.wait(60)

    done = fieldguide("index", "--toolsets", "documents")
    other.join()

    assert said == [engine.WAITS]
    assert "docs  1 file\n" in done.out


def fail(command, folder):
    raise listing._failed("has told nothing for 60 seconds")


def test_the_bar_is_for_terminals_and_for_what_takes_long(monkeypatch, capsys):
    monkeypatch.setattr("fieldguide.cli.console.terminal.BAR_PATIENCE_SECONDS", 0.0)
    bar = ProgressBar()
    bar(1, 2, "docs")
    bar.clear()
    without_terminal = capsys.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    bar(1, 2, "docs")
    bar.clear()

    assert without_terminal == ""
    assert "1/2 docs" in capsys.readouterr().err


def test_a_document_that_is_too_large_is_told_by_everybody(fieldguide, project):
    project.write("docs/a.md", "# A\n")
    project.write("docs/huge.md", "# Huge\n")
    os.truncate(project.root / "docs" / "huge.md", (8 << 20) + 1)
    said = "not indexed, because larger than 8 MiB: huge.md"

    indexed = fieldguide("index", "--toolsets", "documents")
    done = json.loads(fieldguide("index", "--toolsets", "documents", "--json").out)

    assert "docs  1 file, 1 new\n" in indexed.out
    assert said in indexed.err
    assert done["documents"]["indexed"]["docs"]["tooLarge"] == ["huge.md"]
    assert said in fieldguide("status", "--toolsets", "documents").out
    assert said in fieldguide("doctor", "--toolsets", "documents").out

    (project.root / "docs" / "huge.md").unlink()

    assert said not in fieldguide("index", "--toolsets", "documents").err
    assert said not in fieldguide("status", "--toolsets", "documents").out
