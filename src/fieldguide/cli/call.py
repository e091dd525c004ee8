"""`fieldguide call`: run a tool with arguments typed as `key=value` or as JSON; without a name, list the tools.

A key that is given again makes a list. An argument that the schema does not know is text.
"""

import argparse
import json
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from fieldguide.app import App, build_app
from fieldguide.cli.console.indexing import refresh_for_tool
from fieldguide.cli.console.options import add_identity_options, add_name_options, add_project_options, find_settings
from fieldguide.cli.console.terminal import complain, say, say_answer, say_json
from fieldguide.text.errors import Misconfiguration, ToolNotFound
from fieldguide.text.near_names import suggest_names
from fieldguide.wire.clients import choose_profile, describe_tool, spell_tool_name
from fieldguide.wire.jsonrpc import RpcError
from fieldguide.wire.protocol import Connection

USAGE = 'The arguments are one JSON object, such as \'{"query": "…"}\', or words such as query=… limit=5.'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The tool, its arguments, and how to print."""
    parser.add_argument("tool", nargs="?", metavar="TOOL", help="a tool, in either spelling (default: list them all)")
    parser.add_argument(
        "arguments",
        nargs="*",
        metavar="JSON | KEY=VALUE",
        help="its arguments: one JSON object (- reads it from stdin), or key=value",
    )
    add_project_options(parser)
    add_identity_options(parser)
    add_name_options(parser)
    parser.add_argument("--json", action="store_true", help="print what the protocol's tools/call or tools/list gives")
    parser.add_argument("--journal", action="store_true", help="write the journal to stderr, as a server would")


def run(arguments: argparse.Namespace) -> int:
    """Run the tool; 1 when it answers with an error."""
    if arguments.tool is None:
        return _list_tools(arguments)
    app = build_app(find_settings(arguments), write_journal=None if arguments.journal else lambda lines: None)
    given = parse_tool_arguments(arguments.arguments, lambda: _schema(app, arguments.tool), sys.stdin.read)
    refresh_for_tool(app, arguments.tool)
    result = _called(app, arguments.tool, given)
    app.executor.journal.flush()
    if arguments.json:
        say_json(result)
    elif "error" in result:
        say_json(result["error"], indent=None)
        _suggest(app, arguments.tool)
    else:
        for block in result["content"]:
            say_answer(block.get("text", json.dumps(block)))
    return 1 if "error" in result or result.get("isError") else 0


def _schema(app: App, tool: str) -> Mapping[str, Any]:
    """What a tool takes; nothing is known of one that there is not."""
    try:
        return app.executor.registry.find(tool).input_schema
    except ToolNotFound:
        return {}


def _suggest(app: App, tool: str) -> None:
    """Name the tools that are near one that there is not."""
    names = [each.name for each in app.executor.registry.all()]
    near = "" if tool in names else suggest_names(tool, names)
    if near:
        complain(near.strip())


def _called(app: App, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    connection = Connection(id="cli", user=app.settings.user)
    try:
        return app.answer("tools/call", {"name": tool, "arguments": arguments}, connection)
    except RpcError as error:
        return {"error": error.described()}


def _list_tools(arguments: argparse.Namespace) -> int:
    """Print the tools, sorted by name."""
    app = build_app(find_settings(arguments))
    identity = app.executor.identity
    settings = app.settings
    profile = choose_profile(settings.profile, app.toolsets, are_chosen=settings.toolsets is not None)
    descriptors: list[dict[str, Any]] = []
    for tool in profile.listed(app.executor.registry.all(), None):
        name = spell_tool_name(tool.name, mode=settings.tool_names, client=None)
        descriptors.append(describe_tool(tool, name=name, schema=identity.shown_schema(tool, None)))
    if arguments.json:
        say_json(descriptors)
        return 0
    for each in descriptors:
        schema = each["inputSchema"]
        required = schema.get("required", [])
        takes = ", ".join(name if name in required else f"[{name}]" for name in schema.get("properties", {}))
        say(f"{each['name']}({takes})", textwrap.indent(textwrap.fill(each["description"], 100), "    "))
    return 0


def parse_tool_arguments(
    words: Sequence[str], schema: Callable[[], Mapping[str, Any]], stdin: Callable[[], str]
) -> Any:
    """What these words give a tool; `schema` is asked for only where it is needed."""
    if not words:
        return {}
    if len(words) == 1 and (words[0] == "-" or words[0].lstrip()[:1] in ("{", "[") or "=" not in words[0]):
        return _object(stdin() if words[0] == "-" else words[0])
    return parse_pairs(words, schema())


def parse_pairs(words: Sequence[str], schema: Mapping[str, Any]) -> dict[str, Any]:
    """An object of `key=value`."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    given: dict[str, Any] = {}
    for word in words:
        key, mark, value = word.partition("=")
        if not mark or not key:
            raise Misconfiguration(f"{word!r} is no argument. {USAGE}")
        near = "" if key in properties else suggest_names(key, properties)
        if near or (key not in properties and schema.get("additionalProperties") is False):
            raise Misconfiguration(f"There is no argument {key!r}.{near} The arguments are {', '.join(properties)}.")
        read = _read_value(key, value, properties.get(key, {}))
        given[key] = [*_listed(given[key]), *_listed(read)] if key in given else read
    return given


def _listed(value: Any) -> list[Any]:
    return [*value] if isinstance(value, list) else [value]


def _read_value(key: str, value: str, schema: Mapping[str, Any]) -> Any:
    """A value as the schema wants it: text as it is, anything else as JSON."""
    kind = schema.get("type", "string")
    kinds = cast("Sequence[str]", kind if isinstance(kind, list) else [kind])
    if "string" in kinds:
        return value
    if "array" in kinds and not value.startswith("["):
        return [_read_value(key, value, schema.get("items", {}))]
    return _read_json(value, f"{key} must be JSON of the type {' or '.join(kinds)}")


def _read_json(text: str, wanted: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Misconfiguration(f"{wanted}, not {text[:40]!r}: {error}.") from error


def _object(text: str) -> dict[str, Any]:
    value = _read_json(text, "The arguments must be a JSON object")
    if not isinstance(value, dict):
        raise Misconfiguration(f"The arguments must be a JSON object. {USAGE}")
    return cast("dict[str, Any]", value)
