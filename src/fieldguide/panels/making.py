"""Makes the page of a panel: one HTML file with its style and its scripts in it, from the files beside this one."""

import json
import os
from collections.abc import Sequence
from string import Template

FOLDER = os.path.dirname(__file__)


def board_page(calls: Sequence[str]) -> str:
    """The task board."""
    return _page("Tasks", "board", calls)


def decisions_page(calls: Sequence[str]) -> str:
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
    with open(os.path.join(FOLDER, "pages", file), encoding="utf-8") as opened:
        return opened.read()
