"""The tasks of whoever asks, as candidates: they lie in no index, so their words alone tell."""

from collections.abc import Mapping
from typing import Any

from fieldguide.search.fitness import Terms
from fieldguide.search.indexes.store import StoredDocument
from fieldguide.search.mixed.pools import Candidate
from fieldguide.search.port import Passage
from fieldguide.spine.contract import Call
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.finding.features import Placed
from fieldguide.toolsets.guide.finding.shelves import is_served
from fieldguide.toolsets.guide.items import TASK
from fieldguide.toolsets.guide.unfiled import TASKS, task_text

TOOL = "list_tasks"
MOST_LOOKED_AT = 1_000
LEAST_HELD = 0.5  # of the terms of a question: how rare they are in code says nothing of tasks


def tasks_found(services: Services, call: Call, terms: Terms) -> list[Placed]:
    """The caller's own tasks that hold most of what is asked for; nobody's where it is not known who asks."""
    if call.user is None or not is_served(services, TOOL):
        return []
    rows: list[dict[str, Any]] = services.find_tool(TOOL).run(
        call._replace(tool=TOOL, arguments={"user_id": call.user})
    )
    found: list[Placed] = []
    for row in rows[:MOST_LOOKED_AT]:
        text = task_text(row)
        held = len(terms.held((text,))) / max(len(terms.weights), 1)
        if held >= LEAST_HELD:
            found.append(Placed(_candidate(row, text, held), f"{TASKS}{row['id']}", TASK, is_code=False))
    return found


def _candidate(row: Mapping[str, Any], text: str, held: float) -> Candidate:
    document = StoredDocument(-1, -1, str(row["id"]), str(row["title"]), len(text), 1, ())
    state = "done" if row["completed"] else "open"
    return Candidate(-1, document, Passage(text, (state,), 1, text.count("\n") + 1), held, held)
