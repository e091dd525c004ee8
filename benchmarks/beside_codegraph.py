"""What an index from nothing costs beside `codegraph init`: CPU, wall clock and memory on nine public repositories.

    npm install --prefix TOOLS @colbymchenry/codegraph
    python -m benchmarks.beside_codegraph --checkouts FOLDER --codegraph TOOLS/node_modules/.bin/codegraph

FOLDER holds a clone of each repository under its own name. Both tools index each of them in turn, and the median of the
rounds counts. `fieldguide index` reads code, documents and git history and makes vectors; `codegraph init` reads code.
The memory is the largest sum of what all processes of a tool had at one moment, shared pages counted once. Nothing is
sent: CodeGraph's telemetry and its background process are off.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import clean_environment, report
from benchmarks.report import Goal

# fmt: off
REPOSITORIES = (
    "click", "datasette", "alertmanager", "redux-toolkit", "cometbft", "helix", "micrometer", "lexical", "thanos",
)
# fmt: on
ROUNDS = 2
MOST_CPU = 1.0
MOST_WALL = 0.8
MOST_MEMORY = 0.25
MOST_SECONDS = 900.0
SAMPLE_SECONDS = 0.05
MEGABYTE = 1e6
BYTES_PER_KIB = 1024
SAME_SHARE = 0.01  # of memory, by which two looks at the same differ
THEIR_FOLDER = ".codegraph"
FIELDGUIDE = Path(sys.executable).parent / "fieldguide"


@dataclass(frozen=True, slots=True)
class Run:
    """One indexing of one repository."""

    cpu_seconds: float
    wall_seconds: float
    peak_megabytes: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beside_codegraph", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--checkouts", type=Path, required=True, metavar="FOLDER", help="holds the nine clones")
    parser.add_argument("--codegraph", type=Path, required=True, help="their command")
    parser.add_argument("--fieldguide", type=Path, default=FIELDGUIDE, help="our command")
    parser.add_argument("--only", nargs="+", choices=REPOSITORIES, default=REPOSITORIES, metavar="NAME")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    options = parser.parse_args()
    runs: dict[str, dict[str, list[Run]]] = {name: {"codegraph": [], "fieldguide": []} for name in options.only}
    for number in range(options.rounds):
        for name in options.only:
            checkout = (options.checkouts / name).resolve(strict=True)
            runs[name]["codegraph"].append(index_with_codegraph(checkout, options.codegraph.resolve(strict=True)))
            runs[name]["fieldguide"].append(index_with_fieldguide(checkout, options.fieldguide.absolute()))
            _show_round(number + 1, name, runs[name])
    medians = {name: {tool: take_medians(each) for tool, each in tools.items()} for name, tools in runs.items()}
    goals = [*judge(medians)]
    print(f"{report.describe_machine()}\n")
    print(_format(medians), end="\n\n")
    print(report.format_goals(goals))
    if options.json:
        figures = {name: {tool: [asdict(run) for run in each] for tool, each in runs[name].items()} for name in runs}
        report.write_json(options.json, benchmark="beside codegraph", figures={"runs": figures}, goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def index_with_codegraph(checkout: Path, command: Path) -> Run:
    """One `codegraph init`; its folder in the checkout is removed before and after."""
    shutil.rmtree(checkout / THEIR_FOLDER, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="beside-codegraph-") as home:
        quiet = {"CODEGRAPH_TELEMETRY": "0", "CODEGRAPH_NO_DAEMON": "1", "DO_NOT_TRACK": "1", "CI": "1"}
        environment = {**clean_environment("NODE_", "CODEGRAPH_"), "HOME": home, **quiet}
        try:
            return measure([str(command), "init", str(checkout)], environment)
        finally:
            shutil.rmtree(checkout / THEIR_FOLDER, ignore_errors=True)


def index_with_fieldguide(checkout: Path, command: Path) -> Run:
    """One `fieldguide index` with a state folder of its own."""
    with tempfile.TemporaryDirectory(prefix="beside-codegraph-") as home:
        environment = {**clean_environment(), "HOME": home, "FIELDGUIDE_STATE": str(Path(home) / "state")}
        return measure([str(command), "index", "--project", str(checkout)], environment)


def measure(command: Sequence[str], environment: dict[str, str]) -> Run:
    """Run a command to its end; a failure stops the measurement."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, env=environment, cwd="/", stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        memory = PeakMemory(process.pid)
        deadline = threading.Timer(MOST_SECONDS, process.kill)
        deadline.start()
        try:
            _, status, used = os.wait4(process.pid, 0)
        finally:
            deadline.cancel()
            wall_seconds = time.perf_counter() - began
            memory.stop()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{output.read()[-2000:].decode(errors='replace')}")
    return Run(used.ru_utime + used.ru_stime, wall_seconds, memory.peak_bytes / MEGABYTE)


class PeakMemory:
    """Looks again and again at the memory of a process and all of its descendants."""

    def __init__(self, pid: int) -> None:
        self.peak_bytes = 0
        self._pid = pid
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._stopped.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stopped.wait(SAMPLE_SECONDS):
            self.peak_bytes = max(self.peak_bytes, sum_proportional_bytes(self._pid))


def sum_proportional_bytes(pid: int, above: tuple[bytes, int] = (b"", 0)) -> int:
    """The memory of a process and its descendants; of a page that several processes share, each has its part.

    A process that has not become its own program yet has all the memory of its parent, and tells it as its own, too.
    """
    with suppress(OSError, ValueError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        told = Path(f"/proc/{pid}/smaps_rollup").read_text()
        resident, own = (int(each) * BYTES_PER_KIB for each in re.findall(r"^(?:Rss|Pss): +(\d+)", told, re.MULTILINE))
        if command == above[0] and abs(resident - above[1]) < SAME_SHARE * resident:
            own = 0
        below = "".join(each.read_text() for each in Path(f"/proc/{pid}/task").glob("*/children")).split()
        return own + sum(sum_proportional_bytes(int(child), (command, resident)) for child in below)
    return 0


def take_medians(runs: Sequence[Run]) -> Run:
    """The median of each figure."""
    figures: dict[str, Any] = {name: median(getattr(run, name) for run in runs) for name in Run.__slots__}
    return Run(**figures)


def judge(medians: dict[str, dict[str, Run]]) -> Iterator[Goal]:
    """CPU over all repositories, wall clock and memory on each."""
    totals = {tool: sum(each[tool].cpu_seconds for each in medians.values()) for tool in ("fieldguide", "codegraph")}
    ratio = report.divide(totals["fieldguide"], totals["codegraph"])
    yield Goal("CPU, all repositories", "codegraph init", "at most", MOST_CPU, ratio)
    for figure, limit in (("cpu_seconds", MOST_CPU), ("wall_seconds", MOST_WALL), ("peak_megabytes", MOST_MEMORY)):
        for name, tools in medians.items():
            ratio = report.divide(getattr(tools["fieldguide"], figure), getattr(tools["codegraph"], figure))
            yield Goal(f"{figure} of {name}", "codegraph init", "at most", limit, ratio)


def _format(medians: dict[str, dict[str, Run]]) -> str:
    rows: list[list[str]] = []
    for name, tools in medians.items():
        ours, theirs = tools["fieldguide"], tools["codegraph"]
        cells = [name]
        for figure in Run.__slots__:
            mine, other = getattr(ours, figure), getattr(theirs, figure)
            digits = 0 if figure == "peak_megabytes" else 1
            cells.append(f"{other:.{digits}f} / {mine:.{digits}f} = {mine / other:.2f}")
        rows.append(cells)
    return report.format_table(["codegraph / ours = ratio", "CPU s", "wall s", "peak MB"], rows)


def _show_round(number: int, name: str, tools: dict[str, list[Run]]) -> None:
    """The figures as they come: all of it takes minutes."""
    for tool, runs in tools.items():
        run = runs[-1]
        said = f"{run.cpu_seconds:6.1f} CPU s {run.wall_seconds:6.1f} s {run.peak_megabytes:6.0f} MB"
        print(f"round {number} {name:14} {tool:11}{said}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
