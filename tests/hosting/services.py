"""A running service of many projects for tests: started as a person would start it."""

import io
import json
import os
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from fieldguide.cli.main import main
from tests.identity.service import client_of
from tests.raw_http import JSON_HEADERS, Answer, host_of, send
from tests.servers import FIELDGUIDE, announced_url, environment


class Service:
    """The commands of whoever runs a service, with a state root of its own, and where it serves."""

    def __init__(self, folder: Path, database: tuple[str, ...]) -> None:
        self.folder = folder
        self._database = database
        self._environment = {
            **environment(),
            "FIELDGUIDE_STATE": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder / "config"),
        }
        self.url = ""
        self.tokens: dict[str, str] = {}
        self.journal = folder / "journal"

    def run(self, *words: str | Path, code: int = 0) -> str:
        """Run a command, in this process: there are many; what it printed."""
        printed, complained = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed), redirect_stderr(complained):
            for name, value in self._environment.items():
                patch.setenv(name, value)
            done = main([*map(str, words), *self._database])
        assert done == code, complained.getvalue()
        return printed.getvalue() if code == 0 else complained.getvalue()

    def token(self, user: str, *flags: str) -> str:
        """A token of this user, made when it is first needed."""
        if user not in self.tokens:
            self.tokens[user] = self.run("team", "token", "new", user, *flags).strip()
        return self.tokens[user]

    @contextmanager
    def serving(self, *flags: str, program: Sequence[str] = (FIELDGUIDE,), **more: str) -> Iterator["Service"]:
        """The same while it serves; its journal goes to a file."""
        with self.journal.open("w") as journal:
            process = subprocess.Popen(
                [*program, "serve", "--projects", "--http", "127.0.0.1:0", *self._database, *flags],
                stderr=journal,
                env={**self._environment, **more},
            )
            try:
                with self.journal.open() as said:
                    self.url = announced_url(lambda: _line(said, process))
                yield self
            finally:
                process.terminate()
                process.wait(timeout=60)

    def send(self, user: str, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        """One request with a user's token, byte by byte."""
        given = {"Host": host_of(self.url), **JSON_HEADERS, "Content-Length": str(len(body)), **headers}
        shown = [("Authorization", f"Bearer {self.token(user)}")]
        return send(self.url, method, path, [*((name, value) for name, value in given.items() if value), *shown], body)

    def ask(self, user: str, project: str, method: str, params: dict[str, Any] | None = None, **headers: str) -> Answer:
        """One message to a project."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return self.send(user, "POST", f"/mcp/{project}", json.dumps(body).encode(), **headers)

    @asynccontextmanager
    async def client(self, user: str, project: str, mode: Any = "auto") -> AsyncIterator[Client]:
        """The official client, with a user's token."""
        async with client_of(f"{self.url}/{project}", self.token(user), mode=mode) as client:
            yield client


def _line(said: Any, process: "subprocess.Popen[bytes]") -> str:
    """The next line of a journal that is being written; nothing once its process has ended."""
    while process.poll() is None:
        if line := said.readline():
            return str(line)
        os.sched_yield()
    return ""
