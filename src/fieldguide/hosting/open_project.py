"""One project of a service while it is open: its app, its part of the wire, and the threads that keep it up to date."""

import asyncio
import json
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from time import monotonic

from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide.app import App
from fieldguide.errors import FieldguideError
from fieldguide.hosting.lifespan import Lifespan
from fieldguide.server.http import build_project
from fieldguide.server.web.endpoint import PATH
from fieldguide.server.web.operation.operation import Operation
from fieldguide.spine.stderr_lines import StderrLines
from fieldguide.teams.projects.project import HostedProject


class OpenProject:
    """A project that answers requests; made by `open_project`, ended by `close`."""

    def __init__(self, project: HostedProject, app: App, operation: Operation | None = None) -> None:
        self.project = project
        self.app = app
        self.requests = 0
        self.used_at = monotonic()
        self._asgi: ASGIApp = build_project(
            app.protocol, app.executor, limits=app.settings.limits, sharing=app.sharing, operation=operation
        )
        self._lifespan = Lifespan(self._asgi)
        self._kept = ExitStack()

    async def begin(self) -> None:
        """Start its wire, and the threads that keep its index."""
        await self._lifespan.begin()
        self._kept.enter_context(self.app.upkeep())

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request to this project, which finds itself at `/mcp` as if it were alone."""
        with self.used():
            await self._asgi({**scope, "path": PATH, "raw_path": PATH.encode()}, receive, send)

    @contextmanager
    def used(self) -> Generator[None]:
        """Not idle while the block runs."""
        self.requests += 1
        try:
            yield
        finally:
            self.requests -= 1
            self.used_at = monotonic()

    async def close(self) -> None:
        """End its sessions, its threads and its databases."""
        await self._lifespan.end()
        await asyncio.to_thread(self._let_go)

    def _let_go(self) -> None:
        self._kept.close()
        self.app.executor.journal.flush()
        try:
            self.app.engine().database.close()
            self.app.database.close()
        except FieldguideError as error:
            self.app.executor.journal.note("Closing", notice=error.message)


def journal_of(project: HostedProject) -> Callable[[list[str]], None]:
    """Writes a project's journal to stderr among those of others: each line names the project."""
    write, begin = StderrLines(), f'{{"project": {json.dumps(project.name)}, '

    def write_named(lines: list[str]) -> None:
        write([f"{begin}{line[1:]}" for line in lines])

    return write_named
