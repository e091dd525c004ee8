"""What a start costs: from spawn to the first answers in wall clock and CPU time, and the memory held afterwards."""

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from statistics import median

from benchmarks import contenders, report
from benchmarks.contenders import OURS, SDK, TYPESCRIPT, Absent, Contender
from benchmarks.process_usage import cpu_seconds, resident_bytes
from benchmarks.report import Goal
from benchmarks.stdio_client import ServerError

DEFAULT_ROUNDS = 15
SETTLE_SECONDS = 0.3
MILLISECONDS = 1e3
MEBIBYTE = 2**20


@dataclass(frozen=True, slots=True)
class Start:
    """One start of one server (or the medians of many): each second counted from the spawn."""

    initialize_seconds: float
    initialize_cpu_seconds: float
    list_seconds: float
    list_cpu_seconds: float
    settled_cpu_seconds: float
    settled_resident_bytes: float
    tool_count: float


Starts = dict[str, list[Start]]
Medians = Mapping[str, Start]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cold_start", description=__doc__)
    parser.add_argument("--rounds", type=int, default=DEFAULT_ROUNDS)
    contenders.add_options(parser)
    options = parser.parse_args()
    with contenders.choose_project(options) as project:
        everyone = contenders.find_contenders(options, project=project)
        present = [server for server in everyone if isinstance(server, Contender)]
        contenders.compile_bytecode(options.python)
        try:
            starts = measure(present, rounds=options.rounds)
        except ServerError as failure:
            raise SystemExit(str(failure)) from failure
    medians = {name: summarize(samples) for name, samples in starts.items()}
    goals = judge(medians)
    print_report(everyone, medians, rounds=options.rounds)
    print(report.format_goals(goals))
    if options.json:
        servers = {
            name: {"median": asdict(medians[name]), "starts": [asdict(start) for start in samples]}
            for name, samples in starts.items()
        }
        report.write_json(options.json, benchmark="cold start", figures={"servers": servers}, goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def measure(present: Sequence[Contender], *, rounds: int) -> Starts:
    starts: Starts = {server.name: [] for server in present}
    for server in present:
        # Not counted: fills the page cache, writes the standard library's bytecode and our server's database.
        measure_start(server)
    for turn in range(rounds):
        print(f"round {turn + 1} of {rounds}", file=sys.stderr)
        for server in contenders.rotate(present, turn):
            starts[server.name].append(measure_start(server))
    return starts


def measure_start(server: Contender) -> Start:
    spawned = time.perf_counter()
    with server.start() as client:
        client.initialize()
        initialize_seconds = time.perf_counter() - spawned
        initialize_cpu_seconds = cpu_seconds(client.pid)
        client.notify_initialized()
        tools = client.request("tools/list", {})["tools"]
        list_seconds = time.perf_counter() - spawned
        list_cpu_seconds = cpu_seconds(client.pid)
        # Work that a server puts off until after its answer is still seen, here.
        time.sleep(SETTLE_SECONDS)
        return Start(
            initialize_seconds=initialize_seconds,
            initialize_cpu_seconds=initialize_cpu_seconds,
            list_seconds=list_seconds,
            list_cpu_seconds=list_cpu_seconds,
            settled_cpu_seconds=cpu_seconds(client.pid),
            settled_resident_bytes=resident_bytes(client.pid),
            tool_count=len(tools),
        )


def summarize(samples: Sequence[Start]) -> Start:
    return Start(*(median(getattr(start, field.name) for start in samples) for field in fields(Start)))


def judge(medians: Medians) -> list[Goal]:
    def goal(measure: str, field: str, rival: str, limit: float) -> Goal:
        figures = [getattr(medians[name], field) if name in medians else None for name in (OURS, rival)]
        return Goal(measure, rival, "at most", limit, report.divide(*figures))

    return [
        goal("spawn to tools/list, wall clock", "list_seconds", SDK, 0.14),
        goal("spawn to tools/list, CPU", "list_cpu_seconds", SDK, 0.11),
        goal("spawn to tools/list, wall clock", "list_seconds", TYPESCRIPT, 0.5),
        goal("spawn to tools/list, CPU", "list_cpu_seconds", TYPESCRIPT, 0.5),
        goal("memory after start", "settled_resident_bytes", SDK, 0.5),
    ]


def print_report(everyone: Sequence[Contender | Absent], medians: Medians, *, rounds: int) -> None:
    header = [
        "server, stdio",
        "tools",
        "initialize, ms",
        "CPU ms",
        "tools/list, ms",
        "CPU ms",
        f"CPU ms, {SETTLE_SECONDS:g} s later",
        "memory, MiB",
    ]
    ours = medians.get(OURS)
    rows = [[server.title, *format_start(medians[server.name], ours)] for server in everyone if server.name in medians]
    print(f"Cold start: medians of {rounds} interleaved rounds, bytecode compiled, one start of each not counted.")
    print(f"{report.describe_machine()}\n")
    print(report.format_table(header, rows), end="\n\n")
    for absent in everyone:
        if isinstance(absent, Absent):
            print(absent.describe(), end="\n\n")


def format_start(start: Start, ours: Start | None) -> list[str]:
    def cell(field: str, unit: float) -> str:
        beside = getattr(ours, field) * unit if ours else None
        return report.beside_ours(getattr(start, field) * unit, beside)

    return [
        f"{start.tool_count:.0f}",
        cell("initialize_seconds", MILLISECONDS),
        cell("initialize_cpu_seconds", MILLISECONDS),
        cell("list_seconds", MILLISECONDS),
        cell("list_cpu_seconds", MILLISECONDS),
        cell("settled_cpu_seconds", MILLISECONDS),
        cell("settled_resident_bytes", 1 / MEBIBYTE),
    ]


if __name__ == "__main__":
    sys.exit(main())
