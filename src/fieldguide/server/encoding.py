"""Answers and errors as the results and errors of `tools/call`; how an error is told is its dialect's to say."""

from collections.abc import Mapping
from typing import Any

from fieldguide.errors import FieldguideError, InvalidArguments, Refusal, ToolNotFound
from fieldguide.server.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RpcError
from fieldguide.spine.contract import Answer, Tool
from fieldguide.spine.dialect import Dialect, Fault

TOOL_NOT_FOUND = -32001
FILE_NOT_FOUND = 1001
STRUCTURED_SINCE = "2025-06-18"

Result = dict[str, Any]


def described(tool: Tool, *, name: str, schema: Mapping[str, Any], shows_panel: bool = False) -> dict[str, Any]:
    """A tool as `tools/list` tells it; its panel only to who shows it."""
    title = {} if tool.title is None else {"title": tool.title}
    meta = {"_meta": {"ui": {"resourceUri": tool.panel}}} if shows_panel and tool.panel else {}
    return {
        "name": name,
        **title,
        "description": tool.description,
        "inputSchema": schema,
        "annotations": {
            "readOnlyHint": not tool.effects.writes,
            "destructiveHint": tool.effects.destroys,
            "idempotentHint": tool.effects.repeatable,
            "openWorldHint": tool.effects.open_world,
        },
        **meta,
    }


def encoded(answer: Answer, *, version: str, is_modern: bool) -> Result:
    """An answer as the result of `tools/call`: the text, and the object itself where the version knows such a thing."""
    content = list(answer.blocks) or [_text(answer.text)]
    result: Result = {"content": content}
    value: Any = answer.value if answer.tells_value else None
    if version >= STRUCTURED_SINCE and type(value) in ((dict, list) if is_modern else (dict,)):
        result["structuredContent"] = value
    if answer.is_error:
        result["isError"] = True
    if answer.meta is not None:
        result["_meta"] = answer.meta
    return result


def encoded_error(told: Answer | Fault) -> Result:
    """An error as its dialect tells it: a result, or an RpcError that is raised."""
    if isinstance(told, Fault):
        raise RpcError(told.code, told.message, told.data)
    result: Result = {"content": list(told.blocks) or [_text(told.text)]}
    return {**result, "isError": True} if told.is_error else result


def unknown_tool(error: ToolNotFound, *, claimant: Dialect | None, is_modern: bool) -> Result:
    """The answer to a name that no tool has, in the dialect that claims the name, if one does."""
    if claimant is not None and claimant.tell_unknown is not None:
        return encoded_error(claimant.tell_unknown(error))
    raise RpcError(INVALID_PARAMS if is_modern else TOOL_NOT_FOUND, error.message, error.details)


def method_error(error: FieldguideError) -> RpcError:
    """The error of a JSON-RPC method of a toolset's own, which answers with its tool's plain value."""
    if isinstance(error, InvalidArguments):
        return RpcError(INVALID_PARAMS, error.message, {"issues": error.issues})
    if isinstance(error, Refusal):
        return RpcError(FILE_NOT_FOUND, error.message)
    return RpcError(INTERNAL_ERROR, error.message)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
