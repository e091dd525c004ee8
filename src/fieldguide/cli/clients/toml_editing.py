"""Edits one table of a TOML text, and leaves every other character as it was."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.cli.clients.settings_files import append_lines, find_newline, remove_lines
from fieldguide.text.errors import Refusal

BLANKS = " \t\r\n"
BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
ENDS_OF_A_SCALAR = frozenset(",=[]{}#\"' \t\r\n")
BETWEEN = frozenset(BLANKS + ",=")
MARK = "\ufeff"
MOST_QUOTES = 5  # two that belong to the text, and the three that end it

Path = tuple[str, ...]


class TomlStatement(NamedTuple):
    """A table's header, or a key with its value: the path that it names from the root, and where it stands."""

    path: Path
    is_header: bool
    start: int
    value: int
    end: int


def read_all(text: str) -> dict[str, Any]:
    """Everything that the text says; a text that can't be understood is refused, with the line."""
    try:
        return tomllib.loads(text.removeprefix(MARK))
    except tomllib.TOMLDecodeError as error:
        raise Refusal(f"can't be understood as TOML: {error}.") from error
    except (RecursionError, ValueError) as error:
        raise Refusal(
            "can't be understood as TOML: it is nested too deeply, or has a number that is too long."
        ) from error


def parse_statements(text: str) -> list[TomlStatement]:
    """The statements of a text that `read_all` has understood."""
    found: list[TomlStatement] = []
    table: Path = ()
    at = _next_statement(text, len(MARK) if text.startswith(MARK) else 0)
    while at < len(text):
        if text[at] == "[":
            table, end = _header(text, at)
            found.append(TomlStatement(table, is_header=True, start=at, value=end, end=end))
        else:
            path, value = _read_key(text, at)
            end = find_value_end(text, value)
            found.append(TomlStatement((*table, *path), is_header=False, start=at, value=value, end=end))
        at = _next_statement(text, find_line_end(text, end))
    return found


def parse_inline_table(text: str, opening: int, path: Path) -> tuple[list[TomlStatement], int]:
    """What an inline table has, and where its closing brace stands."""
    found: list[TomlStatement] = []
    at = _next_statement(text, opening + 1)
    while text[at] != "}":
        key, value = _read_key(text, at)
        end = find_value_end(text, value)
        found.append(TomlStatement((*path, *key), is_header=False, start=at, value=value, end=end))
        at = _next_statement(text, end)
        if text[at] == ",":
            at = _next_statement(text, at + 1)
    return found, at


def find_line_end(text: str, at: int) -> int:
    """Behind the line end of the line of a place."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def find_value_end(text: str, at: int) -> int:
    """Behind the value that begins here, however deep it is."""
    depth = 0
    while True:
        character = text[at]
        if character in "\"'":
            at = _string_end(text, at)
        elif character in "[{":
            depth = depth + 1
            at = at + 1
        elif character in "]}":
            depth = depth - 1
            at = at + 1
        elif character == "#":
            at = find_line_end(text, at)
        elif character in BETWEEN:
            at += 1
        else:
            at = _scalar_end(text, at)
        if depth == 0:
            return at


def _next_statement(text: str, at: int) -> int:
    """The next place that is neither blank nor in a comment."""
    while at < len(text) and (text[at] in BLANKS or text[at] == "#"):
        at = find_line_end(text, at) if text[at] == "#" else at + 1
    return at


def _header(text: str, at: int) -> tuple[Path, int]:
    at += 2 if text.startswith("[[", at) else 1
    path, end = _dotted(text, at)
    while end < len(text) and text[end] == "]":
        end += 1
    return path, end


def _read_key(text: str, at: int) -> tuple[Path, int]:
    """A dotted key, and where its value begins."""
    path, equals = _dotted(text, at)
    return path, _after_blanks(text, equals + 1)


def _dotted(text: str, at: int) -> tuple[Path, int]:
    """The names of a dotted key, and where what follows it stands."""
    names: list[str] = []
    while True:
        at = _after_blanks(text, at)
        if text[at] in "\"'":
            end = _string_end(text, at)
            names.append(str(tomllib.loads(f"name = {text[at:end]}")["name"]))
        else:
            end = at
            while end < len(text) and text[end] in BARE:
                end += 1
            names.append(text[at:end])
        at = _after_blanks(text, end)
        if text[at] != ".":
            return tuple(names), at
        at += 1


def _after_blanks(text: str, at: int) -> int:
    while text[at] in " \t":
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


def read_entries(text: str, path: Sequence[str]) -> dict[str, Any]:
    """The tables at a path; none where there is nothing yet."""
    found: Any = read_all(text)
    for key in path:
        found = cast("dict[str, Any]", found).get(key, {})
        if not isinstance(found, dict):
            raise Refusal(f"has something else than a table as {key!r}.")
    return cast("dict[str, Any]", found)


def with_entry(text: str, path: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    """The text with the table at a path, under a name; one that is there is replaced, in its place."""
    target = (*path, name)
    statements = parse_statements(text)
    if name not in read_entries(text, path):
        inline = _inline_container(statements, text, tuple(path))
        return append_lines(text, _block(target, entry)) if inline is None else _put_in(text, inline, name, entry)
    whole = _whole_value(statements, text, target)
    if whole is not None:
        return text[: whole.value] + _inline(entry) + text[whole.end :]
    if not any(each.path == target and each.is_header for each in statements):
        return with_entry(without_entry(text, path, name), path, name, entry)
    spans = _spans(text, statements, target)
    start, end = spans[0]
    ending = find_newline(text) if text[start:end].endswith("\n") else ""
    kept = _without(text, spans[1:])
    return kept[:start] + find_newline(text).join(_block(target, entry)) + ending + kept[end:]


def without_entry(text: str, path: Sequence[str], name: str, *, made: int = 0) -> str:
    """The text without the table, and without the empty line that came with it."""
    del made  # a table that only holds others is never written down by itself
    target = (*path, name)
    statements = parse_statements(text)
    inline = _inline_container(statements, text, tuple(path))
    if inline is not None:
        return _taken_out(text, inline, target)
    return _without(text, _spans(text, statements, target))


def missing_objects(text: str, path: Sequence[str]) -> int:
    """How many tables would have to go again: none, for they come and go with what is in them."""
    del text, path
    return 0


def snippet(path: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    """What to paste below whatever is there."""
    return "\n".join(_block((*path, name), entry))


def _block(target: Path, entry: Mapping[str, Any]) -> list[str]:
    header = ".".join(map(_key, target))
    return [f"[{header}]", *(f"{_key(name)} = {_value(value)}" for name, value in entry.items())]


def _inline(entry: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(f"{_key(name)} = {_value(value)}" for name, value in entry.items()) + " }"


def _key(name: str) -> str:
    return name if name and BARE.issuperset(name) else _text(name)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, cast("list[Any]", value))) + "]"
    return json.dumps(value)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline_container(statements: Sequence[TomlStatement], text: str, path: Path) -> TomlStatement | None:
    """The statement that holds everything at a path between two braces."""
    return next((each for each in statements if each.path == path and text[each.value : each.value + 1] == "{"), None)


def _whole_value(statements: Sequence[TomlStatement], text: str, target: Path) -> TomlStatement | None:
    """The statement that gives the target as one inline table."""
    inline = _inline_container(statements, text, target[:-1])
    listed = parse_inline_table(text, inline.value, inline.path)[0] if inline else statements
    return next((each for each in listed if each.path == target and not each.is_header), None)


def _put_in(text: str, container: TomlStatement, name: str, entry: Mapping[str, Any]) -> str:
    members, closing = parse_inline_table(text, container.value, container.path)
    added = f"{_key(name)} = {_inline(entry)}"
    if members:
        at = members[-1].end
        return f"{text[:at]}, {added}{text[at:]}"
    return f"{text[: container.value + 1]} {added} {text[closing:]}"


def _taken_out(text: str, container: TomlStatement, target: Path) -> str:
    members, closing = parse_inline_table(text, container.value, container.path)
    mine = [number for number, each in enumerate(members) if each.path[: len(target)] == target]
    if not mine:
        return text
    first = mine[0]
    last = mine[-1]
    if mine != [*range(first, last + 1)]:
        raise Refusal("has the entry in several parts of an inline table; take it out by hand.")
    if first > 0:
        return text[: members[first - 1].end] + text[members[last].end :]
    end = members[last + 1].start if last + 1 < len(members) else closing
    start = members[first].start
    if end == closing:
        start = container.value + 1
    return text[:start] + text[end:]


def _spans(text: str, statements: Sequence[TomlStatement], target: Path) -> list[tuple[int, int]]:
    """The lines of the target, those that follow each other as one."""
    spans: list[tuple[int, int]] = []
    is_before_mine = False
    for each in statements:
        is_mine = each.path[: len(target)] == target
        if is_mine:
            start = text.rfind("\n", 0, each.start) + 1
            end = find_line_end(text, each.end)
            start = max(start, 1) if text.startswith("\ufeff") else start
            if is_before_mine:
                start = spans.pop()[0]
            spans.append((start, end))
        is_before_mine = is_mine
    return spans


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = remove_lines(text, start, end)
    return text
