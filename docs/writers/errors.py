"""`docs/reference/errors.md`: the family tree, the JSON-RPC codes, and how each dialect tells the same error."""

from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, NoReturn

from docs.writers.markdown import block, code, document, paragraph, table
from fieldguide.app import build_app
from fieldguide.settings.config import Settings
from fieldguide.spine.tool import Call, Tool, compact_json
from fieldguide.spine.toolset import PLAIN, Dialect, Toolset, tell_plainly
from fieldguide.text import errors
from fieldguide.toolsets.architecture import calls as architecture
from fieldguide.toolsets.context import calls as context
from fieldguide.toolsets.directive import tools as directive
from fieldguide.toolsets.documents import calls as documents
from fieldguide.toolsets.tasks import calls as tasks
from fieldguide.wire import jsonrpc, methods, tools
from fieldguide.wire.jsonrpc import RpcError
from fieldguide.wire.protocol import CAPABILITIES_KEY, MODERN_VERSIONS, VERSION_KEY, Connection

NAME = "example"
DIALECTS = {
    "plain": PLAIN,
    "architecture": Dialect(architecture.tell_error),
    "tasks": Dialect(tasks.tell),
    "documents": Dialect(documents.tell),
    "context": Dialect(tell_plainly, context.tell_unknown),
    "directive": Dialect(directive.tell, directive.tell_unknown),
    "guide": PLAIN,
}
ANYTHING = {"type": "object"}
ERAS: tuple[Mapping[str, Any], ...] = ({}, {VERSION_KEY: MODERN_VERSIONS[-1], CAPABILITIES_KEY: {}})
INTRODUCTION = """
Every error on purpose is of one tree. A `Refusal` is told to the caller in its own words. Of a `Failure` the caller
reads one plain sentence, and the journal has the cause; only a `Failure` counts against a circuit breaker. A
`Misconfiguration` is told to the person who starts the server.
"""
CODES_TEXT = """
Most errors of tools are results with `isError`, so that the model can read them. These codes are for the rest. In the
era of 2026-07-28 no code from -32001 to -32004 is sent; the tables below say what is sent instead.
"""
DIALECTS_TEXT = """
A toolset chooses its dialect. Here is the same error in each of them, from a tool named `example`. A text is the text
of a result with `isError`, unless the cell says otherwise; a number is the code of a JSON-RPC error.
"""
MEANINGS = {
    "PARSE_ERROR": "a line that is not JSON",
    "INVALID_REQUEST": "JSON that is no message: a batch, a wrong `jsonrpc`, an id of a wrong kind; or a line too long",
    "METHOD_NOT_FOUND": "a method that this era of the protocol does not have",
    "INVALID_PARAMS": "params that do not fit; in the era of 2026-07-28 also an unknown tool or resource",
    "INTERNAL_ERROR": "our own mistake, a tool that rests, or a request cut off by the end of the server",
    "UNSUPPORTED_VERSION": "a request of the newer era names a version that is not served",
    "TOOL_NOT_FOUND": "no tool has this name (handshake era)",
    "TOOL_FAILED": "a tool of the dialect `architecture` declined or failed (handshake era)",
    "TOOL_TIMEOUT": "a tool of the dialect `architecture` took longer than it may (handshake era)",
    "INVALID_TOOL_SCHEMA": "a tool of the dialect `architecture` has a broken schema (handshake era)",
    "FILE_NOT_FOUND": "a toolset's own method declined: no such file, not readable, or outside its folder",
    "RESOURCE_NOT_FOUND": "no resource has this URI (handshake era)",
}
ISSUE = {"code": "invalid_type", "path": ["title"], "message": "missing required argument: title"}
SAMPLES: tuple[tuple[str, errors.FieldguideError], ...] = (
    ("A required argument is missing", errors.InvalidArguments("missing required argument: title", issues=[ISSUE])),
    ("The thing asked for is not there", errors.NotFound("Task not found", task_id=7)),
    ("Too many calls in a minute", errors.RateLimited("Rate limit exceeded for example", retry_after_seconds=12.5)),
    ("The tool took too long", errors.ToolTimeout("The tool example took longer than 10 seconds.", seconds=10.0)),
    ("The tool raised something unexpected", errors.ToolFailed("The tool example failed unexpectedly.")),
    ("The tool rests", errors.CircuitOpen("Circuit breaker 'tool_example' is open", retry_after_seconds=30)),
)


def page() -> str:
    """The page: tree, codes, dialects."""
    return document(
        "# Errors",
        paragraph(INTRODUCTION),
        block("text", family_tree()),
        "## JSON-RPC codes",
        paragraph(CODES_TEXT),
        table(("code", "name", "in", "when"), code_rows()),
        "## The same error in each dialect",
        paragraph(DIALECTS_TEXT),
        *(document(f"### {title}", _in_each_dialect(error)) for title, error in SAMPLES),
        "### No tool has this name",
        _unknown_names(),
    )


def family_tree() -> str:
    """The tree as `errors.py` draws it."""
    drawn = (errors.__doc__ or "").split("\n\n")
    return next(part for part in drawn if part.startswith("FieldguideError"))


def code_rows() -> list[tuple[str, ...]]:
    """One row per code that a module defines; a code without a meaning here is an error."""
    rows: list[tuple[int, str, str]] = []
    for module in (jsonrpc, methods, tools, architecture):
        rows += [(number, name, _file_name(module)) for name, number in _codes_of(module)]
    definers = {(number, name): where for number, name, where in reversed(rows)}  # the first that has it defines it
    return [
        (code(str(number)), code(name), where, MEANINGS[name]) for (number, name), where in sorted(definers.items())
    ]


def _codes_of(module: ModuleType) -> list[tuple[str, int]]:
    return [
        (name, value)
        for name, value in vars(module).items()
        if name.isupper() and type(value) is int and (value < 0 or name in MEANINGS)
    ]


def _file_name(module: ModuleType) -> str:
    return code(f"{module.__name__.removeprefix('fieldguide.').replace('.', '/')}.py")


def _in_each_dialect(error: errors.FieldguideError) -> str:
    told: dict[tuple[str, str], list[str]] = {}
    for name, dialect in DIALECTS.items():
        older, newer = (told_by(_failing(error, dialect=dialect), era) for era in ERAS)
        told.setdefault((older, newer), []).append(name)
    return _two_eras((", ".join(sorted(names)), *cells) for cells, names in sorted(told.items()))


def _unknown_names() -> str:
    tool = Tool(name="hello", description="Is not asked for", input_schema=ANYTHING, run=str)
    served = {
        "nobody claims it": Toolset(name="sample", tools=(tool,)),
        "`directive` claims it": Toolset(name="sample", tools=(tool,), dialect=DIALECTS["directive"], claims=NAME),
        "only `context` is served": Toolset(name="sample", tools=(tool,), dialect=DIALECTS["context"]),
    }
    return _two_eras((when, *(told_by(toolset, era) for era in ERAS)) for when, toolset in served.items())


def _two_eras(rows: Iterable[Sequence[str]]) -> str:
    cells = ((who, older, "the same" if newer == older else newer) for who, older, newer in rows)
    return table(("dialect", "handshake era", "era of 2026-07-28"), cells)


def _failing(error: errors.FieldguideError, *, dialect: Dialect) -> Toolset:
    def fail(call: Call) -> NoReturn:
        raise error

    tool = Tool(name=NAME, description="Fails", input_schema=ANYTHING, run=fail)
    return Toolset(name="sample", tools=(tool,), dialect=dialect)


def told_by(toolset: Toolset, meta: Mapping[str, Any]) -> str:
    """What a client reads when it calls `example` where this toolset is served, in the era that `_meta` makes it."""
    app = build_app(Settings(), toolsets=(toolset,), write_journal=lambda lines: None)
    try:
        result = app.answer("tools/call", {"name": NAME, "_meta": meta}, Connection())
    except RpcError as raised:
        shown = {**raised.data, "timestamp": "…"} if "timestamp" in (raised.data or {}) else raised.data
        data = f", data {code(compact_json(shown))}" if shown else ""
        return f"{raised.code}: {code(raised.message)}{data}"
    text = code(result["content"][0]["text"])
    return text if result.get("isError") else f"{text} (no `isError`)"
