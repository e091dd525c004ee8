"""A raw JSON-RPC line client over pipes: an SDK client's own cost would hide the difference between servers."""

import json
import os
import selectors
import subprocess
import tempfile
from collections import deque
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

PROTOCOL_VERSION = "2025-11-25"
ANSWER_SECONDS = 60.0
EXIT_SECONDS = 5.0
READ_BYTES = 65536
STDERR_TAIL_CHARACTERS = 2000
MOST_STDERR_BYTES = 1 << 24


class ServerError(Exception):
    """The server died, kept silent or refused: the run has no figures to give."""


class StdioClient:
    """One server process and the connection to it; leaving the `with` block ends both."""

    def __init__(self, command: Sequence[str], *, environment: Mapping[str, str]) -> None:
        self._command = command
        # A file, because a pipe nobody reads would block a talkative server.
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr, env=environment, bufsize=0
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._unfinished_line = b""
        self._answers: deque[dict[str, Any]] = deque()
        self._last_id = 0

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stdin.close()
        try:
            self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._selector.close()
        self._stdout.close()
        self._stderr.close()

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
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        try:
            while line:
                line = line[os.write(self._stdin.fileno(), line) :]
        except BrokenPipeError:
            raise self._failure("closed its input") from None

    def _read(self) -> None:
        if not self._selector.select(ANSWER_SECONDS):
            raise self._failure(f"sent nothing for {ANSWER_SECONDS:.0f} seconds")
        received = os.read(self._stdout.fileno(), READ_BYTES)
        if not received:
            raise self._failure("closed its output")
        *lines, self._unfinished_line = (self._unfinished_line + received).split(b"\n")
        messages = (json.loads(line) for line in lines if line)
        self._answers.extend(message for message in messages if "result" in message or "error" in message)

    def stderr_lines(self) -> list[str]:
        """What the server has written to stderr so far."""
        return os.pread(self._stderr.fileno(), MOST_STDERR_BYTES, 0).decode(errors="replace").splitlines()

    def _failure(self, what: str) -> ServerError:
        self._stderr.seek(0)
        complaint = self._stderr.read().decode(errors="replace")[-STDERR_TAIL_CHARACTERS:]
        return ServerError(f"`{' '.join(self._command)}` {what}. Its stderr ends:\n{complaint}")
