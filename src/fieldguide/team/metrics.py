"""Writes `/metrics` in the text format of Prometheus.

Labels are only projects of the registry, served tools, kinds of errors and kinds of documents; never a user, an
argument or a text of a project.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide import __version__
from fieldguide.settings.config import find_namespace
from fieldguide.spine.journal import BOUNDS_MS, ToolMetrics
from fieldguide.storage.database import Transaction
from fieldguide.text.errors import FieldguideError
from fieldguide.toolsets.upkeep import LateUpkeep
from fieldguide.wire.http_guard import RequestTraffic

if TYPE_CHECKING:
    from fieldguide.app import App

Labels = Mapping[str, str]
KINDS = ("architecture", "code", "documents")
SYNCED = "SELECT MAX(synced_at) AS at FROM search_source WHERE kind IN (:architecture, :code, :documents)"
ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", '"': '\\"'})
LONGEST_LABEL = 200
STATUS = "/proc/self/status"
FILES = "/proc/self/fd"
STARTED = time.time()
KILOBYTE = 1024
MOST_PROJECTS = 100
LIMITED = ("RateLimited", "Busy")
BREAKER_PREFIX = "tool_"

Sample = tuple[Labels, float]


class PrometheusText:
    """The text of one answer of `/metrics`; a family is named once, and its samples stand together."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def family(self, name: str, about: str, samples: Iterable[Sample]) -> None:
        """Numbers of one name: a counter, which only goes up, where that ends with `_total`, else a gauge."""
        self._head(name, "counter" if name.endswith("_total") else "gauge", about)
        for labels, value in samples:
            self._sample(name, labels, value)

    def histogram(
        self, name: str, about: str, bounds: Iterable[float], samples: Iterable[tuple[Labels, Sequence[int], float]]
    ) -> None:
        """How often something took how long: for each the counts between the bounds, and the sum of all."""
        self._head(name, "histogram", about)
        shown = [*map(_number, bounds), "+Inf"]
        for labels, within, total in samples:
            seen = 0
            for bound, count in zip(shown, within, strict=True):
                seen += count
                self._sample(f"{name}_bucket", {**labels, "le": bound}, seen)
            self._sample(f"{name}_sum", labels, total)
            self._sample(f"{name}_count", labels, seen)

    def text(self) -> str:
        """All of it."""
        return "".join(f"{line}\n" for line in self._lines)

    def _head(self, name: str, kind: str, about: str) -> None:
        self._lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]

    def _sample(self, name: str, labels: Labels, value: float) -> None:
        pairs: list[str] = []
        for key, text in labels.items():
            escaped = text[:LONGEST_LABEL].encode("utf-8", "replace").decode().translate(ESCAPES)
            pairs.append(f'{key}="{escaped}"')
        written = f"{{{','.join(pairs)}}}" if pairs else ""
        self._lines.append(f"{name}{written} {_number(value)}")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))


def write_process_metrics(told: PrometheusText) -> None:
    """The families that every program has, under the names that monitors know."""
    import resource  # a system without it has no such server

    used = resource.getrusage(resource.RUSAGE_SELF)
    told.family("process_cpu_seconds_total", "Processor time.", [({}, used.ru_utime + used.ru_stime)])
    told.family("process_start_time_seconds", "When the process began, since 1970.", [({}, round(STARTED, 3))])
    told.family("process_threads", "Threads of Python.", [({}, threading.active_count())])
    told.family("process_resident_memory_bytes", "Memory that is in use.", [({}, _memory(used.ru_maxrss))])
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    told.family("process_max_fds", "Files that may be open.", [({}, limit)])
    with suppress(OSError):
        told.family("process_open_fds", "Files that are open.", [({}, len(os.listdir(FILES)))])


def _memory(most: int) -> int:
    """The memory that is in use now; where the system does not say it, the most that ever was."""
    with suppress(OSError, StopIteration, ValueError), open(STATUS, encoding="ascii", errors="replace") as status:
        return int(next(line for line in status if line.startswith("VmRSS:")).split()[1]) * KILOBYTE
    return most if sys.platform == "darwin" else most * KILOBYTE


class ObservedProject(NamedTuple):
    """One project as a monitor sees it."""

    project: str
    app: "App"


class ExtraMetric(NamedTuple):
    """Further numbers of the process, such as those of a pool: a name, what it is, and how to find it out."""

    name: str
    about: str
    samples: Callable[[], Sequence[Sample]]


def write_metrics(
    projects: Sequence[ObservedProject], traffic: RequestTraffic, extras: Iterable[ExtraMetric] = ()
) -> str:
    """One answer of `/metrics`."""
    told = PrometheusText()
    shown = projects[:MOST_PROJECTS]
    told.family("fieldguide_build_info", "The version that runs.", [({"version": __version__}, 1)])
    told.family("fieldguide_projects", "Projects that are open in this process.", [({}, len(projects))])
    _tell_calls(told, shown)
    _tell_workers(told, shown)
    _tell_index(told, shown)
    _tell_traffic(told, traffic)
    for extra in extras:
        told.family(extra.name, extra.about, extra.samples())
    write_process_metrics(told)
    return told.text()


def _tell_calls(told: PrometheusText, projects: Sequence[ObservedProject]) -> None:
    found: list[tuple[Labels, ToolMetrics]] = []
    sent: list[Sample] = []
    for each in projects:
        measured = each.app.executor.journal.metrics.measured()
        found += [({"project": each.project, "tool": one.tool}, one) for one in measured]
        sent += [
            ({"project": each.project, "tool": tool}, many)
            for tool, many in sorted(each.app.health()["sent_tokens"].items())
        ]
    told.family("fieldguide_calls_total", "Calls that have ended.", [(of, one.calls) for of, one in found])
    failed = [({**of, "kind": kind}, many) for of, one in found for kind, many in sorted(one.errors.items())]
    told.family("fieldguide_call_failures_total", "Calls that ended with an error, by its kind.", failed)
    limited = [(of, many) for of, many in failed if of["kind"] in LIMITED]
    about = "Calls that were too many: in a minute, or at once."
    told.family("fieldguide_rate_limit_hits_total", about, limited)
    told.histogram(
        "fieldguide_call_duration_seconds",
        "How long calls took.",
        [bound / 1000 for bound in BOUNDS_MS],
        [(of, one.within, one.milliseconds / 1000) for of, one in found],
    )
    characters = [(of, one.characters) for of, one in found]
    told.family("fieldguide_sent_characters_total", "Characters of answers.", characters)
    told.family("fieldguide_sent_tokens", "About how many tokens the answers were.", sent)


def _tell_workers(told: PrometheusText, projects: Sequence[ObservedProject]) -> None:
    breakers: list[Sample] = []
    counts: list[Sample] = []
    for each in projects:
        for name, state in each.app.executor.breakers.states().items():
            labels = {"project": each.project, "tool": name.removeprefix(BREAKER_PREFIX)}
            breakers.append((labels, float(state == "open")))
        for state, count in each.app.executor.workers.counts().items():
            counts.append(({"project": each.project, "state": state}, count))
    told.family("fieldguide_circuit_breaker_open", "1 while a tool that kept failing rests.", breakers)
    told.family(
        "fieldguide_workers", "Threads that calls run on: all, busy, and left behind by calls given up.", counts
    )


def count_documents(app: "App") -> dict[str, int]:
    """How many documents of each kind a project's index holds."""
    engine = app.engine()
    counts: dict[str, int] = {}
    for kind in KINDS:
        counts[kind] = sum(source.documents for source in engine.sources(kind))
    return counts


def _tell_index(told: PrometheusText, projects: Sequence[ObservedProject]) -> None:
    """How large each index is that answers, when it was last brought up to date, and whether it is behind."""
    documents: list[Sample] = []
    sizes: list[Sample] = []
    updating: list[Sample] = []
    synced: list[Sample] = []
    for project, app in projects:
        labels = {"project": project}
        try:
            engine = app.engine()
            counts = count_documents(app)
            with engine.database.reading() as transaction:
                size = engine.index.size_bytes(transaction)
                at = _read_synced(transaction, find_namespace(app.settings))
        except FieldguideError:
            continue
        upkeeps: list[Any] = [each.upkeep for each in app.toolsets]
        is_at_work = any(each.is_at_work() for each in upkeeps if isinstance(each, LateUpkeep))
        documents += [({**labels, "kind": kind}, count) for kind, count in counts.items()]
        sizes.append((labels, size))
        updating.append((labels, is_at_work))
        if at is not None:
            synced.append((labels, at))
    told.family("fieldguide_index_documents", "Documents in the index, by kind.", documents)
    told.family("fieldguide_index_bytes", "Room that the index takes.", sizes)
    told.family("fieldguide_index_updating", "1 while the index is behind.", updating)
    about = "When the index was last brought up to date, since 1970."
    told.family("fieldguide_index_synced_timestamp_seconds", about, synced)


def _read_synced(transaction: Transaction, namespace: str) -> float | None:
    row = transaction.fetch_one(SYNCED, {kind: namespace + kind for kind in KINDS})
    at: str | None = None if row is None else row["at"]
    return None if at is None else datetime.fromisoformat(at).timestamp()


def _tell_traffic(told: PrometheusText, traffic: RequestTraffic) -> None:
    bounds = traffic.bounds
    told.family("fieldguide_calls_running", "Calls that have a place.", [({}, bounds.running if bounds else 0)])
    told.family("fieldguide_calls_waiting", "Calls that wait for one.", [({}, bounds.waiting if bounds else 0)])
    away = [({"at": "queue"}, bounds.turned_away if bounds else 0), ({"at": "door"}, traffic.turned_away)]
    told.family("fieldguide_busy_total", "Requests that were told that the server is busy or ends.", away)
    told.family("fieldguide_http_requests", "Requests under way.", [({}, traffic.requests)])
    told.family("fieldguide_http_sessions", "Sessions of the older protocol.", [({}, traffic.sessions())])
    told.family("fieldguide_draining", "1 while the server comes to its end.", [({}, traffic.is_ending)])
