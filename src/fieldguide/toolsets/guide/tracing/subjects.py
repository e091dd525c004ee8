"""What a caller asks the trace about: a finding or a task by its id, a file by its path, or a name."""

import os
from contextlib import suppress
from typing import Any, cast

from fieldguide import linear_regex as re
from fieldguide.discoveries.discovery import DiscoveryRepository
from fieldguide.errors import FieldguideError, InvalidArguments, NotFound
from fieldguide.spine.answers.citations import read_citation
from fieldguide.spine.contract import Call
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.unfiled import FINDINGS, TASKS, task_text
from fieldguide.tracing import nodes
from fieldguide.tracing.asking import trace_of
from fieldguide.tracing.chains.committed import words_trace
from fieldguide.tracing.ground import Ground
from fieldguide.tracing.nodes import Node, Trace

UUID = re.compile(r"(?i)(?:finding:(?://)?)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:#.*)?")
TASK = re.compile(r"(?i)task(?::(?://)?|[ -]#?)([0-9]{1,12})(?:#.*)?")
LONGEST = 1_000


def traced(services: Services, call: Call, ground: Ground, of: str) -> Trace:
    """The chain of what a caller asks about."""
    if len(of) > LONGEST:
        raise InvalidArguments(f"What is asked about has at most {LONGEST:,} characters.")
    if finding := UUID.fullmatch(of):
        return _finding(services, ground, finding.group(1).lower())
    if (task := TASK.fullmatch(of)) and (found := _task(services, call, ground, int(task.group(1)))) is not None:
        return found
    return trace_of(ground, of, _path(services, of))


def _path(services: Services, of: str) -> str:
    """The file of the project that is meant; nothing where none is."""
    given = of
    if os.path.isabs(of):
        given = os.path.relpath(os.path.realpath(of), os.path.realpath(services.project.root)).replace(os.sep, "/")
    given = given.removeprefix("./")
    citation = read_citation(given)
    for path in (given, citation.path if citation else ""):
        if path and "\0" not in path and services.project.status(path) is not None:
            return path
    return ""


def _finding(services: Services, ground: Ground, identity: str) -> Trace:
    with services.database.reading() as transaction:
        found = DiscoveryRepository(transaction, services.namespace).find(identity)
    if found is None:
        raise NotFound(f"No finding has the id {identity}.")
    files: Any = found.evidence.get("files") or ()
    named = [str(each) for each in cast("list[object]", files)] if isinstance(files, list | tuple) else []
    node = Node(nodes.FINDING, f"{FINDINGS}{identity}", found.type, text=found.content)
    return words_trace(ground, node, found.content, named, str(found.evidence.get("commit") or ""))


def _task(services: Services, call: Call, ground: Ground, number: int) -> Trace | None:
    """The chain of a task of the user whom this server is bound to; None where there is none."""
    user = call.user or services.user
    if user is None:
        return None
    with suppress(FieldguideError):
        listed = services.find_tool("list_tasks").run(
            call._replace(tool="list_tasks", arguments={"user_id": user, "status": "all"})
        )
        for task in cast("list[dict[str, Any]]", listed):
            if task.get("id") == number:
                text = task_text(task)
                node = Node(nodes.TASK, f"{TASKS}{number}", str(task.get("title") or ""), text=text)
                return words_trace(ground, node, text)
    return None
