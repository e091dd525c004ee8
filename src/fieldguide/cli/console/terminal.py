"""Prints to the terminal: everything a command says passes here and is made visible first.

The same in a pipe: what is piped is often a pager. JSON says the same with its own escapes.
"""

import json
import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from fieldguide.text.display import make_json_visible, make_visible, to_visible_line

UNCUT_COLUMNS = 100_000  # where nobody looks at a terminal, a script wants the whole line
GAP = "  "
PLAIN = "\x1b[0m"
CLEARED_LINE = "\r\x1b[K"


class BoldText(str):
    """A piece of a line that stands out."""

    code = "\x1b[1m"


class FaintText(str):
    """A piece of a line that stands back."""

    code = "\x1b[2m"


Line = str | list[str]
"""A text, or its pieces, of which some may be `BoldText` or `FaintText`."""


def say(*lines: Line) -> None:
    """Print what was asked for."""
    _write(sys.stdout, *lines)


def say_json(value: Any, *, indent: int | None = 2) -> None:
    """Print a value as JSON."""
    text = make_json_visible(json.dumps(value, ensure_ascii=False, indent=indent))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=indent)
    sys.stdout.write(f"{text}\n")


def say_result(value: Any, lines: Iterable[Line], *, as_json: bool) -> None:
    """Print a value as JSON, or the lines that tell it to people."""
    if as_json:
        say_json(value)
    else:
        say(*lines)


def say_answer(text: str) -> None:
    """Print the text of a tool's answer: one that is JSON stays JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        say(text)
    else:
        say(make_json_visible(text))


def remark(*lines: Line) -> None:
    """Print a remark on stderr."""
    _write(sys.stderr, *lines)


def complain(*sentences: str) -> None:
    """Say what went wrong, on stderr."""
    remark(*(f"fieldguide: {sentence}" for sentence in sentences))


def ask_to_confirm(question: str) -> bool:
    """Ask whoever sits at the terminal; where nobody does, the answer is no."""
    return can_be_asked() and ask_to_agree(question, usually=False)


def can_be_asked() -> bool:
    """Whether somebody sits at the terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def ask_to_agree(question: str, *, usually: bool) -> bool:
    """Ask whoever sits at the terminal; Enter is the usual answer, and what ends the input is a no."""
    try:
        said = input(f"{_printable(question, sys.stdout)} {'[Y/n]' if usually else '[y/N]'} ").strip().lower()
    except EOFError:  # they closed the terminal, or pressed Ctrl-D
        sys.stdout.write("\n")
        return False
    return said in ("y", "yes") if said else usually


def show_in_place(text: str) -> None:
    """Put a text on the last line of stderr, in place of the one before."""
    sys.stderr.write(CLEARED_LINE + _printable(text.replace("\n", " "), sys.stderr))
    sys.stderr.flush()


def is_watched() -> bool:
    """Whether somebody looks at stderr."""
    return sys.stderr.isatty()


def count_terminal_columns() -> int:
    """How wide the terminal is; without one, as wide as anybody wants."""
    return shutil.get_terminal_size((UNCUT_COLUMNS, 0)).columns


def fit_to_columns(text: str, columns: int) -> str:
    """A text in exactly so many columns: filled up with blanks, or cut with an ellipsis."""
    if count_columns(text) <= columns:
        return text + " " * (columns - count_columns(text))
    kept = ""
    used = 0
    for character in text:
        used += count_columns(character)
        if used > columns - 1:
            break
        kept += character
    return fit_to_columns(f"{kept}…", columns)


def count_columns(text: str) -> int:
    """How wide a terminal shows a text: East Asian wide characters and emoji take two columns, accents none."""
    return len(text) if text.isascii() else sum(map(_columns_of_one, text))


def format_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines: each column as wide as its widest cell, no line wider than the terminal."""
    cells = [list(map(to_visible_line, row)) for row in rows]
    widths = [max(map(count_columns, column)) for column in zip(*cells, strict=True)]
    lines = [GAP.join(map(fit_to_columns, row, widths)).rstrip() for row in cells]
    columns = count_terminal_columns()
    return [line if count_columns(line) <= columns else fit_to_columns(line, columns) for line in lines]


def _columns_of_one(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _write(stream: TextIO, *lines: Line) -> None:
    has_colour = _wants_colour(stream)
    for line in lines:
        pieces = [line] if isinstance(line, str) else line
        stream.write("".join(_coloured(piece, stream, has_colour=has_colour) for piece in pieces) + "\n")


def _coloured(piece: str, stream: TextIO, *, has_colour: bool) -> str:
    text = _printable(piece, stream)
    if has_colour and isinstance(piece, BoldText | FaintText):
        return f"{piece.code}{text}{PLAIN}"
    return text


def _printable(text: str, stream: TextIO) -> str:
    """A text that is visible; where the terminal lacks a character, a question mark stands for it."""
    encoding = stream.encoding or "utf-8"
    return make_visible(text).encode(encoding, errors="replace").decode(encoding)


def _wants_colour(stream: TextIO) -> bool:
    """Whether whoever reads this sees colours and has not asked for none (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
