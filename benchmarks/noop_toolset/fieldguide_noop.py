"""A toolset from outside: one tool that does nothing, found by its entry point like any other package's."""

from fieldguide.spine.tool import Tool
from fieldguide.spine.toolset import Services, Toolset


def toolset(services: Services) -> Toolset:
    noop = Tool(
        name="noop",
        description="Does nothing",
        input_schema={"type": "object", "properties": {}},
        run=lambda call: {"ok": True},
    )
    return Toolset(name="noop", tools=(noop,))
