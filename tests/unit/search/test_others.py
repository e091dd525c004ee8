"""How far the others are that are being indexed for the first time."""

from fieldguide.search.backlog import IndexProgress, OtherProgress


def test_the_files_of_all_others_are_told_together():
    others = OtherProgress([lambda: IndexProgress(1, 5), lambda: None, lambda: IndexProgress(2, 4)])

    assert others.standing() == IndexProgress(3, 9)


def test_they_are_counted_now_and_then_and_again_where_nothing_was_missing():
    asked: list[int] = []

    def ask() -> IndexProgress | None:
        asked.append(1)
        return IndexProgress(0, 1) if len(asked) == 2 else None

    others = OtherProgress([ask])

    assert [others.standing() for _ in range(3)] == [None, IndexProgress(0, 1), IndexProgress(0, 1)]
    assert len(asked) == 2
