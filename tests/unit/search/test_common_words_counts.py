"""The counts of common words, which are kept while the index keeps its size."""

from fieldguide.search.indexes.sqlite import CommonWords


def test_counts_are_kept_while_the_index_has_about_the_same_size_and_else_forgotten():
    for size, is_kept in ((109_000, True), (95_000, True), (120_000, False), (50_000, False)):
        words = CommonWords()
        words.counts(100_000)["the"] = 90_000

        assert words.counts(size) == ({"the": 90_000} if is_kept else {})


def test_nothing_is_kept_while_the_size_is_not_known():
    words = CommonWords()
    words.counts(None)["the"] = 90_000

    assert words.counts(None) == {}
