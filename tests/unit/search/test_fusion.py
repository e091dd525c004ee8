"""One ranking from two."""

import pytest

from fieldguide.search.ranking import KEYWORD_SHARE, fuse
from tests.proves import proves

WORDS, LIKENESS = KEYWORD_SHARE, 1 - KEYWORD_SHARE


@proves("U2-5")
def test_words_count_relative_to_the_best_and_likeness_between_the_least_and_the_most():
    fused = fuse({1: 30.0, 2: 15.0}, {1: 0.1, 2: 0.5, 3: 0.9})

    assert fused == pytest.approx({1: WORDS, 2: WORDS / 2 + LIKENESS / 2, 3: LIKENESS})
    assert 0.4 <= KEYWORD_SHARE <= 0.6


@proves("U2-5")
def test_how_much_better_a_hit_is_counts_and_not_only_that_it_is_better():
    close = fuse({1: 10.0, 2: 9.9}, {1: 0.5, 2: 0.9, 3: 0.0})
    clear = fuse({1: 10.0, 2: 1.0}, {1: 0.8, 2: 0.9, 3: 0.0})

    assert close[2] > close[1]
    assert clear[1] > clear[2]
