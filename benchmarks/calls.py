"""What one call costs beyond its tool: a tool that does nothing, called one after another and 32 at once."""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from benchmarks import contenders, report
from benchmarks.contenders import OURS, SDK, TYPESCRIPT, Absent, Contender
from benchmarks.process_usage import cpu_seconds
from benchmarks.report import Goal
from benchmarks.stdio_client import ServerError, StdioClient

DEFAULT_ROUNDS = 15
DEFAULT_CALLS = 200
WARM_UP_CALLS = 200
AT_ONCE = 32
MICROSECONDS = 1e6
NOOP_CALL = {"name": "noop", "arguments": {}}


@dataclass(frozen=True, slots=True)
class Sequential:
    """One round of calls one after another."""

    latencies_seconds: list[float]
    cpu_seconds_per_call: float


@dataclass(frozen=True, slots=True)
class Concurrent:
    """One round of calls with 32 always under way."""

    calls_per_second: float
    cpu_seconds_per_call: float


@dataclass(frozen=True, slots=True)
class Cost:
    """A server's figures over all rounds."""

    p50_seconds: float
    p95_seconds: float
    cpu_seconds_per_call: float
    calls_per_second_at_once: float
    cpu_seconds_per_call_at_once: float


Costs = Mapping[str, Cost]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calls", description=__doc__)
    parser.add_argument("--rounds", type=int, default=DEFAULT_ROUNDS)
    parser.add_argument("--calls", type=int, default=DEFAULT_CALLS, help="per round, of each of the two kinds")
    contenders.add_options(parser)
    options = parser.parse_args()
    with contenders.choose_project(options) as project:
        everyone = contenders.find_contenders(options, project=project)
        present = [contenders.with_noop_toolset(server) for server in everyone if isinstance(server, Contender)]
        contenders.compile_bytecode(options.python)
        try:
            costs = measure(present, rounds=options.rounds, calls=options.calls)
        except ServerError as failure:
            raise SystemExit(str(failure)) from failure
    goals = judge(costs)
    print_report(everyone, costs, rounds=options.rounds, calls=options.calls)
    print(report.format_goals(goals))
    if options.json:
        servers = {name: asdict(cost) for name, cost in costs.items()}
        report.write_json(options.json, benchmark="calls", figures={"servers": servers}, goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def measure(present: Sequence[Contender], *, rounds: int, calls: int) -> Costs:
    sequential: dict[str, list[Sequential]] = {server.name: [] for server in present}
    concurrent: dict[str, list[Concurrent]] = {server.name: [] for server in present}
    with ExitStack() as running:
        clients = {server.name: running.enter_context(server.start()) for server in present}
        for client in clients.values():
            warm_up(client)
        for turn in range(rounds):
            print(f"round {turn + 1} of {rounds}", file=sys.stderr)
            for server in contenders.rotate(present, turn):
                client = clients[server.name]
                sequential[server.name].append(measure_sequential(client, calls=calls))
                concurrent[server.name].append(measure_concurrent(client, calls=calls))
    return {name: summarize(sequential[name], concurrent[name]) for name in clients}


def warm_up(client: StdioClient) -> None:
    client.initialize()
    client.notify_initialized()
    check_answer(client.request("tools/call", NOOP_CALL))
    measure_sequential(client, calls=WARM_UP_CALLS)
    measure_concurrent(client, calls=WARM_UP_CALLS)


def check_answer(result: Mapping[str, Any]) -> None:
    """All servers must do the same work: the object as text and as structured content."""
    expected = {"ok": True}
    if json.loads(result["content"][0]["text"]) != expected or result.get("structuredContent") != expected:
        raise ServerError(f"`noop` answered something else: {json.dumps(result)}")


def measure_sequential(client: StdioClient, *, calls: int) -> Sequential:
    latencies = []
    cpu_before = cpu_seconds(client.pid)
    for _ in range(calls):
        sent = time.perf_counter()
        client.request("tools/call", NOOP_CALL)
        latencies.append(time.perf_counter() - sent)
    return Sequential(latencies, (cpu_seconds(client.pid) - cpu_before) / calls)


def measure_concurrent(client: StdioClient, *, calls: int) -> Concurrent:
    waiting: set[int] = set()
    cpu_before, began = cpu_seconds(client.pid), time.perf_counter()
    for _ in range(calls):
        if len(waiting) == AT_ONCE:
            waiting.remove(client.receive()[0])
        waiting.add(client.submit("tools/call", NOOP_CALL))
    while waiting:
        waiting.remove(client.receive()[0])
    seconds = time.perf_counter() - began
    return Concurrent(calls / seconds, (cpu_seconds(client.pid) - cpu_before) / calls)


def summarize(sequential: Sequence[Sequential], concurrent: Sequence[Concurrent]) -> Cost:
    latencies = [seconds for one in sequential for seconds in one.latencies_seconds]
    return Cost(
        p50_seconds=report.percentile(latencies, 0.50),
        p95_seconds=report.percentile(latencies, 0.95),
        cpu_seconds_per_call=median(one.cpu_seconds_per_call for one in sequential),
        calls_per_second_at_once=median(one.calls_per_second for one in concurrent),
        cpu_seconds_per_call_at_once=median(one.cpu_seconds_per_call for one in concurrent),
    )


def judge(costs: Costs) -> list[Goal]:
    def ratio(field: str, rival: str = SDK) -> float | None:
        return report.divide(*(getattr(costs[name], field) if name in costs else None for name in (OURS, rival)))

    return [
        Goal("no-op call, p50", SDK, "at most", 0.25, ratio("p50_seconds")),
        Goal("no-op call, p50", TYPESCRIPT, "at most", 1.0, ratio("p50_seconds", TYPESCRIPT)),
        Goal(f"calls per second, {AT_ONCE} at once", SDK, "at least", 4.0, ratio("calls_per_second_at_once")),
    ]


def print_report(everyone: Sequence[Contender | Absent], costs: Costs, *, rounds: int, calls: int) -> None:
    header = ["server, stdio", "p50, us", "p95, us", "CPU us", f"calls/s, {AT_ONCE} at once", "CPU us"]
    ours = costs.get(OURS)
    rows = [[server.title, *format_cost(costs[server.name], ours)] for server in everyone if server.name in costs]
    print(f"A call that does nothing: {rounds} interleaved rounds of {calls} calls one by one and {calls} at once.")
    print(f"{report.describe_machine()}\n")
    print(report.format_table(header, rows), end="\n\n")
    for absent in everyone:
        if isinstance(absent, Absent):
            print(absent.describe(), end="\n\n")


def format_cost(cost: Cost, ours: Cost | None) -> list[str]:
    def cell(field: str, unit: float) -> str:
        beside = getattr(ours, field) * unit if ours else None
        return report.beside_ours(getattr(cost, field) * unit, beside)

    return [
        cell("p50_seconds", MICROSECONDS),
        cell("p95_seconds", MICROSECONDS),
        cell("cpu_seconds_per_call", MICROSECONDS),
        cell("calls_per_second_at_once", 1),
        cell("cpu_seconds_per_call_at_once", MICROSECONDS),
    ]


if __name__ == "__main__":
    sys.exit(main())
