"""The dialects: how an answer looks on the wire, and how each toolset's specification wants its errors to look."""

from collections.abc import Callable, Mapping
from typing import Any

from fieldguide.errors import (
    CircuitOpen,
    Failure,
    FieldguideError,
    InvalidArguments,
    InvalidToolSchema,
    NotFound,
    Refusal,
    ToolNotFound,
    ToolTimeout,
)
from fieldguide.server.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RpcError
from fieldguide.spine.contract import Answer, Tool, compact_json
from fieldguide.spine.journal import timestamp

TOOL_NOT_FOUND = -32001
TOOL_FAILED = -32002
TOOL_TIMEOUT = -32003
INVALID_TOOL_SCHEMA = -32004
FILE_NOT_FOUND = 1001
NAMED_CODES = {
    INVALID_PARAMS: ("INVALID_PARAMS", "validation", "low"),
    TOOL_FAILED: ("TOOL_EXECUTION_FAILED", "tool", "medium"),
    TOOL_TIMEOUT: ("TOOL_TIMEOUT", "tool", "medium"),
    INVALID_TOOL_SCHEMA: ("INVALID_TOOL_SCHEMA", "tool", "high"),
    INTERNAL_ERROR: ("INTERNAL_ERROR", "internal", "high"),
}
STRUCTURED_SINCE = "2025-06-18"

Result = dict[str, Any]
Render = Callable[[FieldguideError, Tool, Mapping[str, Any], bool], Result]


def described(tool: Tool, *, name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """A tool as `tools/list` tells it."""
    title = {} if tool.title is None else {"title": tool.title}
    return {
        "name": name,
        **title,
        "description": tool.description,
        "inputSchema": schema,
        "annotations": {
            "readOnlyHint": not tool.writes,
            "destructiveHint": tool.destroys,
            "idempotentHint": tool.repeatable,
            "openWorldHint": tool.open_world,
        },
    }


def encoded(answer: Answer, *, version: str, is_modern: bool) -> Result:
    """An answer as the result of `tools/call`: the text, and the object itself where the version knows such a thing."""
    content = list(answer.blocks) or [_text(answer.text)]
    result: Result = {"content": content}
    value: Any = answer.value
    if version >= STRUCTURED_SINCE and type(value) in ((dict, list) if is_modern else (dict,)):
        result["structuredContent"] = value
    if answer.is_error:
        result["isError"] = True
    return result


def encoded_error(
    error: FieldguideError, *, dialect: str, tool: Tool, arguments: Mapping[str, Any], is_modern: bool
) -> Result:
    """An error in the dialect of the tool's toolset: a result, or an RpcError that is raised."""
    return DIALECTS[dialect](error, tool, arguments, is_modern)


def unknown_tool(error: ToolNotFound, *, dialect: str | None, is_modern: bool) -> Result:
    """The answer to a name that no tool has, in the dialect that claims the name, if one does."""
    name = error.details["tool"]
    if dialect == "directive":
        return _error_text(error.message)
    if dialect == "context":
        return _error_text(compact_json({"error": f"Unknown tool: {name}", "tool": name}))
    raise RpcError(INVALID_PARAMS if is_modern else TOOL_NOT_FOUND, error.message, error.details)


def method_error(error: FieldguideError) -> RpcError:
    """The error of a JSON-RPC method of a toolset's own, which answers with its tool's plain value."""
    if isinstance(error, InvalidArguments):
        return RpcError(INVALID_PARAMS, error.message, {"issues": error.issues})
    if isinstance(error, Refusal):
        return RpcError(FILE_NOT_FOUND, error.message)
    return RpcError(INTERNAL_ERROR, error.message)


def _architecture(error: FieldguideError, tool: Tool, arguments: Mapping[str, Any], is_modern: bool) -> Result:
    code = _code(error)
    if is_modern:
        known = error.details if isinstance(error, InvalidArguments) else {}
        return _error_text(compact_json({**known, "error": error.message, "code": code, "tool": tool.name}))
    issues = {"issues": error.issues} if isinstance(error, InvalidArguments) and error.issues else {}
    raise RpcError(code, error.message, {"tool": tool.name, **_told(code, tool), **error.details, **issues})


def _told(code: int, tool: Tool) -> dict[str, Any]:
    """What a program reads of an error beside its number."""
    name, category, severity = NAMED_CODES[code]
    context = {"tool": tool.name}
    return {"category": category, "code": name, "severity": severity, "timestamp": timestamp(), "context": context}


def _tasks(error: FieldguideError, tool: Tool, arguments: Mapping[str, Any], is_modern: bool) -> Result:
    if isinstance(error, Failure) and tool.failure_message:
        named = {"task_id": arguments["task_id"]} if "task_id" in arguments else {}
        return _error_text(compact_json({"error": tool.failure_message, **named}))
    return _error_text(compact_json({"error": error.message, **error.details}))


def _documents(error: FieldguideError, tool: Tool, arguments: Mapping[str, Any], is_modern: bool) -> Result:
    if isinstance(error, NotFound):
        alike = error.details.get("suggestions")
        more = [_text(f"Did you mean {', '.join(map(repr, alike))}?")] if alike else []
        return {"content": [_text(error.message), *more]}
    return _error_text(f"Error: {error.message}")


def _context(error: FieldguideError, tool: Tool, arguments: Mapping[str, Any], is_modern: bool) -> Result:
    if isinstance(error, InvalidArguments) and error.issues:
        return _error_text(compact_json({"error": "Invalid parameters", "details": error.issues, "tool": tool.name}))
    return _error_text(compact_json({"error": error.message, **error.details, "tool": tool.name}))


def _directive(error: FieldguideError, tool: Tool, arguments: Mapping[str, Any], is_modern: bool) -> Result:
    if isinstance(error, InvalidArguments):
        return _error_text(f"Invalid arguments for {tool.name}: {error.message}")
    return _error_text(error.message)


def _code(error: FieldguideError) -> int:
    if isinstance(error, InvalidArguments):
        return INVALID_PARAMS
    if isinstance(error, ToolTimeout):
        return TOOL_TIMEOUT
    if isinstance(error, InvalidToolSchema):
        return INVALID_TOOL_SCHEMA
    return INTERNAL_ERROR if isinstance(error, CircuitOpen) else TOOL_FAILED


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _error_text(text: str) -> Result:
    return {"content": [_text(text)], "isError": True}


DIALECTS: dict[str, Render] = {
    "plain": _context,
    "architecture": _architecture,
    "tasks": _tasks,
    "documents": _documents,
    "context": _context,
    "directive": _directive,
    "guide": _context,
}
