"""Whether a task names what a chunk defines."""

from collections.abc import Sequence

from fieldguide.toolsets.guide.brief.ranking.task_text import TaskText

NAMED, NAMED_AROUND, SAID = 1.0, 0.4, 0.3


def named_of(headings: Sequence[str], task: TaskText) -> float:
    """1 where the task writes the name, less where it names what is around it, or says it as a plain word."""
    if not headings:
        return 0.0
    last = headings[-1]
    if last in task.names or last.lower() in task.lowered_names:
        return NAMED
    if any(heading in task.names for heading in headings[:-1]):
        return NAMED_AROUND
    return SAID if last.lower() in task.words else 0.0
