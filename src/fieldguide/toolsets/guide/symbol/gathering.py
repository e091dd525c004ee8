"""Everything that is known of one symbol: its lines, who uses it and how, what it uses, and which texts speak of it."""

from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.secret_values import without_secret_values
from fieldguide.source_code.test_files import is_test
from fieldguide.spine.contract import Call
from fieldguide.symbols import facts
from fieldguide.symbols.asking import Found, Symbol, Symbols
from fieldguide.symbols.facts import CALL, IMPORT, INHERIT, READ, TYPE, WRITE
from fieldguide.symbols.resolving.usage import DEFINE
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.governing.mentions import mentions
from fieldguide.toolsets.guide.items import CODE, TEST, Item
from fieldguide.toolsets.guide.project_lines import ProjectLines
from fieldguide.toolsets.guide.symbol.configuration import Configuration
from fieldguide.toolsets.guide.symbol.uses import (
    CALLEES,
    CALLS,
    CONFIGURATION,
    DOCUMENTS,
    IMPORTS,
    INHERITS,
    OVERRIDES,
    PERHAPS,
    READS,
    TESTS,
    TYPES,
    WRITES,
    Use,
)

GROUPS = {CALL: CALLS, IMPORT: IMPORTS, INHERIT: INHERITS, READ: READS, TYPE: TYPES, WRITE: WRITES, DEFINE: OVERRIDES}
SPEAKING = ("architecture", "documents")
MOST_MENTIONS = 8
MOST_LINES = 60  # of a definition that are shown
WIDEST_USE = 120  # characters of a line
SHORTEST_SPOKEN = 4


class Gathering(NamedTuple):
    """Gathers for one call; a file is read once."""

    services: Services
    call: Call
    symbols: Symbols
    lines: ProjectLines
    configuration: Configuration

    def definition(self, symbol: Symbol) -> Item:
        """A symbol as an item, with the first of its lines."""
        end = min(max(symbol.end_line, symbol.line), max(self.lines.count(symbol.path), symbol.line))
        shown = self.lines.shown(symbol.path, symbol.line, min(end, symbol.line + MOST_LINES - 1))
        kind = TEST if is_test(symbol.path) else CODE
        hash_ = self.lines.hash(symbol.path, symbol.line, end)
        return Item(symbol.path, symbol.line, end, kind, symbol.kind, symbol.qualified, hash_, "\n".join(shown))

    def uses(self, symbol: Symbol) -> Iterator[Use]:
        """Who uses it, the surest first, then what it uses itself."""
        above, below = ([], []) if symbol.kind in facts.TYPES else self.symbols.overrides(symbol)
        yield from (self._defined(OVERRIDES, "overridden", each) for each in above)
        yield from (self._defined(OVERRIDES, "overrides", each) for each in below)
        direct = self.symbols.references(symbol)
        known = {(each.path, each.line, each.role): each for each in reversed(direct)}  # one of those on a line
        yield from map(self._used, reversed([*known.values()]))
        further = (each for each in self.symbols.tests(symbol) if (each.path, each.line, each.role) not in known)
        yield from (self._reached(each) for each in further)
        yield from (self._defined(CALLEES, "uses", each) for each in self.symbols.callees(symbol))
        yield from self._configured(symbol)
        yield from self._mentions(symbol)

    def _used(self, found: Found) -> Use:
        group = TESTS if is_test(found.path) else GROUPS.get(found.role, READS)
        if not found.is_certain:
            group = PERHAPS
        return self._use(group, found, found.within)

    def _reached(self, found: Found) -> Use:
        return self._use(TESTS, found, f"{found.within} {found.reason}".strip())

    def _use(self, group: str, found: Found, within: str) -> Use:
        confidence = 1.0 if found.is_certain else found.confidence
        return Use(group, found.path, found.line, found.role, within, self._line(found.path, found.line), confidence)

    def _defined(self, group: str, role: str, symbol: Symbol) -> Use:
        return Use(group, symbol.path, symbol.line, role, symbol.qualified, symbol.signature[:WIDEST_USE])

    def _line(self, path: str, line: int) -> str:
        return " ".join(self.lines.shown(path, line, line)).strip()[:WIDEST_USE]

    def _configured(self, symbol: Symbol) -> Iterator[Use]:
        for each in self.configuration.mentions(symbol, is_telling=_is_telling(symbol.name)):
            text = without_secret_values(each.text)[:WIDEST_USE]
            yield Use(CONFIGURATION, each.path, each.line, "mentions", text=text)

    def _mentions(self, symbol: Symbol) -> Iterator[Use]:
        """Documents and decisions that speak of it by a name that no text uses by chance."""
        names = [symbol.qualified] if "." in symbol.qualified else []
        names += [symbol.name] if _is_telling(symbol.name) else []
        names = [name for name in names if len(name) >= SHORTEST_SPOKEN]
        if not names:
            return
        for kind in SPEAKING:
            found = mentions(self.services.engine(), self.services.project, kind, names, self.call.cancellation)
            for each in found[:MOST_MENTIONS]:
                yield Use(DOCUMENTS, each.path, each.start, "mentions", f"`{each.name}`")


def _is_telling(name: str) -> bool:
    return "_" in name.strip("_") or any(each.isupper() for each in name[1:])
