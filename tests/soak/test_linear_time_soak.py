"""The long run of what `tests/hostile/test_linear_*.py` does: longer texts, and more of them for each pattern."""

from functools import partial

import pytest

from fieldguide.text.tokens import count_exact_tokens
from tests.growth import MOST, Text, growth_of, worst_of
from tests.hostile_patterns import all_patterns, run_over, texts_for
from tests.hostile_readers import all_readers, texts


def test_no_pattern_takes_longer_than_a_long_text_grows(capsys):
    found = [
        growth_of(name, partial(run_over, pattern), text, least=6_000, most=24_000)
        for name, pattern in all_patterns().items()
        for text in texts_for(pattern, own=100)
    ]

    with capsys.disabled():
        print(f"\n{len(found)} texts for patterns; the worst: {worst_of(found)}")
    assert [str(each) for each in found if each.ratio > MOST] == []


@pytest.mark.parametrize("name", all_readers())
def test_no_reader_takes_longer_than_a_long_text_grows(name, capsys):
    read = all_readers()[name]

    found = [growth_of(name, read, text, least=8_000, most=64_000) for text in texts()]

    with capsys.disabled():
        print(f"\nthe worst: {worst_of(found)}")
    assert [str(each) for each in found if each.ratio > MOST] == []


@pytest.mark.parametrize("unit", [" ", "a", "{", " \n", "a ", "'s", "1", "½", "漢", "_ ", "\r", " \x1c", "é'", "aB"])
@pytest.mark.parametrize("closing", ["", "a", "\n", "!"])
def test_the_tokenizer_takes_no_longer_than_a_long_text_grows(unit, closing):
    growth = growth_of("tokenizer", count_exact_tokens, Text(unit, closing=closing), least=20_000, most=160_000)

    assert growth.ratio <= MOST, str(growth)
