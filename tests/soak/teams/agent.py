"""An agent: the official client, connected again whenever its connection broke, with every answer looked at."""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from copy import copy
from typing import Any

from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError

from tests.soak.teams.facts import strangers_in
from tests.soak.teams.tally import CUT, Tally
from tests.soak.teams.task_model import TaskModel

ANSWER_SECONDS = 30.0
RETRY_SECONDS = (0.1, 0.6)
DECISION = "architecture://adr/0001-queues"
TRANSPORT = ("connection closed", "session terminated", "timed out", "stream", "server returned an error response",
             "not found")  # fmt: skip


class Failed(Exception):
    """An answer that is an error: honest, and no acknowledgement."""


class Broken(Exception):
    """The connection is of no use any more."""


class Agent:
    """One client of one user in one project; the only one that writes this user's tasks there."""

    def __init__(self, url: str, token: str, user: str, project: str, *, era: str, tally: Tally, seed: int) -> None:
        self.url = url
        self.user = user
        self.project = project
        self.era = era
        self.tally = tally
        self.numbers = random.Random(seed)
        self.tasks = TaskModel()
        self.findings: list[str] = []
        self.maybe_findings: set[str] = set()
        self.counter = 0
        self._headers = {"authorization": f"Bearer {token}"}
        self._client: Client | None = None

    @property
    def client(self) -> Client:
        assert self._client is not None
        return self._client

    async def live(self, work: Callable[["Agent"], Awaitable[None]], is_over: asyncio.Event) -> None:
        """Work until it is over, whatever happens to the connection."""
        while not is_over.is_set():
            try:
                async with self._connected() as self._client:
                    while not is_over.is_set():
                        await work(self)
            except Exception as problem:  # noqa: BLE001  the client tells of a broken connection in many ways
                self.tally.reconnections += 1
                self.tally.fail(CUT, repr(_innermost(problem)))
                await asyncio.sleep(self.numbers.uniform(*RETRY_SECONDS))

    async def asked(self, kind: str, work: Callable[["Agent"], Awaitable[None]]) -> None:
        """Do one piece of work and count it; an error is counted too, and a broken connection ends this one."""
        began = time.monotonic()
        try:
            await work(self)
        except Failed as error:
            self.tally.fail(kind, str(error))
            await asyncio.sleep(self.numbers.uniform(*RETRY_SECONDS))
        except MCPError as error:
            self.look(str(error))
            if any(word in str(error).lower() for word in TRANSPORT):
                raise Broken(f"{kind}: {error}") from error
            self.tally.fail(kind, str(error))
            await asyncio.sleep(self.numbers.uniform(*RETRY_SECONDS))
        else:
            self.tally.answered(f"{kind} ({self.era})", time.monotonic() - began)

    async def call(self, tool: str, **arguments: Any) -> str:
        """The text of a tool's answer; Failed where it is an error."""
        result = await self.client.call_tool(tool, arguments)
        text = "\n".join(getattr(part, "text", "") for part in result.content)
        self.look(text)
        if result.is_error:
            raise Failed(f"{tool}: {text}")
        return text

    async def value(self, tool: str, **arguments: Any) -> Any:
        """The JSON of a tool's answer."""
        return json.loads(await self.call(tool, **arguments))

    def look(self, text: str) -> None:
        """Nothing of another project or another user may show, in no answer and no error."""
        for word in strangers_in(text, self.project, self.user):
            self.wrong(f"sees {word!r}: {text[:200]}")

    def expect(self, holds: bool, said: str) -> None:
        """What must be so, or it is wrong."""
        if not holds:
            self.wrong(said)

    def wrong(self, said: str) -> None:
        self.tally.wrong.append(f"{self.user} in {self.project} ({self.era}): {said[:400]}")

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Client]:
        mode: Any = "legacy" if self.era == "handshake" else "auto"
        async with Client(self._wire(), mode=mode, read_timeout_seconds=ANSWER_SECONDS, cache=None) as client:
            yield client

    @asynccontextmanager
    async def _wire(self) -> AsyncIterator[Any]:
        async with (
            create_mcp_http_client(headers=self._headers) as http,
            streamable_http_client(self.url, http_client=http) as wire,
        ):
            yield wire


def replace_tally(agent: Agent, tally: Tally) -> Agent:
    """Another agent of the same user and project, whose answers are counted elsewhere."""
    copied = copy(agent)
    copied.tally = tally
    return copied


def _innermost(problem: BaseException) -> BaseException:
    while isinstance(problem, BaseExceptionGroup) and problem.exceptions:
        problem = problem.exceptions[0]
    return problem
