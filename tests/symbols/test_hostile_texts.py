"""Texts that are made to hurt a reader: they are read in bounded time, or not at all."""

import pytest

from fieldguide.code.symbols.readers.registry import read_facts
from tests.proves import proves

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


@proves("Y-34")
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_text_made_to_hurt_is_read_or_left(kind):
    language, text = HOSTILE[kind]

    facts = read_facts(text, language)

    assert len(facts.definitions) <= 10_000
    assert len(facts.references) <= 50_000
