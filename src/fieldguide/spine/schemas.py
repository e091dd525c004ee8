"""Builds the JSON Schemas of tools, and checks the definition of a tool."""

import string
from collections.abc import Mapping
from typing import Any, cast

from fieldguide.spine.tool import Tool
from fieldguide.text.errors import InvalidToolSchema

DRAFT = "http://json-schema.org/draft-07/schema#"
TYPES: dict[str, Any] = {
    "string": str,
    "number": int | float,
    "integer": int,
    "boolean": bool,
    "object": dict,
    "array": list,
    "null": type(None),
}
IN_A_NAME = frozenset(string.ascii_letters + string.digits + "_./-")
LONGEST_NAME = 128
COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
NUMBERS = ("minimum", "maximum")
NESTING = ("anyOf", "properties", "required", "additionalProperties", "items")
CHECKED = frozenset(("type", "enum", *COUNTS, *NUMBERS, *NESTING))
DESCRIBING = frozenset(("$schema", "$id", "$comment", "title", "description", "default", "examples", "format"))


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


def check_definition(tool: Tool) -> None:
    """Raise InvalidToolSchema when a definition would break a client: name, description or schema."""
    if not 1 <= len(tool.name) <= LONGEST_NAME or not IN_A_NAME.issuperset(tool.name):
        raise InvalidToolSchema(f"{tool.name!r} can't be a tool's name: use letters, digits and _ - . / only.")
    if not tool.description.strip():
        raise InvalidToolSchema(f"The tool {tool.name!r} has no description; an agent chooses by it.")
    if tool.input_schema.get("type") != "object":
        raise InvalidToolSchema(f"The input schema of {tool.name!r} must have the type 'object'.")
    checks_itself = tool.wording.check is not None
    fault = None if checks_itself else _fault(tool.input_schema, "inputSchema")
    if fault:
        raise InvalidToolSchema(f"The input schema of {tool.name!r} is not valid: {fault}.")


def _fault(schema: Any, place: str) -> str | None:
    """The first thing wrong with a JSON Schema; a keyword that the executor would ignore is wrong.

    A tool that checks its arguments itself may use any keyword; a name with `x-` is an annotation of others.
    """
    if not isinstance(schema, Mapping):
        return f"{place} is not an object"
    schema = cast("Mapping[str, Any]", schema)
    for keyword in schema:
        if keyword not in CHECKED and keyword not in DESCRIBING and not keyword.startswith("x-"):
            return f"{place}.{keyword} is not checked by Fieldguide; leave it out, or give the tool a Wording.check"
    return _keyword_fault(schema, place) or _required_fault(schema, place) or _nested_fault(schema, place)


def _keyword_fault(schema: Mapping[str, Any], place: str) -> str | None:
    named: Any = schema.get("type", [])
    kinds: list[Any] = [*named] if isinstance(named, list) else [named]
    if any(kind not in TYPES for kind in kinds):
        return f"{place}.type is {named!r}"
    for keyword in COUNTS:
        count = schema.get(keyword, 0)
        if type(count) is not int or count < 0:
            return f"{place}.{keyword} is {count!r}"
    for keyword in NUMBERS:
        if type(schema.get(keyword, 0)) not in (int, float):
            return f"{place}.{keyword} is {schema[keyword]!r}"
    for keyword in ("enum", "anyOf"):
        if not isinstance(schema.get(keyword, []), list):
            return f"{place}.{keyword} is not a list"
    if any(isinstance(option, dict | list) for option in schema.get("enum", [])):
        return f"{place}.enum holds more than texts and numbers"
    if not isinstance(schema.get("description", ""), str):
        return f"{place}.description is not a string"
    return None


def _required_fault(schema: Mapping[str, Any], place: str) -> str | None:
    required: Any = schema.get("required", [])
    properties: Any = schema.get("properties", {})
    if not isinstance(properties, Mapping):
        return f"{place}.properties is not an object"
    names: list[Any] = [*required] if isinstance(required, list) else [None]
    if not all(isinstance(name, str) for name in names):
        return f"{place}.required is not a list of names"
    missing = [name for name in names if "properties" in schema and name not in properties]
    return f"{place}.required names {missing[0]!r}, which is no property" if missing else None


def _nested_fault(schema: Mapping[str, Any], place: str) -> str | None:
    nested = {f"{place}.properties.{name}": each for name, each in schema.get("properties", {}).items()}
    nested |= {f"{place}.anyOf[{number}]": each for number, each in enumerate(schema.get("anyOf", []))}
    if "items" in schema:
        nested[f"{place}.items"] = schema["items"]
    if not isinstance(schema.get("additionalProperties", True), bool):
        nested[f"{place}.additionalProperties"] = schema["additionalProperties"]
    for where, each in nested.items():
        fault = _fault(each, where)
        if fault:
            return fault
    return None
