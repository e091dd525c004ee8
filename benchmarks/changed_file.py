"""What one changed file costs beside a look at everything: CPU time of a pass, for documents, code and architecture."""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import report
from benchmarks.report import Goal
from fieldguide.app import App, build_app
from fieldguide.files.watch import WatchedChanges
from fieldguide.settings.config import read_settings

DEFAULT_FILES = 5_000
DEFAULT_ROUNDS = 5
PER_FOLDER = 50
MOST_SHARE = 0.2
SETTLE_SECONDS = 2.5  # a younger file is read again whatever it holds
KINDS = {
    "documents": ("docs/part-{folder}/page-{number}.md", "# Page {number}\n\nThe text of edition {edition}.\n"),
    "context": ("src/part_{folder}/code_{number}.py", "def function_{number}():\n    return {edition}\n"),
    "architecture": ("mcp/resources/patterns/p{folder}/p{number}.md", "# Pattern {number}\n\nEdition {edition}.\n"),
}


@dataclass(frozen=True, slots=True)
class Cost:
    """The CPU milliseconds of a pass over everything in which nothing had changed, and of one over a changed file."""

    everything: float
    one_file: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.changed_file", description=__doc__)
    parser.add_argument("--files", type=int, default=DEFAULT_FILES, help="files of each kind")
    parser.add_argument("--rounds", type=int, default=DEFAULT_ROUNDS)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    options = parser.parse_args()
    with written_project(options.files) as root:
        costs = {name: measure(root, name, options.rounds) for name in KINDS}
    print(f"{options.files} files of each kind, {report.describe_machine()}\n")
    print("| toolset | everything, CPU ms | one changed file, CPU ms |\n| --- | --- | --- |")
    for name, cost in costs.items():
        print(f"| {name} | {cost.everything:.1f} | {cost.one_file:.1f} |")
    goals = [
        Goal(f"{name}: one changed file", "everything", "at most", MOST_SHARE, cost.one_file / cost.everything)
        for name, cost in costs.items()
    ]
    print(f"\n{report.format_goals(goals)}")
    if options.json:
        figures = {"files": options.files, "costs": {name: asdict(cost) for name, cost in costs.items()}}
        report.write_json(options.json, benchmark="changed file", figures=figures, goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


@contextmanager
def written_project(files: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
        root = Path(folder)
        for name in KINDS:
            for number in range(files):
                write(root, name, number, edition=0)
        time.sleep(SETTLE_SECONDS)
        yield root


def write(root: Path, name: str, number: int, *, edition: int) -> Path:
    path, text = KINDS[name]
    target = root / path.format(folder=number // PER_FOLDER, number=number)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text.format(number=number, edition=edition), encoding="utf-8")
    return target


def measure(root: Path, name: str, rounds: int) -> Cost:
    tended = tended_by(
        build_app(read_settings({"project": str(root), "toolsets": (name,)}, {}), write_journal=_nowhere)
    )
    print(f"{name}: the first pass takes {cpu_milliseconds(lambda: tended.follow(None)) / 1e3:.1f} s", file=sys.stderr)
    tended.watching(is_whole=True)
    tended.follow(None)
    everything = [cpu_milliseconds(lambda: tended.follow(None)) for _ in range(rounds)]
    changes: list[float] = []
    for turn in range(rounds):
        seen = WatchedChanges(frozenset({str(write(root, name, turn, edition=1))}))
        changes.append(cpu_milliseconds(partial(follow_to_the_end, tended, seen)))
    return Cost(median(everything), median(changes))


def follow_to_the_end(tended: Any, seen: WatchedChanges) -> None:
    """A pass over what was seen, and those after it until nothing counts as half written."""
    passed = tended.follow(seen)
    while passed.look_again_seconds is not None:
        time.sleep(passed.look_again_seconds)
        passed = tended.follow(WatchedChanges())


def tended_by(app: App) -> Any:
    [toolset] = app.toolsets
    upkeep: Any = toolset.upkeep
    return upkeep.made()


def cpu_milliseconds(work: Callable[[], object]) -> float:
    before = time.process_time() + children_seconds()
    work()
    return (time.process_time() + children_seconds() - before) * 1e3


def children_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _nowhere(lines: list[str]) -> None:
    """The journal of a measurement."""


if __name__ == "__main__":
    sys.exit(main())
