"""Runs the context tools, and reads and removes the findings that the page shows."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from fieldguide.files.project_files import open_cited_files
from fieldguide.knowledge.findings.finding import CitedFinding, Finding, FindingQuery, FindingRepository
from fieldguide.knowledge.findings.indexing import remove_findings
from fieldguide.knowledge.links.stale import FINDING, StaleStates
from fieldguide.spine.tool import Answer, Call, compact_json
from fieldguide.spine.toolset import Services, make_error_answer
from fieldguide.text.errors import NotFound, ToolNotFound
from fieldguide.toolsets.context import file_reader, grep, search
from fieldguide.toolsets.context.search import SearchRemarks, cite_places
from fieldguide.toolsets.context.upkeep import AccessedFile, ContextUpkeep
from fieldguide.toolsets.upkeep import LateUpkeep


def context_search(upkeep: LateUpkeep[ContextUpkeep], call: Call) -> Any:
    """What is known about a question."""
    given = call.arguments
    wanted = search.ContextQuery(given["query"], given.get("type", "all"), given.get("module"), given.get("limit", 5))
    with search.translate_failures():
        standing = upkeep.ready(call, upkeep.made(), question=wanted.query)
        beside = SearchRemarks(standing, upkeep.lack)
        return search.search_context(upkeep.services, wanted, call.cancellation, beside)


def read_file(upkeep: LateUpkeep[ContextUpkeep], call: Call) -> Any:
    """A file of the project; that it was looked at is recorded beside."""
    given = call.arguments
    wants_dependencies = given.get("includeDeps", False) and given.get("maxDepth", 1) > 0
    made = upkeep.made()
    services = upkeep.services
    answer = file_reader.read_file(
        services.project,
        given["path"],
        made.dependencies if wants_dependencies else None,
        most=services.limits.answer_tokens,
        names=lambda: made.files.last.paths or made.files.paths(),
    )
    file = answer["file"]
    now = datetime.now(UTC)
    made.recorder.record(AccessedFile(call.connection, call.user, file["path"], len(file["content"]), now))
    return answer


def grep_codebase(upkeep: LateUpkeep[ContextUpkeep], call: Call) -> Any:
    """The lines of the project's files that match a pattern."""
    given = call.arguments
    services = upkeep.services
    request = grep.GrepRequest(
        given["pattern"],
        given.get("filePattern"),
        given.get("caseSensitive", False),
        given.get("limit", 50),
        services.limits.answer_tokens,
    )
    answer = grep.run_grep(services.project, request, upkeep.made().files, call.cancellation)
    services.note("Code searched", pattern=request.pattern, results=answer["totalMatches"])
    return answer


def tell_unknown(error: ToolNotFound) -> Answer:
    """The words that the specification prints."""
    name = error.details["tool"]
    message = {"error": f"Unknown tool: {name}", "tool": name}
    if near := error.details.get("didYouMean"):
        message["didYouMean"] = near
    return make_error_answer(compact_json(message))


GONE = "This finding is not here any more."


def findings(upkeep: "LateUpkeep[ContextUpkeep]", wanted: FindingQuery) -> tuple[list[CitedFinding], int]:
    """Some findings, newest first, and how many there are of the same."""
    services = upkeep.services
    with services.database.reading() as transaction:
        repository = FindingRepository(transaction, services.namespace)
        found = repository.page(wanted)
        total = repository.count_fitting(wanted)
    return _shown(services, found), total


def stale_findings(upkeep: "LateUpkeep[ContextUpkeep]") -> list[CitedFinding]:
    """The findings of which something no longer holds, newest first."""
    services = upkeep.services
    documents = [each.document for each in _states(services).all() if each.document.startswith(FINDING)]
    known = {document.removeprefix(FINDING) for document in documents}
    with services.database.reading() as transaction:
        repository = FindingRepository(transaction, services.namespace)
        found = [*filter(None, map(repository.find, known))]
    return _shown(services, sorted(found, key=lambda each: each.created_at, reverse=True))


def remove_finding(upkeep: "LateUpkeep[ContextUpkeep]", identity: str) -> None:
    """Forget a finding that was wrong."""
    services = upkeep.services
    if not remove_findings(services.database, services.engine(), services.namespace, [identity])[identity]:
        raise NotFound(GONE)


def _states(services: Services) -> StaleStates:
    return StaleStates(services.engine().database, services.namespace)


def _shown(services: Services, found: Sequence[Finding]) -> list[CitedFinding]:
    states = _states(services)
    files = open_cited_files(services.project)
    shown: list[CitedFinding] = []
    for each in found:
        cited = cite_places(services.project, files, each.content, each.evidence)
        places = cited.get("citations") or filter(None, [cited.get("citation")])
        shown.append(CitedFinding(each, tuple(places), tuple(states.of(f"{FINDING}{each.id}"))))
    return shown
