"""Front matter as people write it, malformed front matter too: what is wrong is told with its line, the rest holds."""

import pytest

from fieldguide.toolsets.architecture.rules.pattern import check_code, read_pattern
from tests.unit.architecture.rules.documents import declared, places_of

GOOD = "- id: good\n  message: Good.\n  forbid-call: f\n"


@pytest.mark.parametrize(
    ("see", "line"),
    [("Keep SQL in one place", 10), ("keep-sql-in-one-place", 10), ("12", 12), ("'## Keep SQL in one place'", 10)],
)
def test_a_rule_points_to_a_heading_its_anchor_or_a_line(see, line):
    body = "# Title\n\n## Keep *SQL* in `one` place\n\ntext\n\nmore\n"

    pattern = declared(f"- id: a\n  message: A.\n  see: {see}\n  forbid-call: f", body=body)

    assert pattern.rules[0].document_line == line
    assert pattern.problems == ()


def test_a_rule_without_see_points_to_itself():
    pattern = declared(GOOD + "- id: second\n  message: B.\n  forbid-call: g\n")

    assert [(rule.id, rule.document_line) for rule in pattern.rules] == [("good", 3), ("second", 6)]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("- id: bad\n  message: M.", "no check"),
        ("- id: bad\n  forbid-call: f\n  forbid-import: g", "2 checks"),
        ("- message: M.\n  forbid-call: f", "`id`"),
        ("- id: good\n  message: Again.\n  forbid-call: f", "name of another rule"),
        ("- id: bad\n  forbid-text: '(unclosed'", "no regular expression"),
        ("- id: bad\n  forbid-text: '(?=look)ahead'", "no regular expression"),
        ("- id: bad\n  forbid-text: x\n  in: margins", "`in`"),
        ("- id: bad\n  languages: [python]\n  ast-grep: {rule: {kind: no_such_kind}}", "no_such_kind"),
        ("- id: bad\n  ast-grep: {rule: {no-such-key: 1}}", "no-such-key"),
        ("- id: bad\n  ast-grep: {fix: x, rule: {pattern: x}}", "`fix`"),
        ("- id: bad\n  ast-grep: [1]", "mapping"),
        ("- id: bad\n  naming: {kind: planet, style: snake_case}", "`kind`"),
        ("- id: bad\n  naming: {kind: class}", "`matches`"),
        ("- id: bad\n  naming: {kind: class, style: shouting}", "`style`"),
        ("- id: bad\n  severity: fatal\n  forbid-call: f", "severity"),
        ("- id: bad\n  inside: Service\n  forbid-call: f", "`inside`"),
        ("- id: bad\n  languages: [klingon]\n  forbid-call: f", "languages"),
        ("- id: bad\n  forbid-call: []", "list of texts"),
        ("- just words", "not a mapping"),
    ],
)
def test_a_malformed_rule_is_a_problem_with_its_line_and_the_others_keep_working(rule, words):
    pattern = declared(GOOD + rule)

    assert [each.id for each in pattern.rules] == ["good"]
    assert any(words in each.message and each.document_line == 6 for each in pattern.problems)
    report = check_code(pattern, "f()\n", "python")
    assert [each.rule for each in report.findings] == ["good"]
    assert any("problem in line 6" in each for each in report.suggestions)


@pytest.mark.parametrize(
    "front",
    [
        "rules: [",
        "rules: {a: b}",
        "rules: 3",
        "- a\n- b",
        "just words",
        "rules:\n  - id: a\n    forbid-call: [*.execute]",
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nrules:\n  - id: a\n    forbid-call: *c",
        "rules: " + "[" * 5_000,
        "rules:\n" + "  - id: x\n" * 50_000,
        "x: \"\\ud800\"\nrules: []",
        "title: \x00",
    ],
)  # fmt: skip
def test_front_matter_that_can_not_be_read_is_told_and_the_prose_still_counts(front):
    pattern = read_pattern("bad", f"---\n{front}\n---\n# Rules\n\nNever call `print`.\n")

    assert [rule.origin for rule in pattern.rules] == ["prose"]
    assert pattern.problems or front.startswith(("x:", "- a", "just"))


def test_an_unknown_entry_is_told_but_does_not_undo_the_rule():
    pattern = declared(GOOD + "  severty: warning\n")

    assert [rule.id for rule in pattern.rules] == ["good"]
    assert "severty" in pattern.problems[0].message


def test_entries_may_be_written_with_underscores():
    pattern = declared("- id: a\n  message: A.\n  forbid_call: [f, g]\n")

    assert places_of(pattern, "g()\n", "python") == [("a", 1)]


def test_values_are_not_shared():
    pattern = declared("- id: a\n  message: A.\n  forbid-call: *calls\n", more="calls: &calls [f, g]\n")

    assert pattern.rules == ()
    assert "anchors and aliases (`calls`) are not taken" in pattern.problems[0].message


@pytest.mark.parametrize(
    "text", ["", "---", "---\n---", "---\nrules:\n", "\ufeff---\nrules: []\n---\n", "\x00\ud800", "#" * 9_999]
)
def test_any_text_is_a_pattern(text):
    assert read_pattern("any", text).rules == ()


def test_a_declared_rule_covers_the_prose_of_the_section_it_points_to():
    body = "# T\n\n## Printing\n\nNever call `print`.\n\n## Other\n\nNever call `eval`.\n"
    rules = "- id: no-print\n  message: No print.\n  see: Printing\n  forbid-call: [print, pprint]"

    pattern = declared(rules, body=body)

    assert [rule.id for rule in pattern.rules] == ["no-print", "never-call-eval"]
    assert [rule.id for rule in declared(rules, more="prose: false\n", body=body).rules] == ["no-print"]


def test_prose_that_says_what_a_declared_rule_checks_already_is_not_told_twice():
    pattern = declared("- id: quiet\n  message: Quiet.\n  forbid-call: print", body="# T\n\nNever call `print`.\n")

    assert places_of(pattern, "print(1)\n", "python") == [("quiet", 1)]
