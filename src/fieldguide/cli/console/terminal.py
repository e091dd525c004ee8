"""Prints to the terminal: everything a command says passes here and is made visible first.

The same in a pipe: what is piped is often a pager. JSON says the same with its own escapes.
"""

import json
import os
import shutil
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from types import TracebackType
from typing import Any, Self, TextIO

from fieldguide.text.display import make_json_visible, make_visible, to_visible_line

UNCUT_COLUMNS = 100_000  # where nobody looks at a terminal, a script wants the whole line
GAP = "  "
PLAIN = "\x1b[0m"
CLEARED_LINE = "\r\x1b[K"


class StyledText(str):
    """A piece of a line with a style on terminals that show colours."""

    code = ""


class BoldText(StyledText):
    """A piece of a line that stands out."""

    code = "\x1b[1m"


class FaintText(StyledText):
    """A piece of a line that stands back."""

    code = "\x1b[2m"


CODE_STYLES = {
    "comment": "\x1b[2m",
    "string": "\x1b[32m",
    "number": "\x1b[36m",
    "constant": "\x1b[36m",
    "keyword": "\x1b[35m",
    "function": "\x1b[34m",
    "type": "\x1b[33m",
    "name": "\x1b[33m",
}
"""The 16 colours of every terminal, whose owner chose how they look, by the kinds of `code/highlighting.py`."""


def style_code(kind: str, text: str, *, is_bold: bool = False) -> StyledText:
    """A token of code with its colour; one without a kind is plain."""
    styled = StyledText(text)
    styled.code = (BoldText.code if is_bold else "") + CODE_STYLES.get(kind, "")
    return styled


Line = str | list[str]
"""A text, or its pieces, of which some may be `StyledText`."""


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


def can_be_asked() -> bool:
    """Whether somebody sits at the terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def ask_to_confirm(question: str) -> bool:
    """Ask whoever sits at the terminal; Enter is a no, and so is the end of the input or of the terminal."""
    if not can_be_asked():
        return False
    try:
        return input(f"{_printable(question, sys.stdout)} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:  # they closed the terminal, or pressed Ctrl-D
        sys.stdout.write("\n")
        return False


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
    if has_colour and text and isinstance(piece, StyledText) and piece.code:
        return f"{piece.code}{text}{PLAIN}"
    return text


def _printable(text: str, stream: TextIO) -> str:
    """A text that is visible; where the terminal lacks a character, a question mark stands for it."""
    encoding = stream.encoding or "utf-8"
    return make_visible(text).encode(encoding, errors="replace").decode(encoding)


def _wants_colour(stream: TextIO) -> bool:
    """Whether the reader sees colours and has not refused them (https://no-color.org, https://force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


BAR_PATIENCE_SECONDS = 0.5  # what is done sooner shows no bar
BAR_WIDTH = 30
REPAINT_SECONDS = 0.1


class ProgressBar:
    """A progress bar on the last line of stderr; shown on a terminal only, and only for what takes longer."""

    def __init__(self) -> None:
        self._began = monotonic()
        self._shown = ""

    def __call__(self, done: int, total: int, name: str) -> None:
        """Show how far the work is."""
        self.paint(done / max(total, 1), f"{done}/{total} {name}")

    def paint(self, share: float, words: str) -> None:
        """Show which share of the work is done, and words beside the bar."""
        if not is_watched() or monotonic() - self._began < BAR_PATIENCE_SECONDS:
            return
        filled = int(BAR_WIDTH * min(share, 1.0))
        line = to_visible_line(f"{'█' * filled}{'░' * (BAR_WIDTH - filled)} {words}")
        line = fit_to_columns(line, count_terminal_columns() - 1).rstrip()
        if line != self._shown:
            show_in_place(line)
        self._shown = line

    def clear(self) -> None:
        """Leave no trace of the bar."""
        if self._shown:
            show_in_place("")
            self._shown = ""


class ProgressLine:
    """A progress bar that a thread repaints while a block runs, from what `read` gives: the share done, and words.

    At the end of the block it is gone: what a command prints then begins on an empty line.
    """

    def __init__(self, read: Callable[[], tuple[float, str] | None]) -> None:
        self._read = read
        self._bar = ProgressBar()
        self._painting = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._repaint, name="progress", daemon=True)

    def __enter__(self) -> Self:
        if is_watched():
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ended.set()
        with self._painting:
            self._bar.clear()

    def remark(self, *lines: str) -> None:
        """Print lines above the bar."""
        with self._painting:
            self._bar.clear()
            remark(*lines)

    def _repaint(self) -> None:
        while not self._ended.wait(REPAINT_SECONDS):
            now = self._read()
            with self._painting:
                if now is not None and not self._ended.is_set():
                    self._bar.paint(*now)
