"""`fieldguide patterns import`: rules of ast-grep find the same here as there, or are reported as left out."""

import json

import pytest

from tests.document_sources import command_in

AST_GREP = """\
id: no-print
language: Python
severity: error
message: Nothing is printed.
note: |
  The logger knows where a line goes.
rule: {pattern: print($$$ARGS)}
fix: logger.info($$$ARGS)
ignores: ["scripts/*.py"]
---
id: private-call
language: py
rule: {pattern: $OBJ.$METHOD($$$)}
constraints: {METHOD: {regex: "^_[a-z]"}}
---
id: types
language: TypeScript
severity: warning
message: Any is no type.
rule: {kind: predefined_type, regex: ^any$}
---
id: switched-off
language: Go
severity: "off"
rule: {pattern: panic($A)}
---
id: pages
language: Html
rule: {kind: element}
---
id: elsewhere
language: Go
rule: {matches: not-here}
"""


@pytest.fixture
def patterns(project, capsys):
    run = command_in(project, capsys)
    return lambda *words, code=0: run("patterns", *words, code=code)


@pytest.fixture
def found(project, capsys):
    """The rule, path and line of everything that a check finds."""
    run = command_in(project, capsys)

    def found():
        told = json.loads(run("check", "--format", "json", "--fail-on", "never").out)
        return {(each["rule"].rpartition("/")[2], each["path"], each["line"]) for each in told["findings"]}

    return found


def test_rules_of_ast_grep_are_taken_over_with_all_that_stands_around_them(patterns, project, found, tmp_path):
    file = tmp_path / "our-rules.yml"
    file.write_text(AST_GREP)
    project.write("src/a.py", "print(1)\nself._hidden()\n")
    project.write("scripts/deep/b.py", "print(1)\n")
    project.write("src/a.ts", "let a: any;\n")
    project.write("src/a.tsx", "let a: any;\n")

    done = patterns("import", file, code=1)

    assert done.out == "added     mcp/resources/patterns/our-rules.md  3 rules\n"
    switched_off, pages, elsewhere = done.err.splitlines()
    assert switched_off == f"fieldguide: {file}:22: switched-off was not taken over: it is switched off."
    assert pages == f"fieldguide: {file}:27: pages was not taken over: there is no parser for 'Html' here."
    assert f"{file}:31: elsewhere was not taken over: ast-grep does not take it for go: " in elsewhere
    assert found() == {("no-print", "src/a.py", 1), ("private-call", "src/a.py", 2), ("types", "src/a.ts", 1)}
    text = (project.root / "mcp/resources/patterns/our-rules.md").read_text()
    assert "fix: Write `logger.info($$$ARGS)` instead." in text
    assert "The logger knows where a line goes." in text


def test_a_folder_of_rules_becomes_one_document(patterns, project, tmp_path):
    folder = tmp_path / "rules"
    folder.mkdir()
    first, second, *_ = AST_GREP.split("---\n")
    (folder / "a.yml").write_text(first)
    (folder / "b.yaml").write_text(second)

    assert patterns("import", folder).out == "added     mcp/resources/patterns/rules.md  2 rules\n"


def test_nothing_is_written_over_and_nothing_is_written_for_a_look(patterns, project, tmp_path):
    file = tmp_path / "rules.yml"
    file.write_text(AST_GREP.split("---\n")[0])
    project.write("mcp/resources/patterns/rules.md", "# Ours\n")

    looked = patterns("import", file, "--dry-run")
    refused = patterns("import", file, code=2)
    named = patterns("import", file, "--name", "theirs", "--json")

    assert looked.out.startswith("---\ntitle: Rules\n")
    assert "is there already" in refused.err
    assert json.loads(named.out) == {
        "documents": [{"document": "mcp/resources/patterns/theirs.md", "rules": ["no-print"]}],
        "left": [],
    }


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.yml", "a: [", "It can't be read"),
        ("x.yml", "a: 1\n", "has no rules that are known"),
        ("x.txt", "hello\n", "has no rules that are known"),
        ("x.yml", "rules:\n  - id: no-eval\n    pattern: eval(...)\n", "Taken over are rules of ast-grep in YAML."),
        ("x.yml", "rules: &a [*a]\n", "anchors and aliases"),
    ],
)
def test_what_is_no_rule_file_is_told(patterns, tmp_path, name, text, said):
    (tmp_path / name).write_text(text)

    assert said in patterns("import", tmp_path / name, code=2).err
