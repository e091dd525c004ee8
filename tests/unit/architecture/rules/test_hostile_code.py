"""Code that nobody would write: there is always a report, soon, and the process lives."""

import time

import pytest

from fieldguide.code.names import load_syntax_kinds
from fieldguide.code.parsing import GRAMMARS
from fieldguide.toolsets.architecture.rules.pattern import check_code
from fieldguide.toolsets.architecture.rules.source_code import detect_language
from tests.unit.architecture.rules.documents import declared

LONGEST = 50_000
LONGEST_SECONDS = 10.0  # CPU time; about one is usual, a parser left to itself takes minutes or all memory
TOKENS = [
    "(", "{[", "x=>", "A<", "->", "a::", "case a:", "<a>", "a.b()", "f(x);", "\"'`", "if a:\n ", "`${", "#a\n", "\\\n",
    "\0", "é😀",
]  # fmt: skip
PATTERN = declared("""
    - id: no-print
      message: Log.
      forbid-call: print
    - id: no-driver
      message: Ask a repository.
      outside: {class: "*Repository"}
      forbid-import: "*sql*"
    - id: names
      message: Functions are in snake_case.
      naming: {kind: [function, method, parameter], style: snake_case}
    - id: no-foo
      message: No Foo.
      forbid-text: '\\bFoo\\b'
    - id: structures
      message: None of these.
      ast-grep: $A($$$)
""")


@pytest.mark.slow
@pytest.mark.parametrize("language", [None, "java"])
@pytest.mark.parametrize("token", TOKENS)
def test_nonsense_without_end_gets_a_report_in_time(language, token):
    code = (token * LONGEST)[:LONGEST]
    started = time.thread_time()

    report = check_code(PATTERN, code, language)

    assert time.thread_time() - started < LONGEST_SECONDS
    assert len(report.findings) <= 200


@pytest.mark.parametrize("language", [*GRAMMARS, "c", "cpp", "sql", "klingon"])
def test_every_language_takes_any_text(language):
    for code in ("\ud800 = 1\n", "))))", "class A { def f(x): print(1) }", "\x00", "a" * 20_000):
        assert check_code(PATTERN, code, language) is not None


@pytest.mark.parametrize("language", load_syntax_kinds())
def test_every_kind_that_is_asked_for_is_one_of_the_grammar(language):
    pattern = declared(
        "- id: a\n  message: A.\n  forbid-call: zzz\n- id: b\n  message: B.\n  naming: {kind: class, forbid: zzz}"
    )

    assert check_code(pattern, "x", language).checked == 2


def test_brackets_too_deep_for_a_parser_leave_the_rules_about_text():
    pattern = declared('- id: t\n  message: T.\n  forbid-text: "never"')

    findings = check_code(pattern, "never\n" + "(" * 3_000, "python").findings

    assert [each.rule for each in findings] == ["parseable", "t"]


def test_a_line_without_end_is_checked_from_its_beginning():
    report = check_code(PATTERN, "print(1);" + "x=1;" * 5_000, "python")

    assert [each.line for each in report.findings if each.rule == "no-print"] == [1]
    assert any("minified" in each for each in report.not_checked)


def test_no_text_keeps_the_detection_of_languages_busy():
    for token in TOKENS:
        assert detect_language((token * LONGEST)[:LONGEST]) in {None, *GRAMMARS, "cpp", "sql"}
