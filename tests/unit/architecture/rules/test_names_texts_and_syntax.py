"""Naming, regular expressions and ast-grep rules."""

import pytest

from tests.unit.architecture.rules.documents import declared, lines_of, places_of


@pytest.mark.parametrize(("naming", "language", "code", "lines"), [
    ('{kind: class, matches: "*Repository"}', "python", "class Users:\n    pass\nclass UserRepository: ...\n", [1]),
    ('{kind: class, matches: "*Repo", where: {extends: Base}}', "python", "class A(Base): ...\nclass B: ...\n", [1]),
    ('{kind: class, forbid: "*Manager"}', "java", "class A {}\nclass OrderManager {}\n", [2]),
    ('{kind: class, matches: "*Controller", where: {annotation: RestController}}', "java",
     "@RestController\nclass Orders {}\nclass Other {}\n", [2]),
    ('{kind: interface, matches: "I[A-Z]*"}', "typescript", "interface Store {}\ninterface IStore {}\nclass X {}\n",
     [1]),
    ('{kind: interface, matches: "*er"}', "go", "package a\ntype Store interface { Get() }\ntype Reader interface {}\n",
     [2]),
    ("{kind: function, style: snake_case}", "python", "def getUser(): ...\nclass A:\n    def setUp(self): ...\n", [1]),
    ("{kind: [function, method], style: snake_case}", "python",
     "class A:\n    def getX(self): ...\n    def __init__(self): ...\n", [2]),
    ("{kind: function, style: camelCase}", "typescript", "const GetUser = () => 1;\nfunction ok() {}\n", [1]),
    ("{kind: constant, style: UPPER_CASE}", "python", "limit = 3\nLIMIT = 4\nlog = make()\ndef f():\n    x = 1\n", [1]),
    ("{kind: constant, style: UPPER_CASE}", "java", "class A { static final int max = 1; int other = 2; }\n", [1]),
    ("{kind: constant, style: PascalCase}", "go", "package a\nconst maxSize = 1\n", [2]),
    ("{kind: variable, forbid: data}", "go", "package a\nfunc f() { data, err := g() }\n", [2]),
    ("{kind: parameter, style: snake_case}", "python", "def f(self, userId, *, b_c=1): ...\n", [1]),
    ("{kind: method, style: camelCase}", "java", "class A { A() {} void Run() {} void go() {} }\n", [1]),
])  # fmt: skip
def test_names_are_held_to_a_glob_or_a_style(naming, language, code, lines):
    assert lines_of(declared(f"- id: names\n  message: A name.\n  naming: {naming}"), code, language) == lines


@pytest.mark.parametrize(
    ("where", "lines"), [("code", [1]), ("comments", [2, 5]), ("strings", [3]), ("all", [1, 2, 3, 5])]
)
def test_a_regular_expression_sees_only_the_part_it_is_meant_for(where, lines):
    pattern = declared(f'- id: todo\n  message: Not this.\n  forbid-text: "TODO|FIXME"\n  in: {where}')

    assert lines_of(pattern, 'TODO = 1\nx = 2  # TODO\ny = "é FIXME"\ndef f():\n    """TODO"""\n', "python") == lines


def test_an_expression_that_asks_for_white_space_may_go_on_in_the_next_line():
    pattern = declared("- id: star\n  message: Star.\n  forbid-text: 'SELECT\\s+\\*'\n  in: strings")

    assert lines_of(pattern, 'x = 1\nq = """SELECT\n  * FROM t"""\nr = "SELECT *"\n', "python") == [2, 4]


@pytest.mark.parametrize("expression", ["^x$", r"\\Ax\\z", "(?-m)^x$", "(?i)^X$|^never"])
def test_an_anchor_is_the_beginning_or_the_end_of_a_line(expression):
    pattern = declared(f'- id: x\n  message: X.\n  forbid-text: "{expression}"')

    assert lines_of(pattern, "y\nx\nxx\nx\n", "python") == [2, 4]


def test_required_text_may_stand_anywhere():
    pattern = declared('- id: licence\n  message: Licence first.\n  require-text: "^# Licence"\n  in: comments')

    assert lines_of(pattern, "x = 1\n# Licence MIT\n", "python") == []
    assert lines_of(pattern, "x = '# Licence'\n", "python") == [1]


def test_an_expression_that_would_never_end_elsewhere_ends_here():
    pattern = declared('- id: slow\n  message: Slow.\n  forbid-text: "(a+)+$"')

    assert lines_of(pattern, "a" * 3_000 + " = 1\n", "python") == []


def test_a_pattern_has_a_context_where_it_means_something_else_alone():
    pattern = declared("""
        - id: no-query
          message: No query.
          languages: [go]
          ast-grep: {rule: {pattern: {context: 'func f() { $DB.Query($$$) }', selector: call_expression}}}
    """)

    assert places_of(pattern, "package a\n\nfunc f() {\n\tdb.Query(x)\n}\n", "go") == [("no-query", 4)]


def test_a_required_match_that_is_missing_is_reported_in_the_first_line():
    pattern = declared("- id: close\n  message: Close it.\n  languages: [python]\n  require-ast-grep: $F.close()\n")

    assert places_of(pattern, "x = 1\nf = open(p)\n", "python") == [("close", 1)]
    assert places_of(pattern, "f = open(p)\nf.close()\n", "python") == []
