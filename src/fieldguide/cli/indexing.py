"""The upkeep of a project from a terminal: done before a command looks, with a bar while it takes long."""

import json
from time import monotonic
from typing import Any

from fieldguide.app import App
from fieldguide.cli.terminal import fitted, is_watched, remark, show_in_place, terminal_columns
from fieldguide.spine.foreign_text.visible_text import shown

PATIENCE_SECONDS = 0.5
BAR_WIDTH = 30


class Bar:
    """A progress bar on stderr; shown on a terminal only, and only for what takes longer than a moment."""

    def __init__(self) -> None:
        self._began = monotonic()
        self._is_shown = False

    def __call__(self, done: int, total: int, name: str) -> None:
        """Show how far the work is."""
        if not is_watched() or monotonic() - self._began < PATIENCE_SECONDS:
            return
        filled = BAR_WIDTH * done // max(total, 1)
        bar = "█" * filled + "░" * (BAR_WIDTH - filled)
        show_in_place(fitted(shown(f"{bar} {done}/{total} {name}"), terminal_columns() - 1).rstrip())
        self._is_shown = True

    def clear(self) -> None:
        """Leave no trace of the bar."""
        if self._is_shown:
            show_in_place("")


def tell_of_storage(lines: list[str]) -> None:
    """Of the journal, tell whoever waits at the terminal what the storage says, such as whom we wait for."""
    for line in lines:
        told = json.loads(line)
        if told.get("message") == "Storage":
            remark(shown(str(told.get("notice", ""))))


def refresh_for(app: App, tool: str) -> None:
    """Bring up to date what a tool reads of the index, if it reads any."""
    for toolset in app.toolsets:
        if any(each.name == tool and each.reads_index for each in toolset.tools):
            refresh(app, toolset.name)


def refresh(app: App, name: str) -> dict[str, Any]:
    """Bring up to date what one toolset indexes; what was done."""
    bar = Bar()
    try:
        return {
            key: value
            for toolset in app.toolsets
            if toolset.upkeep is not None and toolset.name == name
            for key, value in toolset.upkeep.refresh(bar).items()
        }
    finally:
        bar.clear()
