"""JSON as people write it into configuration: with comments and with commas before a closing bracket."""

from collections.abc import Iterable
from typing import Any, cast

from fieldguide import linear_regex as re
from fieldguide.formats import Malformed
from fieldguide.formats.json_text import read_json

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*"?)|,(?=\s*[}\]])')


def read_object(content: bytes | None) -> dict[str, Any]:
    """The object in a file; an empty one when there is no file or no object in it."""
    if not content:
        return {}
    text = content.decode("utf-8-sig", errors="replace")
    try:
        value = read_json(text)
    except Malformed:
        value = _lenient(text)
    return table(value)


def table(value: Any) -> dict[str, Any]:
    """A value that should be an object, and is an empty one if it is not."""
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """A value that should be a list, and is an empty one if it is not."""
    return list(cast(Iterable[Any], value)) if isinstance(value, list) else []


def _lenient(text: str) -> Any:
    bare = _TOKEN.sub(lambda match: match.group() if match.group().startswith('"') else " ", text)
    try:
        return read_json(_LAST_COMMA.sub(lambda match: match.group(1) or "", bare))
    except Malformed:
        return None
