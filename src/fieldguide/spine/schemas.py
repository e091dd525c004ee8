"""Builds the JSON Schemas of tools and validates arguments against them."""

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, cast

from fieldguide.spine.tool import Issue, Tool
from fieldguide.text.errors import MOST_ISSUES, InvalidArguments, shorten

ArgumentPath = tuple[str | int, ...]
DRAFT = "http://json-schema.org/draft-07/schema#"
MOST_NAMED = 20
MOST_NAMED_CHARACTERS = 200
TYPES: dict[str, Any] = {
    "string": str,
    "number": int | float,
    "integer": int,
    "boolean": bool,
    "object": dict,
    "array": list,
    "null": type(None),
}
LIMITS = {
    "maxLength": ("too_big", "maximum", "exceeds maximum length of {}"),
    "minLength": ("too_small", "minimum", "must be at least {} characters long"),
    "maximum": ("too_big", "maximum", "must be at most {}"),
    "minimum": ("too_small", "minimum", "must be at least {}"),
    "maxItems": ("too_big", "maximum", "must hold at most {}"),
    "minItems": ("too_small", "minimum", "must hold at least {}"),
}


def text_schema(**said: Any) -> dict[str, Any]:
    """A string."""
    return {"type": "string", **said}


def integer_schema(**said: Any) -> dict[str, Any]:
    """A number without a fraction."""
    return {"type": "integer", **said}


def open_object(*required: str, **properties: Any) -> dict[str, Any]:
    """An object that may hold more than its properties."""
    return {"type": "object", "properties": properties, "required": list(required)}


def closed_object(*required: str, **properties: Any) -> dict[str, Any]:
    """An object that holds its properties and nothing else."""
    return {**open_object(*required, **properties), "additionalProperties": False}


def drafted_object(*required: str, **properties: Any) -> dict[str, Any]:
    """A closed object that names the draft of JSON Schema that it is written in."""
    return {**closed_object(*required, **properties), "$schema": DRAFT}


def check_arguments(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Raise InvalidArguments: in the tool's own words if it has any, else with every issue of the schema."""
    issues = [*islice(_unpaired_surrogates(arguments), MOST_ISSUES)] if arguments else []
    if tool.wording.check_first is not None:
        tool.wording.check_first(arguments)
    if tool.wording.check is not None:
        tool.wording.check(arguments)
    else:
        schema = tool.input_schema
        if tool.wording.ignores_unknown:
            schema = {**schema, "additionalProperties": True}
        issues = [*islice(find_issues(schema, arguments), MOST_ISSUES), *issues]
    if issues:
        raise InvalidArguments("; ".join(str(issue["message"]) for issue in issues), issues=issues)


def find_issues(schema: Mapping[str, Any], value: Any, place: ArgumentPath = ()) -> Iterator[Issue]:
    """Everything in a value that a schema forbids, in the shape that Zod gives it: code, message, path, broken limit.

    It knows the keywords that `toolset.py` lets a tool use. Unlike JSON Schema it takes 1.0 for no integer: a tool
    would be handed a float that nobody wrote a case for.
    """
    types = schema.get("type", ())
    if isinstance(types, str):
        types = (types,)
    if types and not any(_is_of_type(value, each) for each in types):
        listed = " or ".join(f"an {each}" if each[0] in "aeiou" else f"a {each}" for each in types)
        text = _named(place, f"must be {listed}")
        yield {"code": "invalid_type", "path": [*place], "expected": types[0], "message": text}
    if "enum" in schema and not any(_is_same(value, each) for each in schema["enum"]):
        text = _named(place, "has invalid value, must be one of allowed values")
        yield {"code": "invalid_enum_value", "path": [*place], "options": schema["enum"], "message": text}
    if "anyOf" in schema and all(any(find_issues(each, value)) for each in schema["anyOf"]):
        yield {"code": "anyOf", "path": [*place], "message": _named(place, "is not allowed here (anyOf)")}
    if isinstance(value, str):
        yield from _broken_limits(schema, len(value), ("minLength", "maxLength"), place)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _broken_limits(schema, value, ("minimum", "maximum"), place)
    elif isinstance(value, list):
        items = cast("Any", value)
        yield from _broken_limits(schema, len(items), ("minItems", "maxItems"), place)
        for number, each in enumerate(items):
            yield from find_issues(schema.get("items", {}), each, (*place, number))
    elif isinstance(value, dict):
        members = cast("Any", value)
        yield from _object_issues(schema, members, place)


def _object_issues(schema: Mapping[str, Any], value: Mapping[str, Any], place: ArgumentPath) -> Iterator[Issue]:
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    unexpected: list[str] = []
    for name, each in value.items():
        if name in properties:
            yield from find_issues(properties[name], each, (*place, name))
        elif others is False:
            unexpected.append(name)
        elif others is not True:
            yield from find_issues(others, each, (*place, name))
    if unexpected:
        names = [shorten(name) for name in unexpected[:MOST_NAMED]]
        text = f"unexpected argument: {shorten(', '.join(names), MOST_NAMED_CHARACTERS)}"
        yield {"code": "unrecognized_keys", "path": [*place], "keys": names, "message": text}
    for name in schema.get("required", ()):
        if name not in value:
            path = [*place, name]
            text = f"missing required argument: {'.'.join(map(str, path))}"
            yield {"code": "invalid_type", "path": path, "message": text}


def _broken_limits(
    schema: Mapping[str, Any], size: float, keywords: tuple[str, str], place: ArgumentPath
) -> Iterator[Issue]:
    lowest, highest = keywords
    broken = [lowest] if size < schema.get(lowest, size) else []
    broken += [highest] if size > schema.get(highest, size) else []
    for keyword in broken:
        code, bound, claim = LIMITS[keyword]
        limit = schema[keyword]
        yield {"code": code, "path": [*place], bound: limit, "message": _named(place, claim.format(limit))}


def _is_of_type(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"  # Python counts a bool as an integer
    if isinstance(value, float) and not math.isfinite(value):
        return False  # JSON has no way to write it, but `1e999` is read as infinite
    return isinstance(value, TYPES[name])


def _is_same(value: Any, option: Any) -> bool:
    return value == option and isinstance(value, bool) == isinstance(option, bool)


def _named(place: ArgumentPath, claim: str) -> str:
    return f"field {shorten('.'.join(map(str, place)))} {claim}" if place else f"the arguments object {claim}"


def _unpaired_surrogates(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """JSON can escape half a character; no file, database or model can take it."""
    waiting: list[tuple[ArgumentPath, Any]] = [((), arguments)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, str):
            if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
                message = _named(place, "is not valid Unicode text")
                yield {"code": "invalid_string", "path": [*place], "message": message}
        elif isinstance(value, dict):
            members = cast("Any", value)
            waiting += [(place, name) for name in members]
            waiting += [((*place, name), each) for name, each in members.items()]
        elif isinstance(value, list):
            items = cast("Any", value)
            waiting += [((*place, number), each) for number, each in enumerate(items)]
