"""Source code made to hurt: every tool answers, no other call waits, and the server ends when it is told to."""

import signal

import pytest

from fieldguide.cli.main import main
from fieldguide.code.imports.languages import read_imports
from fieldguide.code.parsing import GRAMMARS, MOST_PARSED, SyntaxProblem
from fieldguide.toolsets.architecture.rules.pattern import check_code, read_pattern
from fieldguide.toolsets.context.code_chunking import chunk_code
from tests.architecture_projects import PATTERNS
from tests.hostile.nonsense import CODE, mixtures, runs
from tests.hostile.ticking import holds_the_lock
from tests.projects import Project
from tests.raw_client import RawClient

LARGE = MOST_PARSED
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

    assert not holds_the_lock(work)


@pytest.mark.parametrize("language", ["java", "go", "typescript", "python"])
def test_hostile_code_of_any_size_never_holds_the_lock(language):
    pattern = read_pattern("all", PATTERN)

    code = HOSTILE[:LONG]

    assert not holds_the_lock(lambda: check_code(pattern, code, language))
    assert not holds_the_lock(lambda: chunk_code(code, language))


@pytest.mark.parametrize("language", GRAMMARS)
def test_every_grammar_takes_nonsense_and_the_next_text(language):
    def work() -> None:
        for text in (*runs(SMALL), *mixtures(SMALL, seed=1, count=1)):
            chunk_code(text, language)

    assert not holds_the_lock(work)
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
    with RawClient(project.root, *FLAGS) as client:
        client.initialize()
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
    with RawClient(project.root, *FLAGS) as client:
        client.initialize()
        assert "isError" not in client.call("read_file", path="src/well.py", includeDeps=True)
        checked = client.call("validate-against-pattern", pattern_name="all", code="print(1)\n", language="python")
        assert "no-print" in checked["content"][0]["text"]

        with open(f"/proc/{client.process.pid}/maps", encoding="utf-8", errors="replace") as maps:
            assert "ast_grep" not in maps.read()
