"""A client that sends any bytes and reads whole lines: for what a well-behaved client never does."""

import json
import os
import select
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from tests.processes import PATIENCE_SECONDS
from tests.servers import environment, program

# What each request of the new era says of its client.
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class RawClient:
    """A server process with its pipes; use it as a context manager."""

    def __init__(
        self,
        root: Path,
        *flags: str,
        with_test_toolsets: bool = False,
        command: Sequence[str] | None = None,
        extra_environment: dict[str, str] | None = None,
    ) -> None:
        command = command or program(with_test_toolsets=with_test_toolsets)
        self.process = subprocess.Popen(
            [*command, "serve", "--project", str(root), *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={**environment(), **(extra_environment or {})},
        )
        self._last_id = 0
        self._pending = b""
        self._answers: dict[int, dict[str, Any]] = {}
        self.passed_over: list[dict[str, Any]] = []

    def ready(self) -> Self:
        """The client after its handshake."""
        try:
            self.initialize()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[os.write(self.process.stdin.fileno(), view) :]

    def send(self, message: Any) -> None:
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def notify(self, method: str, **params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def submit(self, method: str, **params: Any) -> int:
        """Send a request and give its id."""
        self._last_id += 1
        self.send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return self._last_id

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and give the message that answers it; what comes meanwhile is in `passed_over`."""
        return self.answer(self.submit(method, **params))

    def answer(self, wanted: int) -> dict[str, Any]:
        """The message that answers a request, which may have come before others were waited for."""
        while wanted not in self._answers:
            message = self.receive()
            if message.get("id") == wanted:
                return message
            if isinstance(message.get("id"), int) and "method" not in message:
                self._answers[message["id"]] = message
            else:
                self.passed_over.append(message)
        return self._answers.pop(wanted)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool call."""
        result: dict[str, Any] = self.request("tools/call", name=tool, arguments=arguments)["result"]
        return result

    def initialize(self, version: str = "2025-11-25", client: str = "tests") -> dict[str, Any]:
        """The handshake; gives the result of `initialize`."""
        result: dict[str, Any] = self.request(
            "initialize",
            protocolVersion=version,
            capabilities={},
            clientInfo={"name": client, "version": "0"},
        )["result"]
        self.notify("notifications/initialized")
        return result

    def receive(self) -> dict[str, Any]:
        """The next message."""
        message: dict[str, Any] = json.loads(self.receive_line())
        return message

    def receive_line(self) -> bytes:
        """The next line, as it came."""
        assert self.process.stdout is not None
        until = time.monotonic() + PATIENCE_SECONDS
        while b"\n" not in self._pending:
            ready = select.select([self.process.stdout], [], [], max(0, until - time.monotonic()))[0]
            assert ready, "the server did not answer"
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, "the server has closed its output"
            self._pending += data
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def leave(self) -> tuple[int, bytes, list[dict[str, Any]]]:
        """Close our end and wait: the exit code, what was still on stdout, and the journal."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None
        output, errors = self.process.communicate(timeout=PATIENCE_SECONDS)
        journal = [json.loads(line) for line in errors.splitlines() if line.startswith(b"{")]
        return self.process.returncode, self._pending + output, journal
