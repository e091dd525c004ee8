"""A raw HTTP client on one connection that stays open: an SDK client's own cost would hide the servers' difference."""

import json
import socket
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from benchmarks.stdio_client import PROTOCOL_VERSION, ServerError

ANSWER_SECONDS = 60.0
READ_BYTES = 65536
LAST_CHUNK = b"0\r\n\r\n"


class HttpClient:
    """One session on one connection; `close` ends both."""

    def __init__(self, url: str, *, token: str) -> None:
        at = urlsplit(url)
        self._place = (at.hostname or "", at.port or 0)
        self.connection = self._connected()
        self._head = (
            f"POST {at.path} HTTP/1.1\r\nHost: {at.netloc}\r\nAuthorization: Bearer {token}\r\n"
            "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
            f"MCP-Protocol-Version: {PROTOCOL_VERSION}\r\n"
        )
        self._received = b""
        client = {"name": "fieldguide-benchmarks", "version": "0"}
        asked = {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": client}
        self.send(self.written("initialize", asked))
        head, _ = self.receive()
        session = next(line for line in head.split("\r\n") if line.lower().startswith("mcp-session-id:"))
        self._head += f"{session}\r\n"
        self.send(self.written("notifications/initialized", None))
        self.receive()

    def written(self, method: str, params: Mapping[str, Any] | None) -> bytes:
        """A request as bytes, made once and sent often; without params a notification."""
        message = {"jsonrpc": "2.0", "method": method}
        body = json.dumps(message if params is None else {**message, "id": 1, "params": params}).encode()
        return f"{self._head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    def send(self, request: bytes) -> None:
        self.connection.sendall(request)

    def receive(self) -> tuple[str, bytes]:
        """The next response: its head and its body, as it came."""
        while (answer := self.take()) is None:
            pass
        return answer

    def take(self) -> tuple[str, bytes] | None:
        """Read once; the response when it is whole."""
        data = self.connection.recv(READ_BYTES)
        if not data:
            raise ServerError("The server has closed a connection.")
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found:
            return None
        lowered = head.lower()
        if b"transfer-encoding: chunked" in lowered:
            is_whole = body.endswith(LAST_CHUNK)
        else:
            length = lowered.partition(b"content-length:")[2].partition(b"\r\n")[0]
            is_whole = len(body) >= int(length or 0)
        if not is_whole:
            return None
        self._received = b""
        if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 202")):
            raise ServerError(f"A request was refused: {head.decode()} {body.decode(errors='replace')}")
        return head.decode("latin-1"), body

    def connect_anew(self) -> None:
        """Another connection for the same session: a server ends one that is silent for seconds."""
        self.connection.close()
        self.connection = self._connected()

    def _connected(self) -> socket.socket:
        connection = socket.create_connection(self._place, timeout=ANSWER_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def close(self) -> None:
        self.connection.close()
