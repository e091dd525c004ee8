"""How large an index may be on SQLite and on PostgreSQL, and how many clients replicas of a server answer.

Both are filled from one stream of real text, in which no text comes twice: the documentation of Kubernetes, that of
sixty other projects, and every text file of the git repositories that are named. At each size a fresh process asks
each, and another one asks both in turn.
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
from benchmarks.scale_asking import Asked, Beside, ask, ask_beside, chosen_questions
from benchmarks.scale_corpus import Corpus
from benchmarks.scale_load import Load, measure_load
from benchmarks.scale_places import SETTINGS, SOURCE, Place, PostgresPlace, SqlitePlace, opened, postgres, put, settle
from benchmarks.scale_writers import Writers
from fieldguide.search.models.choice import BUILT_IN

SIZES = (10_000, 36_000, 100_000, 1_000_000)
SECONDS = 7200.0
ALMOST = 0.99  # of a size: the shares of several writers are rounded
ONLY = ("sqlite", "postgres", "load")
MILLISECONDS, MEBIBYTE = 1e3, 2**20


@dataclass(frozen=True, slots=True)
class Grown:
    """An index of one size in one place; the seconds of filling are those since the size before."""

    place: str
    chunks: int
    filling: float
    settling: float
    disk: int
    server: int
    asked: Asked


@dataclass(frozen=True, slots=True)
class Compared:
    """Both places at one size."""

    chunks: int
    beside: Beside


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    add = parser.add_argument
    add("--sizes", default=",".join(map(str, SIZES)), help="how many chunks, with commas between")
    add("--only", default=",".join(ONLY), help="what to measure, with commas between: sqlite, postgres, load")
    add("--repositories", type=Path, nargs="*", default=[], help="git repositories for more text, bare or checked out")
    add("--writers", type=int, default=1, help="how many processes fill PostgreSQL at once; with `--only postgres`")
    add(
        "--seconds",
        type=float,
        default=SECONDS,
        help="after how long to put in nothing more, and measure what is there",
    )
    add("--data", type=Path, help="the folder of the shared data")
    add("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    add("--check", action="store_true", help="exit with 1 if a goal is missed")
    add("--ask", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.writers > 1 and options.only != "postgres":
        parser.error("several writers fill PostgreSQL alone: --only postgres")
    use_data(options.data)
    if options.ask:
        found = ask(*options.ask) if len(options.ask) == 1 else ask_beside(options.ask)
        print(json.dumps(asdict(found)))
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
        places: list[Place] = []
        if "sqlite" in only:
            places.append(SqlitePlace(folder / "index.db"))
        if "postgres" in only:
            places.append(PostgresPlace(server.new_database()))
        if options.writers > 1:
            grown, compared = measure_written_at_once(options, places[0]), list[Compared]()
        else:
            grown, compared = measure_sizes(options, places) if places else ([], [])
        loads = []
        if "load" in only:
            documents = real_text.unpack_kubernetes(folder / "kubernetes")
            loads = measure_load(folder, server.new_database(), documents, chosen_questions())
    goals = judge(grown, compared)
    print(f"Search and service at scale.\n{report.describe_machine()}")
    print(f"PostgreSQL on the same machine: {', '.join(f'{name} = {value}' for name, value in SETTINGS.items())}\n")
    print_grown(grown)
    print_compared(compared)
    print_loads(loads)
    print(report.format_goals(goals))
    if options.json:
        measured: dict[str, Sequence[Any]] = {"grown": grown, "compared": compared, "loads": loads}
        figures = {name: [asdict(each) for each in found] for name, found in measured.items()}
        report.write_json(options.json, benchmark="scale", figures=figures, goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def measure_sizes(options: argparse.Namespace, places: Sequence[Place]) -> tuple[list[Grown], list[Compared]]:
    """Fill all places from one stream, and measure them whenever a size is reached."""
    corpus = Corpus(options.repositories, find_embedder(BUILT_IN))
    until = time.monotonic() + options.seconds
    grown: list[Grown] = []
    compared: list[Compared] = []
    for size in read_sizes(options):
        filled = fill(corpus, places, size, until)
        for place, filling in zip(places, filled, strict=True):
            grown.append(measure(place, corpus.chunks, filling, options.data))
            print_grown(grown[-1:])
        if len(places) > 1:
            found = asked_by_another([place.address() for place in places], options.data)
            compared.append(Compared(corpus.chunks, Beside(tuple(found["wall"]), tuple(found["cpu"]))))
            print_compared(compared[-1:])
        if warn_if_ended(corpus.chunks, size):
            break
    return grown, compared


def measure_written_at_once(options: argparse.Namespace, place: Place) -> list[Grown]:
    """Fill one place to the largest size by several writers, and measure it.

    Not at sizes between: a vector index would be made there, and with it what a batch puts in takes longer on a busy
    machine than a statement may.
    """
    size = max(read_sizes(options))
    engine = opened(place.address())
    engine.sources(SOURCE.kind)  # makes the tables, for which writers would wait
    engine.database.close()  # processes that are forked must not share its connections
    with Writers(place.address(), options.repositories, options.writers) as writers:
        filled = writers.fill(size, time.monotonic() + options.seconds)
    warn_if_ended(filled.chunks, size)
    return [measure(place, filled.chunks, filled.seconds, options.data)]


def read_sizes(options: argparse.Namespace) -> list[int]:
    return sorted(int(size) for size in options.sizes.split(","))


def warn_if_ended(chunks: int, size: int) -> bool:
    """Whether a size was not reached, which is printed."""
    is_ended = chunks < size * ALMOST
    if is_ended:
        print(f"No more was put in after {chunks:,} chunks: the text or the time ended.", file=sys.stderr)
    return is_ended


def fill(corpus: Corpus, places: Sequence[Place], size: int, until: float) -> list[float]:
    """Put text in until there are so many chunks; how long that took in each place."""
    engines = [opened(place.address()) for place in places]
    spent = [0.0] * len(places)
    for batch in corpus.up_to(size):
        for number, engine in enumerate(engines):
            spent[number] += put(engine, batch)
        print(f"\r{corpus.chunks:,} chunks", end="", file=sys.stderr)
        if time.monotonic() > until:
            break
    print(file=sys.stderr)
    for engine in engines:
        engine.database.close()
    return spent


def measure(place: Place, chunks: int, filling: float, data: Path | None) -> Grown:
    """End the sync of an index, and have another process ask it."""
    engine = opened(place.address())
    settling = settle(engine, str(chunks))
    engine.database.close()
    print(f"{place.name}: {chunks:,} chunks after {filling + settling:.0f} s", file=sys.stderr)
    asked = Asked(**asked_by_another([place.address()], data))
    return Grown(place.name, chunks, filling, settling, place.disk_bytes(), place.server_bytes(), asked)


def asked_by_another(addresses: Sequence[str], data: Path | None) -> dict[str, Any]:
    where = ["--data", str(data)] if data else []
    command = [sys.executable, "-m", "benchmarks.scale", *where, "--ask", *addresses]
    environment = {**clean_environment(), "PYTHONPATH": str(report.REPOSITORY / "src")}
    done = subprocess.run(command, cwd=report.REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def judge(grown: Sequence[Grown], compared: Sequence[Compared]) -> list[Goal]:
    goals = []
    for each in compared:
        about = f"search of {each.chunks:,} chunks on PostgreSQL"
        wall = report.divide(each.beside.wall[1], each.beside.wall[0])
        busy = report.divide(each.beside.cpu[1], each.beside.cpu[0])
        goals.append(Goal(f"{about}, p50", "SQLite", "at most", 2.0, wall))
        goals.append(Goal(f"{about}, CPU", "SQLite", "at most", 2.0, busy))
    for found in grown:
        if found.place == PostgresPlace.name:
            about = f"recall at 10, {found.chunks:,} chunks"
            goals.append(Goal(about, "exact scan", "at least", 0.98, found.asked.recall))
            goals.append(Goal(f"{about}, unseen", "exact scan", "at least", 0.98, found.asked.unseen_recall))
    return goals


def print_grown(grown: Sequence[Grown]) -> None:
    rows = [
        [
            each.place,
            f"{each.chunks:,}",
            f"{each.filling:.0f} + {each.settling:.0f}",
            f"{each.asked.changed_file:.2f}",
            f"{each.asked.first_search:.2f}",
            f"{each.asked.p50 * MILLISECONDS:.1f} / {each.asked.p95 * MILLISECONDS:.1f}",
            f"{each.asked.cpu_p50 * MILLISECONDS:.1f}",
            f"{each.asked.recall:.3f} / {each.asked.unseen_recall:.3f}",
            f"{each.asked.near_p50 * MILLISECONDS:.1f} / {each.asked.exact_p50 * MILLISECONDS:.1f}",
            f"{each.asked.resident / MEBIBYTE:.0f} + {each.server / MEBIBYTE:.0f}",
            f"{each.disk / MEBIBYTE:,.0f}",
        ]
        for each in grown
    ]
    header = [
        "database",
        "chunks",
        "filling + settling, s",
        "one changed file, s",
        "first search, s",
        "search, ms p50 / p95",
        "CPU p50, ms",
        "recall at 10, chosen / unseen questions",
        "nearest by index / exact, ms",
        "memory, client + server, MiB",
        "disk, MiB",
    ]
    print(report.format_table(header, rows), end="\n\n", flush=True)


def print_compared(compared: Sequence[Compared]) -> None:
    rows = [
        [
            f"{each.chunks:,}",
            *(f"{seconds * MILLISECONDS:.1f}" for seconds in (*each.beside.wall, *each.beside.cpu)),
            f"{each.beside.wall[1] / each.beside.wall[0]:.2f}, {each.beside.cpu[1] / each.beside.cpu[0]:.2f}",
        ]
        for each in compared
    ]
    header = ["chunks, asked in turn", "SQLite ms", "PostgreSQL ms", "SQLite CPU ms", "PostgreSQL CPU ms", "times, CPU"]
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
