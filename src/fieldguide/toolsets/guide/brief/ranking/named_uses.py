"""Where what a task names is used: those who call it are likely to change with it, where they are few.

Counted by `training/named_uses.py` on the commits of two repositories (scrapy, fastify) whose messages name a
definition that at most eight other files use: of 27 files that call it 14 were changed too, where words and history
alone expected 4; of 48 tests 22, for 10; and of the lines that call it about four in ten were changed or stood near a
change. The weights make up for that; they were not learnt with the others.
"""

from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.source_code.test_files import is_test
from fieldguide.symbols.asking import Found, Symbol, Symbols
from fieldguide.toolsets.guide.brief.ranking.task_text import TaskText

MOST_NAMES = 12
MOST_DEFINITIONS = 3  # a name that more have is meant by chance
MOST_FILES = 8
IMPORT = "import"
FILE, TEST_FILE = 1.5, 1.0  # what a use adds to the logarithm of a file's odds
CHUNK, LINE = 1.5, 1.0  # and of a chunk's, and of a line's that is near it
NEAR = 2  # lines


class NamedUses(NamedTuple):
    """The lines of each file that use what the task names, and the name of one such thing."""

    lines: dict[str, set[int]]
    names: dict[str, str]

    def of_file(self, path: str) -> float:
        """What the uses add to a file's odds."""
        return 0.0 if path not in self.lines else TEST_FILE if is_test(path) else FILE

    def of_lines(self, path: str, start: int, end: int) -> float:
        """What uses among these lines add to the odds of their chunk."""
        return CHUNK if any(start <= line <= end for line in self.lines.get(path, ())) else 0.0

    def of_line(self, path: str, line: int) -> float:
        """What a use adds to the odds of a line near it."""
        return LINE if any(abs(line - use) <= NEAR for use in self.lines.get(path, ())) else 0.0


NOWHERE = NamedUses({}, {})


def uses_of_named(symbols: Symbols, task: TaskText) -> NamedUses:
    """Where what the task names is used, as far as it is certain, and as far as few do."""
    found = NamedUses({}, {})
    for symbol in _named(symbols, task):
        uses = [each for each in symbols.references(symbol) if _counts(each, symbol)]
        if len({each.path for each in uses}) <= MOST_FILES:
            for each in uses:
                found.lines.setdefault(each.path, set()).add(each.line)
                found.names.setdefault(each.path, symbol.name)
    return found


def _counts(each: Found, symbol: Symbol) -> bool:
    return each.is_certain and each.role != IMPORT and each.path != symbol.path


def _named(symbols: Symbols, task: TaskText) -> Iterator[Symbol]:
    for name in sorted(task.names)[:MOST_NAMES]:
        meant = [each for each in symbols.definitions(name) if not is_test(each.path)]
        if len(meant) <= MOST_DEFINITIONS:
            yield from meant
