"""`docs/reference/tools.md`: every built-in tool as a client is told about it."""

import json
import tempfile
from collections.abc import Mapping
from typing import Any

from docs.writers.markdown import code, document, paragraph, table
from fieldguide.app import build_app
from fieldguide.settings.config import Settings
from fieldguide.spine.tool import Tool
from fieldguide.spine.toolset import Toolset, make_safe_name
from fieldguide.spine.workers import DEFAULT_SECONDS, MAX_SECONDS
from fieldguide.wire.clients import describe_tool

INTRODUCTION = """
The tools that come with Fieldguide, by toolset. A call may use the literal or the safe name of a tool, whatever the
client was shown. `fieldguide call` prints what is served in a project.
"""
HINTS = {
    "readOnlyHint": "changes nothing",
    "destructiveHint": "may destroy something",
    "idempotentHint": "calling it again with the same arguments changes nothing more",
    "openWorldHint": "reaches beyond the project",
}


def page() -> str:
    """The page: one section per toolset, one below it per tool."""
    return document("# Tools", paragraph(INTRODUCTION), _hints(), *(_toolset(each) for each in built_in_toolsets()))


def built_in_toolsets() -> tuple[Toolset, ...]:
    """The toolsets, over an empty project."""
    with tempfile.TemporaryDirectory() as project:
        return build_app(Settings(project=project)).toolsets


def _hints() -> str:
    return table(("annotation", "what it says when true"), ((code(name), text) for name, text in HINTS.items()))


def _toolset(toolset: Toolset) -> str:
    facts = f"Its errors speak the dialect {code(toolset.name)} (see [errors](errors.md))."
    if toolset.claims:
        facts += f" Every name that begins with {code(toolset.claims)} is its own, even when no tool has it."
    tools = sorted(toolset.tools, key=lambda tool: tool.name)
    return document(f"## Toolset {toolset.name}", paragraph(facts), _methods(toolset), *map(_tool, tools))


def _methods(toolset: Toolset) -> str:
    if not toolset.methods:
        return ""
    rows = ((code(method), code(tool)) for method, tool in sorted(toolset.methods.items()))
    text = "It also answers JSON-RPC methods of its own, with the plain value of the tool as the result:"
    return document(text, table(("method", "tool"), rows))


def _tool(tool: Tool) -> str:
    hints: Mapping[str, bool] = describe_tool(tool, name=tool.name, schema=tool.input_schema)["annotations"]
    rows = [
        ("title", tool.title or "-"),
        ("safe name", code(make_safe_name(tool.name))),
        ("annotations", ", ".join(f"{code(name)} {str(value).lower()}" for name, value in hints.items())),
        ("time limit", f"{min(tool.pace.timeout_seconds or DEFAULT_SECONDS, MAX_SECONDS):g} seconds"),
        ("calls a minute", "no limit" if tool.pace.calls_per_minute is None else str(tool.pace.calls_per_minute)),
    ]
    return document(f"### {tool.name}", paragraph(tool.description), table(("", ""), rows), _arguments(tool))


def _arguments(tool: Tool) -> str:
    properties: Mapping[str, Mapping[str, Any]] = tool.input_schema.get("properties", {})
    others = "" if tool.input_schema.get("additionalProperties", True) else " and no others"
    if not properties:
        return "It takes no arguments."
    required = tool.input_schema.get("required", [])
    rows = (
        (code(name), _kind(schema), "yes" if name in required else "no", schema.get("description", ""))
        for name, schema in properties.items()
    )
    return document(f"It takes these arguments{others}:", table(("argument", "kind", "required", "meaning"), rows))


def _kind(schema: Mapping[str, Any]) -> str:
    """The type, and every limit that the schema states."""
    limits = [f"{code(key)} {_plain(value)}" for key, value in schema.items() if key not in ("type", "description")]
    named = schema.get("type", "any")
    return ", ".join([named if isinstance(named, str) else " or ".join(named), *limits])


def _plain(value: Any) -> str:
    return code(json.dumps(value, ensure_ascii=False))
