"""Text on a terminal: how wide it is, how much of it fits, and what of it must not get there."""

import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable
from typing import TextIO

from fieldguide.spine.hidden_text import HIDDEN

UNCUT_COLUMNS = 100_000  # where nobody looks at a terminal, a script wants the whole line
GAP = "  "


def print_lines(lines: Iterable[str]) -> None:
    """Print for people: where the terminal lacks a character, a question mark stands for it."""
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        print(line.encode(encoding, errors="replace").decode(encoding))


def terminal_columns() -> int:
    """How wide the terminal is; without one, as wide as anybody wants."""
    return shutil.get_terminal_size((UNCUT_COLUMNS, 0)).columns


def wants_colour(stream: TextIO) -> bool:
    """Whether whoever reads this sees colours and has not asked for none (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def fitted(text: str, columns: int) -> str:
    """A text in exactly so many columns: filled up with blanks, or cut with an ellipsis."""
    if columns_of(text) <= columns:
        return text + " " * (columns - columns_of(text))
    kept, used = "", 0
    for character in text:
        used += columns_of(character)
        if used > columns - 1:
            break
        kept += character
    return fitted(f"{kept}…", columns)


def columns_of(text: str) -> int:
    """How wide a terminal shows a text: East Asian wide characters and emoji take two columns, accents none."""
    return len(text) if text.isascii() else sum(map(_columns_of_one, text))


def shown(text: str) -> str:
    """A text in one line that can't move the cursor, turn the line around or hide a part of itself."""
    visible = (" " if unicodedata.category(each) == "Cc" else each for each in HIDDEN.sub("", text))
    return " ".join("".join(visible).split())


def _columns_of_one(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
