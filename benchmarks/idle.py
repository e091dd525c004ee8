"""What a server costs while nobody asks it for anything: wake-ups and CPU time over a minute, beside the SDK's."""

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import contenders, report
from benchmarks.contenders import OURS, SDK, Contender
from benchmarks.process_usage import context_switches, cpu_seconds
from benchmarks.report import Goal

DEFAULT_SECONDS = 60.0
SETTLE_SECONDS = 15.0
START_SECONDS = 30.0
FOLDERS = 20
HTTP = "ours over HTTP"


@dataclass(frozen=True, slots=True)
class Idle:
    """How often all threads of a server were woken, and what that cost, each for one second of doing nothing."""

    switches_per_second: float
    cpu_milliseconds_per_second: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.idle", description=__doc__)
    parser.add_argument("--seconds", type=float, default=DEFAULT_SECONDS)
    contenders.add_options(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
        project = options.project or write_project(Path(folder))
        measured = dict(measure(options, project))
    print_report(measured, options.seconds)
    goals = judge(measured)
    print(report.format_goals(goals))
    if options.json:
        figures = {"seconds": options.seconds, "servers": {name: asdict(idle) for name, idle in measured.items()}}
        report.write_json(options.json, benchmark="idle", figures=figures, goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def write_project(root: Path) -> Path:
    """A project in which every toolset has something to watch, in several folders."""
    for number in range(FOLDERS):
        for path, text in (
            (f"docs/part-{number}/page.md", f"# Page {number}\n\nText.\n"),
            (f"src/module_{number}/code.py", f"def function_{number}(): ...\n"),
            (f"mcp/resources/patterns/group-{number}/pattern.md", f"# Pattern {number}\n"),
        ):
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    return root


def measure(options: argparse.Namespace, project: Path) -> Iterator[tuple[str, Idle]]:
    for server in contenders.find_contenders(options, project=project):
        if not isinstance(server, Contender) or server.name not in (OURS, SDK):
            continue
        with server.start() as client:
            client.initialize()
            client.notify_initialized()
            client.request("tools/list", {})
            yield server.name, idle_of(client.pid, options.seconds)
        if server.name == OURS:
            with served_over_http(server) as pid:
                yield HTTP, idle_of(pid, options.seconds)


def idle_of(pid: int, seconds: float) -> Idle:
    print(f"process {pid}: {SETTLE_SECONDS:.0f} s to come to rest, then {seconds:.0f} s", file=sys.stderr)
    time.sleep(SETTLE_SECONDS)
    switches, cpu = context_switches(pid), cpu_seconds(pid)
    time.sleep(seconds)
    return Idle((context_switches(pid) - switches) / seconds, (cpu_seconds(pid) - cpu) * 1e3 / seconds)


@contextmanager
def served_over_http(server: Contender) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [*server.command, "--http", f"127.0.0.1:{port}", "--no-token"]
    process = subprocess.Popen(command, env=server.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield process.pid
    finally:
        process.terminate()
        process.wait(START_SECONDS)


def wait_for(port: int) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit("The server did not begin to listen.")


def judge(measured: dict[str, Idle]) -> list[Goal]:
    """No wake-ups: less than one in ten seconds, since the kernel may have reasons of its own."""
    return [
        Goal(f"{name}: wake-ups per second", "no wake-ups", "at most", 0.1, measured[name].switches_per_second)
        for name in (OURS, HTTP)
        if name in measured
    ]


def print_report(measured: dict[str, Idle], seconds: float) -> None:
    print(f"idle for {seconds:.0f} s after {SETTLE_SECONDS:.0f} s of rest, {os.cpu_count()} CPUs\n")
    print("| server | wake-ups per second | CPU, ms per second |\n| --- | --- | --- |")
    for name, idle in measured.items():
        print(f"| {name} | {idle.switches_per_second:.2f} | {idle.cpu_milliseconds_per_second:.3f} |")
    print()


if __name__ == "__main__":
    sys.exit(main())
