"""A raw JSON-RPC line client over pipes: an SDK client's own cost would hide the difference between servers."""

import json
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.piped_server import PipedServer
from benchmarks.piped_server import ServerError as ServerError

PROTOCOL_VERSION = "2025-11-25"
ANSWER_SECONDS = 60.0


class StdioClient(PipedServer):
    """One server process and the connection to it; leaving the `with` block ends both."""

    def __init__(self, command: Sequence[str], *, environment: Mapping[str, str]) -> None:
        super().__init__(command, environment=environment)
        self._unfinished_line = b""
        self._answers: deque[dict[str, Any]] = deque()
        self._last_id = 0

    def initialize(self) -> dict[str, Any]:
        """The handshake up to the server's answer; `notify_initialized` ends it."""
        client = {"name": "fieldguide-benchmarks", "version": "0"}
        return self.request(
            "initialize", {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": client}
        )

    def notify_initialized(self) -> None:
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Sends one request and waits for its result; nothing else may be under way."""
        request_id = self.submit(method, params)
        answered_id, result = self.receive()
        if answered_id != request_id:
            raise ServerError(f"Request {request_id} was answered with the id {answered_id!r}.")
        return result

    def submit(self, method: str, params: Mapping[str, Any]) -> int:
        """Sends one request without waiting and returns its id."""
        self._last_id += 1
        self._write({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return self._last_id

    def receive(self) -> tuple[int, dict[str, Any]]:
        """The next answer, whichever request it belongs to: its id and its result."""
        while not self._answers:
            self._read()
        answer = self._answers.popleft()
        result = answer.get("result")
        if not isinstance(result, dict) or result.get("isError"):
            raise ServerError(f"A request was refused: {json.dumps(answer)}")
        return answer["id"], result

    def _write(self, message: Mapping[str, Any]) -> None:
        self._send(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def _read(self) -> None:
        received = self._receive(ANSWER_SECONDS)
        if not received:
            raise self._failure(f"sent nothing for {ANSWER_SECONDS:.0f} seconds")
        *lines, self._unfinished_line = (self._unfinished_line + received).split(b"\n")
        messages = (json.loads(line) for line in lines if line)
        self._answers.extend(message for message in messages if "result" in message or "error" in message)
