"""What a report says besides its findings: what to mend, what was not checked, when the code does not parse."""

import pytest

from fieldguide.toolsets.architecture.rules.pattern import check_code, read_pattern
from tests.unit.architecture.rules.documents import declared, prose


def test_suggestions_name_the_lines_the_fix_and_the_line_of_the_document():
    pattern = declared("- id: a\n  message: No.\n  fix: Use the logger\n  forbid-call: print")

    report = check_code(pattern, "print(1)\nprint(2)\n", "python")

    assert report.suggestions[0] == "Lines 1, 2: Use the logger. (a at `print`; pattern, line 3)"
    assert report.checked == 1


def test_findings_come_in_the_order_of_lines_with_their_place_and_severity():
    pattern = declared("""
        - id: b
          message: B.
          severity: warning
          forbid-call: g
        - id: a
          message: A.
          forbid-call: f
    """)

    report = check_code(pattern, "x\nif y:\n    g(f(\n    1))\n", "python")

    assert [(each.line, each.rule, each.severity, each.column, each.end_line) for each in report.findings] == [
        (3, "a", "error", 7, 4),
        (3, "b", "warning", 5, 4),
    ]


@pytest.mark.parametrize(
    ("rules", "code", "language", "reason"),
    [
        (None, "f()\n", "python", "The document has no rule that a machine can check."),
        ("languages: go\n  forbid-call: f", "f()\n", "python", "1 rule was not checked: for go, not for python."),
        ("forbid-call: f", "what is this\n", None, "The language could not be told"),
        ("forbid-call: f", "f()\n", "sql", "1 rule was not checked: nothing that can be looked for in sql (`a`)."),
        ("forbid-call: f", "(" * 3_000, "python", "The code is nested too deeply"),
        ("files: src/**\n  forbid-call: f", "# lib/a.py\nf()\n", "python", "1 rule was not checked: for other files"),
    ],
)
def test_code_that_no_rule_was_applied_to_is_told_with_the_reason(rules, code, language, reason):
    pattern = declared(f"- id: a\n  message: A.\n  {rules}") if rules else read_pattern("words", "# T\n\nBe kind.\n")

    report = check_code(pattern, code, language)

    assert report.checked == 0
    assert report.not_checked[0].startswith(reason)
    assert report.suggestions[0].startswith("No rule of this pattern was checked")


def test_what_was_not_checked_is_told_beside_what_was():
    rules = "- id: a\n  message: A.\n  forbid-call: f\n- id: b\n  message: B.\n  languages: go\n  forbid-call: g"
    pattern = declared(rules)

    report = check_code(pattern, "x = 1\ndef f(:\n", "python")

    assert report.checked == 1
    assert report.not_checked == (
        "1 rule was not checked: for go, not for python.",
        "The code does not parse as python from line 2 on.",
    )


def test_advice_is_told_with_its_line_and_only_a_little_of_it():
    pattern = prose("# T\n\n" + "".join(f"- Module {number} must have an owner.\n" for number in range(15)))

    told = [each for each in check_code(pattern, "x = 1\n", "python").suggestions if "also says" in each]

    assert told[0] == "The document also says (line 3): Module 0 must have an owner."
    assert len(told) == 5


@pytest.mark.parametrize(
    ("language", "code", "line"),
    [
        ("python", "x = 1\n\ndef f(:\n    pass\n", 3),
        ("typescript", "const a = 1;\nconst = 2;\n", 2),
        ("go", "package a\n\nfunc f( {\n}\n", 3),
        ("java", "class A {\n  void f() { int x = ; }\n}\n", 2),
    ],
)
def test_code_that_does_not_parse_is_one_warning_at_its_first_broken_line(language, code, line):
    pattern = declared('- id: t\n  message: T.\n  forbid-text: "never"')

    findings = check_code(pattern, code, language).findings

    assert [(each.rule, each.severity, each.line) for each in findings] == [("parseable", "warning", line)]


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "match x:\n    case [a, *b] if a:\n        print(f'{b!r:>{w}}')\n"),
        ("typescript", "@A() export class B<T extends C = D> { #x?: T; get y() { return this.#x!; } }\n"),
        ("go", "func F[T any](xs ...T) (r []T) { for i := range 3 { _ = i }; return }\n"),
        (
            "java",
            "record A(int b) {}\nsealed interface C permits D {}\nclass E { int f = switch (g) { case 1 -> 2; d"
            "efault -> 3; }; }\n",
        ),
        ("java", "@Test void f() { g(); }\n"),
        ("javascript", "const a = { ...b, async *c() { yield* d?.e ?? f; } };\n"),
    ],
)
def test_code_that_is_in_order_is_never_called_broken(language, code):
    assert check_code(declared("- id: a\n  message: A.\n  forbid-call: zzz"), code, language).findings == ()


def test_at_most_two_hundred_findings_are_listed_and_the_rest_counted():
    pattern = declared("- id: a\n  message: A.\n  forbid-call: f")

    report = check_code(pattern, "f()\n" * 250, "python")

    assert len(report.findings) == 200
    assert "50 more findings are not listed." in report.suggestions
