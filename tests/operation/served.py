"""Servers whose process a test can end: with the address that monitors ask."""

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.raw_http import INITIALIZE, Answer, ask
from tests.servers import WORKBENCH, environment

ADDRESS = re.compile(r"http://\S+")


class ServedProcess(NamedTuple):
    """A server, where it serves MCP, and where it tells monitors."""

    process: "subprocess.Popen[str]"
    url: str
    monitors: str


@contextmanager
def served(
    root: Path,
    *flags: str,
    extra_environment: Mapping[str, str] | None = None,
    program: Sequence[str] = WORKBENCH,
) -> Iterator[ServedProcess]:
    """A server with a port for monitors; it is killed in the end, if it still runs."""
    process = subprocess.Popen(
        [*program, "serve", "--project", str(root), "--http", "127.0.0.1:0", "--metrics", "0", *flags],
        stderr=subprocess.PIPE,
        text=True,
        env={**environment(), **(extra_environment or {})},
    )
    try:
        assert process.stderr is not None
        url = _address(process, "http://")
        yield ServedProcess(process, url, _address(process, "Monitors ask"))
    finally:
        process.kill()
        process.communicate(timeout=60)


def session_of(url: str) -> str:
    """A fresh session."""
    opened = ask(url, INITIALIZE)
    assert opened.status == 200, opened.text
    return opened.headers["mcp-session-id"]


def call(url: str, session: str, tool: str, **arguments: object) -> Answer:
    """One call in a session."""
    params = {"name": tool, "arguments": arguments}
    return ask(url, {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}, Mcp_Session_Id=session)


def _address(process: "subprocess.Popen[str]", mark: str) -> str:
    assert process.stderr is not None
    for line in process.stderr:
        found = ADDRESS.search(line)
        if mark in line and found and not line.startswith("{"):
            return found[0]
    raise AssertionError("the server did not say where it serves")
