"""What the context tools do when they are called."""

from datetime import UTC, datetime
from typing import Any

from fieldguide.spine.contract import Call
from fieldguide.toolsets.context import grep, reading, searching
from fieldguide.toolsets.context.beside import Beside
from fieldguide.toolsets.context.recorder import Access
from fieldguide.toolsets.context.upkeep import ContextUpkeep
from fieldguide.upkeep import LateUpkeep


def context_search(upkeep: LateUpkeep[ContextUpkeep], call: Call) -> Any:
    """What is known about a question."""
    given = call.arguments
    wanted = searching.Wanted(given["query"], given.get("type", "all"), given.get("module"), given.get("limit", 5))
    with searching.specified_failures():
        standing = upkeep.ready(call, upkeep.made(), question=wanted.query)
        beside = Beside(standing, upkeep.lack)
        return searching.context_search(upkeep.services, wanted, call.cancellation, beside)


def read_file(upkeep: LateUpkeep[ContextUpkeep], call: Call) -> Any:
    """A file of the project; that it was looked at is recorded beside."""
    given = call.arguments
    wants_dependencies = given.get("includeDeps", False) and given.get("maxDepth", 1) > 0
    made, services = upkeep.made(), upkeep.services
    answer = reading.read_file(
        services.project,
        given["path"],
        made.dependencies if wants_dependencies else None,
        most=services.limits.answer_tokens,
        names=lambda: made.files.last.paths or made.files.paths(),
    )
    file = answer["file"]
    now = datetime.now(UTC)
    made.recorder.record(Access(call.connection, call.user, file["path"], len(file["content"]), now))
    return answer


def grep_codebase(upkeep: LateUpkeep[ContextUpkeep], call: Call) -> Any:
    """The lines of the project's files that match a pattern."""
    given = call.arguments
    services = upkeep.services
    request = grep.Request(
        given["pattern"],
        given.get("filePattern"),
        given.get("caseSensitive", False),
        given.get("limit", 50),
        services.limits.answer_tokens,
    )
    answer = grep.grep(services.project, request, upkeep.made().files, call.cancellation)
    services.note("Code searched", pattern=request.pattern, results=answer["totalMatches"])
    return answer
