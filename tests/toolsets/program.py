"""The `fieldguide` command with the toolsets of the tests among its own."""

import sys
from pathlib import Path

from fieldguide import app
from fieldguide.cli.main import main
from fieldguide.spine.toolset import Factory

sys.path[0] = str(Path(__file__).parents[2])  # it is started by its path
from tests.toolsets import fieldguide_testing as testing  # noqa: E402

BUILT_IN = app.register_toolsets()


def register_toolsets() -> dict[str, Factory]:
    """Every toolset, those of the tests too."""
    return {
        **BUILT_IN,
        "workbench": testing.workbench,
        "speaking-architecture": testing.speaking_architecture,
        "speaking-context": testing.speaking_context,
        "speaking-documents": testing.speaking_documents,
        "speaking-tasks": testing.speaking_tasks,
        "speaking-verse": testing.speaking_verse,
    }


if __name__ == "__main__":
    app.register_toolsets = register_toolsets
    sys.exit(main())
