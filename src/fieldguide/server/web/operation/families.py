"""What `/metrics` tells: of each project its calls, breakers, workers and index, of the process its traffic and itself.

The labels are few and ours: projects of the registry, tools that are served, kinds of errors, kinds of documents. No
user, no argument and no text of a project is among them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from fieldguide import __version__
from fieldguide.server.web.operation.exposition import Exposition, Labels
from fieldguide.server.web.operation.process_facts import tell_process
from fieldguide.server.web.operation.traffic import Traffic
from fieldguide.spine.executor import Executor
from fieldguide.spine.metrics import BOUNDS_MS, Measured

MOST_PROJECTS = 100
LIMITED = ("RateLimited", "QuotaSpent", "Busy")
BREAKER_PREFIX = "tool_"

Sample = tuple[Labels, float]
NO_LABELS: Labels = {}


class IndexFacts(NamedTuple):
    """How large a project's index is, when it was last brought up to date, and whether that happens now."""

    documents: Mapping[str, int]
    size_bytes: int
    synced_at: float | None
    is_at_work: bool


class Observed(NamedTuple):
    """One project as a monitor sees it. `indexed` may ask the database, and gives None where it has no answer."""

    project: str
    executor: Executor
    sent_tokens: Callable[[], Mapping[str, int]]
    indexed: Callable[[], IndexFacts | None]


class Extra(NamedTuple):
    """Further numbers of the process, such as those of a pool: a name, what it is, and how to find it out."""

    name: str
    about: str
    samples: Callable[[], Sequence[Sample]]


def plain_number(name: str, about: str, number: Callable[[], float]) -> Extra:
    """One number without labels."""
    return Extra(name, about, lambda: [(NO_LABELS, number())])


def metrics_text(projects: Sequence[Observed], traffic: Traffic, extras: Iterable[Extra] = ()) -> str:
    """One answer of `/metrics`."""
    told, shown = Exposition(), projects[:MOST_PROJECTS]
    told.gauge("fieldguide_build_info", "The version that runs.", [({"version": __version__}, 1)])
    told.gauge("fieldguide_projects", "Projects that are open in this process.", [({}, len(projects))])
    _tell_calls(told, shown)
    _tell_workers(told, shown)
    _tell_index(told, shown)
    _tell_traffic(told, traffic)
    for extra in extras:
        tell = told.counter if extra.name.endswith("_total") else told.gauge
        tell(extra.name, extra.about, extra.samples())
    tell_process(told)
    return told.text()


def _tell_calls(told: Exposition, projects: Sequence[Observed]) -> None:
    found = [({"project": each.project, "tool": one.tool}, one) for each in projects for one in _measured(each)]
    told.counter("fieldguide_calls_total", "Calls that have ended.", [(of, one.calls) for of, one in found])
    _tell_failures(told, found)
    told.histogram(
        "fieldguide_call_duration_seconds",
        "How long calls took.",
        [bound / 1000 for bound in BOUNDS_MS],
        [(of, one.within, one.milliseconds / 1000) for of, one in found],
    )
    characters = [(of, one.characters) for of, one in found]
    told.counter("fieldguide_sent_characters_total", "Characters of answers.", characters)
    sent = [({"project": each.project, "tool": tool}, many) for each in projects for tool, many in _sent(each)]
    told.gauge("fieldguide_sent_tokens", "About how many tokens the answers were.", sent)


def _tell_failures(told: Exposition, found: Sequence[tuple[Labels, Measured]]) -> None:
    failed = [({**of, "kind": kind}, many) for of, one in found for kind, many in sorted(one.errors.items())]
    told.counter("fieldguide_call_failures_total", "Calls that ended with an error, by its kind.", failed)
    limited = [(of, many) for of, many in failed if of["kind"] in LIMITED]
    about = "Calls that were too many: in a minute, in a day, or at once."
    told.counter("fieldguide_rate_limit_hits_total", about, limited)


def _measured(project: Observed) -> list[Measured]:
    return project.executor.journal.metrics.measured()


def _sent(project: Observed) -> list[tuple[str, int]]:
    return sorted(project.sent_tokens().items())


def _tell_workers(told: Exposition, projects: Sequence[Observed]) -> None:
    breakers = [
        ({"project": each.project, "tool": name.removeprefix(BREAKER_PREFIX)}, float(state == "open"))
        for each in projects
        for name, state in each.executor.breakers.states().items()
    ]
    told.gauge("fieldguide_circuit_breaker_open", "1 while a tool that kept failing rests.", breakers)
    counts = [
        ({"project": each.project, "state": state}, count) for each in projects for state, count in _workers(each)
    ]
    told.gauge("fieldguide_workers", "Threads that calls run on: all, busy, and left behind by calls given up.", counts)


def _workers(project: Observed) -> list[tuple[str, int]]:
    return [*project.executor.workers.counts().items()]


def _tell_index(told: Exposition, projects: Sequence[Observed]) -> None:
    found = [({"project": each.project}, facts) for each in projects if (facts := each.indexed()) is not None]
    told.gauge(
        "fieldguide_index_documents",
        "Documents in the index, by kind.",
        [({**of, "kind": kind}, count) for of, facts in found for kind, count in facts.documents.items()],
    )
    told.gauge("fieldguide_index_bytes", "Room that the index takes.", [(of, facts.size_bytes) for of, facts in found])
    told.gauge(
        "fieldguide_index_updating", "1 while the index is behind.", [(of, facts.is_at_work) for of, facts in found]
    )
    told.gauge(
        "fieldguide_index_synced_timestamp_seconds",
        "When the index was last brought up to date, since 1970.",
        [(of, facts.synced_at) for of, facts in found if facts.synced_at is not None],
    )


def _tell_traffic(told: Exposition, traffic: Traffic) -> None:
    bounds = traffic.bounds
    told.gauge("fieldguide_calls_running", "Calls that have a place.", [({}, bounds.running if bounds else 0)])
    told.gauge("fieldguide_calls_waiting", "Calls that wait for one.", [({}, bounds.waiting if bounds else 0)])
    away = [({"at": "queue"}, bounds.turned_away if bounds else 0), ({"at": "door"}, traffic.turned_away)]
    told.counter("fieldguide_busy_total", "Requests that were told that the server is busy or ends.", away)
    told.gauge("fieldguide_http_requests", "Requests under way.", [({}, traffic.requests)])
    told.gauge("fieldguide_http_streams", "Streams of news that clients listen on.", [({}, traffic.streams)])
    told.gauge("fieldguide_http_sessions", "Sessions of the older protocol.", [({}, traffic.sessions())])
    told.gauge("fieldguide_draining", "1 while the server comes to its end.", [({}, traffic.is_ending)])
