"""Opens projects when they are first asked for, and closes idle ones."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Container, Generator
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldguide.settings.limits import Limits
from fieldguide.settings.service import MCP_PATH
from fieldguide.spine.journal import StderrLines
from fieldguide.team.monitoring import Operation
from fieldguide.team.registry import HostedProject
from fieldguide.team.served_project import App
from fieldguide.text.errors import Failure, FieldguideError
from fieldguide.wire.http import build_project

END_SECONDS = 5.0
OpenApp = Callable[[HostedProject], Awaitable[App]]


class AppLifespan:
    """One application while it lives."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._told: asyncio.Queue[Message] = asyncio.Queue()
        self._begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Let it start what it needs; Failure when it can't."""
        self._told.put_nowait({"type": "lifespan.startup"})
        self._task = asyncio.create_task(self._live())
        await self._begun

    async def end(self) -> None:
        """Let it end what it started; one that takes too long is left."""
        self._told.put_nowait({"type": "lifespan.shutdown"})
        if self._task is not None:
            await asyncio.wait([self._task], timeout=END_SECONDS)
            self._task.cancel()

    async def _live(self) -> None:
        scope: dict[str, Any] = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": {}}

        async def hear(message: Message) -> None:
            if message["type"].startswith("lifespan.startup."):
                self._settle(is_well=message["type"] == "lifespan.startup.complete")

        try:
            await self._app(scope, self._told.get, hear)
        finally:
            self._settle(is_well=False)

    def _settle(self, *, is_well: bool) -> None:
        if self._begun.done():
            return
        if is_well:
            self._begun.set_result(None)
        else:
            self._begun.set_exception(Failure("The project could not be started."))


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
        self._lifespan = AppLifespan(self._asgi)
        self._kept = ExitStack()

    async def begin(self) -> None:
        """Start its wire, and the threads that keep its index."""
        await self._lifespan.begin()
        self._kept.enter_context(self.app.upkeep())

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request to this project, which finds itself at `/mcp` as if it were alone."""
        with self.used():
            await self._asgi({**scope, "path": MCP_PATH, "raw_path": MCP_PATH.encode()}, receive, send)

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


def make_journal_writer(project: HostedProject) -> Callable[[list[str]], None]:
    """Writes a project's journal to stderr among those of others: each line names the project."""
    write = StderrLines()
    begin = f'{{"project": {json.dumps(project.name)}, '

    def write_named(lines: list[str]) -> None:
        write([f"{begin}{line[1:]}" for line in lines])

    return write_named


class OpenProjects:
    """Gives whoever asks an open project; on one event loop."""

    def __init__(
        self,
        open_app: OpenApp,
        limits: Limits,
        *,
        clock: Callable[[], float] = monotonic,
        operation: Operation | None = None,
    ) -> None:
        self._open_app = open_app
        self._operation = operation
        self._limits = limits
        self._clock = clock
        self._open: dict[str, OpenProject] = {}
        self._opening: dict[str, asyncio.Task[OpenProject]] = {}
        self._closing: set[asyncio.Task[None]] = set()

    async def get(self, project: HostedProject) -> OpenProject | None:
        """The project, opened if need be; None while as many as there may be are all at work."""
        found = self._open.get(project.id)
        if found is not None:
            return found
        opening = self._opening.get(project.id)
        if opening is None:
            if not self._make_room():
                return None
            opening = self._opening[project.id] = asyncio.create_task(self._opened(project))
            opening.add_done_callback(lambda task: self._settled(project, task))
        return await asyncio.shield(opening)  # whoever leaves does not take it from the others who wait

    def all(self) -> list[OpenProject]:
        """Those that are open now."""
        return list(self._open.values())

    def close_idle(self) -> None:
        """Close those that nobody has asked for long enough."""
        since = self._clock() - self._limits.project_idle_seconds
        for each in self.all():
            if not each.requests and each.used_at < since:
                self._close(each)

    def close_others(self, kept: Container[str]) -> None:
        """Close those that the registry no longer has, whatever they are at."""
        for each in self.all():
            if each.project.id not in kept:
                self._close(each)

    async def close(self) -> None:
        """Close all of them."""
        await asyncio.gather(*self._opening.values(), return_exceptions=True)
        for each in self.all():
            self._close(each)
        await asyncio.gather(*self._closing, return_exceptions=True)

    async def _opened(self, project: HostedProject) -> OpenProject:
        made = OpenProject(project, await self._open_app(project), self._operation)
        try:
            await made.begin()
        except BaseException:
            self._close(made)
            raise
        self._open[project.id] = made
        return made

    def _settled(self, project: HostedProject, task: "asyncio.Task[OpenProject]") -> None:
        self._opening.pop(project.id, None)
        if not task.cancelled():
            task.exception()  # whoever wanted it may be gone: nobody else asks how it ended

    def _make_room(self) -> bool:
        """Close the one that was unused longest, where there are as many as there may be; whether there is room."""
        if len(self._open) + len(self._opening) < self._limits.open_projects:
            return True
        idle = [each for each in self.all() if not each.requests]
        if not idle:
            return False
        self._close(min(idle, key=lambda each: each.used_at))
        return True

    def _close(self, project: OpenProject) -> None:
        self._open.pop(project.project.id, None)
        task = asyncio.create_task(project.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
