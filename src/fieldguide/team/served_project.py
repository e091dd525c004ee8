"""One served project: its settings, toolsets, executor, protocol and databases."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.settings.config import Settings
from fieldguide.settings.consents import Ask
from fieldguide.spine.executor import Executor
from fieldguide.spine.resources import ChangeBus
from fieldguide.spine.toolset import Toolset
from fieldguide.storage.database import Database
from fieldguide.text.errors import FieldguideError
from fieldguide.toolsets.upkeep import RunningUpkeeps
from fieldguide.wire.connection import Connection, NoClient
from fieldguide.wire.protocol import Protocol

if TYPE_CHECKING:
    from fieldguide.search.engine import SearchEngine
    from fieldguide.team.replicas.sharing import ReplicaSharing


class App(NamedTuple):
    """One served project, ready for a wire, a command or a test."""

    settings: Settings
    toolsets: tuple[Toolset, ...]
    executor: Executor
    protocol: Protocol
    changes: ChangeBus
    database: Database
    engine: "Callable[[], SearchEngine]"
    sharing: "ReplicaSharing | None" = None

    @contextmanager
    def upkeep(self) -> Generator[None]:
        """Keep what the toolsets index up to date while the block runs: of several replicas one does it at a time."""
        kept = RunningUpkeeps(each.upkeep for each in self.toolsets if each.upkeep is not None)
        with kept.running() if self.sharing is None else self.sharing.keeping(kept):
            yield

    def answer(self, method: str, params: Mapping[str, Any], connection: Connection) -> dict[str, Any]:
        """The result of a request from our own process, with no client to ask; RpcError when there is none."""
        request = self.protocol.make_request(method, params, request_id=1, connection=connection, outlet=NoClient())
        try:
            return self.executor.workers.wait(partial(self.protocol.answer, request), request.cancellation)
        except FieldguideError as error:  # it was given up: its time is over
            return self.protocol.tell_error(request, error)

    def asks(self) -> list[Ask]:
        """What the project asks for that only the person can allow, and has not."""
        return [*self.settings.asks, *(ask for each in self.toolsets for ask in each.asks())]

    def shows(self) -> dict[str, Callable[..., Any]]:
        """What the toolsets show to people and no tool gives, as `toolset.name`."""
        return {f"{each.name}.{name}": show for each in self.toolsets for name, show in each.shows.items()}

    def health(self) -> dict[str, Any]:
        """Each tool's calls, failures and times, about how many tokens it sent, the breakers, the kinds of errors."""
        from fieldguide.text.tokens import estimate_tokens  # only a page and `status` need it

        metrics = self.executor.journal.metrics
        return {
            "tools": metrics.per_tool(),
            "sent_tokens": {name: estimate_tokens(*sent) for name, sent in metrics.sent().items()},
            "circuit_breakers": self.executor.breakers.states(),
            "error_kinds": metrics.error_kinds(),
        }
