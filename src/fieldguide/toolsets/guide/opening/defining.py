"""Opens a symbol by its name: every definition of it."""

from collections.abc import Sequence

from fieldguide.spine.contract import Call
from fieldguide.symbols.asking import Symbols
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.opening.fitting import Place
from fieldguide.toolsets.guide.opening.pages import Pages
from fieldguide.toolsets.guide.symbol.calls import missing, read_ahead

MOST_DEFINITIONS = 5


def defined(services: Services, call: Call, pages: Pages, symbols: Symbols, given: str) -> Sequence[Place]:
    """The places of what has a name, `symbol:Name`; the first few where many have it."""
    name = given.partition(":")[2].strip()
    standing, _ = services.ready(call, name)
    behind = read_ahead(services, name)
    standing = standing or behind
    found = symbols.definitions(name)
    if not found:
        raise missing(symbols, name, None, standing.sentence() if standing else "")
    of = f", the first {MOST_DEFINITIONS} of {len(found)}" if len(found) > MOST_DEFINITIONS else ""
    places: list[Place] = []
    for each in found[:MOST_DEFINITIONS]:
        page = pages.file(each.path)
        if page is not None and each.line <= page.last:
            end = min(max(each.end_line, each.line), page.last)
            places.append(Place(page, each.line, end, f"{each.kind}{of}", symbol=each.qualified))
    if not places:
        raise missing(symbols, name, None, "")
    return places
