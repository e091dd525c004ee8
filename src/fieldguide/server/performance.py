"""What a server tells of its own work over the wire: counts and times of its tools and prompts."""

from typing import Any

from fieldguide.spine.callers.access import Access
from fieldguide.spine.executor import Executor
from fieldguide.spine.journal import timestamp
from fieldguide.spine.workflow import WorkflowStore


def performance(executor: Executor, workflows: WorkflowStore, access: Access | None = None) -> dict[str, Any]:
    """The answer to `server/performance`, but for who answers; a principal is told of its own calls only."""
    whole = executor.journal.metrics
    metrics = whole if access is None else whole.of(access.user)
    prompts = workflows.prompts_given if access is None else metrics.prompts
    seen = {tool.name for tool in executor.registry.all(access)}
    breakers = executor.breakers.states()
    return {
        "cache_metrics": {"workflows": len(workflows) if access is None else prompts.total()},
        "prompt_metrics": {"total_prompts": prompts.total(), "prompts_by_name": dict(sorted(prompts.items()))},
        "tool_metrics": metrics.tool_metrics(),
        "tools": metrics.per_tool(),
        "circuit_breakers": {name: told for name, told in breakers.items() if access is None or name in seen},
        "error_kinds": metrics.error_kinds(),
        "timestamp": timestamp(),
    }
