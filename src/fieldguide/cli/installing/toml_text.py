"""TOML read for where each statement stands. What it says is for Python's own parser to tell, which judges it first."""

import tomllib
from typing import Any, NamedTuple

from fieldguide.errors import Refusal

BLANKS = " \t\r\n"
BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
ENDS_OF_A_SCALAR = frozenset(",=[]{}#\"' \t\r\n")
BETWEEN = frozenset(BLANKS + ",=")
MARK = "\ufeff"
MOST_QUOTES = 5  # two that belong to the text, and the three that end it

Path = tuple[str, ...]


class Statement(NamedTuple):
    """A table's header, or a key with its value: the path that it names from the root, and where it stands."""

    path: Path
    is_header: bool
    start: int
    value: int
    end: int


def read_toml(text: str) -> dict[str, Any]:
    """What the text says; one that can't be understood is refused, with the line."""
    try:
        return tomllib.loads(text.removeprefix(MARK))
    except tomllib.TOMLDecodeError as error:
        raise Refusal(f"can't be understood as TOML: {error}.") from error
    except (RecursionError, ValueError) as error:
        raise Refusal(
            "can't be understood as TOML: it is nested too deeply, or has a number that is too long."
        ) from error


def statements_of(text: str) -> list[Statement]:
    """The statements of a text that `read_toml` has understood."""
    found: list[Statement] = []
    table: Path = ()
    at = _next_statement(text, len(MARK) if text.startswith(MARK) else 0)
    while at < len(text):
        if text[at] == "[":
            table, end = _header(text, at)
            found.append(Statement(table, is_header=True, start=at, value=end, end=end))
        else:
            path, value = _key(text, at)
            end = value_end(text, value)
            found.append(Statement((*table, *path), is_header=False, start=at, value=value, end=end))
        at = _next_statement(text, end_of_line(text, end))
    return found


def inline_members(text: str, opening: int, path: Path) -> tuple[list[Statement], int]:
    """What an inline table has, and where its closing brace stands."""
    found: list[Statement] = []
    at = _next_statement(text, opening + 1)
    while text[at] != "}":
        key, value = _key(text, at)
        end = value_end(text, value)
        found.append(Statement((*path, *key), is_header=False, start=at, value=value, end=end))
        at = _next_statement(text, end)
        if text[at] == ",":
            at = _next_statement(text, at + 1)
    return found, at


def end_of_line(text: str, at: int) -> int:
    """Behind the line end of the line of a place."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def value_end(text: str, at: int) -> int:
    """Behind the value that begins here, however deep it is."""
    depth = 0
    while True:
        character = text[at]
        if character in "\"'":
            at = _string_end(text, at)
        elif character in "[{":
            depth, at = depth + 1, at + 1
        elif character in "]}":
            depth, at = depth - 1, at + 1
        elif character == "#":
            at = end_of_line(text, at)
        elif character in BETWEEN:
            at += 1
        else:
            at = _scalar_end(text, at)
        if depth == 0:
            return at


def _next_statement(text: str, at: int) -> int:
    """The next place that is neither blank nor in a comment."""
    while at < len(text) and (text[at] in BLANKS or text[at] == "#"):
        at = end_of_line(text, at) if text[at] == "#" else at + 1
    return at


def _header(text: str, at: int) -> tuple[Path, int]:
    at += 2 if text.startswith("[[", at) else 1
    path, end = _dotted(text, at)
    while end < len(text) and text[end] == "]":
        end += 1
    return path, end


def _key(text: str, at: int) -> tuple[Path, int]:
    """A dotted key, and where its value begins."""
    path, equals = _dotted(text, at)
    return path, _after_blanks(text, equals + 1)


def _dotted(text: str, at: int) -> tuple[Path, int]:
    """The names of a dotted key, and where what follows it stands."""
    names: list[str] = []
    while True:
        at = _after_blanks(text, at)
        end = _string_end(text, at) if text[at] in "\"'" else _bare_end(text, at)
        names.append(_name(text[at:end]))
        at = _after_blanks(text, end)
        if text[at] != ".":
            return tuple(names), at
        at += 1


def _name(written: str) -> str:
    return str(tomllib.loads(f"name = {written}")["name"]) if written[0] in "\"'" else written


def _after_blanks(text: str, at: int) -> int:
    while text[at] in " \t":
        at += 1
    return at


def _bare_end(text: str, at: int) -> int:
    while at < len(text) and text[at] in BARE:
        at += 1
    return at


def _scalar_end(text: str, at: int) -> int:
    while at < len(text) and text[at] not in ENDS_OF_A_SCALAR:
        at += 1
    return at


def _string_end(text: str, at: int) -> int:
    quote = text[at]
    if text.startswith(quote * 3, at):
        end = _closing(text, at + 3, quote * 3)
        start = end - 3
        while end < len(text) and text[end] == quote and end - start < MOST_QUOTES:
            end += 1
        return end
    return _closing(text, at + 1, quote)


def _closing(text: str, at: int, quotes: str) -> int:
    """Behind the quotes that close a string; in one with double quotes a backslash takes the next character's power."""
    while True:
        found = text.index(quotes, at)
        escape = text.find("\\", at, found) if quotes[0] == '"' else -1
        if escape < 0:
            return found + len(quotes)
        at = escape + 2
