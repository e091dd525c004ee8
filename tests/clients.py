"""The official MCP client, connected to a real server process."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.types import Implementation

from tests.servers import AUTHORIZATION, environment, stdio_command


@asynccontextmanager
async def connected(
    root: Path, *flags: str, mode: Any = "legacy", with_test_toolsets: bool = False, name: str | None = None
) -> AsyncIterator[Client]:
    """A client over stdio; `legacy` shakes hands, `auto` finds the newest era that both speak; `name` is its own."""
    command, *arguments = stdio_command(root, *flags, with_test_toolsets=with_test_toolsets)
    server = StdioServerParameters(command=command, args=arguments, env=environment())
    async with Client(server, mode=mode, client_info=called(name)) as client:
        yield client


def called(name: str | None) -> Implementation | None:
    """What a client of this name says of itself; None: what the official one says."""
    return None if name is None else Implementation(name=name, version="0")


def http_client(url: str, **settings: Any) -> Client:
    """A client over HTTP that shows the token of the tests."""
    return Client(_authorized(url), **settings)


@asynccontextmanager
async def _authorized(url: str) -> AsyncIterator[Any]:
    async with (
        create_mcp_http_client(headers=AUTHORIZATION) as http,
        streamable_http_client(url, http_client=http) as wire,
    ):
        yield wire


def payload(result: Any) -> Any:
    """The JSON that a tool result's one text holds."""
    assert len(result.content) == 1
    return json.loads(result.content[0].text)
