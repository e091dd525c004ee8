"""What a source text imports, when it is refused, and that nothing is parsed twice."""

import pytest

from fieldguide.code.imports import languages
from fieldguide.code.imports.languages import ImportReader, read_imports
from fieldguide.code.imports.syntax import Import
from fieldguide.code.parsing import SyntaxProblem
from tests.proves import proves


def texts(source: str, language: str) -> list[str]:
    return [each.text for each in read_imports(source, language)]


def outcome(source: str, language: str) -> list[Import] | str:
    try:
        return read_imports(source, language)
    except SyntaxProblem as problem:
        return problem.message


WRITTEN = [
    (
        "python",
        ["import a.b as c, d", "if x:", "    try:", "        from .e import (f, g as h)", "    except E: ..."],
        ["a.b", "d", ".e"],
    ),
    ("python", ["from . \\", "  import a", "from b import *", "from __future__ import annotations"], [".", "b"]),
    (
        "typescript",
        ["import a, {type B} from './a';", "export * from './b'", "import type C from 'c'"],
        ["./a", "./b", "c"],
    ),
    ("typescript", ["import d = require('./d');", "const e = () => import(/* x */ './e')"], ["./d", "./e"]),
    ("typescript", ["let t: import('./t').T; require(`./u`); require(`./${v}`); require(w)"], ["./t", "./u"]),
    (
        "tsx",
        ["/// <reference path='env.d.ts' />", "import './a.css'; const x = <p>import y from 'z'</p>"],
        ["./env.d.ts", "./a.css"],
    ),
    ("javascript", ["import type {A} from './flow';", "export default (x: number): A => x;"], ["./flow"]),
    (
        "vue",
        ["<template>", "<p/></template>", "<script lang='ts'>", "import A from './A.vue'", "</script>"],
        ["./A.vue"],
    ),
    (
        "go",
        ["package a", "/*", "func x", "*/", "import (", '\tb "x.y/b"', "\t_ `c`", ")", 'import "C"', "func f() {"],
        ["x.y/b", "c"],
    ),
    (
        "rust",
        ["use crate::{a::{self, B}, c::*};", "use d as e;", "mod f;", "mod g { use super::h; }"],
        ["crate::a", "crate::a::B", "crate::c", "d", "f", "super::h"],
    ),
    ("rust", ["#[cfg(unix)]", '#[path = "sys/unix.rs"]', "mod sys;", "extern crate r#try;"], ["sys/unix.rs", "try"]),
    (
        "java",
        ["import a.B;", "import static a.C.d;", "import e.*;", 'class F { String s = """', 'import no;"""; }'],
        ["a.B", "a.C.d", "e.*"],
    ),
    ("kotlin", ["import a.b", "import c.`in`.d as e", "fun f() = 1"], ["a.b", "c.in.d"]),
    (
        "c",
        [
            '#include "a.h" // x',
            "  #  include <b/c.h>",
            "#include M",
            "/*",
            '#include "no.h"',
            "*/",
            's = "\\',
            '#include <no>";',
        ],
        ["a.h", "b/c.h"],
    ),
    ("cpp", ['auto s = R"x(', '#include "no.h"', ')x";', '#include "yes.hpp"'], ["yes.hpp"]),
    (
        "csharp",
        [
            "global using A;",
            "using static B.C;",
            "using D = E.F;",
            "namespace G { using H; class I { void J() {",
            "using var k = L(); } } }",
        ],
        ["A", "B.C", "E.F", "H"],
    ),
    (
        "ruby",
        ["require 'a'", "require_relative '../b'", "autoload :C, 'c/d'", 'require "x#{y}"', "# require 'no'"],
        ["a", "../b", "c/d"],
    ),
    (
        "php",
        [
            "<p>use No;</p>",
            "<?php",
            "use A\\B as C;",
            "use D\\{E, F\\G};",
            "use function H\\i;",
            "class J { use Trait; }",
            "require_once __DIR__ . '/k.php';",
            "?>",
            "<b>",
        ],
        ["A\\B", "D\\E", "D\\F\\G", "H\\i", "/k.php"],
    ),
    ("markdown", ["import a"], []),
    ("python", [""], []),
    ("typescript", ["  "], []),
]


@pytest.mark.parametrize(("language", "lines", "found"), WRITTEN)
def test_every_way_to_import_is_read_in_the_order_of_lines(language, lines, found):
    assert texts("\n".join(lines) + "\n", language) == found


def test_an_import_tells_its_line_its_form_and_what_it_takes():
    assert read_imports("\n\nfrom ..a import b, c as d\n", "python") == [
        Import("..a", 3, is_relative=True, keyword="from", names=("b", "c"))
    ]
    assert read_imports("mod a { mod b { use self::C; } }", "rust") == [
        Import("self::C", 1, is_relative=True, keyword="use", scope="a::b")
    ]


@proves("S3-34")
@pytest.mark.parametrize(
    ("language", "source", "line"),
    [
        ("python", "import a\n\nfrom b import (c, d\n\nx = 1\n", 3),
        ("python", "class A:\n    def broken(:\n        pass\n", 2),
        ("typescript", "import a from './a';\nimport { from ;;;\n", 2),
        ("typescript", "const a = {{{ ;\n", 1),
        ("go", 'package a\nimport (\n\t"b"\nfunc c() {}\n', 4),
        ("rust", "use a::{b;\nfn c() {}\n", 1),
        ("java", "package a;\n\nimport a.b.C\nclass D {}\n", 3),
        ("c", '#include "a.h"\n#include "b.h\n', 2),
    ],
)
def test_imports_that_cannot_be_trusted_are_refused_with_the_line(language, source, line):
    with pytest.raises(SyntaxProblem) as caught:
        read_imports(source, language)

    assert (caught.value.message, caught.value.line) == (f"Syntax error at line {line}", line)


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("python", "import a\n\ndef half(x:\n    return )\n"),
        ("typescript", "import a from 'a';\nexport class B {\n  c( {\n"),
        ("typescript", "const broken = ;\nimport a from 'a';\n"),
        ("java", "import a;\nclass B { void c( { \n"),
        ("php", "<?php\nuse a;\nfunction b( {\n"),
    ],
)
def test_an_error_away_from_the_imports_is_let_pass(language, source):
    assert texts(source, language) == ["a"]


@pytest.mark.parametrize("language", sorted(languages.LANGUAGES))
@pytest.mark.parametrize("unit", ["<a>", "'\"", "\0", "if (a) ", "/*", "\\", "é{"])
def test_nonsense_is_either_empty_or_refused(language, unit):
    nonsense = unit * (20_000 // len(unit))

    assert outcome(nonsense, language) in ([], "Syntax error at line 1")


@pytest.mark.parametrize("language", ["go", "javascript", "python", "rust"])
def test_brackets_nested_deeper_than_the_parser_can_take_are_refused_before_it_sees_them(language):
    with pytest.raises(SyntaxProblem, match="line 1001"):
        read_imports("[{\n" * 80_000, language)


def test_a_file_that_is_too_long_to_parse_still_tells_the_imports_at_its_top():
    source = "import a from 'a';\nexport const b = [\n" + "  { c: 1 },\n" * 40_000 + "];\n"

    assert texts(source, "typescript") == ["a"]


@proves("S3-40")
def test_a_content_is_parsed_once_until_it_changes(monkeypatch):
    parsed: list[str] = []

    def counting(text: str, language: str) -> list[Import]:
        parsed.append(text)
        return read_imports(text, language)

    monkeypatch.setattr(languages, "read_imports", counting)
    reader = ImportReader()

    first = reader.read("import a\n", "python")
    again = reader.read("import a\n", "python")
    changed = reader.read("import b\n", "python")
    other = reader.read("import b\n", "markdown")

    assert first == again == [Import("a", 1)]
    assert changed == [Import("b", 1)]
    assert other == []
    assert parsed == ["import a\n", "import b\n", "import b\n"]


@proves("S3-40")
def test_a_syntax_problem_is_remembered_too_and_the_oldest_content_is_forgotten(monkeypatch):
    parsed: list[str] = []

    def counting(text: str, language: str) -> list[Import]:
        parsed.append(text)
        return read_imports(text, language)

    monkeypatch.setattr(languages, "read_imports", counting)
    reader = ImportReader(kept_files=2)
    for _ in range(2):
        with pytest.raises(SyntaxProblem, match="line 1"):
            reader.read("import (\n", "python")

    reader.read("import a\n", "python")
    reader.read("import b\n", "python")
    reader.read("import a\n", "python")
    reader.read("import c\n", "python")
    reader.read("import a\n", "python")

    assert parsed == ["import (\n", "import a\n", "import b\n", "import c\n"]
