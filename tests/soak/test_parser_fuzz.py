"""Nonsense through every grammar for long: nothing holds the interpreter's lock, and the worst seen is told."""

from functools import partial

import pytest

from fieldguide.code.parsing import GRAMMARS
from fieldguide.toolsets.architecture.rules.pattern import check_code, read_pattern
from fieldguide.toolsets.context.code_chunking import chunk_code
from tests.hostile.nonsense import mixtures, runs
from tests.hostile.ticking import MOST_HELD_SECONDS, TRIES, longest_hold

PATTERN = "# T\n\nNever call `print`. Never swallow exceptions. Avoid `any`. Never use `Foo`.\n"


@pytest.mark.parametrize("size", [3_000, 30_000, 300_000])
@pytest.mark.parametrize("language", GRAMMARS)
def test_no_nonsense_holds_the_lock(language, size, capsys):
    pattern = read_pattern("all", PATTERN)
    worst = 0.0
    for text in (*runs(size), *mixtures(size, seed=size, count=5)):
        for work in (partial(chunk_code, text, language), partial(check_code, pattern, text, language)):
            worst = max(worst, min(longest_hold(work) for _ in range(TRIES)))

    with capsys.disabled():
        print(f"\n{language}, {size} characters: the lock was held for {worst * 1000:.0f} ms at most", end="")
    assert worst < MOST_HELD_SECONDS
