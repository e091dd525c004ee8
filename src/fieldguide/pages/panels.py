"""Builds the HTML pages of the panels that MCP clients show."""

import json
import os
from collections.abc import Sequence
from string import Template

FOLDER = os.path.dirname(__file__)


def render_board_panel(calls: Sequence[str]) -> str:
    """The task board."""
    return _page("Tasks", "board", calls)


def render_decisions_panel(calls: Sequence[str]) -> str:
    """The picture of the decisions."""
    return _page("Decisions", "decisions", calls)


def _page(title: str, name: str, calls: Sequence[str]) -> str:
    script = "\n".join(_text(file) for file in ("elements.js", "host.js", f"{name}.js"))
    return Template(_text("frame.html")).substitute(
        title=title,
        style=f"{_text('look.css')}\n{_text(f'{name}.css')}",
        served=json.dumps(list(calls)),
        script=script,
    )


def _text(file: str) -> str:
    with open(os.path.join(FOLDER, "panel_files", file), encoding="utf-8") as opened:
        return opened.read()
