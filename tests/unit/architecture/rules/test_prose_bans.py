"""Sentences that forbid a code span are rules; everything else that prose asks for is advice."""

import pytest

from tests.proves import proves
from tests.unit.architecture.rules.documents import lines_of, prose

RULES = [
    ("Never use `print` in code.", "python", "print(1)\nlog(1)\n", [1]),
    ("Do not call `time.sleep()` anywhere.", "python", "import time\ntime.sleep(1)\n", [2]),
    ("Use `logger.exception` instead of `traceback.print_exc`.", "python",
     "logger.exception(e)\ntraceback.print_exc()\n", [2]),
    ("Never call `print`.", "python", "print(1)\nself.print(2)\n# print(3)\n", [1]),
    ("Never use `eval()`.", "javascript", "eval(x);\nmodel.eval(x);\n", [1]),
    ("Do not import `sqlite3`.", "python", "import sqlite3\nfrom sqlite3 import connect\n", [1, 2]),
    ("Don't import anything from `infrastructure`.", "python", "from app.infrastructure.db import s\n", [1]),
    ("Queries must not use `SELECT *`.", "python", "q = 'select * from t'\n# SELECT * FROM t\n", [1]),
    ("Use `logging` instead of `print`.", "python", "print(1)\nlogging.info(1)\n", [1]),
    ("Prefer `pathlib` over `os.path`.", "python", "import os\nos.path.join(a)\npathlib.Path(a)\n", [2]),
    ("`os.system` must never be used.", "python", "from os import system\nsystem('x')\n", [1, 2]),
    ("`eval` and `exec` are forbidden.", "python", "exec(x)\neval(y)\n", [1, 2]),
    ("`System.out.println` is not allowed.", "java", "class A { void f() { System.out.println(1); } }\n", [1]),
    ("Don't use `any`.", "typescript", "let a: any = 1;\nconst b = 2;\n", [1]),
    ("Never use `var`.", "typescript", "var a = 1;\nlet b = 2;\nc.var = 3;\n", [1]),
    ("Use `===` and `!==` over `==` and `!=`.", "javascript", "if (a == b) {}\nif (a === b) {}\nif (a != b) {}\n",
     [1, 3]),
    ("Never pass `shell=True`.", "python", "run(x, shell=True)\ny = 'shell=True'\n", [1]),
    ("No `print` statements.", "python", "print(1)\n", [1]),
    ("We do not use `moment`, use `date-fns`.", "typescript", 'import m from "moment";\nimport d from "date-fns";\n',
     [1]),
    ("Do not use `datetime.now()`; use the clock.", "python", "from datetime import datetime\ndatetime.now()\n", [2]),
    ("Don't use `// @ts-ignore`.", "typescript", "// @ts-ignore\nf();\n", [1]),
    ("Never use `new Date()`.", "javascript", "new Date();\nnew Clock();\n", [1]),
    ("Avoid `goto`.", "go", "package a\nfunc f() {\n\tgoto end\nend:\n}\n", [3]),
    ("Avoid `Vector`.", "java", "class A {\n  Vector<String> v;\n}\n", [2]),
    ("Use `Number.isNaN` instead of global `isNaN`.", "javascript", "let a;\nNumber.isNaN(a);\nisNaN(a);\n", [3]),
    ("No `with` statements.", "javascript", "with (a) {}\nb.with(c);\n", [1]),
    ("Prefer `const` over `var`.", "javascript", "var a = 1;\nconst b = 2;\n", [1]),
    ("Prefer `unknown` over `any`.", "typescript", "let a: any = 1;\nlet b: unknown = 2;\n", [1]),
]  # fmt: skip
ADVICE = [
    "Never call `print` without a good reason.", "Do not use `print` unless the logger is broken.",
    "Don't use `assert` for validation.", "If you log, never call `print`.", "Avoid `init()` where possible.",
    "Never name a parameter `arguments`.", "Always use `logging`.", "Prefer composition over inheritance.",
    "Prefer `detect` over `find`.", "Every module must have an owner.",
    "Use `isinstance()` instead of comparing types with `type()`.",
    "Prefer the object spread syntax over `Object.assign` to shallow-copy objects.",
    "In modules with a single export, prefer default export over named export.",
    "Use array spreads `...` to copy arrays.",
]  # fmt: skip
NOTHING = [
    "You can call `print` while debugging.",
    "It is `print` that you see.",
    "The old tool calls `print` and `eval`.",
    "It's fine to use `print` in scripts.",
]


@proves("S0-32", "S0-34", "S0-35")
@pytest.mark.parametrize(("sentence", "language", "code", "lines"), RULES, ids=[each[0] for each in RULES])
def test_a_ban_on_a_code_span_finds_that_and_no_more(sentence, language, code, lines):
    pattern = prose(f"# Style\n\nSome words.\n\n{sentence}\n")

    assert lines_of(pattern, code, language) == lines
    assert {rule.document_line for rule in pattern.rules} == {5}
    assert pattern.advice == ()


@pytest.mark.parametrize("sentence", [*ADVICE, *NOTHING])
def test_what_is_not_certain_is_advice_with_its_line_and_what_asks_for_nothing_is_neither(sentence):
    pattern = prose(f"# Style\n\n{sentence}\n")

    assert pattern.rules == ()
    assert [tuple(each) for each in pattern.advice] == ([(sentence, 3)] if sentence in ADVICE else [])


def test_prefer_default_export_does_not_forbid_it():
    pattern = prose("# Modules\n\n- Prefer default export over named export.\n- Prefer `export default`.\n")

    assert lines_of(pattern, "export default foo;\nexport const a = 1;\n", "javascript") == []


def test_another_sentence_that_allows_the_thing_at_times_makes_it_advice():
    pattern = prose("# Go\n\n## Avoid `init()`\n\nIt is fine to use `init()` in plugins.\n")

    assert pattern.rules == ()
    assert [each.text for each in pattern.advice] == ["Avoid `init()`"]


def test_a_ban_for_some_classes_holds_in_those_only():
    pattern = prose("# Layers\n\n- Repositories must not import `requests`.\n- Services must not call `print()`.\n")

    assert lines_of(pattern, "import requests\nclass UserRepository: ...\n", "python") == [1]
    assert lines_of(pattern, "import requests\nclass UserService: ...\n", "python") == []
    assert lines_of(pattern, "print(1)\nclass UserService:\n    def f(self):\n        print(2)\n", "python") == [4]


def test_what_a_list_of_bad_things_names_is_forbidden():
    pattern = prose("""\
        # Scripts

        Don't:

        - Use `alert()`
        - `eval()`

        Do:

        - Use `confirm()`

        ## Common Pitfalls

        ### Using `document.write()`

        Call `render()`.

        - ❌ `prompt()`
        - ✅ `dialog()`
    """)
    code = "alert();\neval();\nconfirm();\ndocument.write();\nrender();\nprompt();\ndialog();\n"

    assert lines_of(pattern, code, "javascript") == [1, 2, 4, 6]


def test_a_thing_that_two_sentences_forbid_is_told_once():
    pattern = prose("# Log\n\nNever call `print()`.\n\nUse `logging` instead of `print`.\n")

    assert {rule.document_line for rule in pattern.rules} == {3}


def test_words_in_fences_and_front_matter_are_no_rules():
    pattern = prose("---\ntitle: Never call `print`\nprose: true\n---\n# T\n\n```text\nNever call `print`.\n```\n")

    assert (pattern.rules, pattern.advice) == ((), ())


def test_an_exception_that_names_the_thing_as_a_part_makes_it_advice():
    pattern = prose("# J\n\n* Always use `===` instead of `==`.\n\n  Exception: `obj == null` is allowed.\n")

    assert pattern.rules == ()
    assert [each.document_line for each in pattern.advice] == [3]
