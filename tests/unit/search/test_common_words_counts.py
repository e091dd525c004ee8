"""The counts of common words, which are kept while the index keeps its size."""

from fieldguide.search.indexes.sqlite import CommonWords


def test_counts_are_kept_while_the_index_has_about_the_same_size():
    words = CommonWords()
    words.counts(100_000)["the"] = 90_000

    assert words.counts(109_000) == {"the": 90_000}
    assert words.counts(95_000) == {"the": 90_000}


def test_counts_of_another_size_are_forgotten():
    words = CommonWords()
    words.counts(100_000)["the"] = 90_000

    assert words.counts(120_000) == {}
    assert words.counts(50_000) == {}


def test_nothing_is_kept_while_the_size_is_not_known():
    words = CommonWords()
    words.counts(None)["the"] = 90_000

    assert words.counts(None) == {}
