"""The smallest server on the official SDK's low-level `Server`: one tool that does nothing, over stdio."""

import asyncio
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

NOOP = types.Tool(name="noop", description="Does nothing", input_schema={"type": "object", "properties": {}})


async def list_tools(
    _context: ServerRequestContext[Any], _params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[NOOP])


async def call_tool(_context: ServerRequestContext[Any], _params: types.CallToolRequestParams) -> types.CallToolResult:
    text = types.TextContent(type="text", text='{"ok": true}')
    return types.CallToolResult(content=[text], structured_content={"ok": True})


async def serve() -> None:
    server = Server("noop", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(serve())
