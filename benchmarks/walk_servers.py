"""The calls that are walked: a search, a brief and a write over stdio, a write over HTTP, a change on disk."""

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.walk_layers import Step

Walk = dict[str, list[Step]]

TOKEN = "token-of-the-walk-0123456789"  # noqa: S105  of a server that lives for a second
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "walk", "version": "0"}}
DOCUMENT = "mcp/resources/guidelines/naming.md"
FILES = {"docs/ferns.md": "# Ferns\n\nA fern likes shade.\n", DOCUMENT: "# Naming\n\nNouns.\n"}
SETTLED_SECONDS = 1.0  # the journal is written a moment after the answer
PATIENCE_SECONDS = 60.0


class TracedServer:
    """A server process that notes its steps, and the line-wise client of its pipes."""

    def __init__(self, root: Path, *flags: str) -> None:
        self.root = root
        self._steps = root.parent / "steps.json"
        self._last_id = 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.walk_tracer", str(self._steps), "serve", "--project", str(root), *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "FIELDGUIDE_STATE": str(root.parent / "state"), "FIELDGUIDE_TOKEN": TOKEN},
        )

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request over stdio."""
        self._last_id += 1
        self.tell(method, id=self._last_id, **params)
        return self.wait_for(lambda message: message.get("id") == self._last_id)["result"]

    def tell(self, method: str, *, id: int | None = None, **params: Any) -> None:  # noqa: A002  JSON-RPC's word
        """Send a message."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message if id is None else {**message, "id": id}).encode() + b"\n")
        self.process.stdin.flush()

    def wait_for(self, is_wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message of a kind."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message: dict[str, Any] = json.loads(line)
            if is_wanted(message):
                return message
        raise AssertionError("the server has gone")

    def walk(self, act: Callable[[], object], *, with_upkeep: bool = False) -> Walk:
        """The steps of each thread while something happens."""
        time.sleep(SETTLED_SECONDS)  # so that what came before is over
        self.process.send_signal(signal.SIGUSR1)
        _wait_for_file(self._steps.with_name(f"{self._steps.name}.begun"))
        act()
        time.sleep(SETTLED_SECONDS)
        self.process.send_signal(signal.SIGUSR2)
        _wait_for_file(self._steps)
        noted = json.loads(self._steps.read_text("utf-8"))
        named = {"loop" if name == "MainThread" else name: [Step(*step) for step in noted[name]] for name in noted}
        return {name: steps for name, steps in named.items() if with_upkeep or "upkeep" not in name}


def _wait_for_file(path: Path) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.01)


@contextmanager
def _served(*flags: str) -> Generator[TracedServer]:
    with tempfile.TemporaryDirectory(prefix="fieldguide-walk-") as folder:
        root = Path(folder) / "project"
        for path, text in {
            "docs/ferns.md": "# Ferns\n\nA fern likes shade.\n",
            DOCUMENT: "# Naming\n\nNouns.\n",
        }.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        server = TracedServer(root, *flags)
        try:
            yield server
        finally:
            server.process.kill()
            server.process.communicate()


def _wait_until_indexed(ask: Callable[[], Any]) -> None:
    """Ask until an answer finds the document and no longer says that the index is being built.

    A call that comes before helps to index what it asks for, and passes the functions of that too.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    text = ""
    while "ferns" not in text or "indexing" in text:
        if time.monotonic() > until:
            raise AssertionError(f"not indexed in time: {text}")
        time.sleep(0.5)  # a brief may be asked 30 times a minute
        text = json.dumps(ask())


def search_over_stdio() -> Walk:
    """`documents_search` over stdio."""
    with _served("--toolsets", "documents") as server:
        _greet(server)

        def search() -> Any:
            return server.ask("tools/call", name="documents_search", arguments={"query": "shade"})

        _wait_until_indexed(search)
        return server.walk(search)


def brief_over_stdio() -> Walk:
    """`guide_brief` over stdio."""
    with _served() as server:
        _greet(server)

        def brief() -> Any:
            return server.ask("tools/call", name="guide_brief", arguments={"task": "give ferns more shade"})

        _wait_until_indexed(brief)
        return server.walk(brief)


def write_over_stdio() -> Walk:
    """`add_task` over stdio."""
    with _served("--toolsets", "tasks") as server:
        _greet(server)

        def add() -> None:
            answer = server.ask("tools/call", name="add_task", arguments={"user_id": "ann", "title": "Walk"})
            assert "task_id" in json.dumps(answer), answer

        add()
        return server.walk(add)


def write_over_http() -> Walk:
    """`add_task` over HTTP."""
    with _served("--toolsets", "tasks", "--http", "127.0.0.1:0") as server:
        assert server.process.stderr is not None
        lines = iter(server.process.stderr.readline, b"")
        port = next(int(line.split(b"127.0.0.1:")[1].split(b"/")[0]) for line in lines if b"http://127.0.0.1:" in line)
        headers = {
            "Authorization": f"Bearer {TOKEN}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)

        def post(message: dict[str, Any]) -> http.client.HTTPResponse:
            connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", **message}), headers)
            answer = connection.getresponse()
            assert answer.status < 300, answer.read()
            return answer

        def add() -> None:
            arguments = {"user_id": "ann", "title": "Walk"}
            text = post(
                {"id": 2, "method": "tools/call", "params": {"name": "add_task", "arguments": arguments}}
            ).read()
            assert b"task_id" in text, text

        greeted = post({"id": 1, "method": "initialize", "params": HELLO})
        headers |= {"Mcp-Session-Id": greeted.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
        greeted.read()
        post({"method": "notifications/initialized"}).read()
        add()
        return server.walk(add)


def subscription_that_fires() -> Walk:
    """A document changes on disk, and its subscriber is told."""
    with _served("--toolsets", "architecture") as server:
        _greet(server)
        uri = "architecture://guidelines/naming"
        server.ask("resources/read", uri=uri)
        server.ask("resources/subscribe", uri=uri)

        def change(text: str) -> None:
            (server.root / DOCUMENT).write_text(text)
            server.wait_for(lambda message: message.get("method") == "notifications/resources/updated")

        change("# Naming\n\nNouns, always.\n")
        return server.walk(lambda: change("# Naming\n\nNouns, mostly.\n"), with_upkeep=True)


def list_tools(folder: Path) -> set[str]:
    """The modules of ours that a new server for a folder has imported when it answers `tools/list`."""
    server = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "fieldguide", "serve", "--project", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "FIELDGUIDE_STATE": str(folder / "state")},
        text=True,
    )
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write("".join(json.dumps(each) + "\n" for each in requests))
    server.stdin.flush()
    for _ in range(2):
        server.stdout.readline()
    server.kill()  # what is imported after the answer does not count
    _, noted = server.communicate()
    imported = {line.rpartition("|")[2].strip() for line in noted.splitlines() if line.startswith("import time:")}
    return {name for name in imported if name.partition(".")[0] == "fieldguide"}


def _greet(server: TracedServer) -> None:
    server.ask("initialize", **HELLO)
    server.tell("notifications/initialized")


WALKS: dict[str, Callable[[], Walk]] = {
    "documents_search over stdio": search_over_stdio,
    "add_task over HTTP": write_over_http,
    "a subscription that fires": subscription_that_fires,
}

MEASURED: dict[str, Callable[[], Walk]] = {
    "documents_search": search_over_stdio,
    "guide_brief": brief_over_stdio,
    "http_add_task": write_over_http,
    "stdio_add_task": write_over_stdio,
}
"""The calls whose length `benchmarks.simplicity` holds, by the keys of its rows."""
