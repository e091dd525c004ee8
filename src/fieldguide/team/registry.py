"""The registry of a service: its projects, the grants to principals, and the database schemas.

Every change is a new revision. A view older than half a second reads the revision first, and the whole registry only if
that has changed: so a grant or a revocation holds within half a second, and a server that can't reach the database lets
nobody in.
"""

import os
import threading
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from time import monotonic
from typing import NamedTuple

from fieldguide.git.fetch import mask_address
from fieldguide.settings.access import Access
from fieldguide.settings.config import Settings
from fieldguide.storage.database import SERVICE_FILE, Database, Row, Schema, Transaction
from fieldguide.storage.state_folder import make_private_folder
from fieldguide.text import regex as re
from fieldguide.text.errors import Misconfiguration, NotFound, Refusal, StorageFailed, shorten

LONGEST_NAME = 64
LONGEST_PRINCIPAL = 255
LONGEST_BRANCH = 200
NAME = re.compile(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*")
NOT_IN_A_BRANCH = frozenset(" ~^:?*[\\")
EVERYBODY = "*"
"""Stands for every principal with a valid token."""
EVERY_TOOLSET = "*"
ID_BYTES = 12
SELECT = "SELECT id, name, root, address, branch, times_told, created_at FROM hosted_project"
REMOVING = (
    "DELETE FROM project_grant WHERE project_id = :id",
    "DELETE FROM hosted_project WHERE id = :id",
)
FRESH_SECONDS = 0.5
SERVICE_FOLDER = "service"
TOKENS_SCHEMA = Schema("tokens", "fieldguide.team", folder="migrations/tokens")
PAGES_SCHEMA = Schema("pages", "fieldguide.team", folder="migrations/pages")
PROJECTS_SCHEMA = Schema("projects", "fieldguide.team", folder="migrations/projects")


def check_project_name(name: str) -> str:
    """A name for a project that is safe in a path; a sentence says why another is not."""
    if len(name) > LONGEST_NAME or not NAME.fullmatch(name):
        raise Misconfiguration(
            f"{shorten(name)!r} can't be the name of a project. A name has up to {LONGEST_NAME} letters a-z and "
            "digits, with single `-`, `_` or `.` between them, such as shop or shop-api."
        )
    return name


def fold_name(name: str) -> str:
    """A name as two of them are compared: without case."""
    return name.lower()


def check_principal(principal: str) -> str:
    """Whom a grant is for: the user of a token, or the subject of a JWT, letter for letter."""
    is_visible = all(unicodedata.category(each)[0] not in "CZ" or each == " " for each in principal)
    if not principal.strip() or principal != principal.strip() or len(principal) > LONGEST_PRINCIPAL or not is_visible:
        raise Misconfiguration(
            f"{shorten(principal)!r} can't be a principal. It is the user of a token or the subject of a JWT: up to "
            f"{LONGEST_PRINCIPAL} characters that can be seen."
        )
    return principal


def check_branch(branch: str) -> str:
    """The name of a branch that git can't take for anything else."""
    is_odd = any(each <= " " or each == "\x7f" or each in NOT_IN_A_BRANCH for each in branch)
    is_misread = branch.startswith(("-", "/", ".")) or branch.endswith(("/", ".", ".lock"))
    has_odd_part = branch == "@" or any(each in branch for each in ("..", "//", "@{", "/."))
    if not branch or len(branch) > LONGEST_BRANCH or is_odd or is_misread or has_odd_part:
        raise Misconfiguration(f"{shorten(branch)!r} can't be the name of a branch.")
    return branch


class HostedProject(NamedTuple):
    """One project: its name in paths, the id that its data is kept under, and where its files come from.

    It has a `root`, a folder, or an `address`, of which the server keeps a copy.
    `times_told` grows when somebody wants the copies fetched at once.
    """

    id: str
    name: str
    created_at: str
    root: str | None = None
    address: str | None = None
    branch: str | None = None
    times_told: int = 0

    @property
    def source(self) -> str:
        """Where its files come from, as it may be shown."""
        return self.root or mask_address(self.address or "")


class ProjectGrant(NamedTuple):
    """What a principal may do in a project: read a toolset, or change what it keeps as well."""

    project: str
    principal: str
    toolset: str
    may_write: bool


def combine_grants(grants: Iterable[ProjectGrant], user: str) -> Access | None:
    """What grants to a user and to everybody add up to; None where there is none, not even to look."""
    held = [each for each in grants if each.principal in (user, EVERYBODY)]
    if not held:
        return None
    readable = frozenset(each.toolset for each in held)
    writable = frozenset(each.toolset for each in held if each.may_write)
    return Access(user, _or_all(readable), _or_all(writable))


def _or_all(toolsets: frozenset[str]) -> frozenset[str] | None:
    return None if EVERY_TOOLSET in toolsets else toolsets


class ProjectRepository(NamedTuple):
    """The projects of a service, read and changed in one transaction; every change is a new revision."""

    transaction: Transaction

    def revision(self) -> int:
        """A number that is another after every change."""
        row = self.transaction.fetch_one("SELECT revision FROM registry_revision WHERE one = 1", {})
        return int(row["revision"]) if row else 0

    def service(self) -> str:
        """What tells this registry from any other."""
        row = self.transaction.fetch_one("SELECT service FROM registry_revision WHERE one = 1", {})
        return str(row["service"]) if row else ""

    def all(self) -> list[HostedProject]:
        """Every project, by name."""
        rows = self.transaction.fetch_all(f"{SELECT} ORDER BY folded_name", {})
        return [_project(row) for row in rows]

    def named(self, name: str) -> HostedProject:
        """The project of this name, whatever its case; NotFound where there is none."""
        sql = f"{SELECT} WHERE folded_name = :name"
        row = self.transaction.fetch_one(sql, {"name": fold_name(name)})
        if row is None:
            raise NotFound(
                f"There is no project {name!r}. `fieldguide team projects list` names them all.", project=name
            )
        return _project(row)

    def add(
        self, name: str, *, root: str | None = None, address: str | None = None, branch: str | None = None
    ) -> HostedProject:
        """Take a project in, under an id that no other has or had; a Refusal where the name or the folder is taken."""
        self._changed()
        for other in self.all():
            if fold_name(other.name) == fold_name(name):
                raise Refusal(f"There is a project {other.name!r} already.", project=other.name)
            if root is not None and other.root == root:
                raise Refusal(f"This folder is the project {other.name!r} already.", project=other.name)
        new = HostedProject(f"p{os.urandom(ID_BYTES).hex()}", name, _now(), root, address, branch)
        self.transaction.execute(
            """
            INSERT INTO hosted_project (id, name, folded_name, root, address, branch, created_at)
            VALUES (:id, :name, :folded_name, :root, :address, :branch, :created_at)
            """,
            {
                "id": new.id,
                "name": name,
                "folded_name": fold_name(name),
                "root": root,
                "address": address,
                "branch": branch,
                "created_at": new.created_at,
            },
        )
        return new

    def remove(self, name: str) -> HostedProject:
        """Take a project out, with every grant to it."""
        project = self.named(name)
        self._changed()
        for statement in REMOVING:
            self.transaction.execute(statement, {"id": project.id})
        return project

    def tell(self, name: str) -> HostedProject:
        """Want the copies of a project fetched at once."""
        project = self.named(name)
        self._changed()
        sql = "UPDATE hosted_project SET times_told = times_told + 1 WHERE id = :id"
        self.transaction.execute(sql, {"id": project.id})
        return project._replace(times_told=project.times_told + 1)

    def grants(self) -> list[ProjectGrant]:
        """Every grant, by principal and toolset."""
        sql = "SELECT project_id, principal, toolset, may_write FROM project_grant ORDER BY principal, toolset"
        return [
            ProjectGrant(row["project_id"], row["principal"], row["toolset"], bool(row["may_write"]))
            for row in self.transaction.fetch_all(sql, {})
        ]

    def grant(self, name: str, principal: str, toolsets: Iterable[str], *, may_write: bool) -> HostedProject:
        """Let a principal read toolsets of a project, or change what they keep; in place of what it had for each."""
        project = self.named(name)
        self._changed()
        for toolset in toolsets:
            self.transaction.execute(
                """
                INSERT INTO project_grant (project_id, principal, toolset, may_write, granted_at)
                VALUES (:project, :principal, :toolset, :may_write, :now)
                ON CONFLICT (project_id, principal, toolset)
                DO UPDATE SET may_write = excluded.may_write, granted_at = excluded.granted_at
                """,
                {
                    "project": project.id,
                    "principal": principal,
                    "toolset": toolset,
                    "may_write": int(may_write),
                    "now": _now(),
                },
            )
        return project

    def revoke(self, name: str, principal: str, toolsets: Iterable[str] | None = None) -> int:
        """Take back what a principal may do in a project, in these toolsets or in all; how many grants that were."""
        project = self.named(name)
        self._changed()
        given = {"project": project.id, "principal": principal}
        sql = "DELETE FROM project_grant WHERE project_id = :project AND principal = :principal"
        if toolsets is None:
            return self.transaction.execute(sql, given)
        return sum(
            self.transaction.execute(f"{sql} AND toolset = :toolset", {**given, "toolset": each}) for each in toolsets
        )

    def _changed(self) -> None:
        """Count a change, first of all: whoever changes the registry meanwhile waits until this one is done."""
        self.transaction.execute("UPDATE registry_revision SET revision = revision + 1 WHERE one = 1", {})


def _project(row: Row) -> HostedProject:
    return HostedProject(
        row["id"], row["name"], row["created_at"], row["root"], row["address"], row["branch"], int(row["times_told"])
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


class RegistrySnapshot(NamedTuple):
    """The registry at one revision."""

    revision: int
    projects: Mapping[str, HostedProject]
    grants: Mapping[tuple[str, str], Sequence[ProjectGrant]]
    """By project and principal."""

    def project(self, name: str) -> HostedProject | None:
        """The project of this name, whatever its case."""
        return self.projects.get(fold_name(name))

    def admitted(self, name: str, user: str) -> tuple[HostedProject, Access] | None:
        """The project of this name with what a user may do there; None: there is none for this user."""
        project = self.projects.get(fold_name(name))
        of = "" if project is None else project.id
        held = [*self.grants.get((of, user), ()), *self.grants.get((of, EVERYBODY), ())]
        access = combine_grants(held, user)
        return None if project is None or access is None else (project, access)


class RegistryView:
    """The latest picture, for any thread."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = monotonic) -> None:
        self._database = database
        self._clock = clock
        self._looking = threading.Lock()
        self._latest: tuple[float, RegistrySnapshot] | None = None
        self._failed_at: float | None = None

    def at_hand(self) -> RegistrySnapshot | None:
        """The picture, where it is fresh: without a look at the database."""
        latest = self._latest
        return latest[1] if latest is not None and self._clock() - latest[0] < FRESH_SECONDS else None

    def current(self) -> RegistrySnapshot:
        """The picture, looked at again where it is not fresh; StorageFailed when it can't be."""
        with self._looking:
            picture = self.at_hand()
            if picture is not None:
                return picture
            if self._failed_at is not None and self._clock() - self._failed_at < FRESH_SECONDS:
                raise StorageFailed("The database was not there a moment ago.")  # those who waited don't wait again
            try:
                return self._look()
            except StorageFailed:
                self._failed_at = self._clock()
                raise

    def _look(self) -> RegistrySnapshot:
        began = self._clock()  # what changes while we read is seen by the next look
        with self._database.reading() as transaction:
            repository = ProjectRepository(transaction)
            revision = repository.revision()
            if self._latest is not None and self._latest[1].revision == revision:
                picture = self._latest[1]
            else:
                grants: dict[tuple[str, str], list[ProjectGrant]] = {}
                for each in repository.grants():
                    grants.setdefault((each.project, each.principal), []).append(each)
                projects = {fold_name(each.name): each for each in repository.all()}
                picture = RegistrySnapshot(revision, projects, grants)
        self._latest = (began, picture)
        return picture


def open_service_database(
    settings: Settings, schemas: Sequence[Schema], tell: Callable[[str], None], *, has_tenants: bool = False
) -> Database:
    """The database that keeps these schemas for the whole service; it is met when it is first needed.

    Where it `has_tenants`, projects that work in PostgreSQL behind walls, these must be there from the start.
    """
    if settings.database is not None:
        from fieldguide.storage.postgres import PostgresDatabase

        return PostgresDatabase(
            settings.database,
            schemas,
            most_connections=settings.limits.database_connections,
            has_tenants=has_tenants,
        )
    from fieldguide.storage.sqlite import SqliteDatabase

    return SqliteDatabase(lambda: os.path.join(make_private_folder(SERVICE_FOLDER), SERVICE_FILE), schemas, tell)
