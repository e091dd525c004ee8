"""The `fieldguide` command with one more toolset: a tool that does nothing, as the rivals have it."""

import sys

from fieldguide import app
from fieldguide.cli.main import main
from fieldguide.spine.tool import Tool
from fieldguide.spine.toolset import Services, Toolset

BUILT_IN = app.register_toolsets()


def make_toolset(services: Services) -> Toolset:
    """A toolset of one tool."""
    noop = Tool(
        name="noop",
        description="Does nothing",
        input_schema={"type": "object", "properties": {}},
        run=lambda call: {"ok": True},
    )
    return Toolset(name="noop", tools=(noop,))


if __name__ == "__main__":
    app.register_toolsets = lambda: {**BUILT_IN, "noop": make_toolset}
    sys.exit(main())
