"""What the three tools do, in plain functions: from a call to the object that the specification prints."""

from typing import TYPE_CHECKING, Any

from fieldguide.errors import InvalidArguments
from fieldguide.spine.contract import Answer, Call, compact_json

if TYPE_CHECKING:
    from fieldguide.toolsets.architecture.upkeep import ArchitectureUpkeep
    from fieldguide.upkeep import LateUpkeep

DEFAULT_RESULTS = 10
PICTURE_KEY = "fieldguide/decisions"


def validate_against_pattern(upkeep: "LateUpkeep[ArchitectureUpkeep]", call: Call) -> Any:
    """Code against the rules of a pattern document."""
    arguments = call.arguments
    patterns = upkeep.made().patterns()
    return patterns.validated(arguments["pattern_name"], arguments["code"], arguments.get("language"))


def search_architecture(upkeep: "LateUpkeep[ArchitectureUpkeep]", call: Call) -> Any:
    """The documents that fit a query."""
    from fieldguide.toolsets.architecture import searching
    from fieldguide.toolsets.architecture.emptiness import nothing_found

    arguments = call.arguments
    category = arguments.get("resource_type", "all")
    wanted = searching.Wanted(
        query=arguments["query"],
        category=None if category == "all" else category,
        limit=arguments.get("max_results", DEFAULT_RESULTS),
    )
    shelf, standing = upkeep.made().indexed_shelf(wanted.query)
    engine, excerpts = upkeep.services.engine(), upkeep.made().excerpts()
    found = searching.search_architecture(engine, shelf, excerpts, wanted, call.cancellation)
    hint = {} if found["results"] else {"hint": nothing_found(shelf, wanted.category, upkeep.made().library)}
    lacks = {"lacks": upkeep.lack} if upkeep.lack else {}
    return _beside_picture(upkeep, call, {**found, **(standing.told() if standing else {}), **lacks, **hint})


def check_adr_alignment(upkeep: "LateUpkeep[ArchitectureUpkeep]", call: Call) -> Any:
    """A proposed decision against those that were made before."""
    arguments = call.arguments
    description, context = arguments["decision_description"], arguments.get("decision_context", "")
    if not description.strip():
        raise InvalidArguments("field decision_description is blank; say what is to be decided")
    return _beside_picture(upkeep, call, upkeep.made().decisions().checked(description, context))


def _beside_picture(upkeep: "LateUpkeep[ArchitectureUpkeep]", call: Call, value: dict[str, Any]) -> Any:
    """An answer; for a client that shows the picture of the decisions, with what is drawn there."""
    if not call.shows_panel:
        return value
    told = {each["uri"] for each in (*value.get("related_adrs", ()), *value.get("results", ()))}
    picture = upkeep.made().decisions().pictured().told(told)
    return Answer(text=compact_json(value), value=value, meta={PICTURE_KEY: picture})
