"""`fieldguide patterns new` and `test`: rules that people write themselves."""

import pytest

from fieldguide.toolsets.architecture.rules import new_pattern
from tests.document_sources import command_in

DOCUMENT = """\
---
title: Output
prose: false
rules:
  - id: no-print
    message: Output goes through the logger.
    languages: [python]
    see: Loggers
    forbid-call: [print]
  - id: no-eval
    message: Nothing is evaluated.
    languages: [python]
    forbid-call: [eval]
    examples:
      good: "literal_eval(text)"
      bad: ["eval(text)", "x = eval(y)"]
---
# Output

## Loggers

```python
# bad
print(1)
# good
logger.info(1)
```
"""


@pytest.fixture
def patterns(project, capsys):
    run = command_in(project, capsys)
    return lambda *words, code=0: run("patterns", *words, code=code)


@pytest.fixture
def check(project, capsys):
    run = command_in(project, capsys)
    return lambda *words, code=0: run("check", *words, code=code)


def written(project, name):
    return (project.root / f"mcp/resources/patterns/{name}.md").read_text()


@pytest.mark.parametrize(
    ("language", "option", "value", "code"),
    [
        ("python", "--ban-call", "os.system", "import os\n\nos.system('ls')\n"),
        ("python", "--ban-call", "*.execute", "cursor.execute(sql)\n"),
        ("python", "--ban-import", "requests", "import requests\n"),
        ("python", "--ban-import", "django.db.*", "from django.db import models\n"),
        ("python", "--ban-pattern", "$A == None", "if x == None:\n    pass\n"),
        ("python", "--ban-pattern", "except: $$$BODY", "try:\n    work()\nexcept:\n    pass\n"),
        ("typescript", "--ban-call", "new Date", "const now = new Date();\n"),
        ("typescript", "--ban-import", "lodash", "import { pick } from 'lodash';\n"),
        ("typescript", "--ban-pattern", "catch ($E) {}", "try { work(); } catch (error) {}\n"),
        ("python", "--structure", "bare-except", "try:\n    work()\nexcept:\n    pass\n"),
        ("typescript", "--structure", "loose-equality", "if (a == b) work();\n"),
        ("go", "--ban-call", "fmt.Println", 'package a\n\nimport "fmt"\n\nfunc f() { fmt.Println(1) }\n'),
        ("go", "--ban-import", "github.com/pkg/errors", 'package a\n\nimport "github.com/pkg/errors"\n'),
        ("java", "--ban-import", "javax.persistence.*", "import javax.persistence.Entity;\n\nclass A { }\n"),
        ("java", "--ban-pattern", "catch ($E $X) {}", "class A { void f() { try { g(); } catch (E e) {} } }\n"),
    ],
)
def test_a_new_pattern_has_a_rule_that_runs(patterns, check, project, language, option, value, code):
    suffix = {"python": "py", "typescript": "ts", "go": "go", "java": "java"}[language]
    done = patterns("new", "our-rule", "--language", language, option, value, "--message", "We do not.")
    project.write(f"src/a.{suffix}", code)

    broken = check(code=1)

    assert done.out.startswith("added     mcp/resources/patterns/our-rule.md\n")
    assert f"src/a.{suffix}:" in broken.out
    assert "error our-rule/our-rule: We do not. " in broken.out


def test_without_a_wish_there_is_a_small_rule_with_the_other_checks_as_comments(patterns, check, project):
    patterns("new", "first", "--language", "python")
    project.write("a.py", "x = 1  # FIXME: later\n")

    assert "# Other checks" in written(project, "first")
    assert "first/first" in check(code=1).out


def test_the_language_is_that_of_most_files(patterns, project):
    project.write("a.go", "package a\n")
    project.write("b.go", "package a\n")
    project.write("c.py", "")

    patterns("new", "first")

    assert "languages: [go]" in written(project, "first")


def test_a_structure_is_begun_in_a_language_that_has_it_and_only_where_it_is_wanted(patterns, check, project):
    project.write("a.js", "")
    project.write("b.js", "")
    project.write("src/c.ts", "let a: any;\n")
    project.write("lib/d.ts", "let a: any;\n")

    patterns("new", "no-any", "--structure", "any-type", "--files", "src/**")

    assert "languages: [typescript]" in written(project, "no-any")
    assert check(code=1).out.count("\n") == 1


def test_a_new_pattern_is_never_written_over_another(patterns, project):
    project.write("mcp/resources/patterns/ours.md", "# Ours\n")

    done = patterns("new", "ours", "--ban-call", "print", "--language", "python", code=2)

    assert "is there already" in done.err
    assert written(project, "ours") == "# Ours\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["x", "--ban-pattern", "except (("], "The rule can't be read."),
        (["x", "--ban-pattern", "class $A: $$$B", "--bad", "x = 1"], "is not caught by `x`"),
        (["x", "--ban-call", "print", "--good", "print(1)"], "is caught by `x`"),
        (["../x", "--ban-call", "print"], "A pattern is named with letters"),
        (["x", "--structure", "bare-excep"], "There is no structure 'bare-excep'. Did you mean 'bare-except'?"),
        (["x", "--structure", "bare-except", "--language", "go"], "'bare-except' is a structure of"),
        (["x", "--language", "cobol"], "There is no parser for 'cobol' here."),
    ],
)
def test_what_would_not_work_is_refused_and_nothing_is_written(patterns, project, words, said):
    done = patterns("new", *words, code=2)

    assert said in done.err
    assert not (project.root / "mcp").exists()


def test_examples_are_tests(patterns, project):
    project.write("mcp/resources/patterns/output.md", DOCUMENT)

    done = patterns("test")

    assert (done.out, done.err) == ("", "0 failures in 5 examples.\n")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("print(1)\n# good", "pprint(1)\n# good", "output.md:24: The bad example is caught by none of `no-print`."),
        ("logger.info(1)", "logger.info(1)\nprint(2)", "output.md:27: The good example is caught by `no-print`."),
        ("x = eval(y)", "x = y", "output.md:16: The bad example is not caught by `no-eval`."),
        ("literal_eval(text)", "eval(text)", "output.md:15: The good example is caught by `no-eval`."),
        ("```python\n", "```python rule=nothing\n", "output.md:24: There is no rule `nothing` that"),
        ("```python\n", "```go\n", "output.md:24: No rule of the document is for the language"),
    ],
)
def test_each_example_that_is_not_what_it_says_is_a_line(patterns, project, before, after, said):
    project.write("mcp/resources/patterns/output.md", DOCUMENT.replace(before, after))

    done = patterns("test", code=1)

    assert f"mcp/resources/patterns/{said}" in done.out


@pytest.mark.parametrize(
    "fence",
    [
        "```python bad rule=no-print\nprint(1)\n```", "```python bad\nprint(1)\n```",
        "Bad:\n\n```python\nprint(1)\n```", "### Bad example\n\n```python\nprint(1)\n```",
        "**Wrong**\n\n~~~python\nprint(1)\n~~~", "- ❌\n\n  ```python\n  print(1)\n  ```",
    ],
)  # fmt: skip
def test_an_example_is_marked_in_any_usual_way(patterns, project, fence):
    text = DOCUMENT.partition("```python")[0] + fence + "\n"
    project.write("mcp/resources/patterns/output.md", text)
    project.write("mcp/resources/patterns/wrong.md", text.replace("print(1)", "spare(1)"))

    assert patterns("test", "output").err == "0 failures in 4 examples.\n"
    assert "wrong.md:" in patterns("test", "wrong", code=1).out


def test_documents_that_nothing_shows_to_work_are_told(patterns, project):
    project.write("mcp/resources/patterns/bare.md", DOCUMENT.partition("```python")[0])
    project.write("mcp/resources/patterns/talk.md", "# Talk\n")

    told = patterns("test").err

    assert "bare.md: no bad example shows that it works: no-print." in told
    assert "talk.md has no rule." in told


def test_the_examples_of_our_own_patterns_pass(patterns):
    patterns("add", *new_pattern.list_starters())

    assert patterns("test").out == ""
