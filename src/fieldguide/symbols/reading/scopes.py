"""What a function's own parameters and variables answer is nobody else's business: it is left out of the facts."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from fieldguide.symbols.facts import CALL, INNER, UNKNOWN, Definition, Facts, Reference

Lines = Sequence[tuple[int, int]]
LAST = 1_000_000_000
MOST_SCOPES = 50
TYPES_APART = str.maketrans(dict.fromkeys("|<>,", " "))
PARTS = str.maketrans(dict.fromkeys("|=:<>,()[]{}", "."))


def without_own_locals(facts: Facts, *, has_calls_apart: bool = False) -> Facts:
    """The facts without uses of parameters and locals, and without those that no other fact needs."""
    inner = _inner(facts.definitions)
    kept = [
        each
        for each in facts.references
        if each.receiver
        or (has_calls_apart and each.role == CALL)
        or not is_own(each.name, each.line, each.within, facts, inner)
    ]
    needed = _needed(facts, kept)
    return _renumbered(facts, kept, needed)


def is_own(name: str, line: int, within: int, facts: Facts, inner: dict[tuple[int, str], Lines]) -> bool:
    """Whether a parameter or a local of what encloses a place has a name."""
    for _ in range(MOST_SCOPES):
        lines = inner.get((within, name), ())
        at = bisect_right(lines, (line, LAST))
        if at and lines[at - 1][1] >= line:
            return True
        if within < 0:
            return False
        within = facts.definitions[within].parent
    return False


def _inner(definitions: Sequence[Definition]) -> dict[tuple[int, str], Lines]:
    """The lines that see a parameter or a local of a name, of each definition that has some."""
    found: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for each in definitions:
        if each.kind in INNER:
            first, last = each.visible
            found.setdefault((each.parent, each.name), []).append((first, last if first else LAST))
    return {key: _joined(sorted(lines)) for key, lines in found.items()}


def _joined(lines: Lines) -> Lines:
    """Spans of lines, in order, as spans that do not overlap."""
    found: list[tuple[int, int]] = []
    for first, last in lines:
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def _needed(facts: Facts, kept: list[Reference]) -> set[int]:
    """The definitions that somebody may ask for, that have parts, or whose name begins an expression that is needed."""
    definitions = facts.definitions
    needed, inner = _asked_for(definitions, kept), _inner_by_name(definitions)
    begun = {first_of(each.receiver) for each in kept}
    pending = list(needed) + [place for name in begun for place in inner.get(name, ())]
    while pending:
        place = pending.pop()
        needed.add(place)
        each = definitions[place]
        firsts = _firsts_told(each) - begun
        begun |= firsts
        pending += [found for name in firsts for found in inner.get(name, ())]
        if each.scope >= 0 and each.scope not in needed:
            pending.append(each.scope)
    return needed


def _asked_for(definitions: Sequence[Definition], kept: list[Reference]) -> set[int]:
    """The definitions that are no function's own, or that something lies in."""
    places = {each.parent for each in definitions} | {each.within for each in kept}
    places |= {each.scope for each in definitions if each.kind not in INNER}
    return {place for place, each in enumerate(definitions) if each.kind not in INNER or place in places}


def _inner_by_name(definitions: Sequence[Definition]) -> dict[str, list[int]]:
    """Where the parameters and locals of a name are."""
    found: dict[str, list[int]] = {}
    for place, each in enumerate(definitions):
        if each.kind in INNER:
            found.setdefault(each.name, []).append(place)
    return found


def _firsts_told(definition: Definition) -> set[str]:
    """The names that begin what a definition's type and its bases say."""
    return {name for part in (definition.type[1:], *definition.bases) for name in _firsts_of(part)}


def _firsts_of(expression: str) -> Iterator[str]:
    """The names that an expression, its alternatives and its arguments begin with."""
    for part in expression.translate(TYPES_APART).split():
        yield first_of(part)


def first_of(expression: str) -> str:
    """The name that an expression begins with."""
    first: str = expression.translate(PARTS).partition(".")[0]
    return first if first != UNKNOWN else ""


def _renumbered(facts: Facts, kept: list[Reference], needed: set[int]) -> Facts:
    places = {old: new for new, old in enumerate(sorted(needed))}
    places[-1] = -1
    definitions = [
        each._replace(parent=places[each.parent], scope=places[each.scope])
        for old, each in enumerate(facts.definitions)
        if old in needed
    ]
    references = [each._replace(within=places[each.within]) for each in kept]
    references.sort(key=lambda each: (each.line, each.column))
    return Facts(definitions, references, facts.imports)
