"""`fieldguide call`: one tool from a terminal, with the answer that an agent would get."""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Any

from fieldguide.app import App, build_app
from fieldguide.cli.indexing import refresh_for
from fieldguide.cli.options import add_identity, add_project, settings_from
from fieldguide.cli.terminal import complain, say_answer, say_json
from fieldguide.cli.typed.nearest import did_you_mean
from fieldguide.cli.typed.pairs import parsed_arguments
from fieldguide.errors import ToolNotFound
from fieldguide.server.connection import Connection
from fieldguide.server.jsonrpc import METHOD_NOT_FOUND, RpcError


class Nobody:
    """The outlet of a call that has no client behind it."""

    async def notify(self, method: str, params: Any) -> None:
        """Nobody listens."""

    async def request(self, method: str, params: Any) -> dict[str, Any]:
        """Nobody can answer."""
        raise RpcError(METHOD_NOT_FOUND, "there is nobody to ask")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The tool, its arguments, and how to print."""
    parser.add_argument("tool", metavar="TOOL", help="the name of a tool, in either spelling")
    parser.add_argument(
        "arguments",
        nargs="*",
        metavar="JSON | KEY=VALUE",
        help="its arguments: one JSON object (- reads it from stdin), or key=value and key:=json",
    )
    add_project(parser)
    add_identity(parser)
    parser.add_argument("--json", action="store_true", help="print the whole result of tools/call, not just its text")
    parser.add_argument("--journal", action="store_true", help="write the journal to stderr, as a server would")


def run(arguments: argparse.Namespace) -> int:
    """Run the tool; 1 when it answers with an error."""
    app = build_app(settings_from(arguments), write_journal=None if arguments.journal else lambda lines: None)
    given = parsed_arguments(arguments.arguments, lambda: _schema(app, arguments.tool), sys.stdin.read)
    refresh_for(app, arguments.tool)
    result = asyncio.run(_called(app, arguments.tool, given))
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
    if tool not in names and (meant := did_you_mean(tool, names)):
        complain(meant.strip())


async def _called(app: App, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    outlet = Nobody()
    connection = Connection(outlet=outlet, id="cli", user=app.settings.user)
    params = {"name": tool, "arguments": arguments}
    try:
        return await app.protocol.answer("tools/call", params, request_id=1, connection=connection, outlet=outlet)
    except RpcError as error:
        return {"error": error.described()}
