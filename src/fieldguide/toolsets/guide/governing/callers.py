"""Who calls what is about to change: the callers and the tests of the definitions that some lines lie in."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide.source_code.test_files import is_test
from fieldguide.symbols.asking import Found, Symbol, Symbols

MOST_SYMBOLS = 12
MOST_LINES = 40  # of a change whose definitions are looked for
MOST_OF_EACH = 8


class Caller(NamedTuple):
    """A line that depends on a definition, and how."""

    path: str
    line: int
    within: str
    why: str


def callers_of(symbols: Symbols, lines: Sequence[tuple[str, int, int]]) -> list[Caller]:
    """The tests that reach what these lines define, then who calls it; each line once, certain ones only."""
    found: dict[tuple[str, int], Caller] = {}
    changed = _changed(symbols, lines)
    for symbol in changed:
        for each in symbols.tests(symbol)[:MOST_OF_EACH]:
            found.setdefault((each.path, each.line), _caller(each, symbol, "tests"))
    for symbol in changed:
        direct = [each for each in symbols.references(symbol) if each.is_certain and each.role not in UNTOLD]
        for each in [each for each in direct if not is_test(each.path)][:MOST_OF_EACH]:
            found.setdefault((each.path, each.line), _caller(each, symbol, VERBS.get(each.role, "uses")))
    return list(found.values())


UNTOLD = frozenset(("import", "define"))
VERBS = {"call": "calls", "inherit": "inherits from", "write": "writes"}


def _changed(symbols: Symbols, lines: Sequence[tuple[str, int, int]]) -> list[Symbol]:
    """The innermost definitions that lines lie in, each once."""
    return list(dict.fromkeys(_around(symbols, lines)))[:MOST_SYMBOLS]


def _around(symbols: Symbols, lines: Sequence[tuple[str, int, int]]) -> Iterator[Symbol]:
    for path, start, end in lines:
        for line in range(start, min(end, start + MOST_LINES - 1) + 1):
            symbol = symbols.at(path, line)
            if symbol is not None:
                yield symbol


def _caller(found: Found, symbol: Symbol, verb: str) -> Caller:
    through = f" {found.reason}" if found.reason else ""
    return Caller(found.path, found.line, found.within, f"{verb} `{symbol.qualified}`{through}")
