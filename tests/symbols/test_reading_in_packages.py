"""What is read out of strange texts of Go, Java, Kotlin and C#: something or nothing, and it ends."""

import pytest

from fieldguide.code.symbols.readers.registry import read_facts
from tests.proves import proves

LANGUAGES = ("go", "java", "kotlin", "csharp")
STRANGE = {
    "deep": "(" * 5_000 + ")" * 5_000,
    "deep types": "class A { " + "List<" * 3_000 + "A" + ">" * 3_000 + " x; }",
    "unfinished": "package a\nclass A { func ( fun interface { record enum @ = ?. :: -> => new switch",
    "keywords": "class @interface { int @class = @class.@new; } import ; package ; using ; namespace ;",
    "empty": "",
}


@proves("Y-25")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_strange_texts_end_in_few_or_no_facts(language, text):
    facts = read_facts(text, language)

    assert len(facts.definitions) < 100


@proves("Y-26")
def test_locals_that_share_a_name_are_seen_on_their_own_lines():
    text = "class A { B x; void f() {\n" + "g(x -> x.go());\n" * 300 + "x.stop();\n}}\n"

    facts = read_facts(text, "java")

    assert [(each.name, each.line) for each in facts.references if each.name == "x"] == [("x", 302)]
