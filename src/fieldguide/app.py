"""The composition root: an app is one served project, and only this module chooses the parts it is made of."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.settings.access import ACTING, Access
from fieldguide.settings.config import Settings, find_namespace, open_project_folder
from fieldguide.spine.circuit_breaker import CircuitBreakers
from fieldguide.spine.executor import Executor, Identity, Registry
from fieldguide.spine.journal import Journal, Metrics
from fieldguide.spine.prompts import Prompts, Workflows
from fieldguide.spine.rate_limit import RateLimiter
from fieldguide.spine.resources import ChangeBus
from fieldguide.spine.tool import Tool, import_late
from fieldguide.spine.toolset import (
    Factory,
    Services,
    Toolset,
    choose_names,
    make_cached,
    refuse_tool,
)
from fieldguide.spine.workers import Timer, Workers
from fieldguide.storage.database import DATABASE_FILE, Database, LateDatabase, Schema
from fieldguide.text.errors import FieldguideError, Misconfiguration
from fieldguide.toolsets.upkeep import ToolsetReadiness, run_upkeeps
from fieldguide.wire.clients import choose_profile, write_instructions
from fieldguide.wire.methods import (
    PromptMethods,
    ResourceMethods,
    ServerMethods,
    collect_resources,
)
from fieldguide.wire.protocol import Connection, Protocol
from fieldguide.wire.tools import ToolMethods

if TYPE_CHECKING:
    from fieldguide.search.engine import SearchEngine
    from fieldguide.search.models.choice import OwnModels
    from fieldguide.spine.oversight import Oversight

INDEX_FILE = "index.db"


class App(NamedTuple):
    """One served project, ready for a wire, a command or a test."""

    settings: Settings
    toolsets: tuple[Toolset, ...]
    executor: Executor
    protocol: Protocol
    changes: ChangeBus
    database: Database
    engine: "Callable[[], SearchEngine]"

    def upkeep(self) -> AbstractContextManager[None]:
        """Keep what the toolsets index up to date while the block runs."""
        return run_upkeeps([each.upkeep for each in self.toolsets if each.upkeep is not None])

    def answer(
        self, method: str, params: Mapping[str, Any], connection: Connection, access: Access | None = None
    ) -> dict[str, Any]:
        """The result of a request from our own process; RpcError when there is none."""
        request = self.protocol.make_request(method, params, request_id=1, connection=connection, access=access)
        try:
            return self.executor.workers.wait(partial(self.protocol.answer, request), request.cancellation)
        except FieldguideError as error:  # it was given up: its time is over
            return self.protocol.tell_error(request, error)

    def shows(self) -> dict[str, Callable[..., Any]]:
        """What the toolsets show to people and no tool gives, as `toolset.name`."""
        return {f"{each.name}.{name}": show for each in self.toolsets for name, show in each.shows.items()}

    def health(self) -> dict[str, Any]:
        """Each tool's calls, failures and times, about how many tokens it sent, the breakers, the kinds of errors."""
        from fieldguide.text.tokens import estimate_tokens  # only a page and `status` need it

        metrics = self.executor.journal.metrics
        sent: dict[str, int] = {}
        for each in metrics.measured():
            if each.characters:
                sent[each.tool] = estimate_tokens(each.characters, each.latest_text)
        return {
            "tools": metrics.per_tool(),
            "sent_tokens": sent,
            "circuit_breakers": self.executor.breakers.states(),
            "error_kinds": metrics.error_kinds(),
        }


def build_app(
    settings: Settings,
    toolsets: tuple[Toolset, ...] | None = None,
    write_journal: Callable[[list[str]], None] | None = None,
    oversight: "Oversight | None" = None,
    models: "OwnModels | None" = None,
) -> App:
    """An app for these settings; with the toolsets that are wanted and a journal on stderr, unless given others.

    `oversight` is what looks after the calls of a server that others reach.
    """
    if settings.database is not None:
        from importlib.util import find_spec

        if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
            raise Misconfiguration("PostgreSQL needs its driver: install fieldguide with its extra `postgres`.")
    changes = ChangeBus()
    timer = Timer()
    journal = Journal(Metrics(), write_journal, settings.limits.journal_line_characters, timer)
    schemas: list[Schema] = []
    plain = LateDatabase(lambda: open_database(settings, schemas, journal))
    database: Database = plain
    if oversight is not None and oversight.is_audited:
        from fieldguide.team.audit import AUDIT_SCHEMA, AuditedDatabase

        database = audited = AuditedDatabase(plain)
        oversight = oversight._replace(audit=audited)
        schemas.append(AUDIT_SCHEMA)
    engine = make_cached(lambda: open_engine(settings, journal, models))
    registry = Registry()
    readiness = ToolsetReadiness()
    if toolsets is None:

        def find_tool(name: str) -> Tool:
            """Find a tool of another toolset, of those that the caller would find."""
            return registry.find(name, ACTING.get().access)

        toolsets = build_toolsets(settings, changes, database, engine, journal, find_tool, readiness)
    readiness.introduce(toolsets)
    schemas += dict.fromkeys(each.schema for each in toolsets if each.schema is not None)  # two may share one
    for each in toolsets:
        for tool in each.tools:
            if not (settings.read_only and tool.effects.writes):
                registry.register(tool._replace(toolset=each.name))
    executor = Executor(
        registry=registry,
        identity=Identity(settings.user),
        limiter=RateLimiter(limits=settings.limits),
        breakers=CircuitBreakers(),
        workers=Workers(),
        timer=timer,
        journal=journal,
        answer_tokens=settings.limits.answer_tokens,
        oversight=oversight,
    )
    protocol = _protocol(settings, toolsets, executor)
    return App(settings, toolsets, executor, protocol, changes, database, engine)


def _protocol(
    settings: Settings,
    toolsets: tuple[Toolset, ...],
    executor: Executor,
) -> Protocol:
    """The wire's methods over what the toolsets bring."""
    timer = executor.timer
    workflows = Workflows()
    return Protocol(
        tools=ToolMethods(
            executor=executor,
            workflows=workflows,
            toolsets=toolsets,
            name_mode=settings.tool_names,
            profile=choose_profile(settings.profile, toolsets, are_chosen=settings.toolsets is not None),
        ),
        resources=ResourceMethods(resources=collect_resources(toolsets), timer=timer, limits=settings.limits),
        prompts=PromptMethods(
            prompts=Prompts({each.name: each.prompts for each in toolsets}),
            workflows=workflows,
            metrics=executor.journal.metrics,
            completers={each.name: each.complete for each in toolsets if each.complete is not None},
            timer=timer,
        ),
        server=ServerMethods(
            executor=executor,
            workflows=workflows,
            instructions=partial(write_instructions, toolsets, executor.registry, settings.user),
        ),
        own_methods={method: tool for each in toolsets for method, tool in each.methods.items()},
    )


def find_own_index(settings: Settings) -> str | None:
    """The folder of the index of a project on the person's own machine; None where there is none yet, or elsewhere."""
    if settings.tenant is not None:
        return None
    from fieldguide.storage.state_folder import find_known_folder

    folder = find_known_folder(settings.project)
    return folder if folder is not None and os.path.exists(os.path.join(folder, INDEX_FILE)) else None


def open_database(settings: Settings, schemas: Sequence[Schema], journal: Journal) -> Database:
    """The database that the settings name: PostgreSQL, or SQLite in the project's state folder."""
    if settings.database is not None:
        from fieldguide.storage.postgres import PostgresDatabase

        return PostgresDatabase(
            settings.database,
            schemas,
            most_connections=settings.limits.database_connections,
            tenant=None if settings.tenant is None else find_namespace(settings),
        )
    from fieldguide.storage.sqlite import SqliteDatabase

    return SqliteDatabase(partial(_place_file, settings, DATABASE_FILE), schemas, partial(_note_storage, journal))


def _place_file(settings: Settings, name: str) -> str:
    """The path of a database file in the state folder of a project or tenant, which is made if need be."""
    from fieldguide.storage.state_folder import make_state_folder, make_tenant_folder

    folder = make_state_folder(settings.project) if settings.tenant is None else make_tenant_folder(settings.tenant)
    return os.path.join(folder, name)


def _note_storage(journal: Journal, sentence: str) -> None:
    journal.note("Storage", notice=sentence)


def open_engine(settings: Settings, journal: Journal, models: "OwnModels | None" = None) -> "SearchEngine":
    """The search engine over the index in the project's state folder, with the model that the settings name."""
    from fieldguide.search.engine import open_sqlite_engine

    path = partial(_place_file, settings, INDEX_FILE)
    note = partial(_note_storage, journal)
    wanted = settings.sections.get("search", {})
    return open_sqlite_engine(path, wanted, note, settings.limits, models, find_namespace(settings))


def register_toolsets() -> dict[str, Factory]:
    """The toolsets by name, each in the package of that name. A new one is registered here."""
    names = ("architecture", "context", "directive", "documents", "guide", "tasks")
    return {name: import_late(f"fieldguide.toolsets.{name}:toolset") for name in names}


def build_toolsets(
    settings: Settings,
    changes: ChangeBus,
    database: Database,
    engine: "Callable[[], SearchEngine]",
    journal: Journal,
    find_tool: Callable[[str], Tool] = refuse_tool,
    readiness: ToolsetReadiness | None = None,
) -> tuple[Toolset, ...]:
    """The toolsets that are wanted, sorted by name."""
    factories = register_toolsets()
    project = open_project_folder(settings)
    readiness = readiness or ToolsetReadiness()
    return tuple(
        factories[name](
            Services(
                project=project,
                settings=settings.sections.get(name, {}),
                changes=changes,
                database=database,
                engine=engine,
                note=journal.note,
                namespace=find_namespace(settings),
                find_tool=find_tool,
                user=settings.user,
                limits=settings.limits,
                ready=readiness.ready,
                is_at_work=readiness.is_at_work,
            )
        )
        for name in sorted(choose_names(settings.toolsets, settings.suggested_toolsets, factories))
    )
