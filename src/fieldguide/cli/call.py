"""`fieldguide call`: one tool from a terminal, with the answer that an agent would get."""

import argparse
import asyncio
import json
import sys
from typing import Any, cast

from fieldguide.app import App, build_app
from fieldguide.cli.indexing import refresh_for
from fieldguide.cli.options import add_identity, add_project, settings_from
from fieldguide.cli.terminal import say_answer, say_json
from fieldguide.errors import Misconfiguration
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
    parser.add_argument("arguments", nargs="?", default="{}", metavar="JSON", help="its arguments; - reads stdin")
    add_project(parser)
    add_identity(parser)
    parser.add_argument("--json", action="store_true", help="print the whole result of tools/call, not just its text")
    parser.add_argument("--journal", action="store_true", help="write the journal to stderr, as a server would")


def run(arguments: argparse.Namespace) -> int:
    """Run the tool; 1 when it answers with an error."""
    given = _parsed(sys.stdin.read() if arguments.arguments == "-" else arguments.arguments)
    app = build_app(settings_from(arguments), write_journal=None if arguments.journal else lambda lines: None)
    refresh_for(app, arguments.tool)
    result = asyncio.run(_called(app, arguments.tool, given))
    app.executor.journal.flush()
    if arguments.json:
        say_json(result)
    elif "error" in result:
        say_json(result["error"], indent=None)
    else:
        for block in result["content"]:
            say_answer(block.get("text", json.dumps(block)))
    return 1 if "error" in result or result.get("isError") else 0


def _parsed(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Misconfiguration(f"The arguments are not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise Misconfiguration('The arguments must be a JSON object, such as \'{"path": "agent_context.md"}\'.')
    return cast("dict[str, Any]", value)


async def _called(app: App, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    outlet = Nobody()
    connection = Connection(outlet=outlet, id="cli", user=app.settings.user)
    params = {"name": tool, "arguments": arguments}
    try:
        return await app.protocol.answer("tools/call", params, request_id=1, connection=connection, outlet=outlet)
    except RpcError as error:
        return {"error": error.described()}
