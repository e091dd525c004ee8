"""The registry in the database: projects, grants, and what each replica has of them, in plain SQL."""

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from fieldguide.errors import NotFound, Refusal
from fieldguide.storage.port import Row, Transaction
from fieldguide.teams.projects.names import folded_name
from fieldguide.teams.projects.project import Copy, Grant, HostedProject

ID_BYTES = 12
GONE_HOURS = 24  # a replica that has told nothing for so long is not listed
SELECT = "SELECT id, name, root, address, branch, times_told, created_at FROM hosted_project"
REMOVING = (
    "DELETE FROM project_grant WHERE project_id = :id",
    "DELETE FROM project_copy WHERE project_id = :id",
    "DELETE FROM hosted_project WHERE id = :id",
)


class ProjectRepository:
    """The projects of a service, read and changed in one transaction; every change is a new revision."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def revision(self) -> int:
        """A number that is another after every change."""
        row = self._transaction.fetch_one("SELECT revision FROM registry_revision WHERE one = 1", {})
        return int(row["revision"]) if row else 0

    def service(self) -> str:
        """What tells this registry from any other."""
        row = self._transaction.fetch_one("SELECT service FROM registry_revision WHERE one = 1", {})
        return str(row["service"]) if row else ""

    def all(self) -> list[HostedProject]:
        """Every project, by name."""
        rows = self._transaction.fetch_all(f"{SELECT} ORDER BY folded_name", {})
        return [_project(row) for row in rows]

    def named(self, name: str) -> HostedProject:
        """The project of this name, whatever its case; NotFound where there is none."""
        sql = f"{SELECT} WHERE folded_name = :name"
        row = self._transaction.fetch_one(sql, {"name": folded_name(name)})
        if row is None:
            raise NotFound(f"There is no project {name!r}. `fieldguide projects list` names them all.", project=name)
        return _project(row)

    def add(
        self, name: str, *, root: str | None = None, address: str | None = None, branch: str | None = None
    ) -> HostedProject:
        """Take a project in, under an id that no other has or had; a Refusal where the name or the folder is taken."""
        self._changed()
        for other in self.all():
            if folded_name(other.name) == folded_name(name):
                raise Refusal(f"There is a project {other.name!r} already.", project=other.name)
            if root is not None and other.root == root:
                raise Refusal(f"This folder is the project {other.name!r} already.", project=other.name)
        new = HostedProject(f"p{os.urandom(ID_BYTES).hex()}", name, _now(), root, address, branch)
        self._transaction.execute(
            """
            INSERT INTO hosted_project (id, name, folded_name, root, address, branch, created_at)
            VALUES (:id, :name, :folded_name, :root, :address, :branch, :created_at)
            """,
            {**_given(new), "folded_name": folded_name(name)},
        )
        return new

    def remove(self, name: str) -> HostedProject:
        """Take a project out, with every grant to it."""
        project = self.named(name)
        self._changed()
        for statement in REMOVING:
            self._transaction.execute(statement, {"id": project.id})
        return project

    def tell(self, name: str) -> HostedProject:
        """Want the copies of a project fetched at once."""
        project = self.named(name)
        self._changed()
        sql = "UPDATE hosted_project SET times_told = times_told + 1 WHERE id = :id"
        self._transaction.execute(sql, {"id": project.id})
        return project._replace(times_told=project.times_told + 1)

    def grants(self) -> list[Grant]:
        """Every grant, by principal and toolset."""
        sql = "SELECT project_id, principal, toolset, may_write FROM project_grant ORDER BY principal, toolset"
        return [_grant(row) for row in self._transaction.fetch_all(sql, {})]

    def grant(self, name: str, principal: str, toolsets: Iterable[str], *, may_write: bool) -> HostedProject:
        """Let a principal read toolsets of a project, or change what they keep; in place of what it had for each."""
        project = self.named(name)
        self._changed()
        for toolset in toolsets:
            self._transaction.execute(
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
            return self._transaction.execute(sql, given)
        return sum(
            self._transaction.execute(f"{sql} AND toolset = :toolset", {**given, "toolset": each}) for each in toolsets
        )

    def copies(self) -> list[Copy]:
        """What the replicas have of the projects from git, as each told it last."""
        sql = "SELECT project_id, replica, commit_id, problem, looked_at FROM project_copy ORDER BY replica"
        return [
            Copy(row["project_id"], row["replica"], row["commit_id"], row["problem"], row["looked_at"])
            for row in self._transaction.fetch_all(sql, {})
        ]

    def note_copy(self, project_id: str, replica: str, *, commit: str, problem: str) -> None:
        """Keep what a replica has of a project; nothing where the project is gone, nor of replicas that are."""
        long_ago = _moment(datetime.now(UTC) - timedelta(hours=GONE_HOURS))
        self._transaction.execute("DELETE FROM project_copy WHERE looked_at < :long_ago", {"long_ago": long_ago})
        self._transaction.execute(
            """
            INSERT INTO project_copy (project_id, replica, commit_id, problem, looked_at)
            SELECT id, :replica, :commit, :problem, :now FROM hosted_project WHERE id = :project
            ON CONFLICT (project_id, replica)
            DO UPDATE SET commit_id = excluded.commit_id, problem = excluded.problem, looked_at = excluded.looked_at
            """,
            {"project": project_id, "replica": replica, "commit": commit, "problem": problem, "now": _now()},
        )

    def _changed(self) -> None:
        """Count a change, first of all: whoever changes the registry meanwhile waits until this one is done."""
        self._transaction.execute("UPDATE registry_revision SET revision = revision + 1 WHERE one = 1", {})


def _project(row: Row) -> HostedProject:
    return HostedProject(
        row["id"], row["name"], row["created_at"], row["root"], row["address"], row["branch"], int(row["times_told"])
    )


def _grant(row: Row) -> Grant:
    return Grant(row["project_id"], row["principal"], row["toolset"], bool(row["may_write"]))


def _given(project: HostedProject) -> Mapping[str, Any]:
    return {name: value for name, value in project._asdict().items() if name != "times_told"}


def _now() -> str:
    return _moment(datetime.now(UTC))


def _moment(when: datetime) -> str:
    return when.isoformat(timespec="seconds").replace("+00:00", "Z")
