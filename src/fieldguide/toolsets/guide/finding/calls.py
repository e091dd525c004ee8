"""What `guide_search` does when it is called."""

from fieldguide.errors import InvalidArguments
from fieldguide.spine.contract import Answer, Call
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.finding.answering import Beside, answer
from fieldguide.toolsets.guide.finding.searching import Wanted, find, named_kinds
from fieldguide.toolsets.guide.finding.shelves import shelves_for
from fieldguide.toolsets.guide.finding.tool import USUAL_LIMIT
from fieldguide.toolsets.guide.items import KINDS
from fieldguide.toolsets.guide.project_lines import ProjectLines
from fieldguide.toolsets.guide.states import states_of


def search(services: Services, call: Call) -> Answer:
    """One list of everything that answers a question."""
    wanted = _wanted(call)
    standing, lacks = services.ready(call, wanted.query)
    shelves = shelves_for(services, call, wanted.query)
    found = find(services, shelves, wanted, call)
    services.note("Guide searched", query=wanted.query[:100], results=len(found.hits))
    beside = Beside(standing, lacks, shelves.counted())
    return answer(found, wanted, ProjectLines(services.project), beside, states_of(services))


def _wanted(call: Call) -> Wanted:
    query = call.arguments["query"]
    if not query.strip():
        raise InvalidArguments("The query is blank; say what to look for.")
    kinds = named_kinds(call.arguments.get("kinds", []))
    unknown = sorted(kinds.difference(KINDS))
    if unknown:
        raise InvalidArguments(f"There is no kind {unknown[0]!r}; the kinds are {', '.join(KINDS)}.", kinds=unknown)
    return Wanted(query, kinds, call.arguments.get("limit", USUAL_LIMIT))
