"""The arguments of a tool as a person types them: `key=value`, read by the tool's own schema; `key:=json` as it is.

A key that is given again makes a list. What the schema does not know is text.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from fieldguide.cli.typed.nearest import did_you_mean
from fieldguide.errors import Misconfiguration

BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
USAGE = 'The arguments are one JSON object, such as \'{"query": "…"}\', or words such as query=… limit:=5.'


def parsed_arguments(words: Sequence[str], schema: Callable[[], Mapping[str, Any]], stdin: Callable[[], str]) -> Any:
    """What these words give a tool; `schema` is asked for only where it is needed."""
    if not words:
        return {}
    if len(words) == 1 and (words[0] == "-" or words[0].lstrip()[:1] in ("{", "[") or "=" not in words[0]):
        return _object(stdin() if words[0] == "-" else words[0])
    return parsed_pairs(words, schema())


def parsed_pairs(words: Sequence[str], schema: Mapping[str, Any]) -> dict[str, Any]:
    """An object of `key=value` and `key:=json`."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    given: dict[str, Any] = {}
    for word in words:
        key, mark, value = word.partition("=")
        if not mark or not key:
            raise Misconfiguration(f"{word!r} is no argument. {USAGE}")
        is_raw = key.endswith(":")
        key = key.removesuffix(":")
        near = "" if key in properties else did_you_mean(key, properties)
        if near or (key not in properties and schema.get("additionalProperties") is False):
            raise Misconfiguration(f"There is no argument {key!r}.{near} The arguments are {', '.join(properties)}.")
        read = _json(key, value) if is_raw else _typed(key, value, properties.get(key, {}))
        given[key] = _joined(given[key], read) if key in given else read
    return given


def _joined(before: Any, after: Any) -> list[Any]:
    """Values of one key that was given several times."""
    return [*_listed(before), *_listed(after)]


def _listed(value: Any) -> list[Any]:
    return [*value] if isinstance(value, list) else [value]


def _typed(key: str, value: str, property_: Mapping[str, Any]) -> Any:
    """A value as the schema wants it."""
    kind = property_.get("type")
    kinds = cast("Sequence[str]", kind if isinstance(kind, list) else [kind])
    if "string" in kinds:
        return value
    if "boolean" in kinds:
        return _boolean(key, value)
    if "integer" in kinds or "number" in kinds:
        return _number(key, value)
    if "array" in kinds and not value.startswith("["):
        items = property_.get("items", {})
        return [_typed(key, value, items)]
    if "array" in kinds or "object" in kinds:
        return _json(key, value)
    return value


def _boolean(key: str, value: str) -> bool:
    if value.lower() not in BOOLEANS:
        raise Misconfiguration(f"{key} is true or false, not {value!r}.")
    return BOOLEANS[value.lower()]


def _number(key: str, value: str) -> int | float:
    try:
        return int(value)
    except ValueError:
        pass
    try:
        return float(value)
    except ValueError:
        raise Misconfiguration(f"{key} is a number, not {value!r}.") from None


def _json(key: str, value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise Misconfiguration(f"What {key} is given is not JSON: {error}.") from error


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Misconfiguration(f"The arguments are not JSON: {error}. {USAGE}") from error
    if not isinstance(value, dict):
        raise Misconfiguration(f"The arguments must be a JSON object. {USAGE}")
    return cast("dict[str, Any]", value)
