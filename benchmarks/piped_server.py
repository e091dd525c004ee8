"""A server process that is talked to over pipes, in bytes; what is said in them is up to the client."""

import os
import selectors
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

EXIT_SECONDS = 5.0
READ_BYTES = 65536
STDERR_TAIL_CHARACTERS = 2000
MOST_STDERR_BYTES = 1 << 24


class ServerError(Exception):
    """The server died, kept silent or refused: the run has no figures to give."""


class PipedServer:
    """One server process; leaving the `with` block ends it."""

    def __init__(self, command: Sequence[str], *, environment: Mapping[str, str], folder: Path | None = None) -> None:
        self._command = command
        # A file, because a pipe nobody reads would block a talkative server.
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            cwd=folder,
            env=environment,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ)

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ask_to_end()
        try:
            self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._selector.close()
        self._stdin.close()
        self._stdout.close()
        self._stderr.close()

    def stderr_lines(self) -> list[str]:
        """What the server has written to stderr so far."""
        return self._told().splitlines()

    def _ask_to_end(self) -> None:
        """Close its input, which ends a server that reads it."""
        self._stdin.close()

    def _send(self, message: bytes) -> None:
        try:
            while message:
                message = message[os.write(self._stdin.fileno(), message) :]
        except BrokenPipeError:
            raise self._failure("closed its input") from None

    def _receive(self, seconds: float) -> bytes:
        """What has come, as soon as anything has; nothing when nothing came for so long."""
        if not self._selector.select(seconds):
            return b""
        received = os.read(self._stdout.fileno(), READ_BYTES)
        if not received:
            raise self._failure("closed its output")
        return received

    def _failure(self, what: str) -> ServerError:
        return ServerError(
            f"`{' '.join(self._command)}` {what}. Its stderr ends:\n{self._told()[-STDERR_TAIL_CHARACTERS:]}"
        )

    def _told(self) -> str:
        return os.pread(self._stderr.fileno(), MOST_STDERR_BYTES, 0).decode(errors="replace")
