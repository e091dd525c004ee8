"""A service of many projects: the registry, the copies, and the open projects, put together."""

import asyncio
import os
import socket
from collections.abc import AsyncGenerator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

from fieldguide.app import App, build_app
from fieldguide.config import Settings
from fieldguide.consents import TRUST
from fieldguide.errors import StorageFailed, Unreadable
from fieldguide.hosting.copies.keeper import FOLDER, CopyKeeper
from fieldguide.hosting.observing import documents_in, looks_at_database, observed
from fieldguide.hosting.open_project import journal_of
from fieldguide.hosting.open_projects import OpenProjects
from fieldguide.hosting.overseeing import Overseen, oversee
from fieldguide.hosting.routes import ProjectRoutes, current
from fieldguide.hosting.settings import hosted_settings
from fieldguide.search.embedders.shared_models import SharedModels
from fieldguide.server.memory import exchange_of
from fieldguide.server.web.operation.operation import Operation
from fieldguide.spine.journal import Journal
from fieldguide.storage.port import Database
from fieldguide.storage.state_folder import private_folder
from fieldguide.teams.projects import SCHEMA
from fieldguide.teams.projects.picture import FRESH_SECONDS, RegistryView
from fieldguide.teams.projects.project import HostedProject
from fieldguide.teams.projects.repository import ProjectRepository

FIRST_COPY_SECONDS = 20.0
OPENED_AT_ONCE = 4
LOOK_SECONDS = 0.1


class ProjectsService:
    """Every project of a registry, served by this process; `routes` answers for all of them.

    `overseen` looks after their calls, and `operation` is for those who run the service.
    """

    def __init__(
        self,
        settings: Settings,
        given: Mapping[str, Any],
        database: Database,
        journal: Journal,
        overseen: Overseen | None = None,
    ) -> None:
        self._settings = settings
        self._given = given
        self._database = database
        self._journal = journal
        self._models = SharedModels()
        self._opening = ThreadPoolExecutor(OPENED_AT_ONCE, "opening")  # who is let in is looked up on other threads
        self._exchange = exchange_of(settings.database)
        self.view = RegistryView(database)
        self.overseen = overseen or oversee(settings, self._tell_of_audit, is_for_many=True)
        self.operation = self._operated()
        self.projects = OpenProjects(self._open_app, settings.limits, operation=self.operation)
        self.routes = ProjectRoutes(self.view, self.projects, living=self._living, tell=self._tell)
        self._copies = CopyKeeper(
            self.view,
            database,
            folder=private_folder(FOLDER, self._service()),
            replica=replica_name(),
            limits=settings.limits,
            tell=self._tell,
        )

    def _service(self) -> str:
        with self._database.reading() as transaction:
            return ProjectRepository(transaction).service()

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
            if self._exchange is not None:
                await asyncio.to_thread(self._exchange.close)
            await asyncio.to_thread(self.overseen.close)
            await asyncio.to_thread(self._database.close)
            self._journal.flush()

    async def _watch(self) -> None:
        """Follow the registry also while nobody asks: a project that was taken out is closed at once."""
        while True:
            await asyncio.sleep(FRESH_SECONDS)
            try:
                picture = await current(self.view)
            except StorageFailed:  # nobody gets in meanwhile; what is open stays for when the database is back
                continue
            self.projects.close_others({each.id for each in picture.projects.values()})
            self.projects.close_idle()

    async def _open_app(self, project: HostedProject) -> App:
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

    def _build_app(self, project: HostedProject, root: str) -> App:
        settings = hosted_settings(self._settings, self._given, root=root, tenant=project.id)
        app = build_app(
            settings,
            write_journal=journal_of(project),
            models=self._models,
            exchange=self._exchange,
            oversight=self.overseen.of(project.name),
        )
        self.overseen.observe(app)
        asks = [ask.sentence() for ask in settings.asks]
        if asks or settings.problems:
            app.executor.journal.note("Not obeyed", asks=asks, problems=list(settings.problems), mend=TRUST)
        app.executor.journal.note("Opened", toolsets=[each.name for each in app.toolsets])
        return app

    def _operated(self) -> Operation:
        looks = looks_at_database(self._database, [SCHEMA])
        return Operation(
            self._settings.limits,
            {**looks, "index": self._look_at_index, "model": self._look_at_model},
            self.overseen.bounds,
            projects=lambda: [observed(each.app, each.project.name) for each in self.projects.all()],
            extras=self.overseen.extras(),
            audit=self.overseen.audit,
        )

    def _look_at_index(self) -> None:
        """Read in the index of a project that is open; where none is, there is nothing that could be read wrong."""
        for each in self.projects.all()[:1]:
            documents_in(each.app)

    def _look_at_model(self) -> None:
        self._models.embedder(self._settings.sections.get("search", {})).embed_query("ready")

    def _tell_of_audit(self, sentence: str) -> None:
        self._journal.note("Audit log", notice=sentence)

    def _tell(self, project: HostedProject, notice: str) -> None:
        self._journal.note("Project", project=project.name, notice=notice)


def replica_name(environment: Mapping[str, str] = os.environ, host: Callable[[], str] = socket.gethostname) -> str:
    """What this replica is called where several are told apart: FIELDGUIDE_REPLICA, else the host's name."""
    return environment.get("FIELDGUIDE_REPLICA") or host()
