"""The few shapes of Markdown that the reference pages are made of."""

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 120


def document(*parts: str) -> str:
    """The parts with an empty line between them."""
    return "\n\n".join(part.strip("\n") for part in parts if part)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar in a cell is escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def paragraph(text: str) -> str:
    """Text in lines of the usual width."""
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


def block(language: str, text: str) -> str:
    """A fenced block."""
    return f"```{language}\n{text.rstrip()}\n```"


def code(text: str) -> str:
    """Code within a line; nothing for an empty text."""
    return f"`{text}`" if text else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
