"""The arguments of the document tools, checked against their schemas by hand: a validator's import would cost the first
answer of a fresh server more than the search itself."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from fieldguide.errors import InvalidArguments

TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "number": (int, float), "boolean": (bool,), "array": (list,)}
WHOLE = ("limit", "offset", "maxDepth")
BEYOND = {"allCollections": "sameDocument", "deduplicate": "queries"}  # ours, each beside one of the specification's


def check(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Raise InvalidArguments with a sentence for everything that does not fit."""
    issues = [*_object_issues(schema, arguments, "")]
    if issues:
        raise InvalidArguments("; ".join(issues))


def whole(arguments: Mapping[str, Any], name: str, default: int) -> int:
    """A number without what stands behind its point."""
    return int(arguments.get(name, default))


def _object_issues(schema: Mapping[str, Any], value: Mapping[str, Any], place: str) -> Iterator[str]:
    properties: Mapping[str, Any] = schema["properties"]
    for name in schema.get("required", ()):
        if name not in value:
            yield f"missing required argument: {place}{name}"
    for name, given in value.items():
        if name in properties:
            yield from _value_issues(properties[name], given, f"{place}{name}")
        elif not place and BEYOND.get(name) in properties:
            yield from _value_issues({"type": "boolean"}, given, name)
        elif schema.get("additionalProperties") is False:
            yield f"unexpected argument: {place}{name}"


def _value_issues(schema: Mapping[str, Any], value: Any, place: str) -> Iterator[str]:
    kind = schema["type"]
    if kind == "object":
        if isinstance(value, dict):
            yield from _object_issues(schema, cast("dict[str, Any]", value), f"{place}.")
        else:
            yield f"field {place} must be an object"
        return
    if not isinstance(value, TYPES[kind]) or (kind == "number" and isinstance(value, bool)):
        yield f"field {place} must be {'an' if kind == 'array' else 'a'} {kind}"
    elif kind == "array":
        yield from _array_issues(schema, cast("list[Any]", value), place)
    elif kind == "number":
        yield from _number_issues(cast("float", value), place)


def _array_issues(schema: Mapping[str, Any], items: list[Any], place: str) -> Iterator[str]:
    if len(items) < schema.get("minItems", 0):
        yield f"field {place} must hold at least {schema['minItems']}"
    if len(items) > schema.get("maxItems", len(items)):
        yield f"field {place} must hold at most {schema['maxItems']}"
        return
    for number, item in enumerate(items):
        yield from _value_issues(schema["items"], item, f"{place}.{number}")


def _number_issues(value: float, place: str) -> Iterator[str]:
    if not abs(value) <= 2**53:  # also what is not a number
        yield f"field {place} must be a number of ordinary size"
    elif value < 0 and place in WHOLE and place != "maxDepth":
        yield f"field {place} must not be negative"
