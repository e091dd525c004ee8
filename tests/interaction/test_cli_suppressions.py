"""Comments that say why a rule does not hold: what `fieldguide check` makes of them."""

import json

import pytest

from tests.document_sources import command_in

PATTERN = """\
---
title: Prints
rules:
  - id: no-print
    message: Nothing is printed.
    forbid-call: [print, "console.log", "fmt.Println", "System.out.println", puts]
    languages: [python, typescript, go, java, ruby]
  - id: no-secret-word
    message: The word is not written.
    forbid-text: swordfish
    in: all
    languages: [python, sql, html, yaml, clojure]
---
# Prints
"""


@pytest.fixture
def check(project, capsys):
    project.write("mcp/resources/patterns/prints.md", PATTERN)
    run = command_in(project, capsys)

    def check(*words, code=0):
        return run("check", *words, code=code)

    return check


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "print(1)  # fieldguide: ignore[no-print] the command's output\n"),
        ("b.py", "# fieldguide: ignore[prints/no-print] the command's output\nprint(1)\n"),
        ("c.py", "# fieldguide: ignore[no-print, no-secret-word] the command's output\n# more of it\n\nprint(1)\n"),
        ("d.ts", "console.log(1); // fieldguide: ignore[no-print] the command's output\n"),
        ("e.ts", "/* fieldguide: ignore[no-print] the command's output */\nconsole.log(1);\n"),
        ("f.go", "package a\n\nfunc f() {\n\tfmt.Println(1) // fieldguide: ignore[prints]: the command's output\n}\n"),
        (
            "g.java",
            "class A { void f() { System.out.println(1); } } // fieldguide: ignore[no-print] the command's output\n",
        ),
        ("h.rb", "puts 1 # fieldguide: ignore[no-print] the command's output\n"),
        ("i.sql", "SELECT 'swordfish'; -- fieldguide: ignore[no-secret-word] the command's output\n"),
        ("j.html", "<b>swordfish</b> <!-- fieldguide: ignore[no-secret-word] the command's output -->\n"),
        ("k.yaml", "word: swordfish  # fieldguide: ignore[no-secret-word] the command's output\n"),
        ("l.clj", '(def word "swordfish") ; fieldguide: ignore[no-secret-word] the command\'s output\n'),
        ("m.py", "print(\n    1,\n)  # fieldguide: ignore[no-print] the command's output\n"),
    ],
)
def test_a_comment_with_a_reason_suppresses_a_violation_in_every_syntax(check, project, name, text):
    project.write(f"src/{name}", text)

    told = json.loads(check(f"{project.root}/src/{name}", "--format", "json", "--fail-on", "warning").out)

    assert told["findings"] == []
    assert [each["reason"] for each in told["suppressed"]] == ["the command's output"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("print(1)\n", ["error prints/no-print"]),
        ("print(1)  # fieldguide: ignore[no-print]\n",
         ["error prints/no-print", "warning fieldguide/ignore-without-reason"]),
        ("print(1)  # fieldguide: ignore because I say so\n",
         ["error prints/no-print", "warning fieldguide/ignore-without-rule"]),
        ("x = 1  # fieldguide: ignore[no-print] it printed once\n", ["warning fieldguide/unused-ignore"]),
        ('print("# fieldguide: ignore[no-print] not a comment")\n', ["error prints/no-print"]),
    ],
)  # fmt: skip
def test_a_comment_that_says_too_little_or_is_none_is_told_and_suppresses_nothing(check, project, text, told):
    project.write("src/a.py", text)

    lines = check("--fail-on", "warning", code=1).out.splitlines()

    assert sorted(" ".join(line.split()[1:3]).rstrip(":") for line in lines) == sorted(told)


def test_a_comment_for_a_rule_that_was_not_run_is_not_judged(check, project):
    project.write("mcp/resources/patterns/other.md", PATTERN.replace("no-print", "no-shout"))
    project.write("src/a.py", "x = 1  # fieldguide: ignore[no-print] it printed once\n")

    assert check("--pattern", "other", "--fail-on", "warning").out == ""


def test_other_rules_and_other_lines_stay(check, project):
    project.write("src/a.py", "print('swordfish')  # fieldguide: ignore[no-print] a test\nprint(2)\n")

    done = check(code=1)

    assert [line.partition(":")[2].split(":")[0] for line in done.out.splitlines()] == ["1", "2"]
    assert "1 violation suppressed by comments" in done.err
