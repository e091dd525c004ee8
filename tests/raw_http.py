"""HTTP requests written byte by byte, for what a well-behaved client never sends."""

import json
import socket
from http.client import HTTPResponse
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.processes import PATIENCE_SECONDS
from tests.servers import AUTHORIZATION

JSON_HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
}


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def sentence(self) -> str:
        """The message of a JSON-RPC error that answers no request."""
        told = json.loads(self.text)
        assert (told["jsonrpc"], told["id"]) == ("2.0", None)
        sentence: str = told["error"]["message"]
        return sentence

    @property
    def message(self) -> Any:
        """The JSON-RPC message of a response, plain or as the one event of a stream."""
        return json.loads(self.text.partition("data: ")[2] or self.text)


def host_of(url: str) -> str:
    """The `Host` of a server: its address and port."""
    return urlsplit(url).netloc


def opened(url: str) -> socket.socket:
    """A connection to the server; a path is that of a unix socket."""
    if url.startswith("unix:"):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(PATIENCE_SECONDS)
        connection.connect(url.removeprefix("unix:"))
        return connection
    at = urlsplit(url)
    return socket.create_connection((at.hostname, at.port), timeout=PATIENCE_SECONDS)


def answered(connection: socket.socket, method: str = "GET") -> Answer:
    """The next response on a connection."""
    response = HTTPResponse(connection, method=method)
    response.begin()
    with response:
        found = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, found, response.read().decode())


def head(method: str, path: str, headers: list[tuple[str, str]], *, version: str = "1.1") -> bytes:
    """The first lines of a request, exactly these headers."""
    lines = [f"{method} {path} HTTP/{version}", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def send(url: str, method: str, path: str, headers: list[tuple[str, str]], body: bytes = b"") -> Answer:
    """One request on a connection of its own."""
    with opened(url) as connection:
        connection.sendall(head(method, path, headers) + body)
        return answered(connection, method)


def ask(url: str, body: Any, **headers: str) -> Answer:
    """A message to `/mcp`, with the token of the tests unless other headers say otherwise (an empty one: none)."""
    data = json.dumps(body).encode()
    usual = {"Host": "localhost" if url.startswith("unix:") else host_of(url), **JSON_HEADERS}
    given = {**usual, "Authorization": AUTHORIZATION["authorization"], "Content-Length": str(len(data))}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    return send(url, "POST", "/mcp", [(name, value) for name, value in given.items() if value], data)


def get(url: str, path: str, **headers: str) -> Answer:
    """A page, as a browser asks for it."""
    given = {"Host": "localhost" if url.startswith("unix:") else host_of(url)}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    return send(url, "GET", path, list(given.items()))
