"""Code as agents paste it: behind a sentence, as a diff, in JavaScript where the rules say TypeScript."""

import pytest

from tests.unit.architecture.rules.documents import declared, lines_of, places_of

NO_PRINTS = declared("- id: no-print\n  message: Log.\n  forbid-call: [print, console.log, fmt.Println]")
CONSOLE = """
    - id: no-console
      message: Use the logger.
      languages: [typescript]
      forbid-call: console.*
    - id: no-cast
      message: Do not cast.
      languages: [typescript]
      ast-grep: "$X as any"
    - id: no-loop
      message: Do not await in a loop.
      languages: [typescript]
      ast-grep: {rule: {kind: await_expression, inside: {kind: while_statement, stopBy: end}}}
"""


@pytest.mark.parametrize(
    ("language", "code", "lines"),
    [
        (None, "Here is the file:\n\n```ts\nconsole.log(1);\n```\n", [4]),
        ("python", 'print(1)\nHELP = """\n```\nprint(2)\n```\n"""\n', [1]),
        ("go", "@@ -1,3 +1,4 @@ func f() {\n \ta := 1\n-\tfmt.Println(a)\n+\tfmt.Println(b)\n \treturn\n", [4]),
        ("python", "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    print(1)\n", [6]),
    ],
    ids=["a sentence before a fence", "a fence in a docstring", "a diff", "a diff of Python, dedented"],
)
def test_only_what_is_code_counts_at_its_line(language, code, lines):
    assert lines_of(NO_PRINTS, code, language) == lines


def test_rules_for_typescript_hold_for_javascript():
    code = "console.log(1);\nwhile (a) {\n  await b();\n}\n"

    assert places_of(declared(CONSOLE), code, "javascript") == [("no-console", 1), ("no-loop", 3)]


@pytest.mark.parametrize(
    ("rule", "language", "code", "lines"),
    [
        ("forbid-call: System.out.println", "java",
         "class A {\n  void f() {\n    System.out // progress\n        .println(1);\n  }\n}\n", [3]),
        ('forbid-import: [log, "encoding/*"]', "go",
         'package a\nimport (\n\t"log"\n\t"log/slog"\n\t"encoding/json"\n)\n', [3, 5]),
    ],
    ids=["a comment in a chain hides no call", "a package is not the one below it"],
)  # fmt: skip
def test_a_rule_holds_for_code_as_people_write_it(rule, language, code, lines):
    assert lines_of(declared(f"- id: a\n  message: A.\n  {rule}"), code, language) == lines
