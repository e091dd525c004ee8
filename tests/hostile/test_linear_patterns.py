"""No regular expression of ours takes more than linear time over any text; `make check` runs this file."""

import ast
import re
from functools import partial
from itertools import islice

import pytest

from fieldguide.text import regex
from fieldguide.text.tokens import count_exact_tokens
from tests.growth import MOST, Text, growth_of, worst_of
from tests.hostile_patterns import ROOT, all_patterns, run_over, texts_for

SAMPLE = 4  # each pattern gets one of so many texts, another part than the one before; `make soak` takes all
ENGINES = {"re", "regex", "re2", "sre_compile", "sre_parse", "fnmatch"}
"""What matches by going back, or would pass by our own module; `re2` is loaded there by its name."""
ALLOWED = {"src/fieldguide/text/tokens.py": "many short matches, no going back: see below"}
"""The modules that may import one of these, each with its reason."""


def engines_imported(source: str) -> list[str]:
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.append(node.module)
    return [name for name in found if name.partition(".")[0] in ENGINES]


def test_expressions_are_matched_by_the_linear_engine_only():
    found = {
        path.relative_to(ROOT).as_posix(): engines_imported(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "src").rglob("*.py"))
    }

    assert {path: engines for path, engines in found.items() if engines and path not in ALLOWED} == {}


def test_an_import_of_another_engine_would_be_seen():
    assert engines_imported("def f():\n    import re\n    from re import compile\n") == ["re", "re"]
    assert engines_imported("from fieldguide.text import regex as re\n") == []


def test_every_pattern_can_be_matched_against_texts_of_any_script():
    for pattern in all_patterns().values():
        for text in ("", "a\n", "é — 日本 ’\n", "\ud800"):
            run_over(pattern, text)


def test_no_pattern_takes_longer_than_the_text_grows(capsys):
    found = [
        growth_of(name, partial(run_over, pattern), text, least=6_000, most=6_000)
        for number, (name, pattern) in enumerate(all_patterns().items())
        for text in islice(texts_for(pattern, own=20), number % SAMPLE, None, SAMPLE)
    ]

    with capsys.disabled():
        print(f"\n{len(found)} texts for patterns; the worst: {worst_of(found)}")
    assert "\n".join(str(each) for each in found if each.ratio > MOST) == ""


@pytest.mark.parametrize(
    ("matches", "text", "least"),
    [
        (re.compile(r"\s+$").search, Text(" ", closing="a"), 6_000),
        (re.compile(r"(a+)+$").match, Text("a", closing="!"), 22),
        # Few matches in a long text: what is searched again each time outweighs what each match costs by itself.
        (lambda text: list(regex.compile(r"<[^>]*>|x").finditer(text)), Text("<<<<<<<x"), 24_000),
    ],
    ids=["spaces before no end", "a repeat of a repeat", "a search that starts again at each match"],
)
def test_a_pattern_that_is_not_linear_would_be_seen(matches, text, least):
    assert growth_of("bad", matches, text, least=least, most=least, most_tries=1).ratio > MOST


@pytest.mark.parametrize(
    ("unit", "closing"),
    [(" ", "a"), ("a", "!"), ("漢", "")],
)
def test_the_tokenizer_takes_no_longer_than_the_text_grows(unit, closing):
    growth = growth_of("tokenizer", count_exact_tokens, Text(unit, closing=closing), least=20_000, most=160_000)

    assert growth.ratio <= MOST, str(growth)
