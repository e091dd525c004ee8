"""The official MCP client, connected to a real server process."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from tests.servers import environment, stdio_command


@asynccontextmanager
async def connected(
    root: Path, *flags: str, mode: Any = "legacy", with_test_toolsets: bool = False
) -> AsyncIterator[Client]:
    """A client over stdio; `legacy` shakes hands, `auto` finds the newest era that both speak."""
    command, *arguments = stdio_command(root, *flags)
    server = StdioServerParameters(
        command=command, args=arguments, env=environment(with_test_toolsets=with_test_toolsets)
    )
    async with Client(server, mode=mode) as client:
        yield client


def payload(result: Any) -> Any:
    """The JSON that a tool result's one text holds."""
    assert len(result.content) == 1
    return json.loads(result.content[0].text)
