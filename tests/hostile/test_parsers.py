"""Source code made to hurt: every tool answers, no other call waits, and the server ends when it is told to."""

import json
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from fieldguide.cli.main import main
from fieldguide.code.imports.languages import read_imports
from fieldguide.code.parsing import GRAMMARS, MOST_PARSED, SyntaxProblem
from fieldguide.toolsets.architecture.rules.pattern import check_code, read_pattern
from fieldguide.toolsets.context.code_chunking import chunk_code
from tests.architecture_projects import PATTERNS
from tests.hostile.nonsense import CODE, mixtures
from tests.hostile.ticking import holds_the_lock
from tests.processes import eventually
from tests.projects import Project
from tests.raw_client import RawClient
from tests.servers import FIELDGUIDE, environment

LARGE = MOST_PARSED
LONG = 50_000
SMALL = 2_000
MOST_SECONDS = 300.0
PATTERN = """\
---
rules:
  - {id: no-print, message: Log., forbid-call: print}
  - {id: names, message: Functions are in snake_case., naming: {kind: [function, method], style: snake_case}}
  - {id: calls, message: None of these., ast-grep: $A($$$)}
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


@pytest.mark.parametrize("language", ["python", "typescript"])
def test_large_code_never_holds_the_lock(language):
    pattern = read_pattern("all", PATTERN)
    code = CODE[language] * (LARGE // len(CODE[language]))

    def work() -> None:
        check_code(pattern, code, language)
        chunk_code(code, language)
        read_imports(code, language)

    assert not holds_the_lock(work)


@pytest.mark.parametrize("language", GRAMMARS)
def test_every_grammar_takes_nonsense_and_the_next_text(language):
    for text in mixtures(SMALL, seed=1, count=2):
        chunk_code(text, language)

    assert [chunk.text for chunk in chunk_code("x", language)] == ["x"]


def test_a_document_that_hurts_never_holds_the_lock():
    examples = "".join(f"## Bad\n\n```java\n{'x=>' * 2_000}\n```\n\n" for _ in range(4))
    document = f"---\nrules:\n- id: a\n  message: A.\n  forbid-text: {'(a+)+' * 50}$\n---\n# T\n\n{examples}"

    assert not holds_the_lock(lambda: read_pattern("all", document))


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
    with RawClient(project.root, *FLAGS).ready() as client:
        asked = [
            client.submit("tools/call", name="read_file", arguments={"path": path, "includeDeps": True})
            for path in ("src/Arrows.java", "src/arrows.go", "src/angles.ts")
        ]
        for language in ("java", "go"):
            arguments = {"pattern_name": "all", "code": HOSTILE[:LONG], "language": language}
            asked.append(client.submit("tools/call", name="validate-against-pattern", arguments=arguments))
        assert client.request("ping")["result"] == {}
        client.process.send_signal(signal.SIGTERM)
        answers = [client.answer(number) for number in asked]

        assert client.process.wait(timeout=60) == 0
    given_up = [answer for answer in answers if "error" in answer]
    assert {answer["error"]["message"] for answer in given_up} == {"The server is shutting down."}


def test_after_everything_that_needs_a_tree_the_server_has_no_parser_in_it(project):
    write_hostile(project)
    project.write("src/well.py", "import os\n\n\ndef f():\n    print(1)\n")
    with RawClient(project.root, *FLAGS).ready() as client:
        assert "isError" not in client.call("read_file", path="src/well.py", includeDeps=True)
        checked = client.call("validate-against-pattern", pattern_name="all", code="print(1)\n", language="python")
        assert "no-print" in checked["content"][0]["text"]

        with open(f"/proc/{client.process.pid}/maps", encoding="utf-8", errors="replace") as maps:
            assert "ast_grep" not in maps.read()


def start_index(project: Project) -> "subprocess.Popen[str]":
    command = [FIELDGUIDE, "index", "--json", "--project", str(project.root)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())


def list_parsers(parent: int) -> list[int]:
    """The parser processes of a process; none while one of its threads ends."""
    children: list[str] = []
    with suppress(OSError):
        for each in Path(f"/proc/{parent}/task").glob("*/children"):
            children += each.read_text(encoding="ascii").split()
        return [int(each) for each in children if b"parser_worker" in Path(f"/proc/{each}/cmdline").read_bytes()]
    return []


def read_niceness(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()[16])


def test_a_text_that_hurts_costs_the_index_one_file_and_is_told(project):
    project.write("src/Arrows.java", HOSTILE[:LONG])
    for number in range(30):
        project.write(f"src/well{number}.py", f"def well{number}():\n    return {number}\n")

    index = start_index(project)
    output, complaints = index.communicate(timeout=MOST_SECONDS)

    code = json.loads(output)["context"]["indexed"]["code"]
    assert index.returncode == 0
    assert code["total"] == 31
    assert code["givenUp"] == ["src/Arrows.java"]
    assert "indexed as plain text: src/Arrows.java" in complaints


def test_a_killed_parser_costs_the_index_one_file_at_most(project):
    for number in range(400):
        project.write(f"src/well{number}.py", f"def well{number}():\n    return {number}\n")
    index = start_index(project)
    killed: list[int] = []

    def kill_one() -> bool:
        for parser in list_parsers(index.pid)[:1]:
            os.kill(parser, signal.SIGKILL)
            killed.append(parser)
        return bool(killed)

    assert eventually(kill_one)
    output, _ = index.communicate(timeout=MOST_SECONDS)

    code = json.loads(output)["context"]["indexed"]["code"]
    assert index.returncode == 0
    assert code["total"] == 400
    assert len(code.get("givenUp", ())) <= 1


def test_a_served_project_is_indexed_by_processes_that_give_way(project):
    for number in range(30):
        project.write(f"src/well{number}.py", f"def well{number}():\n    return {number}\n")

    with RawClient(project.root, *FLAGS).ready() as client:
        client.submit("tools/call", name="context_search", arguments={"query": "well"})

        own = read_niceness(client.process.pid)
        assert eventually(lambda: any(read_niceness(each) > own for each in list_parsers(client.process.pid)))
