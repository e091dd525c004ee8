"""One table put into a TOML text, or taken out of it, with every other character as it was."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.cli.installing.appending import appended, newline_of, without_lines
from fieldguide.cli.installing.toml_text import (
    BARE,
    Path,
    Statement,
    end_of_line,
    inline_members,
    read_toml,
    statements_of,
)
from fieldguide.errors import Refusal


class Span(NamedTuple):
    """Whole lines of a text."""

    start: int
    end: int


def read_all(text: str) -> dict[str, Any]:
    """Everything that the text says."""
    return read_toml(text)


def read_entries(text: str, path: Sequence[str]) -> dict[str, Any]:
    """The tables at a path; none where there is nothing yet."""
    found: Any = read_toml(text)
    for key in path:
        found = cast("dict[str, Any]", found).get(key, {})
        if not isinstance(found, dict):
            raise Refusal(f"has something else than a table as {key!r}.")
    return cast("dict[str, Any]", found)


def with_entry(text: str, path: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    """The text with the table at a path, under a name; one that is there is replaced, in its place."""
    target = (*path, name)
    statements = statements_of(text)
    if name not in read_entries(text, path):
        inline = _inline_container(statements, text, tuple(path))
        return appended(text, _block(target, entry)) if inline is None else _put_in(text, inline, name, entry)
    whole = _whole_value(statements, text, target)
    if whole is not None:
        return text[: whole.value] + _inline(entry) + text[whole.end :]
    if not any(each.path == target and each.is_header for each in statements):
        return with_entry(without_entry(text, path, name), path, name, entry)
    spans = _spans(text, statements, target)
    first = spans[0]
    ending = newline_of(text) if text[first.start : first.end].endswith("\n") else ""
    kept = _without(text, spans[1:])
    return kept[: first.start] + newline_of(text).join(_block(target, entry)) + ending + kept[first.end :]


def without_entry(text: str, path: Sequence[str], name: str, *, made: int = 0) -> str:
    """The text without the table, and without the empty line that came with it."""
    del made  # a table that only holds others is never written down by itself
    target = (*path, name)
    statements = statements_of(text)
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


def _inline_container(statements: Sequence[Statement], text: str, path: Path) -> Statement | None:
    """The statement that holds everything at a path between two braces."""
    return next((each for each in statements if each.path == path and text[each.value : each.value + 1] == "{"), None)


def _whole_value(statements: Sequence[Statement], text: str, target: Path) -> Statement | None:
    """The statement that gives the target as one inline table."""
    inline = _inline_container(statements, text, target[:-1])
    listed = inline_members(text, inline.value, inline.path)[0] if inline else statements
    return next((each for each in listed if each.path == target and not each.is_header), None)


def _put_in(text: str, container: Statement, name: str, entry: Mapping[str, Any]) -> str:
    members, closing = inline_members(text, container.value, container.path)
    added = f"{_key(name)} = {_inline(entry)}"
    if members:
        at = members[-1].end
        return f"{text[:at]}, {added}{text[at:]}"
    return f"{text[: container.value + 1]} {added} {text[closing:]}"


def _taken_out(text: str, container: Statement, target: Path) -> str:
    members, closing = inline_members(text, container.value, container.path)
    mine = [number for number, each in enumerate(members) if each.path[: len(target)] == target]
    if not mine:
        return text
    first, last = mine[0], mine[-1]
    if mine != [*range(first, last + 1)]:
        raise Refusal("has the entry in several parts of an inline table; take it out by hand.")
    if first > 0:
        return text[: members[first - 1].end] + text[members[last].end :]
    end = members[last + 1].start if last + 1 < len(members) else closing
    start = members[first].start
    if end == closing:
        start = container.value + 1
    return text[:start] + text[end:]


def _spans(text: str, statements: Sequence[Statement], target: Path) -> list[Span]:
    """The lines of the target, those that follow each other as one."""
    spans: list[Span] = []
    is_before_mine = False
    for each in statements:
        is_mine = each.path[: len(target)] == target
        if is_mine:
            start, end = text.rfind("\n", 0, each.start) + 1, end_of_line(text, each.end)
            start = max(start, 1) if text.startswith("\ufeff") else start
            if is_before_mine:
                start = spans.pop().start
            spans.append(Span(start, end))
        is_before_mine = is_mine
    return spans


def _without(text: str, spans: Sequence[Span]) -> str:
    for span in reversed(spans):
        text = without_lines(text, span.start, span.end)
    return text
