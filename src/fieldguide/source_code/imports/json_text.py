"""JSON as people write it into configuration: with comments and with commas before a closing bracket."""

import json
from collections.abc import Iterable
from typing import Any, cast

from fieldguide import linear_regex as re

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*"?)|,(?=\s*[}\]])')


def read_object(content: bytes | None) -> dict[str, Any]:
    """The object in a file; an empty one when there is no file or no object in it."""
    if not content:
        return {}
    text = content.decode("utf-8-sig", errors="replace")
    try:
        value = json.loads(text)
    except ValueError:
        value = _lenient(text)
    except RecursionError:
        return {}
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
        return json.loads(_LAST_COMMA.sub(lambda match: match.group(1) or "", bare))
    except (ValueError, RecursionError):
        return None
