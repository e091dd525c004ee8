"""The registry as one process sees it: read whole, asked for every request, and never older than half a second.

A change of the registry is a new revision. Whoever asks when the last look is older than that looks at the revision
first, and at everything where it is another: so a grant or a revocation holds on every replica within half a second,
and a replica that can't reach the database lets nobody in.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import NamedTuple

from fieldguide.errors import StorageFailed
from fieldguide.spine.callers.access import Access
from fieldguide.storage.port import Database
from fieldguide.teams.projects.names import folded_name
from fieldguide.teams.projects.project import EVERYBODY, Grant, HostedProject, access_of
from fieldguide.teams.projects.repository import ProjectRepository

FRESH_SECONDS = 0.5


class Picture(NamedTuple):
    """The registry at one revision."""

    revision: int
    projects: Mapping[str, HostedProject]
    grants: Mapping[tuple[str, str], Sequence[Grant]]
    """By project and principal."""

    def project(self, name: str) -> HostedProject | None:
        """The project of this name, whatever its case."""
        return self.projects.get(folded_name(name))

    def admitted(self, name: str, user: str) -> tuple[HostedProject, Access] | None:
        """The project of this name with what a user may do there; None: there is none for this user."""
        project = self.projects.get(folded_name(name))
        of = "" if project is None else project.id
        held = [*self.grants.get((of, user), ()), *self.grants.get((of, EVERYBODY), ())]
        access = access_of(held, user)
        return None if project is None or access is None else (project, access)


class RegistryView:
    """The latest picture, for any thread."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = monotonic) -> None:
        self._database = database
        self._clock = clock
        self._looking = threading.Lock()
        self._latest: tuple[float, Picture] | None = None
        self._failed_at: float | None = None

    def at_hand(self) -> Picture | None:
        """The picture, where it is fresh: without a look at the database."""
        latest = self._latest
        return latest[1] if latest is not None and self._clock() - latest[0] < FRESH_SECONDS else None

    def current(self) -> Picture:
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

    def _look(self) -> Picture:
        began = self._clock()  # what changes while we read is seen by the next look
        before = None if self._latest is None else self._latest[1]
        with self._database.reading() as transaction:
            repository = ProjectRepository(transaction)
            revision = repository.revision()
            picture = before if before is not None and before.revision == revision else _read(repository, revision)
        self._latest = (began, picture)
        return picture


def _read(repository: ProjectRepository, revision: int) -> Picture:
    grants: dict[tuple[str, str], list[Grant]] = {}
    for each in repository.grants():
        grants.setdefault((each.project, each.principal), []).append(each)
    return Picture(revision, {folded_name(each.name): each for each in repository.all()}, grants)
