"""What belongs to a task and lies in no file: findings that fit it, and open tasks that speak of the same."""

from collections.abc import Sequence
from typing import Any

from fieldguide.discoveries.indexing import DISCOVERIES
from fieldguide.errors import ToolNotFound
from fieldguide.search.engine import Question
from fieldguide.search.fitness import CODE_FLOOR
from fieldguide.search.misfits import Floored
from fieldguide.search.port import Scope
from fieldguide.spine.contract import Call
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.brief.ranking.task_text import TaskText, stems_of
from fieldguide.toolsets.guide.brief.steps import Step
from fieldguide.toolsets.guide.items import FINDING, TASK
from fieldguide.toolsets.guide.unfiled import FINDINGS, TASKS, task_text

MOST_FINDINGS = 4
MOST_TASKS = 4
MOST_TASKS_READ = 500
NEAR = 0.75  # of the score of the best: what fits worse is left to guide_search
LEAST_COMMON = 2
LEAST_SHARE = 0.5
LIST_TASKS = "list_tasks"


def finding_steps(services: Services, task: TaskText, call: Call) -> list[Step]:
    """The findings that fit a task, best first."""
    engine = services.engine()
    sources = tuple(source.id for source in engine.sources(DISCOVERIES) if source.documents)
    if not sources:
        return []
    floored = (Floored(frozenset(sources), CODE_FLOOR),)
    hits = engine.search(Question(task.whole, Scope(sources), MOST_FINDINGS, floored=floored), call.cancellation)
    return [
        _step(f"{FINDINGS}{hit.document}", FINDING, "found out before", hit.passage.text)
        for hit in hits
        if hit.score >= NEAR * hits[0].score
    ]


def task_steps(services: Services, task: TaskText, call: Call) -> list[Step]:
    """The open tasks of whoever asks that speak of the same; nobody's where it is not known who asks."""
    user = call.user or services.user
    if user is None:
        return []
    rows = [row for row in _listed(services, call, user)[:MOST_TASKS_READ] if _is_common(task_text(row), task)]
    return [_step(f"{TASKS}{row['id']}", TASK, "open, of the same", task_text(row)) for row in rows[:MOST_TASKS]]


def _listed(services: Services, call: Call, user: str) -> Sequence[dict[str, Any]]:
    try:
        tool = services.find_tool(LIST_TASKS)
    except ToolNotFound:
        return []
    rows: Sequence[dict[str, Any]] = tool.run(
        call._replace(tool=LIST_TASKS, arguments={"user_id": user, "status": "pending"})
    )
    return rows


def _is_common(text: str, task: TaskText) -> bool:
    stems = stems_of(text)
    common = stems & task.stems
    return len(common) >= LEAST_COMMON and len(common) >= LEAST_SHARE * len(stems)


def _step(path: str, kind: str, why: str, text: str) -> Step:
    return Step(path, 1, text.count("\n") + 1, kind, why, is_shown=True, text=text)
