"""Served projects for the browser: a real server process, and a one-time link for each who comes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.raw_http import INITIALIZE, ask, host_of, send
from tests.servers import TOKEN, http_server


@dataclass(frozen=True, slots=True)
class ServedSite:
    """A server that runs, by its MCP address."""

    mcp: str

    @property
    def origin(self) -> str:
        """Where its pages are, without the slash."""
        at = urlsplit(self.mcp)
        return f"{at.scheme}://{at.netloc}"

    def link(self) -> str:
        """A link that opens the page once."""
        headers = [("Host", host_of(self.mcp)), ("Authorization", f"Bearer {TOKEN}"), ("Content-Length", "0")]
        return send(self.mcp, "POST", "/link", headers).text.strip()

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """What a client's call of a tool gives; it must not fail."""
        opened = ask(self.mcp, INITIALIZE, Authorization=f"Bearer {TOKEN}")
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]} if "mcp-session-id" in opened.headers else {}
        request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        result = ask(self.mcp, request, Authorization=f"Bearer {TOKEN}", **session).message["result"]
        assert not result.get("isError"), result
        return result


@contextmanager
def served_site(root: Path, *flags: str) -> Iterator[ServedSite]:
    """A folder, served over HTTP until the block ends."""
    with http_server(root, *flags) as url:
        yield ServedSite(url)
