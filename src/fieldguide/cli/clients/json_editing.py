"""Edits an entry or a list item of a JSON text with comments, and leaves every other character as it was.

What JSON does not have is blanked, character for character, so that Python's own parser judges the rest and every place
is the same in both texts.

What is put in looks like its neighbours: their indentation, line ends, spaces and trailing commas.
"""

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.cli.clients.settings_files import find_newline
from fieldguide.text import regex as re
from fieldguide.text.errors import Refusal

BLANKS = " \t\r\n"
MARK = "\ufeff"
COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n\r]*|/\*(?:[^*]|\*+[^*/])*\*+/', re.DOTALL)
LAST_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,[ \t\r\n]*[}\]]', re.DOTALL)
BEFORE_A_VALUE = "[{,:"
_DECODER = json.JSONDecoder()


class JsonMember(NamedTuple):
    """A key with its value, and where they stand; an item of an array has no key and begins with its value."""

    key: str
    start: int
    value: int
    end: int


class JsonMembers(NamedTuple):
    """What an object or array has, and where it begins and ends: the places of its two brackets."""

    listed: list[JsonMember]
    opening: int
    closing: int

    def named(self, key: str) -> JsonMember | None:
        """The member of this name; two of them are refused, for nobody knows which one a client takes."""
        found = [each for each in self.listed if each.key == key]
        if len(found) > 1:
            raise Refusal(f"has the key {key!r} twice in one object; remove one of them.")
        return found[0] if found else None


class JsonText:
    """A text and its plain form of the same length; a text that can't be understood is refused, with the line."""

    def __init__(self, text: str) -> None:
        self.text = text
        marked = " " + text[1:] if text.startswith(MARK) else text
        self.plain, self.trailing = (marked, []) if _is_strict(marked) else _plain(marked)
        self.value = _value(self.plain)

    @property
    def is_blank(self) -> bool:
        """Whether it says nothing yet: it is empty, or has only comments."""
        return self.value is None

    def root(self) -> JsonMembers:
        """The members of the outermost object."""
        return self.members(_after_blanks(self.plain, 0))

    def members(self, opening: int) -> JsonMembers:
        """The members of the object or array whose bracket stands here."""
        listed: list[JsonMember] = []
        is_array = self.plain[opening] == "["
        at = _after_blanks(self.plain, opening + 1)
        while self.plain[at] not in "}]":
            start = value = at
            key = ""
            if not is_array:
                key, after = _DECODER.raw_decode(self.plain, start)
                value = _after_blanks(self.plain, self.plain.index(":", after) + 1)
            _, end = _DECODER.raw_decode(self.plain, value)
            listed.append(JsonMember(key, start, value, end))
            at = _after_blanks(self.plain, end)
            if self.plain[at] == ",":
                at = _after_blanks(self.plain, at + 1)
        return JsonMembers(listed, opening, at)

    def trailing_comma(self, start: int, end: int) -> int | None:
        """Where a comma stands between these places that nothing follows; None where there is none."""
        at = bisect_left(self.trailing, start)
        return self.trailing[at] if at < len(self.trailing) and self.trailing[at] < end else None


def _is_strict(text: str) -> bool:
    """Whether there is nothing to blank: most settings are plain JSON, and some have many megabytes."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _plain(text: str) -> tuple[str, list[int]]:
    """The text without comments and trailing commas, and where those commas stood."""
    plain = COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else _blank(found[0]), text)
    trailing: list[int] = []
    pieces: list[str] = []
    at = 0
    for found in LAST_COMMA.finditer(plain):
        comma = found.start()
        if plain[comma] == "," and _follows(plain, comma):
            trailing.append(comma)
            pieces += [plain[at:comma], " "]
            at = comma + 1
    return "".join([*pieces, plain[at:]]), trailing


def _blank(comment: str) -> str:
    return "".join(each if each in "\r\n" else " " for each in comment)


def _follows(plain: str, comma: int) -> bool:
    """Whether a comma stands behind a value."""
    at = comma - 1
    while at >= 0 and plain[at] in BLANKS:
        at -= 1
    return at >= 0 and plain[at] not in BEFORE_A_VALUE


def _value(plain: str) -> dict[str, Any] | None:
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


def _after_blanks(plain: str, at: int) -> int:
    while plain[at] in BLANKS:
        at += 1
    return at


USUAL_UNIT = "  "
Path = Sequence[str]


class JsonStyle(NamedTuple):
    """How the text around is written."""

    newline: str
    unit: str

    def lines(self, value: Any, indent: str) -> str:
        """A value over several lines, of which the first stands where it is put."""
        return json.dumps(value, indent=self.unit, ensure_ascii=False).replace("\n", self.newline + indent)


def read_all(text: str) -> dict[str, Any]:
    """Everything that the text says."""
    return JsonText(text).value or {}


def read_entries(text: str, path: Path) -> dict[str, Any]:
    """The entries at a path; none where there is nothing yet."""
    found: Any = JsonText(text).value or {}
    for key in path:
        found = cast("dict[str, Any]", found).get(key, {})
        if not isinstance(found, dict):
            raise Refusal(f"has something else than an object as {key!r}.")
    return cast("dict[str, Any]", found)


def with_entry(text: str, path: Path, name: str, entry: Any) -> str:
    """The text with the entry at a path, under a name; one that is there is replaced."""
    document = JsonText(text)
    style = JsonStyle(find_newline(text), _unit(document))
    if document.is_blank:
        return _begun(text, style, _nested([*path, name], entry))
    members = document.root()
    for number, key in enumerate(path):
        member = members.named(key)
        if member is None:
            return _inserted(document, members, key, _nested([*path[number + 1 :], name], entry), style)
        members = _object(document, member)
    member = members.named(name)
    if member is None:
        return _inserted(document, members, name, entry, style)
    return text[: member.value] + _rendered(text, member, entry, style) + text[member.end :]


def without_entry(text: str, path: Path, name: str, *, made: int = 0) -> str:
    """The text without the entry; of the objects on the path, the last `made` go too where nothing is left in them."""
    text = _removed(text, path, name)
    for depth in range(len(path) - 1, len(path) - 1 - made, -1):
        if _members_at(JsonText(text), path[: depth + 1]).listed:
            return text
        text = _removed(text, path[:depth], path[depth])
    return text


def read_items(text: str, path: Path) -> list[Any]:
    """The items of the array at a path; none where there is nothing yet."""
    found: Any = read_entries(text, path[:-1]).get(path[-1], [])
    if not isinstance(found, list):
        raise Refusal(f"has something else than an array as {path[-1]!r}.")
    return list(cast("Sequence[Any]", found))


def with_item(text: str, path: Path, item: Any) -> str:
    """The text with an item at the end of the array at a path."""
    if not read_items(text, path) and missing_objects(text, path):
        return with_entry(text, path[:-1], path[-1], [item])
    document = JsonText(text)
    array = _array_at(document, path)
    return _inserted(document, array, None, item, JsonStyle(find_newline(text), _unit(document)))


def without_item(text: str, path: Path, item: Any, *, made: int = 0) -> str:
    """The text without an item of the array at a path; of the path, the last `made` go too where nothing is left."""
    items = read_items(text, path)
    if item not in items:
        return text
    document = JsonText(text)
    array = _array_at(document, path)
    text = _cut(document, array, array.listed[items.index(item)])
    if made and len(items) == 1:
        return without_entry(text, path[:-1], path[-1], made=made - 1)
    return text


def _array_at(document: JsonText, path: Path) -> JsonMembers:
    member = _members_at(document, path[:-1]).named(path[-1])
    if member is None:
        raise Refusal(f"has no {path[-1]!r} any more.")
    return document.members(member.value)


def missing_objects(text: str, path: Path) -> int:
    """How many objects of the path are not there yet."""
    found: Any = JsonText(text).value or {}
    for number, key in enumerate(path):
        if key not in found:
            return len(path) - number
        found = found[key]
    return 0


def snippet(path: Path, name: str, entry: Mapping[str, Any]) -> str:
    """The whole of what to paste into an empty file."""
    return json.dumps(_nested([*path, name], entry), indent=2, ensure_ascii=False)


def _nested(keys: Sequence[str], entry: Any) -> Any:
    for key in reversed(keys):
        entry = {key: entry}
    return entry


def _begun(text: str, style: JsonStyle, value: Any) -> str:
    gap = style.newline if text.strip("\ufeff" + BLANKS) and not text.endswith("\n") else ""
    return text + gap + style.lines(value, "") + style.newline


def _object(document: JsonText, member: JsonMember) -> JsonMembers:
    if document.plain[member.value] != "{":
        raise Refusal(f"has something else than an object as {member.key!r}.")
    return document.members(member.value)


def _members_at(document: JsonText, path: Path) -> JsonMembers:
    members = document.root()
    for key in path:
        member = members.named(key)
        if member is None:
            raise Refusal(f"has no {key!r} any more.")
        members = _object(document, member)
    return members


def _inserted(document: JsonText, members: JsonMembers, key: str | None, value: Any, style: JsonStyle) -> str:
    if not members.listed:
        return _first(document, members, key, value, style)
    text = document.text
    last = members.listed[-1]
    tail = _end_of_content(text, members.closing)
    if "\n" in text[members.opening : members.closing]:
        indent = _indent_of_line(text, last.start)
        added = f"{style.newline}{indent}{_label(key)}{style.lines(value, indent)}"
    else:
        added = _beside(document, members, key, value)
    if document.trailing_comma(last.end, members.closing) is not None:
        return f"{text[:tail]}{added},{text[tail:]}"
    return f"{text[: last.end]},{text[last.end : tail]}{added}{text[tail:]}"


def _first(document: JsonText, members: JsonMembers, key: str | None, value: Any, style: JsonStyle) -> str:
    """The first member of an object or array that has none."""
    text = document.text
    if "\n" not in text.strip(BLANKS) and members.opening != document.root().opening:
        tail = _end_of_content(text, members.closing)
        return f"{text[:tail]}{_flat(key, value, is_wide=': ' in text)}{text[members.closing :]}"
    base = _indent_of_line(text, members.opening)
    indent = base + style.unit
    tail = _end_of_content(text, members.closing)
    added = f"{style.newline}{indent}{_label(key)}{style.lines(value, indent)}"
    return f"{text[:tail]}{added}{style.newline}{base}{text[members.closing :]}"


def _label(key: str | None) -> str:
    return "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "


def _beside(document: JsonText, members: JsonMembers, key: str | None, value: Any) -> str:
    """A member on the line of its neighbours, with their spaces."""
    text = document.text
    last = members.listed[-1]
    is_wide = ": " in text if key is None else text[last.value - 1] in BLANKS
    gap = " " if is_wide else ""
    if len(members.listed) > 1:
        comma = document.plain.index(",", members.listed[-2].end)
        gap = " " if comma + 1 < last.start else ""
    return gap + _flat(key, value, is_wide=is_wide)


def _flat(key: str | None, value: Any, *, is_wide: bool) -> str:
    separators = (", ", ": ") if is_wide else (",", ":")
    if key is None:
        return json.dumps(value, ensure_ascii=False, separators=separators)
    return json.dumps({key: value}, ensure_ascii=False, separators=separators)[1:-1]


def _rendered(text: str, member: JsonMember, value: Any, style: JsonStyle) -> str:
    """A value in place of another."""
    if "\n" not in text.strip(BLANKS):
        return _flat("", value, is_wide=text[member.value - 1] in BLANKS).partition(":")[2].lstrip()
    return style.lines(value, _indent_of_line(text, member.start))


def _removed(text: str, path: Path, name: str) -> str:
    document = JsonText(text)
    members = _members_at(document, path)
    member = members.named(name)
    return text if member is None else _cut(document, members, member)


def _cut(document: JsonText, members: JsonMembers, member: JsonMember) -> str:
    """The text without a member, and without the comma and the blanks that came with it."""
    text = document.text
    at = members.listed.index(member)
    others = members.listed
    if at + 1 < len(others):
        return _without_earlier(document, member, others[at + 1])
    start = _end_of_content(text, member.start)
    trailing = document.trailing_comma(member.end, members.closing)
    end = member.end if trailing is None else trailing + 1
    if at == 0:
        end = members.closing if start == members.opening + 1 and not text[end : members.closing].strip(BLANKS) else end
        return text[:start] + text[end:]
    if trailing is not None:
        return text[:start] + text[end:]
    comma = document.plain.index(",", others[at - 1].end)
    return text[:comma] + text[comma + 1 : start] + text[end:]


def _without_earlier(document: JsonText, member: JsonMember, following: JsonMember) -> str:
    """The text without a member that others follow: their comments stay with them."""
    text = document.text
    after = document.plain.index(",", member.end) + 1
    between = text[after : following.start]
    if not between.strip(BLANKS) and "\n" not in between:
        return text[: member.start] + text[following.start :]
    return text[: _end_of_content(text, member.start)] + text[after:]


def _end_of_content(text: str, at: int) -> int:
    """Behind the last character before a place that is no blank."""
    while at > 0 and text[at - 1] in BLANKS:
        at -= 1
    return at


def _indent_of_line(text: str, at: int) -> str:
    """The blanks at the beginning of the line of a place."""
    start = text.rfind("\n", 0, at) + 1
    end = start
    while end < at and text[end] in " \t":
        end += 1
    return text[start:end]


def _unit(document: JsonText) -> str:
    """By how much one level is indented in this text."""
    if document.is_blank:
        return USUAL_UNIT
    members = document.root()
    outer = _indent_of_line(document.text, members.opening)
    for member in members.listed[:1]:
        if "\n" in document.text[members.opening : member.start]:
            return _indent_of_line(document.text, member.start).removeprefix(outer) or USUAL_UNIT
    return USUAL_UNIT
