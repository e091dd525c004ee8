"""Holds the tools by name and checks their definitions."""

import string
import threading
from collections.abc import Iterable, Mapping
from typing import Any, cast

from fieldguide.settings.consents import Access, is_allowed
from fieldguide.spine.tool import Tool
from fieldguide.text.errors import DuplicateTool, InvalidToolSchema, ToolNotFound

IN_A_NAME = frozenset(string.ascii_letters + string.digits + "_./-")
LONGEST_NAME = 128
TYPES = frozenset(("string", "number", "integer", "boolean", "object", "array", "null"))
COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
SCHEMA_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SCHEMAS = ("items", "not", "if", "then", "else", "contains", "propertyNames")


class Registry:
    """The tools that are served, in memory: listing and finding them touches no disk."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._lock = threading.Lock()
        self._tools: dict[str, Tool] = {}
        self._spellings: dict[str, Tool] = {}
        for tool in tools:
            self.register(tool)

    def register(self, tool: Tool) -> None:
        """Take a tool in; a second one with its name (in either spelling) is an error, and the first one stays."""
        check_definition(tool)
        with self._lock:
            taken = self._spellings.get(tool.name) or self._spellings.get(make_safe_name(tool.name))
            if taken is not None:
                raise DuplicateTool(f"Two tools are named {tool.name!r}; every tool needs a name of its own.")
            self._spellings = {**self._spellings, tool.name: tool, make_safe_name(tool.name): tool}
            self._tools = dict(sorted({**self._tools, tool.name: tool}.items()))

    def find(self, name: str, access: Access | None = None) -> Tool:
        """The tool of this name, in its literal or its safe spelling; of those that the caller may see."""
        tool = self._spellings.get(name)
        if tool is None or not is_allowed(access, tool.toolset):
            from fieldguide.text.near_names import find_near_names  # only who mistypes pays for it

            seen = [each.name for each in self.all(access)]
            raise ToolNotFound(name, seen, find_near_names(name.replace(".", "_"), seen))
        return tool

    def all(self, access: Access | None = None) -> list[Tool]:
        """Every tool that the caller may call, sorted by name."""
        return [each for each in self._tools.values() if is_allowed(access, each.toolset, writes=each.effects.writes)]


def make_safe_name(name: str) -> str:
    """A tool's name in the spelling that every client takes: only letters, digits, `_` and `-`."""
    return name.replace("/", "_").replace(".", "_")


def check_definition(tool: Tool) -> None:
    """Raise InvalidToolSchema when a definition would break a client: name, description or schema."""
    if not 1 <= len(tool.name) <= LONGEST_NAME or not IN_A_NAME.issuperset(tool.name):
        raise InvalidToolSchema(f"{tool.name!r} can't be a tool's name: use letters, digits and _ - . / only.")
    if not tool.description.strip():
        raise InvalidToolSchema(f"The tool {tool.name!r} has no description; an agent chooses by it.")
    if tool.input_schema.get("type") != "object":
        raise InvalidToolSchema(f"The input schema of {tool.name!r} must have the type 'object'.")
    fault = _fault(tool.input_schema, "inputSchema")
    if fault:
        raise InvalidToolSchema(f"The input schema of {tool.name!r} is not valid: {fault}.")


def _fault(schema: Any, place: str) -> str | None:
    """The first thing wrong with a JSON Schema, for the keywords that tools use.

    The full check belongs to the validator, which compiles a schema at the tool's first call; importing it here would
    cost a third of the cold start.
    """
    if isinstance(schema, bool):
        return None
    if not isinstance(schema, Mapping):
        return f"{place} is not an object"
    schema = cast("Mapping[str, Any]", schema)
    return _keyword_fault(schema, place) or _nested_fault(schema, place)


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
        if isinstance(schema.get(keyword, 0), bool) or not isinstance(schema.get(keyword, 0), int | float):
            return f"{place}.{keyword} is {schema[keyword]!r}"
    if not isinstance(schema.get("enum", []), list):
        return f"{place}.enum is not a list"
    if not isinstance(schema.get("description", ""), str):
        return f"{place}.description is not a string"
    return _required_fault(schema, place)


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
    nested: list[tuple[str, Any]] = [(f"{place}.properties.{k}", v) for k, v in schema.get("properties", {}).items()]
    nested += [(f"{place}.{keyword}", schema[keyword]) for keyword in SCHEMAS if keyword in schema]
    if "additionalProperties" in schema:
        nested.append((f"{place}.additionalProperties", schema["additionalProperties"]))
    for keyword in SCHEMA_LISTS:
        if not isinstance(schema.get(keyword, []), list):
            return f"{place}.{keyword} is not a list"
        nested += [(f"{place}.{keyword}[{n}]", each) for n, each in enumerate(schema.get(keyword, []))]
    for where, each in nested:
        fault = _fault(each, where)
        if fault:
            return fault
    return None
