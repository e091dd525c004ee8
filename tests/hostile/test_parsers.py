"""Source code made to hurt: every tool answers, no other call waits, and the server ends when it is told to."""

import signal
import time

import anyio
import pytest

from fieldguide.cli.main import main
from fieldguide.source_code.imports import SyntaxProblem, read_imports
from fieldguide.source_code.parsing import GRAMMARS
from fieldguide.toolsets.architecture.rules import check_code, read_pattern
from fieldguide.toolsets.context.code.chunks import chunk_code
from tests.architecture_projects import PATTERNS
from tests.clients import http_client
from tests.hostile.nonsense import CODE, mixtures, runs
from tests.hostile.ticking import longest_hold
from tests.projects import Project
from tests.raw_client import RawClient
from tests.servers import http_server

MOST_HELD_SECONDS = 0.25
LARGE = 400_000
LONG = 50_000
SMALL = 2_000
PATTERN = """\
---
rules:
  - {id: no-print, message: Log., forbid-call: print}
  - {id: names, message: Functions are in snake_case., naming: {kind: [function, method], style: snake_case}}
  - {id: structures, message: None of these., structure: [empty-catch, sql-from-strings, any-type]}
---
# T
"""
FLAGS = ("--toolsets", "architecture,context")
HOSTILE = "x=>" * 80_000  # what is longer than 256 KiB is cut before its imports are read


def write_hostile(project: Project) -> None:
    """A pattern, and files that keep a parser busy."""
    project.write(f"{PATTERNS}/all.md", PATTERN)
    project.write("src/Arrows.java", f"import a.B;\n{HOSTILE}")
    project.write("src/arrows.go", f"package a\n{'->' * 120_000}")
    project.write("src/angles.ts", "<a>" * 15_000)


@pytest.mark.parametrize("language", CODE)
def test_large_code_never_holds_the_lock(language):
    pattern = read_pattern("all", PATTERN)
    code = CODE[language] * (LARGE // len(CODE[language]))

    def work() -> None:
        check_code(pattern, code, language)
        chunk_code(code, language)
        read_imports(code, language)

    assert longest_hold(work) < MOST_HELD_SECONDS


@pytest.mark.parametrize("language", ["java", "go", "typescript", "python"])
def test_hostile_code_of_any_size_never_holds_the_lock(language):
    pattern = read_pattern("all", PATTERN)

    code = HOSTILE[:LONG]

    assert longest_hold(lambda: check_code(pattern, code, language)) < MOST_HELD_SECONDS
    assert longest_hold(lambda: chunk_code(code, language)) < MOST_HELD_SECONDS


@pytest.mark.parametrize("language", GRAMMARS)
def test_every_grammar_takes_nonsense_and_the_next_text(language):
    def work() -> None:
        for text in (*runs(SMALL), *mixtures(SMALL, seed=1, count=1)):
            chunk_code(text, language)

    assert longest_hold(work) < MOST_HELD_SECONDS
    assert [chunk.text for chunk in chunk_code("x", language)] == ["x"]


def test_a_document_that_hurts_never_holds_the_lock():
    examples = "".join(f"## Bad\n\n```java\n{'x=>' * 2_000}\n```\n\n" for _ in range(4))
    document = f"---\nrules:\n- id: a\n  message: A.\n  forbid-text: {'(a+)+' * 50}$\n---\n# T\n\n{examples}"

    assert longest_hold(lambda: read_pattern("all", document)) < MOST_HELD_SECONDS


def test_the_imports_of_a_text_that_hurts_are_refused_as_a_syntax_error():
    with pytest.raises(SyntaxProblem):
        read_imports(f"import a.B;\n{HOSTILE[:LONG]}", "java")


def test_a_check_of_a_project_that_hurts_comes_to_an_end(project, capsys):
    project.write(f"{PATTERNS}/all.md", PATTERN)
    project.write("src/Arrows.java", HOSTILE[:LONG])
    project.write("src/well.py", "print(1)\n")

    assert main(["check", "--project", str(project.root)]) == 1

    assert "src/well.py:1" in capsys.readouterr().out


def test_over_stdio_a_ping_is_answered_and_a_signal_obeyed_while_texts_hurt(project):
    write_hostile(project)
    with RawClient(project.root, *FLAGS) as client:
        client.initialize()
        for path in ("src/Arrows.java", "src/arrows.go", "src/angles.ts"):
            client.submit("tools/call", name="read_file", arguments={"path": path, "includeDeps": True})
        for language in ("java", "go"):
            arguments = {"pattern_name": "all", "code": HOSTILE, "language": language}
            client.submit("tools/call", name="validate-against-pattern", arguments=arguments)
        began = time.monotonic()
        assert client.request("ping")["result"] == {}
        pinged = time.monotonic()

        client.process.send_signal(signal.SIGTERM)
        client.process.wait(timeout=60)

        assert pinged - began < 1.0
        assert time.monotonic() - pinged < 2.0
        assert client.process.returncode == 0


@pytest.mark.anyio
@pytest.mark.filterwarnings("ignore:ping is removed")
async def test_over_http_a_ping_is_answered_and_a_signal_obeyed_while_texts_hurt(project):
    write_hostile(project)
    with http_server(project.root, *FLAGS) as url:
        async with http_client(url, mode="legacy") as client, anyio.create_task_group() as calls:
            for path in ("src/Arrows.java", "src/arrows.go", "src/angles.ts"):
                calls.start_soon(client.call_tool, "read_file", {"path": path, "includeDeps": True})
            await anyio.lowlevel.checkpoint()
            with anyio.fail_after(1.0):
                await client.send_ping()
            calls.cancel_scope.cancel()
        began = time.monotonic()

    assert time.monotonic() - began < 2.0


def test_after_everything_that_needs_a_tree_the_server_has_no_parser_in_it(project):
    write_hostile(project)
    project.write("src/well.py", "import os\n\n\ndef f():\n    print(1)\n")
    with RawClient(project.root, *FLAGS) as client:
        client.initialize()
        assert "isError" not in client.call("read_file", path="src/well.py", includeDeps=True)
        checked = client.call("validate-against-pattern", pattern_name="all", code="print(1)\n", language="python")
        assert "no-print" in checked["content"][0]["text"]

        with open(f"/proc/{client.process.pid}/maps", encoding="utf-8", errors="replace") as maps:
            assert "ast_grep" not in maps.read()
