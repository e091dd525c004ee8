"""What was noted about a path: findings whose evidence or module names it, and open tasks that speak of it."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, cast

from fieldguide.discoveries.discovery import Discovery, DiscoveryRepository
from fieldguide.errors import FieldguideError
from fieldguide.spine.answers.citations import read_citation
from fieldguide.spine.contract import Call
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.items import Item
from fieldguide.toolsets.guide.unfiled import finding_item, task_item, task_text

LATEST = 2_000
MOST_FINDINGS = 8
MOST_TASKS = 8


def findings_about(services: Services, paths: Sequence[str]) -> list[Item]:
    """Findings that name one of these paths, by their evidence, in their words or by their module; newest first."""
    with services.database.reading() as transaction:
        known = DiscoveryRepository(transaction, services.namespace).latest(LATEST)
    found = [finding_item(each, why) for each in known if (why := _bond(each, paths))]
    return found[:MOST_FINDINGS]


def tasks_about(services: Services, call: Call, names: Sequence[str]) -> list[Item]:
    """The open tasks of the user whom this server is bound to that use one of these names."""
    user = call.user or services.user
    if user is None:
        return []
    with suppress(FieldguideError):
        listed = services.find_tool("list_tasks").run(
            call._replace(tool="list_tasks", arguments={"user_id": user, "status": "pending"})
        )
        return list(_tasks(cast("list[dict[str, Any]]", listed), names))[:MOST_TASKS]
    return []


def _tasks(listed: list[dict[str, Any]], names: Sequence[str]) -> Iterator[Item]:
    for task in listed:
        text = task_text(task)
        if name := next((each for each in names if each in text), None):
            yield task_item(task, f"speaks of `{name}`")


def _bond(discovery: Discovery, paths: Sequence[str]) -> str:
    files: Any = discovery.evidence.get("files") or ()
    named = {_plain(str(each)) for each in files} if hasattr(files, "__iter__") else set[str]()
    for path in paths:
        if path in named:
            return f"its evidence is {path}"
        if path and path in discovery.content:
            return f"speaks of {path}"
        if discovery.module and f"/{discovery.module}/" in f"/{path}":
            return f"is about the module {discovery.module}"
    return ""


def _plain(path: str) -> str:
    citation = read_citation(path)
    return path if citation is None else citation.path
