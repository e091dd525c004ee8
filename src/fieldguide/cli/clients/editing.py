"""Edits an entry or a list item of a settings file, JSON with comments or TOML, and keeps every other character.

In JSON, comments and trailing commas are blanked, character for character, so that Python's own parser judges the rest
and every place is the same in both texts. An addition becomes the first member of its object or list: so no other line
changes. In TOML an entry is a table of its own, found by its header and added at the end. Each change of an entry is
parsed again: one that would say anything else than what was meant is refused.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.cli.clients.settings_files import append_lines, find_newline, remove_lines
from fieldguide.text import regex as re
from fieldguide.text.errors import Refusal

BLANKS = " \t\r\n"
MARK = "\ufeff"
USUAL_INDENT = "  "
UNSAFE = "is written in a way that can't be changed safely; --print shows what to put there by hand."
COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n\r]*|/\*(?:[^*]|\*+[^*/])*\*+/', re.DOTALL)
LAST_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,[ \t\r\n]*[}\]]', re.DOTALL)
FIRST_INDENT = re.compile(r'\n([ \t]+)"')
BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_DECODER = json.JSONDecoder()


def read_all(text: str, *, is_toml: bool = False) -> dict[str, Any]:
    """Everything that a text says; a text that can't be parsed is refused, with the line."""
    return _parse_toml(text) if is_toml else JsonText(text).value or {}


def read_entries(text: str, path: Sequence[str], *, is_toml: bool = False) -> dict[str, Any]:
    """The entries at a path; none where there is nothing yet."""
    found: Any = read_all(text, is_toml=is_toml)
    for key in path:
        found = cast("dict[str, Any]", found).get(key, {})
        if not isinstance(found, dict):
            raise Refusal(f"has something else than {'a table' if is_toml else 'an object'} as {key!r}.")
    return cast("dict[str, Any]", found)


def with_entry(text: str, path: Sequence[str], name: str, entry: Any, *, is_toml: bool = False) -> str:
    """The text with the entry at a path, under a name; one that is there is replaced."""
    expected = read_all(text, is_toml=is_toml)
    inner = expected
    for key in path:
        inner = inner.setdefault(key, {})
    inner[name] = entry
    changed = _with_table(text, (*path, name), entry) if is_toml else _with_member(text, [*path, name], entry)
    return _verify(changed, expected, is_toml=is_toml)


def without_entry(text: str, path: Sequence[str], name: str, *, made: int = 0, is_toml: bool = False) -> str:
    """The text without the entry; of the objects on the path, the last `made` go too where nothing is left in them."""
    expected = read_all(text, is_toml=is_toml)
    inner = expected
    above: list[dict[str, Any]] = []
    for key in path:
        above.append(inner)
        inner = inner.get(key, {})
    if name not in inner:
        return text
    if not is_toml:
        del inner[name]
        for key, holder in [*zip(path, above, strict=True)][::-1][:made]:
            if not holder[key]:
                del holder[key]
        return _verify(_without_member(text, [*path, name], made), expected, is_toml=False)
    for start, end in reversed(_find_tables(text, (*path, name))):
        text = remove_lines(text, start, end)
    del inner[name]
    if not inner and path[0] not in _parse_toml(text):  # a table that only holds others is not written down by itself
        del expected[path[0]]
    return _verify(text, expected, is_toml=True)


def read_items(text: str, path: Sequence[str]) -> list[Any]:
    """The items of the JSON array at a path; none where there is nothing yet."""
    found: Any = read_entries(text, path[:-1]).get(path[-1], [])
    if not isinstance(found, list):
        raise Refusal(f"has something else than an array as {path[-1]!r}.")
    return list(cast("Sequence[Any]", found))


def with_item(text: str, path: Sequence[str], item: Any) -> str:
    """The text with an item at the beginning of the JSON array at a path."""
    document = JsonText(text)
    array = document.find(path)
    return _with_member(text, path, [item]) if array is None else document.insert(array.value, "", item)


def without_item(text: str, path: Sequence[str], item: Any, *, made: int = 0) -> str:
    """The text without an item of an array; of the path, the last `made` go too where nothing is left in them."""
    items = read_items(text, path)
    document = JsonText(text)
    array = document.find(path)
    if item not in items or array is None:
        return text
    if made and len(items) == 1:
        return _without_member(text, path, made - 1)
    return document.cut(array.value, items.index(item))


def count_missing(text: str, path: Sequence[str]) -> int:
    """How many keys of a path are not there yet in a JSON text."""
    found: Any = JsonText(text).value or {}
    for number, key in enumerate(path):
        if key not in found:
            return len(path) - number
        found = found[key]
    return 0


def make_snippet(path: Sequence[str], name: str, entry: Mapping[str, Any], *, is_toml: bool) -> str:
    """What to paste into an empty file."""
    if is_toml:
        return "\n".join(_format_table((*path, name), entry))
    return json.dumps(_nest([*path, name], entry), indent=2, ensure_ascii=False)


def _verify(text: str, expected: Mapping[str, Any], *, is_toml: bool) -> str:
    try:
        if read_all(text, is_toml=is_toml) == expected:
            return text
    except Refusal:
        pass
    raise Refusal(UNSAFE)


class JsonMember(NamedTuple):
    """A key with its value, and where they are; an item of an array has no key and begins with its value."""

    key: str
    start: int
    value: int
    end: int


class JsonText:
    """A JSON text, without its comments (`bare`), and without its trailing commas too (`plain`): equally long.

    Its value is None where it has nothing but blanks and comments.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.bare = self.plain = " " + text[1:] if text.startswith(MARK) else text
        try:
            self.value = _parse_json(self.plain)
        except Refusal:  # most settings are plain JSON, and some have many megabytes
            self.bare = COMMENT.sub(lambda found: _blank(found[0]), self.plain)
            self.plain = LAST_COMMA.sub(lambda found: found[0] if found[0][0] == '"' else " " + found[0][1:], self.bare)
            self.value = _parse_json(self.plain)

    def list_members(self, opening: int) -> tuple[list[JsonMember], int]:
        """The members of the object or array whose bracket is here, and where it is closed."""
        listed: list[JsonMember] = []
        at = _skip_blanks(self.plain, opening + 1)
        while self.plain[at] not in "}]":
            start = value = at
            key = ""
            if self.plain[opening] == "{":
                key, after = _DECODER.raw_decode(self.plain, start)
                value = _skip_blanks(self.plain, self.plain.index(":", after) + 1)
            _, end = _DECODER.raw_decode(self.plain, value)
            listed.append(JsonMember(key, start, value, end))
            at = _skip_blanks(self.plain, end)
            if self.plain[at] == ",":
                at = _skip_blanks(self.plain, at + 1)
        return listed, at

    def find(self, path: Sequence[str]) -> JsonMember | None:
        """The member at a path; None where it is not there. Nobody knows which of two equal keys a client takes."""
        root = _skip_blanks(self.plain, 0) if self.value is not None else 0
        found = JsonMember("", root, root, root)
        for key in path:
            if self.value is None:
                return None
            if self.plain[found.value] != "{":
                raise Refusal(f"has something else than an object as {found.key!r}.")
            named = [each for each in self.list_members(found.value)[0] if each.key == key]
            if len(named) > 1:
                raise Refusal(f"has the key {key!r} twice in one object; remove one of them.")
            if not named:
                return None
            found = named[0]
        return found

    def insert(self, opening: int, key: str, value: Any) -> str:
        """The text with a first member in an object or array; it looks like the one that follows."""
        text = self.text
        newline = find_newline(text)
        members, closing = self.list_members(opening)
        added = f"{json.dumps(key, ensure_ascii=False)}: " if key else ""
        end = "," if members else ""
        if members and "\n" not in text[opening : members[0].start]:
            added += json.dumps(value, ensure_ascii=False)
        else:
            base = _find_indent(text, opening)
            indent = _find_indent(text, members[0].start) if members else base + self._find_unit()
            added = f"{newline}{indent}{added}{self.write_value(value, indent)}"
            if not members and "\n" not in text[opening:closing]:
                end = newline + base
        return f"{text[: opening + 1]}{added}{end}{text[opening + 1 :]}"

    def cut(self, opening: int, number: int) -> str:
        """The text without a member and its comma; what others wrote around it stays."""
        text = self.text
        members, closing = self.list_members(opening)
        member = members[number]
        is_alone = len(members) == 1 and not (text[opening + 1 : member.start] + text[member.end : closing]).strip(
            BLANKS
        )
        if is_alone:
            return text[: opening + 1] + text[closing:]
        start = member.start
        comma = _skip_blanks(self.bare, member.end)
        has_comma = self.bare[comma] == ","
        after = text[member.end : comma] + text[comma + 1 :] if has_comma else text[member.end :]
        if "\n" in after[: _skip_blanks(after, 0)]:
            start = len(text[:start].rstrip(BLANKS))
        before = text[:start]
        if not has_comma and number:
            last = self.bare.rindex(",", 0, member.start)
            before = text[:last] + text[last + 1 : start]
        return before + after

    def write_value(self, value: Any, indent: str) -> str:
        """A value over several lines, of which the first is where it is put."""
        lines = json.dumps(value, indent=self._find_unit(), ensure_ascii=False)
        return lines.replace("\n", find_newline(self.text) + indent)

    def _find_unit(self) -> str:
        found = FIRST_INDENT.search(self.text)
        return found[1] if found else USUAL_INDENT


def _parse_json(plain: str) -> dict[str, Any] | None:
    if not plain.strip(BLANKS):
        return None
    try:
        value: Any = json.loads(plain)
    except json.JSONDecodeError as error:
        raise Refusal(f"can't be understood as JSON: {error.msg.lower()}, in line {error.lineno}.") from error
    except RecursionError as error:
        raise Refusal("can't be understood as JSON: it is nested too deeply.") from error
    except ValueError as error:  # a number with more digits than Python reads
        raise Refusal("can't be understood as JSON: a number in it is too long.") from error
    if not isinstance(value, dict):
        raise Refusal("is no JSON object, so it has no place for a server.")
    return cast("dict[str, Any]", value)


def _blank(found: str) -> str:
    """A comment as blanks; a string stays as it is."""
    return found if found[0] == '"' else "".join(each if each in "\r\n" else " " for each in found)


def _skip_blanks(text: str, at: int) -> int:
    while text[at] in BLANKS:
        at += 1
    return at


def _find_indent(text: str, at: int) -> str:
    """The blanks at the beginning of the line of a place."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _nest(keys: Sequence[str], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _with_member(text: str, keys: Sequence[str], value: Any) -> str:
    """The JSON text with a value at a path, whose missing objects are made."""
    document = JsonText(text)
    if document.value is None:
        newline = find_newline(text)
        gap = newline if text.strip(MARK + BLANKS) and not text.endswith("\n") else ""
        return f"{text}{gap}{document.write_value(_nest(keys, value), '')}{newline}"
    for number in range(len(keys)):
        if document.find(keys[: number + 1]) is None:
            above = cast("JsonMember", document.find(keys[:number]))
            return document.insert(above.value, keys[number], _nest(keys[number + 1 :], value))
    member = cast("JsonMember", document.find(keys))
    return text[: member.value] + document.write_value(value, _find_indent(text, member.start)) + text[member.end :]


def _without_member(text: str, keys: Sequence[str], made: int) -> str:
    """The JSON text without a member, and without the `made` objects above it that are empty then."""
    for depth in range(len(keys), len(keys) - 1 - made, -1):
        document = JsonText(text)
        above = cast("JsonMember", document.find(keys[: depth - 1]))
        members, _ = document.list_members(above.value)
        number = [each.key for each in members].index(keys[depth - 1])
        if depth < len(keys) and document.list_members(members[number].value)[0]:
            return text
        text = document.cut(above.value, number)
    return text


def _parse_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix(MARK))
    except tomllib.TOMLDecodeError as error:
        raise Refusal(f"can't be understood as TOML: {error}.") from error
    except (RecursionError, ValueError) as error:
        raise Refusal(
            "can't be understood as TOML: it is nested too deeply, or has a number that is too long."
        ) from error


def _with_table(text: str, target: Sequence[str], entry: Mapping[str, Any]) -> str:
    """The TOML text with a table at the end, or in the place of the one that is there."""
    lines = _format_table(target, entry)
    spans = _find_tables(text, target)
    if not spans:
        return append_lines(text, lines)
    for start, end in reversed(spans[1:]):
        text = remove_lines(text, start, end)
    start, end = spans[0]
    ending = find_newline(text) if text[start:end].endswith("\n") else ""
    return text[:start] + find_newline(text).join(lines) + ending + text[end:]


def _find_tables(text: str, target: Sequence[str]) -> list[tuple[int, int]]:
    """The lines of a table and of those below it, without the blank lines and comments behind them."""
    spans: list[tuple[int, int]] = []
    is_mine = False
    is_before_mine = False
    at = len(MARK) if text.startswith(MARK) else 0
    for line in text[at:].splitlines(keepends=True):
        words = line.strip()
        start = at
        at += len(line)
        if words.startswith("["):
            is_before_mine = is_mine
            is_mine = _read_header(words)[: len(target)] == [*target] and _is_complete(text[:start])
            if is_mine and not is_before_mine:
                spans.append((start, at))
        if is_mine and words and not words.startswith("#"):
            spans[-1] = (spans[-1][0], at)
    return spans


def _is_complete(text: str) -> bool:
    """Whether no string or array of a text is still open at its end."""
    try:
        tomllib.loads(text.removeprefix(MARK))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _read_header(line: str) -> list[str]:
    """The path that a table's header names; none where the line is something else."""
    try:
        found: Any = tomllib.loads(line)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return []
    path: list[str] = []
    while found:
        (key,) = found
        path.append(key)
        found = found[key][0] if isinstance(found[key], list) else found[key]
    return path


def _format_table(target: Sequence[str], entry: Mapping[str, Any]) -> list[str]:
    header = ".".join(map(_format_key, target))
    return [f"[{header}]", *(f"{_format_key(name)} = {_format_value(value)}" for name, value in entry.items())]


def _format_key(name: str) -> str:
    return name if name and BARE.issuperset(name) else _format_value(name)


def _format_value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
