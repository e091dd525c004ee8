"""Lines carried through hunks and through what was saved: the same as a comparison of texts says."""

import random

from fieldguide.git.diff import carry_line
from fieldguide.knowledge.links.citations import map_moved_lines
from tests.proves import proves


@proves("Y-41")
def test_a_line_is_carried_past_insertions_and_deletions_and_not_through_them():
    hunks = [(2, 0, 3, 2), (5, 2, 7, 1), (9, 1, 9, 0)]

    assert [carry_line(line, hunks) for line in range(1, 12)] == [1, 2, 5, 6, 0, 0, 8, 9, 0, 10, 11]


@proves("Y-42")
def test_lines_that_live_on_are_found_in_order_and_say_the_same():
    numbers = random.Random(4)
    for _ in range(300):
        before = [numbers.choice("abcdefgh{} ") * numbers.randint(1, 2) for _ in range(numbers.randint(0, 40))]
        now = [line for line in before if numbers.random() > 0.2]
        for _ in range(numbers.randint(0, 5)):
            now.insert(numbers.randint(0, len(now)), numbers.choice("abxyz"))
        found = map_moved_lines(before, now)

        assert all(before[old - 1] == now[new - 1] for old, new in found.items())
        assert [found[old] for old in sorted(found)] == sorted(set(found.values()))
