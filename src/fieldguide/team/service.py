"""Serves all projects of the registry from one process, each at `/mcp/NAME`.

A project is opened when it is first asked for, and closed when it is idle.

Database, limits and models come from the service. A project's own file can't ask for anything beyond the project, even
where the person has allowed it for that folder for their own use.
"""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Container, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldguide.search.models.choice import SharedModels
from fieldguide.settings.access import Access, Principal
from fieldguide.settings.config import POWERFUL_TABLES, Settings, read_settings
from fieldguide.settings.limits import Limits
from fieldguide.settings.service import MCP_PATH
from fieldguide.spine.journal import Journal, StderrLines
from fieldguide.storage.database import Database
from fieldguide.storage.state_folder import make_private_folder
from fieldguide.team.copies import FOLDER, CopyKeeper
from fieldguide.team.metrics import ObservedProject, count_documents
from fieldguide.team.monitoring import (
    Operation,
    make_database_probes,
    open_oversight,
)
from fieldguide.team.registry import (
    FRESH_SECONDS,
    PROJECTS_SCHEMA,
    HostedProject,
    ProjectRepository,
    RegistrySnapshot,
    RegistryView,
)
from fieldguide.text.errors import Failure, FieldguideError, StorageFailed, Unreadable
from fieldguide.wire.authentication import NOT_HERE
from fieldguide.wire.http import build_project
from fieldguide.wire.http_guard import make_refusal, read_caller

if TYPE_CHECKING:
    from fieldguide.app import App

ALL_AT_WORK = "As many projects as may be open at once are all at work. Try again in a moment."
CANT_OPEN = "This project can't be opened just now; the log of the service says why. Try again in a moment."
AGAIN = {"retry-after": "5"}
FLAGS = ("toolsets", "tool_names")
FIRST_COPY_SECONDS = 20.0
OPENED_AT_ONCE = 4
LOOK_SECONDS = 0.1
END_SECONDS = 5.0
OpenApp = Callable[[HostedProject], Awaitable["App"]]


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
    """A project that answers requests; made by `OpenProjects`, ended by `close`."""

    def __init__(self, project: HostedProject, app: "App", operation: Operation | None = None) -> None:
        self.project = project
        self.app = app
        self.requests = 0
        self.used_at = monotonic()
        self._asgi: ASGIApp = build_project(app.protocol, app.executor, limits=app.settings.limits, operation=operation)
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


class ProjectRoutes:
    """An ASGI application behind `Principals`: it hands each request to the project that it names."""

    def __init__(
        self,
        view: RegistryView,
        projects: OpenProjects,
        *,
        living: Callable[[], AbstractAsyncContextManager[None]],
        tell: Callable[[HostedProject, str], None],
    ) -> None:
        self._view = view
        self._projects = projects
        self._living = living
        self._tell = tell

    async def access_for(self, principal: Principal, name: str) -> Access | None:
        """What a principal may do in the project of this name; None: there is none for them."""
        admitted = (await read_registry(self._view)).admitted(name, principal.user)
        return None if admitted is None else admitted[1]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or begin and end with the server."""
        if scope["type"] == "lifespan":
            await _live(self._living, receive, send)
        elif scope["type"] == "http":
            answer = await self._find_project(scope)
            await answer(scope, receive, send)

    async def _find_project(self, scope: Scope) -> ASGIApp:
        """The application of the project that a request names, or a refusal.

        The project is looked up again: it may have been removed since its caller was admitted.
        """
        principal = read_caller(scope).principal
        name = scope["path"].removeprefix(f"{MCP_PATH}/")
        admitted = None
        if principal is not None and name != scope["path"]:
            admitted = (await read_registry(self._view)).admitted(name, principal.user)
        if admitted is None:
            return make_refusal(404, NOT_HERE)
        try:
            opened: OpenProject | None = await self._projects.get(admitted[0])
        except (FieldguideError, OSError) as error:
            self._tell(admitted[0], str(error))
            return make_refusal(503, CANT_OPEN, AGAIN)
        return make_refusal(503, ALL_AT_WORK, AGAIN) if opened is None else opened.answer


async def read_registry(view: RegistryView) -> RegistrySnapshot:
    """The registry as it is now; a look at the database is made on another thread."""
    picture = view.at_hand()
    return await asyncio.to_thread(view.current) if picture is None else picture


async def _live(living: Callable[[], AbstractAsyncContextManager[None]], receive: Receive, send: Send) -> None:
    """Speak the lifespan protocol over a context manager."""
    await receive()
    async with contextlib.AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(living())
        except FieldguideError as error:
            await send({"type": "lifespan.startup.failed", "message": error.message})
            raise
        await send({"type": "lifespan.startup.complete"})
        await receive()
    await send({"type": "lifespan.shutdown.complete"})


def read_hosted_settings(service: Settings, given: Mapping[str, Any], *, root: str, tenant: str) -> Settings:
    """How the project in this folder is served; `given` are the flags that the service was started with."""
    if not os.path.isdir(root):
        raise Unreadable("The folder of the project is not there.")
    flags = {name: given.get(name) for name in FLAGS}
    own = read_settings({**flags, "project": root, "service": service.service._asdict()}, os.environ)
    described = {name: table for name, table in own.sections.items() if name not in POWERFUL_TABLES}
    powerful = {name: table for name, table in service.sections.items() if name in POWERFUL_TABLES}
    return own._replace(
        tenant=tenant,
        database=service.database,
        limits=service.limits,
        profile=service.profile,
        read_only=service.read_only or own.read_only,
        sections={**described, **powerful},
        user=None,
        http=None,
        projects=False,
    )


class ProjectsService:
    """Every project of a registry, served by this process; `routes` answers for all of them.

    `build_app` makes the app of a project. `overseen` looks after their calls, and `operation` is for those who run the
    service.
    """

    def __init__(
        self,
        settings: Settings,
        given: Mapping[str, Any],
        database: Database,
        journal: Journal,
        build_app: "Callable[..., App]",
    ) -> None:
        self._make_app = build_app
        self._settings = settings
        self._given = given
        self._database = database
        self._journal = journal
        self._models = SharedModels()
        self._opening = ThreadPoolExecutor(OPENED_AT_ONCE, "opening")  # who is let in is looked up on other threads
        self.view = RegistryView(database)
        self.overseen = open_oversight(settings, is_for_many=True)
        self.operation = self._operated()
        self.projects = OpenProjects(self._open_app, settings.limits, operation=self.operation)
        self.routes = ProjectRoutes(self.view, self.projects, living=self._living, tell=self._tell)
        with database.reading() as transaction:
            service = ProjectRepository(transaction).service()
        self._copies = CopyKeeper(
            self.view,
            folder=make_private_folder(FOLDER, service),
            limits=settings.limits,
            tell=self._tell,
        )

    @asynccontextmanager
    async def _living(self) -> AsyncGenerator[None]:
        """Keep the copies, and close what is no longer wanted, while the server runs."""
        self._copies.begin()
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()
            await self.projects.close()
            self._opening.shutdown(wait=False, cancel_futures=True)
            await asyncio.to_thread(self._copies.end)
            await asyncio.to_thread(self._database.close)
            self._journal.flush()

    async def _watch(self) -> None:
        """Follow the registry also while nobody asks: a project that was taken out is closed at once."""
        while True:
            await asyncio.sleep(FRESH_SECONDS)
            try:
                picture = await read_registry(self.view)
            except StorageFailed:  # nobody gets in meanwhile; what is open stays for when the database is back
                continue
            self.projects.close_others({each.id for each in picture.projects.values()})
            self.projects.close_idle()

    async def _open_app(self, project: HostedProject) -> "App":
        root = project.root or await self._copied(project)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._opening, self._build_app, project, root)

    async def _copied(self, project: HostedProject) -> str:
        """Where the files of a project from git are; a first copy is waited for a little."""
        until = monotonic() + FIRST_COPY_SECONDS
        while True:
            try:
                return self._copies.root_of(project)
            except Unreadable as error:
                if monotonic() > until or not error.details.get("is_coming"):
                    raise
            await asyncio.sleep(LOOK_SECONDS)

    def _build_app(self, project: HostedProject, root: str) -> "App":
        settings = read_hosted_settings(self._settings, self._given, root=root, tenant=project.id)
        app = self._make_app(
            settings,
            write_journal=make_journal_writer(project),
            models=self._models,
            oversight=self.overseen.of(project.name),
        )
        if settings.problems:
            app.executor.journal.note("Not obeyed", problems=list(settings.problems))
        app.executor.journal.note("Opened", toolsets=[each.name for each in app.toolsets])
        return app

    def _operated(self) -> Operation:
        looks = make_database_probes(self._database, [PROJECTS_SCHEMA])
        return Operation(
            self._settings.limits,
            {**looks, "index": self._look_at_index, "model": self._look_at_model},
            self.overseen.bounds,
            projects=lambda: [ObservedProject(each.project.name, each.app) for each in self.projects.all()],
        )

    def _look_at_index(self) -> None:
        """Read in the index of a project that is open; where none is, there is nothing that could be read wrong."""
        for each in self.projects.all()[:1]:
            count_documents(each.app)

    def _look_at_model(self) -> None:
        self._models.embedder(self._settings.sections.get("search", {})).embed_query("ready")

    def _tell(self, project: HostedProject, notice: str) -> None:
        self._journal.note("Project", project=project.name, notice=notice)
