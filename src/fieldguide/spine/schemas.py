"""Builds the JSON Schemas of tools and validates arguments against them."""

import threading
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, cast

from fieldguide.spine.tool import Issue, Tool
from fieldguide.text.errors import (
    MOST_ISSUES,
    InvalidArguments,
    InvalidToolSchema,
    shorten,
)

DRAFT = "http://json-schema.org/draft-07/schema#"
MOST_NAMED = 20
MOST_NAMED_CHARACTERS = 200
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


class Validation:
    """Checks arguments with a compiled validator per tool, made at the tool's first call."""

    def __init__(self) -> None:
        self._validators: dict[str, Any] = {}
        self._lock = threading.Lock()

    def check(self, tool: Tool, arguments: Mapping[str, Any]) -> None:
        """Raise InvalidArguments: in the tool's own words if it has any, else with every issue of the schema."""
        issues = [*islice(_unpaired_surrogates(arguments), MOST_ISSUES)] if arguments else []
        if tool.wording.check_first is not None:
            tool.wording.check_first(arguments)
        if tool.wording.check is not None:
            tool.wording.check(arguments)
        else:
            validator = self._validators.get(tool.name) or self._compile(tool)
            violations = _list_violations(validator, arguments)
            issues = [*violations, *_fractional_integers(tool, arguments), *issues] if arguments else violations
        if issues:
            raise InvalidArguments("; ".join(str(issue["message"]) for issue in issues), issues=issues)

    def _compile(self, tool: Tool) -> Any:
        import jsonschema_rs  # 20 ms; only a call needs it

        schema = dict(tool.input_schema)
        if tool.wording.ignores_unknown:
            schema.pop("additionalProperties", None)
        with self._lock:
            try:
                validator = jsonschema_rs.validator_for(schema)
            except ValueError as error:
                raise InvalidToolSchema(f"The input schema of {tool.name!r} is not valid.") from error
            self._validators[tool.name] = validator
        return validator


def _list_violations(validator: Any, arguments: Mapping[str, Any]) -> list[Issue]:
    try:
        if validator.is_valid(arguments):
            return []
        return [_describe_violation(error) for error in islice(validator.iter_errors(arguments), MOST_ISSUES)]
    except ValueError:  # a lone surrogate, or nesting without end
        return [{"code": "custom", "path": [], "message": "the arguments object can't be checked"}]


def _describe_violation(error: Any) -> Issue:
    """One violation in the shape that Zod gives it: code, message, path, and the limit that was broken."""
    kind = error.kind
    place = [*error.instance_path]
    if kind.name in LIMITS:
        code, bound, claim = LIMITS[kind.name]
        limit = int(kind.limit) if isinstance(kind.limit, float) and kind.limit.is_integer() else kind.limit
        return {"code": code, "path": place, bound: limit, "message": _named(place, claim.format(limit))}
    if kind.name == "required":
        field = ".".join(map(str, [*place, kind.property]))
        text = f"missing required argument: {field}"
        return {"code": "invalid_type", "path": [*place, kind.property], "message": text}
    if kind.name == "additionalProperties":
        names = [shorten(name) for name in list(kind.unexpected)[:MOST_NAMED]]
        listed = shorten(", ".join(names), MOST_NAMED_CHARACTERS)
        text = f"unexpected argument: {listed}"
        return {"code": "unrecognized_keys", "path": place, "keys": names, "message": text}
    if kind.name == "type":
        types = [str(each) for each in kind.types]
        listed = " or ".join(f"an {each}" if each[0] in "aeiou" else f"a {each}" for each in types)
        text = _named(place, f"must be {listed}")
        return {"code": "invalid_type", "path": place, "expected": types[0], "message": text}
    if kind.name == "enum":
        text = _named(place, "has invalid value, must be one of allowed values")
        return {"code": "invalid_enum_value", "path": place, "options": kind.options, "message": text}
    return {"code": kind.name, "path": place, "message": _named(place, f"is not allowed here ({kind.name})")}


def _named(place: list[Any], claim: str) -> str:
    return f"field {shorten('.'.join(map(str, place)))} {claim}" if place else f"the arguments object {claim}"


def _unpaired_surrogates(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """JSON can escape half a character; no file, database or model can take it."""
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), arguments)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, str):
            if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
                message = _named([*place], "is not valid Unicode text")
                yield {"code": "invalid_string", "path": [*place], "message": message}
        elif isinstance(value, dict | list):
            nested = cast("Any", value)
            inner = nested.items() if isinstance(value, dict) else enumerate(nested)
            waiting += [((*place, key), each) for key, each in inner]


def _fractional_integers(tool: Tool, arguments: Mapping[str, Any]) -> list[Issue]:
    """JSON Schema takes 1.0 for an integer; a tool would then be handed a float that nobody wrote a case for."""
    properties = tool.input_schema.get("properties", {})
    return [
        {"code": "invalid_type", "path": [name], "expected": "integer", "message": f"field {name} must be an integer"}
        for name, value in arguments.items()
        if isinstance(value, float) and value.is_integer() and properties.get(name, {}).get("type") == "integer"
    ]
