"""What a server tells of its own work over the wire: counts and times of its tools and prompts."""

from typing import Any

from fieldguide.spine.circuit_breaker import CircuitBreakers
from fieldguide.spine.journal import timestamp
from fieldguide.spine.metrics import Metrics
from fieldguide.spine.workflow import WorkflowStore


def performance(metrics: Metrics, breakers: CircuitBreakers, workflows: WorkflowStore) -> dict[str, Any]:
    """The answer to `server/performance`, but for who answers."""
    return {
        "cache_metrics": {"workflows": len(workflows)},
        "prompt_metrics": {
            "total_prompts": workflows.prompts_given.total(),
            "prompts_by_name": dict(sorted(workflows.prompts_given.items())),
        },
        "tool_metrics": metrics.tool_metrics(),
        "tools": metrics.per_tool(),
        "circuit_breakers": breakers.states(),
        "error_kinds": metrics.error_kinds(),
        "timestamp": timestamp(),
    }
