"""What prose is turned into: checks where its words are clear, advice where they are not, else nothing."""

import pytest

from tests.unit.architecture.rules.documents import lines_of, places_of, prose

CHECKED = [
    ("Never call `print`.", "python", "print(1)\nself.print(2)\n# print(3)\n", [1]),
    ("Avoid `eval`.", "javascript", "eval(x);\nmodel.eval(x);\n", [1]),
    ("Do not import `sqlite3`.", "python", "import sqlite3\n", [1]),
    ("Don't import anything from `infrastructure`.", "python", "from app.infrastructure.db import s\n", [1]),
    (
        "Queries must not use `SELECT *`.",
        "python",
        "q = 'SELECT * FROM t'\n# SELECT * FROM t\nr = 'select id from t'\n",
        [1],
    ),
    ("Use `logging` instead of `print`.", "python", "print(1)\nlogging.info(1)\n", [1]),
    ("Prefer `pathlib` over `os.path`.", "python", "import os\nos.path.join(a)\n", [2]),
    ("`os.system` must never be used.", "python", "from os import system\nsystem('x')\n", [1, 2]),
    ("`eval` and `exec` are forbidden.", "python", "exec(x)\neval(y)\n", [1, 2]),
    ("`System.out.println` is not allowed.", "java", "class A { void f() { System.out.println(1); } }\n", [1]),
    ("Class names must end with `Repository`.", "python", "class Users: ...\n", [1]),
    ("Functions use snake_case.", "python", "def getUser(): ...\n", [1]),
    ("Interfaces must not start with `I`.", "typescript", "interface IStore {}\ninterface Item {}\n", [1]),
    ("Do not name a class `*Manager` or `*Util`.", "java", "class OrderManager {}\nclass Order {}\n", [1]),
    ("Never catch `Exception`.", "java", "class A { void f() { try { g(); } catch (Exception e) { h(); } } }\n", [1]),
    ("Do not throw `RuntimeException`.", "java", "class A { void f() { throw new RuntimeException(); } }\n", [1]),
    ("Never return `None`.", "python", "def f():\n    return None\n", [2]),
    ("Don't use `any`.", "typescript", "let a: any = 1;\nconst any = 2;\n", [1]),
    ("Never use `var`.", "typescript", "var a = 1;\nlet b = 2;\n", [1]),
    ("Do not use `==`.", "javascript", "if (a == b) {}\nif (a === b) {}\n", [1]),
    ("Never pass `shell=True`.", "python", "run(x, shell=True)\ny = 'shell=True'\n", [1]),
    ("Don't use bare except clauses.", "python", "try:\n    f()\nexcept:\n    g()\n", [3]),
    ("Never swallow exceptions.", "java", "class A { void f() { try { g(); } catch (E e) { /* x */ } } }\n", [1]),
    ("Do not ignore errors.", "go", "package a\nfunc f() { x, _ := g()\n_, err := h()\n_ = k() }\n", [2, 4]),
    ("No wildcard imports.", "python", "from os import *\n", [1]),
    ("Avoid mutable default arguments.", "python", "def f(a=[]): ...\ndef g(a=None): ...\n", [1]),
    ("Never use field injection.", "java", "class A {\n  @Autowired B b;\n  @Autowired A(B b) {}\n}\n", [2]),
    ("Never hard-code passwords.", "python", "password = 'hunter22'\npassword = os.environ['P']\n", [1]),
    ("Avoid global mutable state.", "go", 'package a\nvar cache = map[string]int{}\nvar ErrX = errors.New("x")\n', [2]),
    (
        "Use parameterized queries.",
        "python",
        "c.execute(f'SELECT a FROM t WHERE b={x}')\nc.execute('SELECT a FROM t', x)\n",
        [1],
    ),
    (
        "Never build SQL by string concatenation.",
        "java",
        'class A { String q(String x) { return "SELECT a FROM t WHERE b=" + x; } }\n',
        [1],
    ),
    ("Wrap errors with `%w`.", "go", 'package a\nfunc f() error { return fmt.Errorf("x: %v", err) }\n', [2]),
    ("Inject dependencies through the constructor.", "typescript", "class A { x = new OrderRepository(); }\n", [1]),
    ("Functions should have at most two parameters.", "python", "def f(a, b, c): ...\ndef g(a, b): ...\n", [1]),
    ("Functions must not be longer than 3 lines.", "python", "def f():\n    a\n    b\n    c\n", [1]),
    (
        "Every repository must extend `BaseRepository`.",
        "python",
        "class ARepository: ...\nclass BRepository(BaseRepository): ...\n",
        [1],
    ),
    (
        "Controllers must be annotated with `@RestController`.",
        "java",
        "class AController {}\n@RestController\nclass BController {}\n",
        [1],
    ),
    ("Don't disable tests with `@Disabled`.", "java", "class T { @Disabled void f() {} }\n", [1]),
    ("Certificates must be verified: never set `verify=False`.", "python", "get(u, verify=False)\n", [1]),
    (
        "Do not use `datetime.now()`; use the injected clock.",
        "python",
        "from datetime import datetime\ndatetime.now()\n",
        [2],
    ),
    ("In Go, never use `math/rand` for secrets.", "go", 'package a\nimport "math/rand"\n', [2]),
]
NOT_RULES = [
    "You can call `print` while debugging.",
    "It is never needed before `print`.",
    "If you don't call `print`, nothing happens.",
    "Things that do not call `print` are fine.",
    "You do not need to call `print`.",
    "Some people say never call `print`.",
    "It's fine to use `print` in scripts.",
    "Should we call `print`?",
    "The old tool calls `print` and `eval`.",
    "We don't know whether `print` is called.",
    "It can't be called `print`.",
    "You may use `print` with a reason.",
]
NOT_CHECKABLE = [
    "Business logic must not live in controllers.",
    "Never call `print` without a good reason.",
    "Do not use `print` unless the logger is broken.",
    "Prefer composition over inheritance.",
    "Every module must have an owner.",
    "Don't use `assert` for validation.",
]


@pytest.mark.parametrize(("sentence", "language", "code", "lines"), CHECKED, ids=[each[0] for each in CHECKED])
def test_a_clear_sentence_is_a_check_and_words_in_comments_and_strings_do_not_fool_it(sentence, language, code, lines):
    pattern = prose(f"# Style\n\nSome words.\n\n{sentence}\n")

    assert lines_of(pattern, code, language) == lines
    assert {rule.document_line for rule in pattern.rules} == {5}
    assert pattern.advice == ()


@pytest.mark.parametrize("sentence", NOT_RULES)
def test_a_sentence_that_forbids_nothing_is_no_rule(sentence):
    assert prose(f"# Style\n\n{sentence}\n").rules == ()


@pytest.mark.parametrize("sentence", NOT_CHECKABLE)
def test_a_rule_that_no_machine_can_check_is_advice_with_its_line(sentence):
    pattern = prose(f"# Style\n\n{sentence}\n")

    assert pattern.rules == ()
    assert [tuple(each) for each in pattern.advice] == [(sentence, 3)]


def test_a_role_is_told_by_names_by_the_path_or_by_the_package():
    pattern = prose(
        "# Layers\n\nControllers must not import `sqlalchemy`. The domain must not import from `infrastructure`.\n"
    )

    assert lines_of(pattern, "import sqlalchemy\nclass OrderController: ...\n", "python") == [1]
    assert lines_of(pattern, "import sqlalchemy\nclass OrderRepository: ...\n", "python") == []
    assert lines_of(pattern, "import sqlalchemy\n", "python", "src/controllers/orders.py") == [1]
    assert lines_of(pattern, "# src/domain/order.py\nfrom infrastructure import db\n", "python") == [2]
    assert lines_of(pattern, "package shop.domain;\nimport shop.infrastructure.Db;\nclass A {}\n", "java") == [2]


def test_what_only_some_may_do_is_forbidden_to_all_others():
    pattern = prose("# SQL\n\nOnly repositories may import `psycopg2`. SQL belongs in repositories.\n")

    assert lines_of(pattern, "import psycopg2\nclass OrderService: ...\n", "python") == [1]
    assert lines_of(pattern, "import psycopg2\nclass OrderRepository:\n    q = 'SELECT a FROM t'\n", "python") == []
    assert lines_of(pattern, "q = 'SELECT a FROM t'\n", "python") == [1]


def test_controllers_that_reach_for_repositories_are_found():
    pattern = prose("# Layers\n\nControllers must not access repositories directly.\n")
    code = """
        class AController {
          constructor(private s: AService) {}
          get() { return this.orderRepository.find(); }
        }
    """

    assert lines_of(pattern, code, "typescript") == [4]


def test_items_of_practices_are_warnings_and_those_of_pitfalls_errors():
    pattern = prose("""\
        # Errors

        ## Best Practices

        ### Catch specific exceptions

        Words.

        ## Common Pitfalls

        ### Swallowing exceptions

        - Wildcard imports
        - Leaky abstractions
    """)

    assert [(rule.document_line, rule.severity) for rule in pattern.rules] == [
        (5, "warning"),
        (11, "error"),
        (13, "error"),
    ]
    assert [each.document_line for each in pattern.advice] == [14]
    code = "from os import *\ntry:\n    f()\nexcept Exception:\n    pass\n"
    assert places_of(pattern, code, "python") == [
        ("wildcard-imports", 1),
        ("catch-specific-exceptions", 4),
        ("swallowing-exceptions", 4),
    ]


def test_a_sentence_says_more_precisely_what_its_heading_says():
    pattern = prose(
        "# J\n\n## Common Pitfalls\n\n### Printing to the console\n\n`System.out.println` must never be used.\n"
    )

    code = "class A { void f() {\n System.err.println(1);\n System.out.println(2);\n} }\n"
    assert lines_of(pattern, code, "java") == [3]


def test_words_in_fences_tables_of_contents_and_front_matter_are_no_rules():
    pattern = prose("---\ntitle: Never call `print`\nprose: true\n---\n# T\n\n```text\nNever call `print`.\n```\n")

    assert (pattern.rules, pattern.advice) == ((), ())
