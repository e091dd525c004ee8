"""No regular expression of ours takes more than linear time over any text; `make check` runs this file."""

import re
from functools import partial
from itertools import cycle

import pytest

from fieldguide.text import regex
from fieldguide.text.tokens import count_exact_tokens
from tests.growth import MOST, Text, growth_of
from tests.hostile_patterns import list_patterns, run_over

MARKS = (" ", "\n", '"', "(", "[", "<", "-", "*", "|", "#", "_", "a", "A ", "1", "é", "\\", "/*", "a.")
TRIED = 40


def test_every_pattern_can_be_matched_against_texts_of_any_script():
    for pattern in list_patterns():
        for text in ("", "a\n", "é — 日本 ’\n", "\ud800"):
            run_over(pattern, text)


def test_no_pattern_takes_longer_than_the_text_grows():
    patterns = list_patterns()
    found = [
        growth_of(repr(pattern.pattern), partial(run_over, pattern), Text(mark), least=6_000, most=6_000)
        for pattern, mark in zip(patterns[:: len(patterns) // TRIED], cycle(MARKS), strict=False)
    ]

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
