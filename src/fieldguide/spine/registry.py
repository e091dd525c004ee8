"""Holds the tools by name and checks their definitions."""

import string
import threading
from collections.abc import Iterable, Mapping
from typing import Any, cast

from fieldguide.settings.consents import Access, is_allowed
from fieldguide.spine.schemas import TYPES
from fieldguide.spine.tool import Tool
from fieldguide.text.errors import DuplicateTool, InvalidToolSchema, ToolNotFound

IN_A_NAME = frozenset(string.ascii_letters + string.digits + "_./-")
LONGEST_NAME = 128
COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
NUMBERS = ("minimum", "maximum")
NESTING = ("anyOf", "properties", "required", "additionalProperties", "items")
CHECKED = frozenset(("type", "enum", *COUNTS, *NUMBERS, *NESTING))
DESCRIBING = frozenset(("$schema", "$id", "$comment", "title", "description", "default", "examples", "format"))


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
    checks_itself = tool.wording.check is not None
    fault = None if checks_itself else _fault(tool.input_schema, "inputSchema")
    if fault:
        raise InvalidToolSchema(f"The input schema of {tool.name!r} is not valid: {fault}.")


def _fault(schema: Any, place: str) -> str | None:
    """The first thing wrong with a JSON Schema; a keyword that `schemas.py` would ignore is wrong.

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
