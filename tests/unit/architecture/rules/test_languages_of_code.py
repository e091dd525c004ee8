"""The language of code: named in any spelling, in a fence, by the path, or told from the text."""

import pytest

from fieldguide.toolsets.architecture.rules.pattern import check_code
from fieldguide.toolsets.architecture.rules.source_code import detect_language
from tests.unit.architecture.rules.documents import declared, places_of

PATTERN = declared("- id: a\n  message: A.\n  forbid-call: [print, f]")


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("import sqlite3\n", "python"),
        ("def f(x):\n    return x + 1\n", "python"),
        ("def broken(:\n    import os\n", "python"),
        ("class A:\n    @property\n    def b(self) -> int:\n        return 1\n", "python"),
        ("const a = require('b');\nmodule.exports = a;\n", "javascript"),
        ("export const f = (a: string): number => a.length;\n", "typescript"),
        ("interface A { b: string }\n", "typescript"),
        ("export const A = (p: Props) => {\n  return <div>{p.x}</div>;\n};\nconst y: string = 'a';\n", "tsx"),
        ('package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("x")\n}\n', "go"),
        ("func (s *Store) Get(id int) (*Order, error) {\n\treturn nil, nil\n}\n", "go"),
        ("import java.util.List;\n\npublic class A {\n    private final int b = 1;\n}\n", "java"),
        ("using System;\nnamespace A.B { public class C { public int D { get; set; } } }\n", "csharp"),
        ("data class A(val b: Int)\n\nfun main() {\n    println(A(1))\n}\n", "kotlin"),
        ("use std::env;\n\nfn main() {\n    let mut a = env::args();\n}\n", "rust"),
        ("class A < B\n  def c\n    puts 'x'\n  end\nend\n", "ruby"),
        ("<?php\nclass A { public function b($c) { return $this->d; } }\n", "php"),
        ('cur.execute(f"select * from users where id = {user_id}")\n', "python"),
        ("x = 1\n", None),
        ("once upon a time\n", None),
        ("", None),
    ],
)
def test_a_text_tells_its_language(code, language):
    assert detect_language(code) == language


@pytest.mark.parametrize(
    ("names", "language"),
    [
        (["python", "Python", " PY ", "python3", ".py"], "python"),
        (["C#"], "csharp"),
        (["golang"], "go"),
        (["ts"], "typescript"),
        (["node"], "javascript"),
    ],
)
def test_a_language_may_be_spelled_as_people_do(names, language):
    assert {check_code(PATTERN, "x", name).language for name in names} == {language}


def test_a_language_that_nobody_knows_is_told_and_the_text_decides():
    report = check_code(PATTERN, "def g():\n    print(1)\n", "klingon")

    assert [each.line for each in report.findings] == [2]
    assert any("'klingon'" in each and "python" in each for each in report.suggestions)


def test_code_in_a_fence_keeps_its_line_numbers():
    assert places_of(PATTERN, "```python\nx = 1\nprint(x)\n```\n") == [("a", 3)]
    assert places_of(PATTERN, "\n~~~ts\nf();\n~~~") == [("a", 3)]


def test_a_path_tells_the_language_and_code_may_be_indented():
    assert places_of(PATTERN, "    print(1)\n    x = 2\n", None, "a/b.py") == [("a", 1)]


def test_javascript_with_types_and_typescript_with_tags_are_read_all_the_same():
    assert places_of(PATTERN, "function g(a: string): void { f(); }\n", "javascript") == [("a", 1)]
    assert places_of(PATTERN, "const A = () => <div onClick={() => f()}>x</div>;\n", "typescript") == [("a", 1)]
