"""What a server remembers from call to call: in its own process, or where every replica of a service finds it."""

from typing import TYPE_CHECKING, NamedTuple

from fieldguide.config import Settings
from fieldguide.server.sealed_state import OwnKey, SealingKeys
from fieldguide.spine.changes import Changes
from fieldguide.spine.rate_limit import Limiter, RateLimiter
from fieldguide.spine.workflow import Workflows, WorkflowStore
from fieldguide.storage.port import Database, Schema

if TYPE_CHECKING:  # a driver of a database, which most servers do without
    from fieldguide.teams.replicas.exchange import Exchange
    from fieldguide.teams.replicas.sharing import Sharing


class Memory(NamedTuple):
    """The workflows, the keys that seal, and who counts calls; `sharing` where other replicas share them."""

    workflows: WorkflowStore
    keys: SealingKeys
    limiter: Limiter
    sharing: "Sharing | None" = None

    @property
    def schemas(self) -> list[Schema]:
        """What is kept of it in the database."""
        return [] if self.sharing is None else [self.sharing.schema]


def remembering(
    settings: Settings, database: Database, namespace: str, changes: Changes, exchange: "Exchange | None" = None
) -> Memory:
    """The memory of one project: shared where it is served over HTTP on PostgreSQL, else this process's own.

    `exchange` is what a process that serves many projects has with the other replicas already.
    """
    found = exchange or (None if settings.http is None else exchange_of(settings.database))
    if found is None:
        return Memory(Workflows(), OwnKey(), RateLimiter(limits=settings.limits))
    from fieldguide.teams.replicas.sharing import Sharing

    sharing = Sharing(found, database, namespace, changes, settings.limits)
    return Memory(sharing.workflows, sharing.keys, sharing.limiter, sharing)


def exchange_of(address: str | None) -> "Exchange | None":
    """What this process has with the other replicas of a database, once for all projects; None without PostgreSQL."""
    if address is None:
        return None
    from fieldguide.teams.replicas.exchange import Exchange

    return Exchange(address)
