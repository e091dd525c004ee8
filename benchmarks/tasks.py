"""What keeping tasks costs: a durable `add_task` beside a bare insert, and `list_tasks` as lists and tables grow."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import clean_environment, report
from benchmarks.contenders import OURS, Contender
from benchmarks.report import Goal
from benchmarks.stdio_client import ServerError, StdioClient
from benchmarks.task_databases import (
    DESCRIPTION,
    TITLE,
    USER,
    SqliteDatabase,
    databases,
    file_system,
)

DEFAULT_ROUNDS = 15
DEFAULT_CALLS = 100
WARM_UP_CALLS = 100
LISTS_PER_ROUND = 10
MICROSECONDS, MILLISECONDS = 1e6, 1e3
RIVAL = "bare sqlite3"
IN_MEMORY = ("tmpfs", "ramfs")
MANY, FEW = 10_000, 100
PARTS = ("adding", "listing")
CROWDS = ((MANY, 0), (FEW, 1_000), (FEW, 100_000), (FEW, 1_000_000))


@dataclass(frozen=True, slots=True)
class Adding:
    """Durable inserts in turns: ours through the whole server, and bare ones."""

    ours_p50_seconds: float
    ours_p95_seconds: float
    bare_p50_seconds: float
    bare_p95_seconds: float


@dataclass(frozen=True, slots=True)
class Listing:
    """`list_tasks` of a user with so many tasks beside so many rows of others."""

    tasks: int
    others: int
    p50_seconds: float
    p95_seconds: float
    text_bytes: int


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tasks", description=__doc__)
    add = parser.add_argument
    add("--rounds", type=int, default=DEFAULT_ROUNDS)
    add("--calls", type=int, default=DEFAULT_CALLS, help="inserts of each kind in a round")
    add("--only", default=",".join(PARTS), metavar="PART,…", help=f"some of {', '.join(PARTS)} (default: all)")
    add("--folder", type=Path, default=Path.cwd(), help="on which disk (default: that of the current folder)")
    add("--fieldguide", type=Path, default=Path(sys.executable).parent / "fieldguide", help="our command")
    add("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    add("--check", action="store_true", help="exit with 1 if a goal is missed or was not measured")
    options = parser.parse_args()
    parts = options.only.split(",")
    if unknown := {*parts} - {*PARTS}:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    disk = file_system(options.folder)
    if disk in IN_MEMORY:
        raise SystemExit(f"{options.folder} is in memory ({disk}), where nothing is durable; name a disk by --folder.")
    adding: list[Adding] = []
    listing: list[Listing] = []
    try:
        with databases(options.folder) as create:
            if "adding" in parts:
                adding.append(measure_adding(create(), options))
            if "listing" in parts:
                listing += measure_listing([create() for _ in CROWDS], options)
    except ServerError as failure:
        raise SystemExit(str(failure)) from failure
    goals = [*judge_adding(adding), *judge_listing(listing)]
    print(f"On {disk}; {report.describe_machine()}\n")
    print_adding(adding, turns=options.rounds * options.calls)
    print_listing(listing, options)
    print(report.format_goals(goals))
    if options.json:
        measured: dict[str, Sequence[Any]] = {"adding": adding, "listing": listing}
        figures = {name: [asdict(each) for each in found] for name, found in measured.items()}
        report.write_json(options.json, benchmark="tasks", figures={"file_system": disk, **figures}, goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def measure_adding(database: SqliteDatabase, options: argparse.Namespace) -> Adding:
    print("adding", file=sys.stderr)
    ours: list[float] = []
    bare: list[float] = []
    with started(database, options) as client, database.bare_insert() as insert:
        acts = [(lambda: call(client, "add_task", title=TITLE, description=DESCRIPTION), ours), (insert, bare)]
        for turn in range(WARM_UP_CALLS + options.rounds * options.calls):
            for act, seconds in acts if turn % 2 else reversed(acts):
                seconds.append(timed(act))
    ours, bare = ours[WARM_UP_CALLS:], bare[WARM_UP_CALLS:]
    percentiles = [report.percentile(each, fraction) for each in (ours, bare) for fraction in (0.50, 0.95)]
    return Adding(*percentiles)


def measure_listing(databases: Sequence[SqliteDatabase], options: argparse.Namespace) -> list[Listing]:
    seconds: list[list[float]] = [[] for _ in CROWDS]
    sizes: list[int] = []
    with ExitStack() as running:
        clients = [running.enter_context(started(database, options)) for database in databases]
        for database, client, (mine, others) in zip(databases, clients, CROWDS, strict=True):
            print(f"filling a table with {mine + others:,} rows", file=sys.stderr)
            database.fill(mine=mine, others=others)
            sizes.append(check_list(call(client, "list_tasks"), mine))
        for turn in range(options.rounds):
            print(f"lists, round {turn + 1} of {options.rounds}", file=sys.stderr)
            for place in [*range(turn % len(CROWDS), len(CROWDS)), *range(turn % len(CROWDS))]:
                lists = (lambda client=clients[place]: call(client, "list_tasks") for _ in range(LISTS_PER_ROUND))
                seconds[place] += map(timed, lists)
    return [
        Listing(*crowd, report.percentile(each, 0.50), report.percentile(each, 0.95), size)
        for crowd, each, size in zip(CROWDS, seconds, sizes, strict=True)
    ]


@contextmanager
def started(database: SqliteDatabase, options: argparse.Namespace) -> Iterator[StdioClient]:
    """The whole server on this database; its first list has made the table."""
    command = (str(options.fieldguide), "serve", "--project", str(database.project))
    environment = {**clean_environment(), "FIELDGUIDE_STATE": str(database.project)}  # on the disk that is measured
    with Contender(OURS, "fieldguide (ours)", command, environment).start() as client:
        client.initialize()
        client.notify_initialized()
        check_list(call(client, "list_tasks"), 0)
        yield client


def call(client: StdioClient, tool: str, **arguments: Any) -> dict[str, Any]:
    return client.request("tools/call", {"name": tool, "arguments": {"user_id": USER, **arguments}})


def check_list(result: dict[str, Any], tasks: int) -> int:
    """The bytes that an agent reads; another number of tasks would be another measurement."""
    text: str = result["content"][0]["text"]
    if text.count('"completed":') != tasks:
        raise ServerError(f"`list_tasks` should give {tasks} tasks, but says {text[:200]}")
    return len(text.encode())


def timed(act: Callable[[], Any]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def judge_adding(adding: Sequence[Adding]) -> Iterator[Goal]:
    for each in adding:
        ratio = report.divide(each.ours_p50_seconds, each.bare_p50_seconds)
        yield Goal("add_task, p50", RIVAL, "at most", 1.5, ratio)


def judge_listing(listing: Sequence[Listing]) -> Iterator[Goal]:
    few = [each for each in listing if each.tasks == FEW]
    if few:
        least, most = (choose(few, key=lambda each: each.others) for choose in (min, max))
        ratio = report.divide(most.p50_seconds, least.p50_seconds)
        yield Goal(
            f"list_tasks of {FEW} beside {most.others:,}, p50", f"beside {least.others:,}", "at most", 2.0, ratio
        )


def print_adding(adding: Sequence[Adding], *, turns: int) -> None:
    rows = []
    for each in adding:
        ours = [each.ours_p50_seconds * MICROSECONDS, each.ours_p95_seconds * MICROSECONDS]
        bare = [each.bare_p50_seconds * MICROSECONDS, each.bare_p95_seconds * MICROSECONDS]
        rows.append(["fieldguide (ours), stdio", *(f"{value:,.0f}" for value in ours)])
        rows.append([f"{RIVAL}, insert and commit", *map(report.beside_ours, bare, ours)])
    if rows:
        print(f"A durable task: {turns} of ours and {turns} bare inserts, in turns, one after another.\n")
        print(report.format_table(["add_task", "p50, us", "p95, us"], rows), end="\n\n")


def print_listing(listing: Sequence[Listing], options: argparse.Namespace) -> None:
    rows = [
        [
            f"{each.tasks:,}",
            f"{each.others:,}",
            f"{each.p50_seconds * MILLISECONDS:,.2f}",
            f"{each.p95_seconds * MILLISECONDS:,.2f}",
            f"{each.text_bytes:,}",
        ]
        for each in listing
    ]
    if rows:
        header = ["tasks", "rows of others", "p50, ms", "p95, ms", "bytes of text"]
        print(f"Lists: {options.rounds} interleaved rounds of {LISTS_PER_ROUND}, reading the JSON included.\n")
        print(report.format_table(header, rows), end="\n\n")


if __name__ == "__main__":
    sys.exit(main())
