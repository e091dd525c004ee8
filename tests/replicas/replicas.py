"""Replicas for tests: real servers of one project on one database, and clients that go from one to the next."""

import itertools
import json
import socket
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.raw_http import INITIALIZE, JSON_HEADERS, Answer, answered, ask, head, host_of, opened, send
from tests.servers import AUTHORIZATION, FIELDGUIDE, announced_url, environment, http_server

INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
ALL: dict[str, Any] = {"elicitation": {}, "sampling": {}}


class Replicas(NamedTuple):
    """Two servers of one project."""

    first: str
    second: str
    database: str


@contextmanager
def two_replicas(
    root: Path, database: str, *flags: str, extra_environment: Mapping[str, str | None] | None = None
) -> Iterator[Replicas]:
    """Two replicas with the toolsets of the tests."""
    with ExitStack() as stack:
        urls = [
            stack.enter_context(
                http_server(
                    root,
                    "--database",
                    database,
                    *flags,
                    with_test_toolsets=True,
                    extra_environment=extra_environment,
                )
            )
            for _ in range(2)
        ]
        yield Replicas(urls[0], urls[1], database)


class Replica:
    """One replica that can be killed."""

    def __init__(self, root: Path, database: str, *flags: str) -> None:
        command = [FIELDGUIDE, "serve", "--project", str(root), "--http", "127.0.0.1:0", "--database", database, *flags]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment())
        assert self._process.stderr is not None
        self.url = announced_url(self._process.stderr.readline)
        threading.Thread(target=self._process.stderr.read, daemon=True).start()

    def kill(self) -> None:
        """End it as a crash would."""
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """End it in order."""
        self._process.terminate()
        self._process.wait(60)
        assert self._process.stderr is not None
        self._process.stderr.close()


class Alternating(httpx2.AsyncHTTPTransport):
    """Sends every request to another replica than the one before."""

    def __init__(self, *urls: str) -> None:
        super().__init__()
        self._urls = itertools.cycle(httpx2.URL(url) for url in urls)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = next(self._urls)
        request.url = request.url.copy_with(host=url.host, port=url.port)
        request.headers["host"] = f"{url.host}:{url.port}"
        return await super().handle_async_request(request)


@asynccontextmanager
async def alternating_client(*urls: str, **settings: Any) -> AsyncIterator[Any]:
    """The official client; each of its requests reaches another replica."""

    @asynccontextmanager
    async def wire() -> AsyncIterator[Any]:
        timeout = httpx2.Timeout(30.0, read=60.0)
        async with (
            httpx2.AsyncClient(transport=Alternating(*urls), headers=AUTHORIZATION, timeout=timeout) as http,
            streamable_http_client(urls[0], http_client=http) as streams,
        ):
            yield streams

    async with Client(wire(), **settings) as client:
        yield client


def session_on(url: str, capabilities: Mapping[str, Any] = ALL, **headers: str) -> str:
    """A new session."""
    opening: dict[str, Any] = {**INITIALIZE}
    opening["params"] = {**opening["params"], "capabilities": capabilities}
    name = ask(url, opening, **headers).headers["mcp-session-id"]
    ask(url, INITIALIZED, Mcp_Session_Id=name)
    return name


def request(url: str, session: str, method: str, **params: Any) -> Any:
    """The whole answer to one request of a session."""
    return ask(url, {"jsonrpc": "2.0", "id": "r", "method": method, "params": params}, Mcp_Session_Id=session).message


def call(url: str, session: str, tool: str, **arguments: Any) -> Any:
    """What a tool gives back."""
    found = request(url, session, "tools/call", name=tool, arguments=arguments)
    return json.loads(found["result"]["content"][0]["text"])


def ended(url: str, session: str) -> Answer:
    """The answer to a DELETE."""
    headers = {"Host": host_of(url), **AUTHORIZATION, "Mcp-Session-Id": session}
    return send(url, "DELETE", "/mcp", [*headers.items()])


class Line:
    """One request whose answer is a stream, read piece by piece."""

    def __init__(self, url: str, method: str, session: str, body: Any = None, **headers: str) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        named = {"Host": host_of(url), **JSON_HEADERS, **AUTHORIZATION, "Content-Length": str(len(data))}
        named |= ({"Mcp-Session-Id": session} if session else {}) | headers
        self._socket: socket.socket = opened(url)
        self._socket.sendall(head(method, "/mcp", [*named.items()]) + data)
        self.seen = b""

    def until(self, wanted: str) -> dict[str, Any]:
        """The first message that holds these words."""
        while True:
            for line in self.seen.decode().splitlines():
                if line.startswith("data: ") and wanted in line and line.endswith("}"):
                    found: dict[str, Any] = json.loads(line.removeprefix("data: "))
                    return found
            piece = self._socket.recv(65536)
            assert piece, f"the stream ended before {wanted!r}: {self.seen!r}"
            self.seen += piece

    def begun(self) -> "Line":
        """Wait until the answer has begun."""
        while b"\r\n\r\n" not in self.seen:
            self.seen += self._socket.recv(65536)
        return self

    def rest(self) -> bytes:
        """Everything until the stream ends."""
        while piece := self._socket.recv(65536):
            self.seen += piece
            if self.seen.endswith(b"0\r\n\r\n"):
                break
        return self.seen

    def answer(self) -> Answer:
        """A whole answer that is no stream."""
        return answered(self._socket)

    def close(self) -> None:
        self._socket.close()


@contextmanager
def news_of(url: str, session: str) -> Iterator[Line]:
    """The stream of news of a session."""
    line = Line(url, "GET", session)
    try:
        yield line.begun()
    finally:
        line.close()
