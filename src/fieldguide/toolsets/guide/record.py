"""Runs `guide_record`: keeps a finding with its evidence."""

from datetime import UTC, datetime
from typing import Any

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.knowledge.findings.finding import create_finding
from fieldguide.knowledge.findings.indexing import SessionVisit
from fieldguide.knowledge.findings.indexing import record_finding as keep
from fieldguide.spine.tool import Call
from fieldguide.spine.toolset import Services
from fieldguide.text.citation import read_citation
from fieldguide.text.errors import InvalidArguments, Refusal
from fieldguide.text.secrets import list_secret_value_kinds

LARGEST_BYTES = 1 << 30


def record(services: Services, call: Call) -> Any:
    """Keep a discovery with its evidence; the same words twice are kept once."""
    given = call.arguments
    evidence = dict(given.get("evidence", {}))
    for path in evidence.get("files", ()):
        _check_file(services.project, path)
    by = {} if call.user is None else {"by": call.user}
    discovery = create_finding(
        given["type"],
        given["content"],
        module=given.get("module"),
        evidence={"extractedFrom": "guide_record", "confidence": 1.0, **by, **evidence},
    )
    visit = SessionVisit(call.connection, call.user, datetime.now(UTC))
    is_new = keep(services.database, services.engine(), services.namespace, discovery, visit)
    status = "recorded" if is_new else "already known"
    answer = {"status": status, "type": discovery.type, "content": discovery.content, "module": discovery.module}
    return answer | ({"id": discovery.id} if is_new else {}) | _warned(given["content"])


def _warned(content: str) -> dict[str, Any]:
    """Say that something was left out, where it was."""
    kinds = ", ".join(sorted(set(list_secret_value_kinds(content))))
    return {"warnings": [f"What looks like a live secret was not kept ({kinds})."]} if kinds else {}


def _check_file(project: ConfinedFolder, path: str) -> None:
    """Evidence must be there to be looked at: a file, or some lines of one as `path#L30-L39`."""
    citation = read_citation(path)
    named = path if citation is None or project.status(path) is not None else citation.path
    try:
        project.read_with_status(named, limit_bytes=LARGEST_BYTES)
    except Refusal as error:
        raise InvalidArguments(f"The evidence {path!r} can't be read: {error.message}.", path=path) from error
