"""What a look at a file and a finding cost, beside the reference servers that do the same: filesystem and memory."""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import clean_environment, report
from benchmarks.process_usage import cpu_seconds
from benchmarks.report import REPOSITORY, Goal
from benchmarks.stdio_client import StdioClient

PEERS = REPOSITORY / "benchmarks" / "servers" / "node_modules"
READ_BYTES = 50_000
LINE = "value = 1  # a line of an ordinary length, so to say\n"
A_ROUND = 20
ROUNDS = 2  # the tools take sixty findings and a hundred looks a minute
SETTLE_SECONDS = 1.5
MILLISECONDS = 1e3

Ask = Callable[[int], Any]


@dataclass(frozen=True, slots=True)
class Cost:
    """What one call took and used; the processor time of what is written after the answer included."""

    p50_seconds: float
    cpu_seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--node", default=shutil.which("node"))
    parser.add_argument("--node-modules", type=Path, default=PEERS)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    options = parser.parse_args()
    if options.node is None or not (options.node_modules / "@modelcontextprotocol").exists():
        raise SystemExit("Absent: the reference servers. `npm ci --prefix benchmarks/servers` installs them.")
    with tempfile.TemporaryDirectory(prefix=".fieldguide-benchmark-", dir=Path.cwd()) as folder:
        project = Path(folder).resolve()
        (project / "module.py").write_text(LINE * (READ_BYTES // len(LINE)))
        (project / "fieldguide.toml").write_text("[context]\nindex_code = false\n")  # it would run beside the calls
        node = (options.node, options.node_modules / "@modelcontextprotocol")
        reading = measure(_readers(project, *node), rounds=options.rounds)
        finding = measure(_finders(project, *node), rounds=options.rounds)
    goals = [
        _goal("read_file of 50 KB, p50", "server-filesystem", reading, "p50_seconds", 1.2),
        _goal("read_file of 50 KB, CPU", "server-filesystem", reading, "cpu_seconds", 1.2),
        _goal("a finding, p50", "server-memory (not durable)", finding, "p50_seconds", 2.0),
    ]
    print(report.describe_machine())
    rows = [
        [what, name, f"{cost.p50_seconds * MILLISECONDS:.2f}", f"{cost.cpu_seconds * MILLISECONDS:.2f}"]
        for what, costs in (("read 50 KB", reading), ("keep a finding", finding))
        for name, cost in costs.items()
    ]
    print(report.format_table(["what", "server, stdio", "p50, ms", "CPU ms"], rows))
    print(report.format_goals(goals))
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def measure(servers: Iterator[tuple[str, StdioClient, Ask]], *, rounds: int) -> dict[str, Cost]:
    """The cost of a call of each server, in turns of a round each."""
    with ExitStack() as stack:
        started = [(name, stack.enter_context(client), ask) for name, client, ask in servers]
        for _, client, ask in started:
            client.initialize()
            client.notify_initialized()
            ask(0)
        time.sleep(SETTLE_SECONDS)
        seconds: dict[str, list[float]] = {name: [] for name, _, _ in started}
        used = dict.fromkeys(seconds, 0.0)
        for turn in range(rounds):
            for name, client, ask in started:
                before = cpu_seconds(client.pid)
                for number in range(A_ROUND):
                    seconds[name].append(_timed(ask, 1 + turn * A_ROUND + number))
                time.sleep(SETTLE_SECONDS / 3)  # what is written beside the answers is part of the cost
                used[name] += cpu_seconds(client.pid) - before
        return {
            name: Cost(report.percentile(each, 0.5), used[name] / (rounds * A_ROUND)) for name, each in seconds.items()
        }


def _readers(project: Path, node: str, packages: Path) -> Iterator[tuple[str, StdioClient, Ask]]:
    ours = _ours(project)
    yield "fieldguide", ours, lambda _: _call(ours, "read_file", {"path": "module.py"})
    entry = packages / "server-filesystem" / "dist" / "index.js"
    theirs = StdioClient([node, str(entry), str(project)], environment=clean_environment("NODE_"))
    yield "server-filesystem", theirs, lambda _: _call(theirs, "read_text_file", {"path": f"{project}/module.py"})


def _finders(project: Path, node: str, packages: Path) -> Iterator[tuple[str, StdioClient, Ask]]:
    ours = _ours(project)
    yield (
        "fieldguide, durable and searchable",
        ours,
        lambda number: _call(ours, "guide_record", {"type": "rule", "content": f"Rule {number}: hold the lock."}),
    )
    environment = {**clean_environment("NODE_"), "MEMORY_FILE_PATH": str(project / "memory.jsonl")}
    theirs = StdioClient([node, str(packages / "server-memory" / "dist" / "index.js")], environment=environment)
    yield (
        "server-memory",
        theirs,
        lambda number: _call(
            theirs,
            "create_entities",
            {"entities": [{"name": f"Rule {number}", "entityType": "rule", "observations": ["Hold the lock."]}]},
        ),
    )


def _ours(project: Path) -> StdioClient:
    toolsets = "context,guide"
    command = [sys.executable, "-m", "fieldguide", "serve", "--project", str(project), "--toolsets", toolsets]
    return StdioClient(command, environment={**os.environ, "FIELDGUIDE_STATE": str(project / ".fieldguide-state")})


def _call(client: StdioClient, tool: str, arguments: Mapping[str, Any]) -> Any:
    answer = client.request("tools/call", {"name": tool, "arguments": arguments})
    assert not answer.get("isError"), json.dumps(answer)[:500]
    return answer


def _timed(ask: Ask, number: int) -> float:
    started = time.perf_counter()
    ask(number)
    return time.perf_counter() - started


def _goal(measure: str, beside: str, costs: Mapping[str, Cost], figure: str, limit: float) -> Goal:
    ours, theirs = (getattr(cost, figure) for cost in costs.values())
    return Goal(measure, beside, "at most", limit, report.divide(ours, theirs))


if __name__ == "__main__":
    raise SystemExit(main())
