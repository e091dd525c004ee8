"""The second look: a hit that holds more of the query's words rises."""

import pytest

from fieldguide.search.ranking import rerank_by_terms
from fieldguide.search.types import ChunkPassage, SearchHit


def hit(text, score, title="", headings=()):
    return SearchHit("docs", "a.md", title, ChunkPassage(text, headings, 1, 1), 0, 1, score, 0.5)


def test_more_of_the_words_lift_a_hit_over_a_slightly_better_one():
    few, many = hit("ferns", 0.6), hit("water the ferns at the root", 0.5)

    assert rerank_by_terms([few, many], ["water", "ferns", "root"])[0].passage == many.passage
    assert rerank_by_terms([hit("ferns", 0.9), many], ["water", "ferns", "root"])[0].passage.text == "ferns"


def test_words_of_the_title_and_the_headings_count_and_longer_ones_by_their_beginning():
    scores = [
        each.score
        for each in rerank_by_terms(
            [hit("x", 0.0, title="Scaled", headings=("Pods",)), hit("pod", 0.0), hit("x", 0.0)], ["scaling", "pods"]
        )
    ]

    assert scores == pytest.approx([0.15, 0, 0])
    assert rerank_by_terms([hit("we SCALED it", 0.0)], ["scaling"])[0].score == 0
    assert rerank_by_terms([hit("we were scalin", 0.0)], ["scaling"])[0].score == pytest.approx(0.3)


def test_equal_hits_keep_their_order_and_no_words_change_none():
    hits = [hit("a", 0.5), hit("b", 0.5), hit("c", 0.1)]

    assert [each.passage.text for each in rerank_by_terms(hits, ["zebra"])] == ["a", "b", "c"]
    assert [each.score for each in rerank_by_terms(hits, [])] == pytest.approx([0.35, 0.35, 0.07])
    assert rerank_by_terms([], ["fern"]) == []
