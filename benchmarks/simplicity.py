"""How simple the tree is: every measure beside its ratchet and its goal.

    python -m benchmarks.simplicity            # all rows; the walks start servers
    python -m benchmarks.simplicity --static   # only what can be read from the files: a few seconds
    python -m benchmarks.simplicity --check    # exit with 1 where a row is worse than its ratchet
    python -m benchmarks.simplicity --tighten  # write today's better values into simplicity.toml
    python -m benchmarks.simplicity --json

Ratchets and goals are in `simplicity.toml`, and nowhere else. `make check` holds the static rows.
"""

import argparse
import ast
import csv
import json
import lzma
import re
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import house_rules
from benchmarks.source_tree import ROOT, Module, find_importers, read_modules
from benchmarks.walk_servers import MEASURED, Walk, list_tools

FILE = Path(__file__).with_suffix(".toml")
RESULTS = Path(__file__).parent / "where_is_it" / "results.tsv"
SHORT_LINES = 60
MERGEABLE_LINES = 120
MERGEABLE_FOLDER_LINES = 800
OPENING_COST_LINES = 50  # what it costs a reader to open one more module, in lines
COMMITS = 100
WALKS_EACH = 3  # the longest counts: a timer that fires in between is part of what a reader meets
PACKED = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp, ast.NamedExpr)
Measured = Mapping[str, float | None]


class Row(NamedTuple):
    """One measure with what it was at the start, what it may not get worse than, and what it shall become."""

    key: str
    title: str
    goal: float
    held: float | None = None
    start: float | None = None
    more_is_better: bool = False

    def is_worse(self, value: float, bound: float) -> bool:
        """Whether a value misses a bound."""
        return value < bound if self.more_is_better else value > bound


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and judge if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simplicity", description=__doc__.splitlines()[0])
    parser.add_argument("--static", action="store_true", help="only rows that need no server")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a row is worse than its ratchet")
    parser.add_argument("--tighten", action="store_true", help="write better values into simplicity.toml as ratchets")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    given = parser.parse_args(argv)
    rows = read_rows()
    measured: dict[str, float | None] = {**measure_sources(), **measure_history(), **measure_where_is_it()}
    if not given.static:
        measured |= measure_walks() | {"modules_at_start": float(count_modules_at_start())}
    if given.json:
        print(json.dumps([{**row._asdict(), "now": measured.get(row.key)} for row in rows], indent=2))
    else:
        print(format_rows(rows, measured))
    if given.tighten:
        tighten(rows, measured)
    worse = find_worse(rows, measured)
    for line in worse:
        print(line, file=sys.stderr)
    return 1 if given.check and worse else 0


@cache
def read_rows() -> tuple[Row, ...]:
    """The rows of `simplicity.toml`."""
    tables: dict[str, dict[str, Any]] = tomllib.loads(FILE.read_text("utf-8"))
    return tuple(Row(key, **table) for key, table in tables.items())


def find_worse(rows: Iterable[Row], measured: Measured) -> list[str]:
    """A line for every row whose value is worse than its ratchet."""
    lines = []
    for row in rows:
        value = measured.get(row.key)
        if value is not None and row.held is not None and row.is_worse(value, row.held):
            lines.append(f"worse: {row.title}: {value:g}, and was {row.held:g}")
    return lines


def format_rows(rows: Iterable[Row], measured: Measured) -> str:
    """A table for people; a value that was not measured is left open."""
    lines = [f"{'measure':66} {'start':>8} {'ratchet':>8} {'now':>8} {'goal':>8}"]
    for row in rows:
        now = measured.get(row.key)
        reached = "reached" if now is not None and not row.is_worse(now, row.goal) else ""
        numbers = " ".join(f"{_shown(value):>8}" for value in (row.start, row.held, now, row.goal))
        lines.append(f"{row.title:66} {numbers} {reached}".rstrip())
    return "\n".join(lines)


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:,g}" if value < 1000 else f"{value:,.0f}"


def tighten(rows: Iterable[Row], measured: Measured) -> None:
    """Replace the ratchet of every row that got better."""
    text = FILE.read_text("utf-8")
    for row in rows:
        value = measured.get(row.key)
        if value is not None and row.held is not None and row.is_worse(row.held, value):
            text = re.sub(rf"(\[{row.key}\](?:\n(?!\[).*)*?\nheld = )\S+", rf"\g<1>{value:.10g}", text)
    FILE.write_text(text, "utf-8")


@cache
def measure_sources() -> dict[str, float]:
    """The rows that the files themselves answer."""
    modules = read_modules()
    lines = sum(module.lines for module in modules)
    nodes = sum(len(module.nodes) for module in modules)
    packed = sum(isinstance(node, PACKED) for module in modules for node in module.nodes)
    named = [module for module in modules if not module.path.endswith("__init__.py")]
    short = sum(module.lines < SHORT_LINES for module in named)
    whole = "".join(module.text for module in modules).encode()
    rules = {key: float(len(rule(modules))) for key, rule in house_rules.COUNTED.items()}
    return rules | {
        "lines": float(lines),
        "files": float(len(modules)),
        "short_modules": float(round(100 * short / len(named))),
        "mergeable_modules": float(len(find_mergeable_modules())),
        "mergeable_folders": float(len(find_mergeable_folders())),
        "packed_expressions": float(round(1000 * packed / lines)),
        "nodes_per_line": round(nodes / lines, 1),
        "compressed_kilobytes": float(round(len(lzma.compress(whole, preset=6)) / 1024)),
        "test_lines": float(_count_test_lines()),
    }


def find_mergeable_modules() -> list[str]:
    """Short modules that exactly one module imports, and that one is in the same folder."""
    folders = {module.name: module.folder for module in read_modules()}
    found = []
    for module in read_modules():
        importers = find_importers()[module.name]
        siblings = [name for name in importers if folders[name] == module.folder]
        is_package = module.path.endswith("__init__.py")
        if len(importers) == 1 and siblings and module.lines < MERGEABLE_LINES and not is_package:
            found.append(module.path)
    return found


def find_mergeable_folders() -> list[str]:
    """Small folders, with what is below them, that exactly one module outside of them imports from."""
    inside: dict[str, list[Module]] = defaultdict(list)
    for module in read_modules():
        parts = module.folder.split("/")
        for depth in range(3, len(parts) + 1):  # below src/fieldguide
            inside["/".join(parts[:depth])].append(module)
    found = []
    for folder, modules in inside.items():
        names = {module.name for module in modules}
        outside: set[str] = set()
        for name in names:
            outside |= find_importers()[name] - names
        if len(outside) == 1 and sum(module.lines for module in modules) < MERGEABLE_FOLDER_LINES:
            found.append(folder)
    return found


def _count_test_lines() -> int:
    tracked = _git("ls-files", "--", "tests/*.py").splitlines()
    return sum(len((ROOT / path).read_text("utf-8").splitlines()) for path in tracked if (ROOT / path).exists())


def measure_history() -> dict[str, float]:
    """How many Python files of `src` the latest commits that touch any changed each."""
    log = _git(
        "log", f"--max-count={COMMITS}", "--no-merges", "--format=format:commit", "--name-only", "--", "src/*.py"
    )
    counts = [len(block.split()) for block in log.split("commit\n")[1:]]
    if len(counts) < 2:
        return {}
    return {
        "files_per_commit_median": float(statistics.median(counts)),
        "files_per_commit_p90": float(round(statistics.quantiles(counts, n=10)[-1])),
    }


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S607
    return done.stdout


def measure_where_is_it() -> dict[str, float | None]:
    """The latest result of `benchmarks.where_is_it`, in percent."""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        results = [*csv.DictReader(file, delimiter="\t")]
    if not results:
        return {}
    return {
        "where_is_it_first": float(results[-1]["first_percent"]),
        "where_is_it_second": float(results[-1]["second_percent"]),
    }


def measure_walks() -> dict[str, float | None]:
    """What a reader of four calls has to open, each asked of a real server."""
    measured: dict[str, float | None] = {}
    for key, walk in MEASURED.items():
        functions, modules, cost = max(summarise(walk()) for _ in range(WALKS_EACH))
        measured |= {
            f"{key}_functions": float(functions),
            f"{key}_modules": float(modules),
            f"{key}_reading": float(cost),
        }
    return measured


def summarise(walk: Walk) -> tuple[int, int, int]:
    """The functions and modules that a call passes, and the lines of these modules plus what opening them costs."""
    lines = {module.name.partition(".")[2]: module.lines for module in read_modules()}
    steps = [step for steps in walk.values() for step in steps]
    functions = {(step.module, step.function) for step in steps}
    modules = {step.module for step in steps}
    return len(functions), len(modules), sum(lines[name] + OPENING_COST_LINES for name in modules)


def count_modules_at_start() -> int:
    """Our modules that a server has imported when it answers `tools/list`."""
    with tempfile.TemporaryDirectory(prefix="fieldguide-simplicity-") as folder:
        return len(list_tools(Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
