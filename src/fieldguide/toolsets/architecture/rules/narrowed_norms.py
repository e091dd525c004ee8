"""Things that are bad only in some place: `Optional` as a parameter, `shell=True` in a call, a sleep in async code."""

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.code_spans import argument_check
from fieldguide.toolsets.architecture.rules.library_calls import called_in_async
from fieldguide.toolsets.architecture.rules.meaning import Reading, every, wanted_instead
from fieldguide.toolsets.architecture.rules.norm_objects import Named, Tail, read_tail
from fieldguide.toolsets.architecture.rules.pattern import Check
from fieldguide.toolsets.architecture.rules.placed_types import named_in_place, places_named
from fieldguide.toolsets.architecture.rules.prose import SPAN, restored
from fieldguide.toolsets.architecture.rules.roles import Scope

PLACE_NOUNS = frozenset(("parameter", "parameters", "field", "fields"))
WITH_ARGUMENT = re.compile(rf"^\s*(?:with|using|passing)\s+(?:the |a |an )?{SPAN.pattern}", re.IGNORECASE)
IN_ASYNC = re.compile(
    r"^\s*(?:in|inside|within|from)(?: of)?\s+(?:an?\s+|the\s+|any\s+|your\s+)*"
    r"`?(?:async|asynchronous|coroutines?)\b[\w `]*"
    r"(?=$|[.;:,(]|\s[—–-]\s)",
    re.IGNORECASE,
)
CALLED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*(?:\(\))?")


def narrowed(names: list[str], head: Named, spans: tuple[str, ...]) -> Reading | None:
    """The check for names that are meant in one place or with one argument; None when they are meant everywhere."""
    return placed(names, head, spans) or _argued(names, head, spans)


def placed(names: list[str], head: Named, spans: tuple[str, ...]) -> Reading | None:
    """`Optional` as a parameter, `@Autowired` on fields, `context.Context` in a struct."""
    said = f"{head.noun} {head.rest.strip()}".strip() if head.noun in PLACE_NOUNS else head.rest
    places = places_named(said)
    if not places.names:
        return None
    checks = [named_in_place(name, place) for name in names for place in places.names]
    found: list[Check] = [check for check in checks if check is not None]
    tail = read_tail(places.rest, spans)
    if not found or len(found) < len(checks) or tail.is_conditional:
        return None
    return Reading(every(found), tail.scope, wanted_instead(None, tail, spans))


def _argued(names: list[str], head: Named, spans: tuple[str, ...]) -> Reading | None:
    """`subprocess` with `shell=True`, `time.sleep` in async functions: the thing is bad only with or in something."""
    given = WITH_ARGUMENT.match(head.rest)
    if given:
        check = argument_check(spans[int(given.group(1))])
        tail = read_tail(head.rest[given.end() :], spans)
        return (
            Reading(check, tail.scope, wanted_instead(None, tail, spans)) if check and not tail.is_conditional else None
        )
    inside = IN_ASYNC.match(restored(head.rest, spans))
    if inside is None or not all(CALLED.fullmatch(name) for name in names):
        return None
    end = re.search(r"[;—]", head.rest)
    tail = read_tail(head.rest[end.start() :], spans) if end else Tail(Scope())
    return Reading(
        called_in_async(tuple(name.removesuffix("()") for name in names)), fix=wanted_instead(None, tail, spans)
    )
