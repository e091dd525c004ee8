"""The counts of terms, which are kept while the index stays the same; those of common words while it keeps its size."""

from typing import Any

from fieldguide.search.indexes.sqlite import TermCounts


def test_counts_hold_for_one_state_of_the_index_and_those_of_common_words_for_about_the_same_size():
    for size, is_kept in ((109_000, True), (95_000, True), (120_000, False), (50_000, False)):
        counts = TermCounts()
        block: Any = range(100_000)
        counts.of(block).update({"the": 90_000, "fern": 3})

        assert counts.of(block) == {"the": 90_000, "fern": 3}
        other: Any = range(size)
        assert counts.of(other) == ({"the": 90_000} if is_kept else {})


def test_nothing_is_kept_while_the_size_is_not_known():
    counts = TermCounts()
    counts.of(None)["the"] = 90_000

    assert counts.of(None) == {}
