"""What `guide_symbol` does when it is called."""

from collections.abc import Callable, Sequence

from fieldguide.errors import NotFound
from fieldguide.search.early.standing import Standing
from fieldguide.source_code.test_files import is_test
from fieldguide.spine.answers.near_names import near_names
from fieldguide.spine.contract import Answer, Call
from fieldguide.symbols.asking import Symbol, Symbols
from fieldguide.symbols.building import waiting
from fieldguide.symbols.early import read_first
from fieldguide.symbols.facts import CONSTANT, FIELD, VARIABLE
from fieldguide.symbols.naming import last_part
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.items import Item
from fieldguide.toolsets.guide.project_lines import ProjectLines
from fieldguide.toolsets.guide.symbol.configuration import Configuration
from fieldguide.toolsets.guide.symbol.gathering import Gathering
from fieldguide.toolsets.guide.symbol.telling import Told, packed
from fieldguide.toolsets.guide.symbol.tool import USUAL_BUDGET
from fieldguide.toolsets.guide.symbol.uses import Use

MOST_TOLD = 3  # definitions of a name that are told with all their uses
MOST_LISTED = 40
LONGEST_LACK = 200
LONGEST_NAME = 300
LONGEST_SIGNATURE = 100
MOST_NEAR = 3


def symbols_of(services: Services) -> Symbols:
    """The symbols of the project that is served."""
    return Symbols(services.engine().database, services.namespace, services.project)


def configuration_of(services: Services) -> Configuration:
    """The configuration of the project that is served."""
    return Configuration(services.project)


def tell_symbol(
    services: Services, symbols: Callable[[], Symbols], configuration: Callable[[], Configuration], call: Call
) -> Answer:
    """What a name stands for and who uses it, as much of it as the budget allows."""
    name, path = call.arguments["name"].strip()[:LONGEST_NAME], call.arguments.get("path")
    standing, lacks = services.ready(call, name)
    behind = read_ahead(services, name)
    standing = standing or behind
    asked, lines = symbols(), ProjectLines(services.project)
    found = sorted(asked.definitions(name, path), key=_rank)
    if standing:
        found = [each for each in found if each.name in "".join(lines.shown(each.path, each.line, each.line))]
    waiting_for = standing.sentence() if standing else ""
    if not found:
        raise missing(asked, name, path, waiting_for)
    gathering = Gathering(services, call, asked, lines, configuration())
    items, uses = _gathered(gathering, found)
    notes = filter(None, (*_remarks(asked, found), waiting_for, lacks[:LONGEST_LACK]))
    return packed(Told(items, uses, [*notes]), call.arguments.get("budget", USUAL_BUDGET))


def _gathered(gathering: Gathering, found: Sequence[Symbol]) -> tuple[list[Item], list[Use]]:
    """The definitions of a name and its uses; where too many have it, only where they are."""
    if len(found) > MOST_TOLD:
        return [_listed(gathering.definition(each), each) for each in found[:MOST_LISTED]], []
    uses = [use for each in found for use in gathering.uses(each)]
    return [gathering.definition(each) for each in found], uses


def _remarks(symbols: Symbols, found: Sequence[Symbol]) -> list[str]:
    if len(found) > MOST_TOLD:
        return [_choice(found)]
    return [_reach(symbols, each) for each in found]


def read_ahead(services: Services, name: str) -> Standing | None:
    """How far the symbols are behind the index; where they are, the files of a name are read before their turn."""
    behind = symbols_standing(services)
    if behind is not None:
        read_first(services.engine(), services.namespace, name)
    return behind


def symbols_standing(services: Services) -> Standing | None:
    """How far the symbols are behind the index, which they are made from; None where they are not."""
    if not services.is_at_work():
        return None
    with services.engine().database.reading() as transaction:
        done, total = waiting(transaction, services.namespace)
    return Standing(done, total) if done < total else None


def missing(symbols: Symbols, name: str, path: str | None, standing: str) -> NotFound:
    """The refusal of a name that nothing has, with names that are near, or with the places where it is."""
    elsewhere = [each.path for each in symbols.definitions(name)] if path else []
    called = [each.qualified for each in symbols.definitions(last_part(name))] if not elsewhere else []
    near = list(dict.fromkeys(elsewhere or called))[:MOST_NEAR] or near_names(last_part(name), symbols.names())
    more = {"didYouMean": near} if near else {}
    return NotFound("No such symbol", name=name, **more, **({"indexing": standing} if standing else {}))


def _rank(symbol: Symbol) -> tuple[bool, bool]:
    """What is asked for more often comes first: code before tests, what can be called or made before what holds."""
    return is_test(symbol.path), symbol.kind in (FIELD, VARIABLE, CONSTANT)


def _listed(item: Item, symbol: Symbol) -> Item:
    """One of many definitions: its signature in place of its lines."""
    return item._replace(text="", why=f"{symbol.kind} {symbol.signature[:LONGEST_SIGNATURE]}".strip())


def _reach(symbols: Symbols, symbol: Symbol) -> str:
    """That not every file was looked at, where a name is in very many."""
    looked, known = symbols.reach(symbol)
    return f"Of {known} files with this name the {looked} nearest were looked at." if looked < known else ""


def _choice(found: Sequence[Symbol]) -> str:
    """How to say which one is meant, where too many have a name."""
    more = f"{len(found) - MOST_LISTED} more are not listed. " if len(found) > MOST_LISTED else ""
    return f"{len(found)} definitions have this name. {more}Ask again with the path, or as Class.name, for its uses."
