"""A question to a tool of the guide from a terminal: the index first, then the answer, and what lacks is said."""

from collections.abc import Mapping
from typing import Any

from fieldguide.app import build_app
from fieldguide.cli.finding.refreshing import PATIENCE_SECONDS, Refreshing
from fieldguide.cli.terminal import complain
from fieldguide.config import Settings
from fieldguide.in_process.running import BlockingExecutor
from fieldguide.spine.contract import Answer
from fieldguide.spine.foreign_text.visible_text import shown


def answered(settings: Settings, tool: str, given: Mapping[str, Any], *, waits: bool) -> Answer:
    """What a tool answers once the index is up to date, or patience is at its end, which is told; None is not given."""
    app = build_app(settings, write_journal=lambda lines: None)
    refreshing = Refreshing(app, [each.name for each in app.toolsets if each.upkeep is not None])
    is_whole = refreshing.wait(None if waits else PATIENCE_SECONDS)
    blocking = BlockingExecutor(app.executor)
    answer = blocking.execute(tool, {name: value for name, value in given.items() if value is not None})
    blocking.close()
    complain(*map(shown, refreshing.wrong))
    if not is_whole:
        complain("Not everything is indexed yet. `fieldguide index` finishes it, and so does --wait.")
    return answer
