"""Texts that are made to hurt a reader: they are read in bounded time, or not at all."""

import pytest

from fieldguide.code.symbols.readers import rust
from tests.symbols.indexed_symbols import read_facts

DEEP = 60_000
HOSTILE = {
    "macros nested deeply": ("rust", "a! { fn f() " * DEEP),
    "macros that close": ("rust", "a! {\n fn f() {} \n" * 20_000 + "}" * 20_000),
    "tokens nested deeply": ("rust", "fn f() { a!(" + "b(" * 1_900 + ")" * 1_900 + ") }"),
    "types nested deeply": ("rust", "type A = " + "B<" * 1_900 + "C" + ">" * 1_900 + ";"),
    "a use tree without an end": ("rust", "use " + "a::{" * DEEP),
    "one line": ("rust", "fn f() { " + "a.b(c); " * 100_000),
    "conditions without an end": ("c", "#if A {\n" * 40_000),
    "conditions in conditions": ("c", "#if A\n{\n#else\n" * 20_000 + "#endif\n" * 20_000),
    "declarators nested deeply": ("c", "int " + "(*" * 1_900 + "a" + ")" * 1_900 + ";"),
    "lists nested deeply": ("c", "int a[] = " + "{" * 1_900 + "}" * 1_900 + ";"),
    "a macro on many lines": ("c", "#define A " + "b->c + \\\n" * 40_000),
    "scopes without an end": ("cpp", "int a" + "::b" * DEEP + "() {}"),
    "calls in calls": ("php", "<?php " + "a(" * 1_900 + ")" * 1_900 + ";"),
    "modules in modules": ("ruby", "module A\n" * 20_000),
}
SCRIPTS = ("typescript", "tsx", "javascript")
PACKAGES = ("go", "java", "kotlin", "csharp")
IN_EACH = [
    (SCRIPTS, "(" * 30_000 + ")" * 30_000),
    (SCRIPTS, "a" + ".b" * 4_000),
    (SCRIPTS, "x = " + "a => " * 900 + "1"),
    (SCRIPTS, "const {" * 900),
    (SCRIPTS, "type T = " + "A<" * 1_500 + "B" + ">" * 1_500),
    (SCRIPTS, "f(" * 1_500 + "x => x.y" + ")" * 1_500),
    (SCRIPTS, "\n".join(["class A { b = {c: {d: this.e}} "] * 2_000)),
    (SCRIPTS, "/** @type {" + "{" * 5_000 + " */ let a"),
    (PACKAGES, "(" * 5_000 + ")" * 5_000),
    (PACKAGES, "class A { " + "List<" * 3_000 + "A" + ">" * 3_000 + " x; }"),
    (PACKAGES, "package a\nclass A { func ( fun interface { record enum @ = ?. :: -> => new switch"),
    (PACKAGES, "class @interface { int @class = @class.@new; } import ; package ; using ; namespace ;"),
    (PACKAGES, ""),
]


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_text_made_to_hurt_is_read_or_left(kind):
    language, text = HOSTILE[kind]

    facts = read_facts(text, language)

    assert len(facts.definitions) <= 10_000
    assert len(facts.references) <= 50_000


@pytest.mark.parametrize(("languages", "text"), IN_EACH)
def test_a_strange_text_ends_in_few_or_no_facts_in_every_language(languages, text):
    for language in languages:
        assert len(read_facts(text, language).definitions) <= (10_000 if languages is SCRIPTS else 99)


def test_a_name_that_the_parser_made_up_to_go_on_is_read():
    text = "}\ndeclare class A extends B {\n    made(a: string | C, b?: D): void;\n    at: null | (e: F) => mixed;\n"

    facts = read_facts(text + "    call(message: any, ports?: any): void;\n", "javascript")

    assert "message" in {each.name for each in facts.references}


@pytest.mark.parametrize("unit", ["{/*", "~/*", '{r#"', 'r#"', "{/**"])
@pytest.mark.parametrize("pattern", [rust.BRACES, rust.TOKEN], ids=["braces", "tokens"])
def test_what_rust_never_closes_is_followed_to_the_end_once(pattern, unit):
    assert len([*pattern.finditer(unit * 1_000)]) <= 2
