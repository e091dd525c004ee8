"""The composition root: the only module that chooses which parts a server is made of."""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.config import Settings, project_folder
from fieldguide.consents import Ask
from fieldguide.errors import Misconfiguration
from fieldguide.server.clients.instructions import instructions
from fieldguide.server.clients.panels import extensions
from fieldguide.server.clients.profiles import chosen_profile
from fieldguide.server.memory import Memory, remembering
from fieldguide.server.performance import performance
from fieldguide.server.prompt_methods import PromptMethods
from fieldguide.server.protocol import About, Protocol
from fieldguide.server.resource_methods import ResourceMethods, panels_of, provided
from fieldguide.server.subscriptions import Subscriptions
from fieldguide.server.tool_methods import ToolMethods
from fieldguide.spine.answers.tokens import about_tokens
from fieldguide.spine.callers.access import ACTING_ACCESS
from fieldguide.spine.callers.identity import Identity
from fieldguide.spine.changes import Changes
from fieldguide.spine.circuit_breaker import CircuitBreakers
from fieldguide.spine.contract import Tool
from fieldguide.spine.executor import Executor
from fieldguide.spine.journal import Journal
from fieldguide.spine.metrics import Metrics
from fieldguide.spine.prompts import Prompts
from fieldguide.spine.registry import Registry
from fieldguide.spine.validation import Validation
from fieldguide.spine.workers import Workers
from fieldguide.storage.late import LateDatabase
from fieldguide.storage.port import Database, Schema
from fieldguide.toolset import Services, Toolset, cached, find_factories, load_factory, no_tool, wanted_names
from fieldguide.upkeep import Readiness, RunningUpkeeps

if TYPE_CHECKING:
    from fieldguide.search.embedders.shared_models import OwnModels
    from fieldguide.search.engine import SearchEngine
    from fieldguide.spine.oversight.oversight import Oversight
    from fieldguide.teams.replicas.exchange import Exchange
    from fieldguide.teams.replicas.sharing import Sharing

DATABASE_FILE = "fieldguide.db"
INDEX_FILE = "index.db"


class App(NamedTuple):
    """One served project, ready for a wire, a command or a test."""

    settings: Settings
    toolsets: tuple[Toolset, ...]
    executor: Executor
    protocol: Protocol
    changes: Changes
    database: Database
    engine: "Callable[[], SearchEngine]"
    sharing: "Sharing | None" = None

    @contextmanager
    def upkeep(self) -> Generator[None]:
        """Keep what the toolsets index up to date while the block runs: of several replicas one does it at a time."""
        kept = RunningUpkeeps(each.upkeep for each in self.toolsets if each.upkeep is not None)
        with kept.running() if self.sharing is None else self.sharing.keeping(kept):
            yield

    def asks(self) -> list[Ask]:
        """What the project asks for that only the person can allow, and has not."""
        return [*self.settings.asks, *(ask for each in self.toolsets for ask in each.asks())]

    def shows(self) -> dict[str, Callable[..., Any]]:
        """What the toolsets show to people and no tool gives, as `toolset.name`."""
        return {f"{each.name}.{name}": show for each in self.toolsets for name, show in each.shows.items()}

    def health(self) -> dict[str, Any]:
        """Each tool's calls, failures and times, about how many tokens it sent, the breakers, the kinds of errors."""
        metrics = self.executor.journal.metrics
        return {
            "tools": metrics.per_tool(),
            "sent_tokens": {name: about_tokens(*sent) for name, sent in metrics.sent().items()},
            "circuit_breakers": self.executor.breakers.states(),
            "error_kinds": metrics.error_kinds(),
        }


def build_app(
    settings: Settings,
    toolsets: tuple[Toolset, ...] | None = None,
    write_journal: Callable[[list[str]], None] | None = None,
    oversight: "Oversight | None" = None,
    models: "OwnModels | None" = None,
    exchange: "Exchange | None" = None,
) -> App:
    """An app for these settings; with the toolsets that are installed and a journal on stderr, unless given others.

    `exchange` is what a service of many projects has with its other replicas, `oversight` what looks after its calls.
    """
    if settings.database is not None:
        _check_driver()
    changes, workers = Changes(), Workers()
    journal = Journal(Metrics(), write_journal, settings.limits.journal_line_characters)
    schemas: list[Schema] = []
    database = LateDatabase(lambda: open_database(settings, schemas, journal))
    engine = cached(lambda: open_engine(settings, journal, models))
    memory = remembering(settings, database, namespace_of(settings), changes, exchange)
    registry, readiness = Registry(), Readiness()
    made = partial(build_toolsets, settings, changes, database, engine, journal, _finding(registry), readiness)
    chosen = made() if toolsets is None else toolsets
    readiness.introduce(chosen)
    schemas += [*_schemas(chosen), *memory.schemas]
    _register(registry, chosen, is_read_only=settings.read_only)
    executor = Executor(
        registry=registry,
        identity=Identity(settings.user),
        validation=Validation(),
        limiter=memory.limiter,
        breakers=CircuitBreakers(),
        workers=workers,
        journal=journal,
        answer_tokens=settings.limits.answer_tokens,
        oversight=oversight,
    )
    protocol = _protocol(settings, chosen, executor, changes, memory)
    return App(settings, chosen, executor, protocol, changes, database, engine, memory.sharing)


def _schemas(toolsets: Sequence[Toolset]) -> list[Schema]:
    """What the toolsets keep in the database; two may share one."""
    return list(dict.fromkeys(each.schema for each in toolsets if each.schema is not None))


def _register(registry: Registry, toolsets: Sequence[Toolset], *, is_read_only: bool) -> None:
    """Take every tool in, each with whose it is; where nothing may be changed, those that change something stay out."""
    for each in toolsets:
        for tool in each.tools:
            if not (is_read_only and tool.effects.writes):
                registry.register(tool._replace(toolset=each.name))


def _protocol(
    settings: Settings,
    toolsets: tuple[Toolset, ...],
    executor: Executor,
    changes: Changes,
    memory: Memory,
) -> Protocol:
    """The wire's methods over what the toolsets bring."""
    workers = executor.workers
    found = provided(toolsets, executor.registry)
    resources = ResourceMethods(resources=found, workers=workers, limits=settings.limits)
    return Protocol(
        tools=ToolMethods(
            executor=executor,
            workflows=memory.workflows,
            toolsets=toolsets,
            name_mode=settings.tool_names,
            profile=chosen_profile(settings.profile, toolsets, are_chosen=settings.toolsets is not None),
            keys=memory.keys,
        ),
        resources=resources,
        prompts=PromptMethods(
            prompts=Prompts({each.name: each.prompts for each in toolsets}),
            workflows=memory.workflows,
            metrics=executor.journal.metrics,
            completers={each.name: each.complete for each in toolsets if each.complete is not None},
            workers=workers,
            keys=memory.keys,
        ),
        subscriptions=Subscriptions(changes, resources.look, settings.limits, found.shows),
        own_methods={method: tool for each in toolsets for method, tool in each.methods.items()},
        performance=partial(performance, executor, memory.workflows),
        about=About(partial(instructions, toolsets, executor.registry, settings.user), extensions(panels_of(toolsets))),
    )


def _finding(registry: Registry) -> Callable[[str], Tool]:
    """How a toolset finds the tools of others: those that its caller would find."""
    return lambda name: registry.find(name, ACTING_ACCESS.get())


def open_database(settings: Settings, schemas: Sequence[Schema], journal: Journal) -> Database:
    """The database that the settings name: PostgreSQL, or SQLite in the project's state folder."""

    def tell(sentence: str) -> None:
        journal.note("Storage", notice=sentence)

    if settings.database is not None:
        from fieldguide.storage.postgres import PostgresDatabase

        return PostgresDatabase(
            settings.database,
            schemas,
            most_connections=settings.limits.database_connections,
            tenant=None if settings.tenant is None else namespace_of(settings),
        )
    from fieldguide.storage.sqlite import SqliteDatabase
    from fieldguide.storage.state_folder import database_folder, tenant_folder

    def path() -> str:
        folder = database_folder(settings.project) if settings.tenant is None else tenant_folder(settings.tenant)
        return os.path.join(folder, DATABASE_FILE)

    return SqliteDatabase(path, schemas, tell)


def open_engine(settings: Settings, journal: Journal, models: "OwnModels | None" = None) -> "SearchEngine":
    """The search engine over the database that the settings name, with the model that they name."""
    from fieldguide.search.opening import open_postgres_engine, open_sqlite_engine

    wanted = settings.sections.get("search", {})
    if settings.database is not None:
        is_tenant = settings.tenant is not None
        namespace = namespace_of(settings)
        return open_postgres_engine(settings.database, namespace, wanted, settings.limits, models, is_tenant=is_tenant)
    from fieldguide.storage.state_folder import state_folder, tenant_folder

    def tell(sentence: str) -> None:
        journal.note("Storage", notice=sentence)

    def path() -> str:
        folder = state_folder(settings.project) if settings.tenant is None else tenant_folder(settings.tenant)
        return os.path.join(folder, INDEX_FILE)

    return open_sqlite_engine(path, wanted, tell, settings.limits, models)


def namespace_of(settings: Settings) -> str:
    """What tells this project from others in one database: SQLite has one for each, so nothing; else its folder."""
    if settings.tenant is not None:
        return f"{settings.tenant}|"
    if settings.database is None:
        return ""
    named = settings.sections.get("search", {}).get("namespace")
    return f"{named or os.path.realpath(settings.project)}|"


def build_toolsets(
    settings: Settings,
    changes: Changes,
    database: Database,
    engine: "Callable[[], SearchEngine]",
    journal: Journal,
    find_tool: Callable[[str], Tool] = no_tool,
    readiness: Readiness | None = None,
) -> tuple[Toolset, ...]:
    """The toolsets that are installed and wanted, sorted by name."""
    factories = find_factories()
    project, readiness = project_folder(settings), readiness or Readiness()
    return tuple(
        load_factory(name, factories[name])(
            Services(
                project=project,
                settings=settings.sections.get(name, {}),
                changes=changes,
                database=database,
                engine=engine,
                note=journal.note,
                namespace=namespace_of(settings),
                find_tool=find_tool,
                user=settings.user,
                limits=settings.limits,
                ready=readiness.ready,
                is_at_work=readiness.is_at_work,
            )
        )
        for name in sorted(wanted_names(settings.toolsets, settings.suggested_toolsets, factories))
    )


def _check_driver() -> None:
    from importlib.util import find_spec

    if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
        raise Misconfiguration("PostgreSQL needs its driver: install fieldguide with its extra `postgres`.")
