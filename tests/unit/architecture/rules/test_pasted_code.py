"""Code as agents paste it: behind a sentence, as a diff, in JavaScript where the rules say TypeScript."""

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


def test_a_sentence_before_the_fence_is_no_code():
    assert lines_of(NO_PRINTS, "Here is the file:\n\n```ts\nconsole.log(1);\n```\n") == [4]


def test_a_fence_in_a_docstring_is_code():
    assert lines_of(NO_PRINTS, 'print(1)\nHELP = """\n```\nprint(2)\n```\n"""\n', "python") == [1]


def test_a_diff_is_what_it_leaves():
    diff = "@@ -1,3 +1,4 @@ func f() {\n \ta := 1\n-\tfmt.Println(a)\n+\tfmt.Println(b)\n \treturn\n"

    assert places_of(NO_PRINTS, diff, "go") == [("no-print", 4)]


def test_a_diff_of_python_is_dedented():
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    print(1)\n"

    assert places_of(NO_PRINTS, diff, "python") == [("no-print", 6)]


def test_rules_for_typescript_hold_for_javascript():
    code = "console.log(1);\nwhile (a) {\n  await b();\n}\n"

    assert places_of(declared(CONSOLE), code, "javascript") == [("no-console", 1), ("no-loop", 3)]


def test_a_document_with_rules_for_javascript_keeps_those_for_typescript_apart():
    own = (
        CONSOLE
        + """
    - id: no-var
      message: No var.
      languages: [javascript]
      ast-grep: {rule: {kind: variable_declaration}}
    """
    )

    assert places_of(declared(own), "console.log(1);\nvar a = 1;\n", "js") == [("no-var", 2)]


def test_a_comment_in_a_chain_does_not_hide_the_call():
    rules = "- id: no-print\n  message: Log.\n  forbid-call: System.out.println\n"
    code = "class A {\n  void f() {\n    System.out // progress\n        .println(1);\n  }\n}\n"

    assert lines_of(declared(rules), code, "java") == [3]


def test_a_catch_clause_with_its_type_is_a_pattern():
    rules = '- id: empty\n  message: Act.\n  languages: [java]\n  ast-grep: "catch ($T $E) { }"\n'
    pattern = declared(rules)

    assert pattern.problems == ()
    assert lines_of(pattern, "class A { void f() {\ntry { g(); } catch (E e) { }\n} }\n", "java") == [2]


def test_a_package_of_go_is_not_the_one_below_it():
    rules = '- id: no-log\n  message: Use slog.\n  languages: [go]\n  forbid-import: [log, "encoding/*"]\n'
    code = 'package a\nimport (\n\t"log"\n\t"log/slog"\n\t"encoding/json"\n)\n'

    assert lines_of(declared(rules), code, "go") == [3, 5]
