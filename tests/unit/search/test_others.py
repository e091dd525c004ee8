"""How far the others are that are being indexed for the first time."""

from fieldguide.search.early.others import Others
from fieldguide.search.early.standing import Standing


def test_the_files_of_all_others_are_told_together():
    others = Others([lambda: Standing(1, 5), lambda: None, lambda: Standing(2, 4)])

    assert others.standing() == Standing(3, 9)


def test_they_are_counted_now_and_then_and_again_where_nothing_was_missing():
    asked: list[int] = []

    def ask() -> Standing | None:
        asked.append(1)
        return Standing(0, 1) if len(asked) == 2 else None

    others = Others([ask])

    assert [others.standing() for _ in range(3)] == [None, Standing(0, 1), Standing(0, 1)]
    assert len(asked) == 2
