"""What indexing costs: the kubernetes documentation from nothing and unchanged, beside a parser and a bare walk."""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pyromark

from benchmarks import report
from benchmarks.real_text import KUBERNETES, need, unpack_kubernetes
from benchmarks.report import Goal
from benchmarks.served_search import count_chunks
from fieldguide.app import App, build_app
from fieldguide.settings.config import read_settings
from fieldguide.storage.state_folder import find_expected_folder

DEFAULT_ROUNDS = 2
UNCHANGED_ROUNDS = 9
SETTLE_SECONDS = 2.5  # a file must be older than this for its stamp to prove that it is the same
MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Indexing:
    """Medians in seconds; a parser that is not installed has None."""

    files: int
    chunks: int
    megabytes: float
    from_nothing_seconds: float
    from_nothing_cpu_seconds: float
    event_pass_seconds: float
    markdown_it_seconds: float | None
    unchanged_seconds: float
    walk_seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.indexing", description=__doc__)
    parser.add_argument("--rounds", type=int, default=DEFAULT_ROUNDS, help="indexings from nothing")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    options = parser.parse_args()
    need(KUBERNETES)
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
        measured = measure(Path(folder), rounds=options.rounds)
    goals = judge(measured)
    print_report(measured)
    print(report.format_goals(goals))
    if options.json:
        report.write_json(options.json, benchmark="indexing", figures=asdict(measured), goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def measure(folder: Path, *, rounds: int) -> Indexing:
    docs = unpack_kubernetes(folder / "docs")
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(docs.rglob("*.md"))]
    time.sleep(SETTLE_SECONDS)
    whole, busy, parsed, parsed_slowly = [], [], [], []
    for number in range(rounds):
        print(f"from nothing, round {number + 1} of {rounds}", file=sys.stderr)
        cpu_before = time.process_time()
        whole.append(timed(lambda: index_from_nothing(folder)))
        busy.append(time.process_time() - cpu_before)
        parsed.append(timed(lambda: parse_with_pyromark(texts)))
        parsed_slowly.append(timed_markdown_it(texts))
    app = open_app(folder)
    refresh(app)
    unchanged, walks = [], []
    for _ in range(UNCHANGED_ROUNDS):
        unchanged.append(timed(lambda: refresh(app)))
        walks.append(timed(lambda: walk(docs)))
    slow = [each for each in parsed_slowly if each is not None]
    return Indexing(
        files=len(texts),
        chunks=count_chunks(folder),
        megabytes=sum(len(text.encode()) for text in texts) / MEGABYTE,
        from_nothing_seconds=median(whole),
        from_nothing_cpu_seconds=median(busy),
        event_pass_seconds=median(parsed),
        markdown_it_seconds=median(slow) if slow else None,
        unchanged_seconds=median(unchanged),
        walk_seconds=median(walks),
    )


def open_app(project: Path) -> App:
    return build_app(read_settings({"project": str(project)}, {}), write_journal=lambda lines: None)


def refresh(app: App) -> None:
    """What `serve` does in the background, once."""
    [upkeep] = [each.upkeep for each in app.toolsets if each.name == "documents"]
    assert upkeep is not None
    upkeep.refresh(lambda done, total, name: None)


def index_from_nothing(project: Path) -> None:
    for path in Path(find_expected_folder(str(project))).glob("index.db*"):
        path.unlink()
    refresh(open_app(project))


def parse_with_pyromark(texts: Sequence[str]) -> None:
    """The product's parser alone, without the Python that turns its events into blocks."""
    for text in texts:
        for _ in pyromark.events_with_range(text, options=pyromark.Options.ENABLE_TABLES):
            pass


def timed_markdown_it(texts: Sequence[str]) -> float | None:
    """The usual Python parser alone, if it is installed."""
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        return None
    parser = MarkdownIt("commonmark").enable("table")
    return timed(lambda: [parser.parse(text) for text in texts])


def walk(folder: Path) -> int:
    """Every file below a folder with its stat, and nothing else."""
    size = 0
    waiting = [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    size += entry.stat(follow_symlinks=False).st_size
    return size


def timed(act: Callable[[], Any]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def judge(measured: Indexing) -> list[Goal]:
    def goal(beside: str, limit: float, ours: float, theirs: float | None, measure: str = "index from nothing") -> Goal:
        return Goal(measure, beside, "at most", limit, report.divide(ours, theirs))

    return [
        goal("markdown-it-py's parse", 3.0, measured.from_nothing_seconds, measured.markdown_it_seconds),
        goal("a minute", 1.0, measured.from_nothing_seconds, 60.0),
        goal("a walk with stat", 5.0, measured.unchanged_seconds, measured.walk_seconds, "re-index, nothing changed"),
        goal("2 s", 1.0, measured.unchanged_seconds, 2.0, "re-index, nothing changed"),
    ]


def print_report(measured: Indexing) -> None:
    size = f"{measured.files:,} files, {measured.megabytes:.1f} MB, {measured.chunks:,} chunks"
    print(f"Indexing the kubernetes documentation: {size}.\n{report.describe_machine()}\n")
    rows: list[tuple[str, float | None]] = [
        ("index from nothing", measured.from_nothing_seconds),
        ("index from nothing, CPU", measured.from_nothing_cpu_seconds),
        ("pyromark's event pass alone (the product's parser, in Rust)", measured.event_pass_seconds),
        ("markdown-it-py's parse alone (the usual parser, in Python)", measured.markdown_it_seconds),
        ("re-index, nothing changed", measured.unchanged_seconds),
        ("a bare walk with stat", measured.walk_seconds),
    ]
    cells = [[name, *speed(seconds, measured)] for name, seconds in rows if seconds is not None]
    header = ["median", "seconds", "MB/s", "beside index from nothing"]
    print(report.format_table(header, cells), end="\n\n")


def speed(seconds: float, measured: Indexing) -> list[str]:
    share = seconds / measured.from_nothing_seconds
    return [f"{seconds:.3f}", f"{measured.megabytes / seconds:,.1f}", f"{share:.3f}x"]


if __name__ == "__main__":
    sys.exit(main())
