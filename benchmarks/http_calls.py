"""What one call costs over HTTP: a tool that does nothing, called by one client and by 32 at once.

Each client has one session on one connection that stays open. The SDK's server asks for no token and has no limits;
ours has both.
"""

import argparse
import json
import selectors
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks import clean_environment, contenders, report
from benchmarks.calls import AT_ONCE, NOOP_CALL, Concurrent, Cost, Sequential, format_cost, summarize
from benchmarks.contenders import OURS, SDK
from benchmarks.http_client import HttpClient
from benchmarks.process_usage import cpu_seconds
from benchmarks.report import Goal
from benchmarks.stdio_client import ServerError

DEFAULT_ROUNDS = 10
DEFAULT_CALLS = 100
EXIT_SECONDS = 10.0
SDK_JSON = "sdk, JSON"
TOKEN = "benchmarks-benchmarks-benchmarks-benchmarks"  # noqa: S105  it opens nothing but the server that it starts


@dataclass(frozen=True, slots=True)
class Rival:
    """A server that can be started."""

    name: str
    title: str
    command: tuple[str, ...]
    environment: dict[str, str]


class Served:
    """One server process and the clients of it; leaving the `with` block ends all."""

    def __init__(self, rival: Rival) -> None:
        self.process = subprocess.Popen(
            rival.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=rival.environment
        )
        assert self.process.stderr is not None
        lines = [""]
        while "http://" not in lines[-1]:  # log lines may come first
            lines.append(self.process.stderr.readline())
            if not lines[-1]:
                raise ServerError(f"`{' '.join(rival.command)}` says no address: {''.join(lines)}")
        url = lines[-1].split()[-1]
        self.clients = [HttpClient(url, token=TOKEN) for _ in range(AT_ONCE)]
        self.call = [client.written("tools/call", NOOP_CALL) for client in self.clients]

    def connect_anew(self) -> None:
        for client in self.clients:
            client.connect_anew()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for client in self.clients:
            client.close()
        self.process.terminate()
        try:
            self.process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.http_calls", description=__doc__)
    parser.add_argument("--rounds", type=int, default=DEFAULT_ROUNDS)
    parser.add_argument("--calls", type=int, default=DEFAULT_CALLS, help="per round, of each of the two kinds")
    contenders.add_options(parser)
    options = parser.parse_args()
    with contenders.choose_project(options) as project:
        rivals = find_rivals(options, project)
        contenders.compile_bytecode(options.python)
        try:
            costs = measure(rivals, rounds=options.rounds, calls=options.calls)
        except ServerError as failure:
            raise SystemExit(str(failure)) from failure
    goals = judge(costs)
    print_report(rivals, costs, rounds=options.rounds, calls=options.calls)
    print(report.format_goals(goals))
    if options.json:
        servers = {name: asdict(cost) for name, cost in costs.items()}
        report.write_json(options.json, benchmark="http calls", figures={"servers": servers}, goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def find_rivals(options: argparse.Namespace, project: Path) -> list[Rival]:
    environment = clean_environment("FASTMCP_")
    ours = (
        *contenders.find_noop_program(options.fieldguide),
        "serve",
        "--project",
        str(project),
        "--http",
        "127.0.0.1:0",
    )
    theirs = (str(options.python), str(contenders.SERVERS / "sdk_http.py"))
    return [
        Rival(OURS, "fieldguide (ours)", ours, {**environment, "FIELDGUIDE_TOKEN": TOKEN}),
        Rival(SDK, "official SDK, low level", theirs, environment),
        Rival(SDK_JSON, "official SDK, low level, as JSON", (*theirs, "json"), environment),
    ]


def measure(rivals: Sequence[Rival], *, rounds: int, calls: int) -> Mapping[str, Cost]:
    sequential: dict[str, list[Sequential]] = {rival.name: [] for rival in rivals}
    concurrent: dict[str, list[Concurrent]] = {rival.name: [] for rival in rivals}
    with ExitStack() as running:
        served = {rival.name: running.enter_context(Served(rival)) for rival in rivals}
        for each in served.values():
            each.connect_anew()
            check_answer(each)
            measure_sequential(each, calls=calls)
            measure_concurrent(each, calls=calls)
        for turn in range(rounds):
            print(f"round {turn + 1} of {rounds}", file=sys.stderr)
            for rival in (*rivals[turn % len(rivals) :], *rivals[: turn % len(rivals)]):
                served[rival.name].connect_anew()
                sequential[rival.name].append(measure_sequential(served[rival.name], calls=calls))
                concurrent[rival.name].append(measure_concurrent(served[rival.name], calls=calls))
    return {name: summarize(sequential[name], concurrent[name]) for name in served}


def check_answer(served: Served) -> None:
    """All servers must do the same work: the object as text and as structured content, and no error."""
    served.clients[0].send(served.call[0])
    _, body = served.clients[0].receive()
    result = json.loads(body[body.index(b"{") : body.rindex(b"}") + 1])["result"]
    value = result.get("structuredContent", {})
    if json.loads(result["content"][0]["text"]) != value or not value.get("ok"):
        raise ServerError(f"`{NOOP_CALL['name']}` answered something else: {json.dumps(result)}")


def measure_sequential(served: Served, *, calls: int) -> Sequential:
    client, call = served.clients[0], served.call[0]
    latencies = []
    cpu_before = cpu_seconds(served.process.pid)
    for _ in range(calls):
        sent = time.perf_counter()
        client.send(call)
        client.receive()
        latencies.append(time.perf_counter() - sent)
    return Sequential(latencies, (cpu_seconds(served.process.pid) - cpu_before) / calls)


def measure_concurrent(served: Served, *, calls: int) -> Concurrent:
    """Every client has a call under way until all are sent."""
    left = calls
    waiting = 0
    with selectors.DefaultSelector() as selector:
        cpu_before, began = cpu_seconds(served.process.pid), time.perf_counter()
        for client, call in zip(served.clients, served.call, strict=True):
            selector.register(client.connection, selectors.EVENT_READ, (client, call))
            if left:
                client.send(call)
                left, waiting = left - 1, waiting + 1
        while waiting:
            for key, _ in selector.select(EXIT_SECONDS):
                client, call = key.data
                if client.take() is None:
                    continue
                waiting -= 1
                if left:
                    client.send(call)
                    left, waiting = left - 1, waiting + 1
        seconds = time.perf_counter() - began
    return Concurrent(calls / seconds, (cpu_seconds(served.process.pid) - cpu_before) / calls)


def judge(costs: Mapping[str, Cost]) -> list[Goal]:
    def ratio(field: str, *, is_rate: bool = False) -> float | None:
        ours, theirs = getattr(costs[OURS], field), getattr(costs[SDK], field)
        return report.divide(theirs, ours) if is_rate else report.divide(ours, theirs)

    return [
        Goal("no-op call over HTTP, p50", SDK, "at most", 1.2, ratio("p50_seconds")),
        Goal("no-op call over HTTP, CPU", SDK, "at most", 1.2, ratio("cpu_seconds_per_call")),
        Goal(f"time per call, {AT_ONCE} clients", SDK, "at most", 1.2, ratio("calls_per_second_at_once", is_rate=True)),
        Goal(f"CPU per call, {AT_ONCE} clients", SDK, "at most", 1.2, ratio("cpu_seconds_per_call_at_once")),
    ]


def print_report(rivals: Sequence[Rival], costs: Mapping[str, Cost], *, rounds: int, calls: int) -> None:
    header = ["server, HTTP", "p50, us", "p95, us", "CPU us", f"calls/s, {AT_ONCE} clients", "CPU us"]
    rows = [[rival.title, *format_cost(costs[rival.name], costs[OURS])] for rival in rivals]
    print(f"A call that does nothing over HTTP: {rounds} interleaved rounds of {calls} calls of one client and of 32.")
    print(f"{report.describe_machine()}\n")
    print(report.format_table(header, rows), end="\n\n")


if __name__ == "__main__":
    sys.exit(main())
