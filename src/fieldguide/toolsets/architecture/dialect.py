"""How the architecture tools tell their errors: codes of JSON-RPC in the handshake era, results since."""

from typing import Any

from fieldguide.errors import CircuitOpen, FieldguideError, InvalidArguments, InvalidToolSchema, ToolTimeout
from fieldguide.spine.contract import Answer, Tool, compact_json
from fieldguide.spine.dialect import INTERNAL_ERROR, INVALID_PARAMS, Failing, Fault, error_text
from fieldguide.spine.journal import timestamp

TOOL_FAILED = -32002
TOOL_TIMEOUT = -32003
INVALID_TOOL_SCHEMA = -32004
NAMED_CODES = {
    INVALID_PARAMS: ("INVALID_PARAMS", "validation", "low"),
    TOOL_FAILED: ("TOOL_EXECUTION_FAILED", "tool", "medium"),
    TOOL_TIMEOUT: ("TOOL_TIMEOUT", "tool", "medium"),
    INVALID_TOOL_SCHEMA: ("INVALID_TOOL_SCHEMA", "tool", "high"),
    INTERNAL_ERROR: ("INTERNAL_ERROR", "internal", "high"),
}


def tell(error: FieldguideError, failing: Failing) -> Answer | Fault:
    """The error with its code, and what a program reads beside it."""
    code, tool = _code(error), failing.tool
    if failing.is_modern:
        known = error.details if isinstance(error, InvalidArguments) else {}
        return error_text(compact_json({**known, "error": error.message, "code": code, "tool": tool.name}))
    issues = {"issues": error.issues} if isinstance(error, InvalidArguments) and error.issues else {}
    return Fault(code, error.message, {"tool": tool.name, **_described(code, tool), **error.details, **issues})


def _code(error: FieldguideError) -> int:
    if isinstance(error, InvalidArguments):
        return INVALID_PARAMS
    if isinstance(error, ToolTimeout):
        return TOOL_TIMEOUT
    if isinstance(error, InvalidToolSchema):
        return INVALID_TOOL_SCHEMA
    return INTERNAL_ERROR if isinstance(error, CircuitOpen) else TOOL_FAILED


def _described(code: int, tool: Tool) -> dict[str, Any]:
    name, category, severity = NAMED_CODES[code]
    context = {"tool": tool.name}
    return {"category": category, "code": name, "severity": severity, "timestamp": timestamp(), "context": context}
