"""How large an index may be on SQLite and on PostgreSQL, and how many clients replicas of a server answer.

Every size is asked by a fresh process. Chunks up to `--real` are different and real, and are put in as a sync puts
them; beyond that they are copies made in the database (`benchmarks/scale_copies.py`), and the row says `synthetic`.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import clean_environment, real_text, report
from benchmarks.engines import find_embedder
from benchmarks.report import Goal
from benchmarks.scale_asking import Asked, ask
from benchmarks.scale_corpus import Corpus
from benchmarks.scale_load import Load, measure_load
from benchmarks.scale_places import SETTINGS, Place, PostgresPlace, SqlitePlace, fill, opened, postgres, settle
from fieldguide.search.models.choice import BUILT_IN

SIZES = (10_000, 36_000, 100_000, 1_000_000)
REAL = 100_000
QUERIES = 60
COMPARED = 40
SECONDS = 3600.0
ONLY = ("sqlite", "postgres", "load")
MILLISECONDS, MEBIBYTE = 1e3, 2**20


@dataclass(frozen=True, slots=True)
class Grown:
    """An index of one size in one place."""

    place: str
    chunks: int
    is_real: bool
    filling: float
    copying: float
    settling: float
    disk: int
    server: int
    asked: Asked


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    add = parser.add_argument
    add("--sizes", default=",".join(map(str, SIZES)), help="how many chunks, with commas between")
    add("--only", default=",".join(ONLY), help="what to measure, with commas between: sqlite, postgres, load")
    add("--real", type=int, default=REAL, help="how many chunks are real")
    add("--seconds", type=float, default=SECONDS, help="when to begin no further size")
    add("--data", type=Path, help="the folder of the shared data")
    add("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    add("--check", action="store_true", help="exit with 1 if a goal is missed")
    add("--ask", help=argparse.SUPPRESS)
    options = parser.parse_args()
    use_data(options.data)
    if options.ask:
        print(json.dumps(asdict(ask(options.ask, real_text.real_queries([])[:QUERIES], COMPARED))))
        return 0
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
        return run(options, Path(folder))


def use_data(data: Path | None) -> None:
    if data:
        real_text.KUBERNETES = data / "docs" / "kubernetes.tar.xz"
        real_text.TRAINING = data / "training" / "docs.jsonl.gz"
        real_text.QUESTIONS = data / "retrieval" / "ray-docs-qa-dev"
    real_text.need(real_text.KUBERNETES, real_text.TRAINING, real_text.QUESTIONS)


def run(options: argparse.Namespace, folder: Path) -> int:
    only = options.only.split(",")
    with postgres() as server:
        grown = measure_sizes(options, only, folder, server) if {"sqlite", "postgres"} & set(only) else []
        loads = []
        if "load" in only:
            documents = real_text.unpack_kubernetes(folder / "kubernetes")
            loads = measure_load(folder, server.new_database(), documents, real_text.real_queries([])[:QUERIES])
    goals = judge(grown)
    print(f"Search and service at scale.\n{report.describe_machine()}")
    print(f"PostgreSQL on the same machine: {', '.join(f'{name} = {value}' for name, value in SETTINGS.items())}\n")
    print_grown(grown)
    print_loads(loads)
    print(report.format_goals(goals))
    if options.json:
        figures = {"grown": [asdict(each) for each in grown], "loads": [asdict(each) for each in loads]}
        report.write_json(options.json, benchmark="scale", figures=figures, goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def measure_sizes(options: argparse.Namespace, only: Sequence[str], folder: Path, server: Any) -> list[Grown]:
    sizes = sorted(int(size) for size in options.sizes.split(","))
    corpus = Corpus(min(max(sizes), options.real), find_embedder(BUILT_IN))
    until = time.monotonic() + options.seconds
    grown: list[Grown] = []
    for size in sizes:
        for kind in ("sqlite", "postgres"):
            if kind not in only or time.monotonic() > until:
                continue
            place: Place
            place = SqlitePlace(folder / f"{size}.db") if kind == "sqlite" else PostgresPlace(server.new_database())
            grown.append(measure(place, corpus, size, options.data))
            print_grown(grown[-1:])
    return grown


def measure(place: Place, corpus: Corpus, size: int, data: Path | None) -> Grown:
    """Fill an index, and have another process ask it."""
    engine = opened(place.address())
    real, filling = fill(engine, corpus.made(size))
    engine.database.close()
    turns, began = round(size / real) - 1, time.monotonic()
    if turns > 0:
        place.copy(turns)
    copying = time.monotonic() - began
    engine = opened(place.address())
    settling = settle(engine, str(size))
    engine.database.close()
    chunks = real * (turns + 1)
    print(f"{place.name}: {chunks:,} chunks after {filling + copying + settling:.0f} s", file=sys.stderr)
    asked = asked_by_another(place.address(), data)
    spent = (filling, copying, settling)
    return Grown(place.name, chunks, turns == 0, *spent, place.disk_bytes(), place.server_bytes(), asked)


def asked_by_another(address: str, data: Path | None) -> Asked:
    where = ["--data", str(data)] if data else []
    command = [sys.executable, "-m", "benchmarks.scale", "--ask", address, *where]
    environment = {**clean_environment(), "PYTHONPATH": str(report.REPOSITORY / "src")}
    done = subprocess.run(command, cwd=report.REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return Asked(**json.loads(done.stdout.splitlines()[-1]))


def judge(grown: Sequence[Grown]) -> list[Goal]:
    goals = []
    for each in grown:
        if each.place != PostgresPlace.name:
            continue
        beside = (other for other in grown if other.place == SqlitePlace.name and other.chunks == each.chunks)
        theirs = next((other.asked for other in beside), None)
        wall = report.divide(each.asked.p50, theirs.p50 if theirs else None)
        busy = report.divide(each.asked.cpu_p50, theirs.cpu_p50 if theirs else None)
        goals.append(Goal(f"search of {each.chunks:,} chunks on PostgreSQL, p50", "SQLite", "at most", 2.0, wall))
        goals.append(Goal(f"search of {each.chunks:,} chunks on PostgreSQL, CPU", "SQLite", "at most", 2.0, busy))
        goals.append(Goal(f"recall at 10, {each.chunks:,} chunks", "exact scan", "at least", 0.98, each.asked.recall))
    return goals


def print_grown(grown: Sequence[Grown]) -> None:
    rows = [
        [
            each.place,
            f"{each.chunks:,}",
            "real" if each.is_real else "synthetic",
            f"{each.filling:.0f} + {each.copying:.0f} + {each.settling:.0f}",
            f"{each.asked.changed_file:.2f}",
            f"{each.asked.first_search:.2f}",
            f"{each.asked.p50 * MILLISECONDS:.1f} / {each.asked.p95 * MILLISECONDS:.1f}",
            f"{each.asked.cpu_p50 * MILLISECONDS:.1f}",
            f"{each.asked.recall:.3f}",
            f"{each.asked.near_p50 * MILLISECONDS:.1f} / {each.asked.exact_p50 * MILLISECONDS:.1f}",
            f"{each.asked.resident / MEBIBYTE:.0f} + {each.server / MEBIBYTE:.0f}",
            f"{each.disk / MEBIBYTE:,.0f}",
        ]
        for each in grown
    ]
    header = [
        "database",
        "chunks",
        "text",
        "filling + copying + settling, s",
        "one changed file, s",
        "first search, s",
        "search, ms p50 / p95",
        "CPU p50, ms",
        "recall at 10",
        "nearest by index / exact, ms",
        "memory, client + server, MiB",
        "disk, MiB",
    ]
    print(report.format_table(header, rows), end="\n\n", flush=True)


def print_loads(loads: Sequence[Load]) -> None:
    rows = [
        [
            each.server,
            str(each.replicas),
            str(each.clients),
            f"{each.calls_per_second:,.0f}",
            f"{each.p50 * MILLISECONDS:.1f}",
            f"{each.p99 * MILLISECONDS:.1f}",
        ]
        for each in loads
    ]
    header = ["server", "replicas", "clients", "calls a second", "p50, ms", "p99, ms"]
    print(report.format_table(header, rows), end="\n\n")


if __name__ == "__main__":
    sys.exit(main())
