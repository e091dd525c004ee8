"""The pieces of JSON Schema that tools are described with; the words of each stand in the order in which they came."""

from typing import Any

DRAFT = "http://json-schema.org/draft-07/schema#"


def text(**said: Any) -> dict[str, Any]:
    """A string."""
    return {"type": "string", **said}


def whole_number(**said: Any) -> dict[str, Any]:
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
