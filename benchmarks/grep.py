"""What `grep_codebase` and `read_file` cost over stdio, beside ripgrep itself and a bare read, in the same minute."""

import argparse
import os
import shutil
import statistics
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.report import Goal
from benchmarks.stdio_client import StdioClient
from fieldguide.files.listing import SEARCH_FLAGS, find_ripgrep, make_listing_flags, start_ripgrep
from fieldguide.files.secrets import EVERYBODYS
from fieldguide.toolsets.context.grep import FLAGS

PATTERNS = (
    "import os", "TODO", r"def __init__\(self", r"class \w+Error", "deprecated", r"raise \w+Error\(", "utf-8",
    r"\bassert\b", "http://", r"@property", "subprocess", r"return None$", "lambda", "logging.getLogger",
    r"except \w+ as \w+:", "functools", r"^from __future__", "xyznonexistent123", "threading.Lock", r"\byield from\b",
)  # fmt: skip
ROUNDS = 5
CALLS_A_MINUTE = 60  # the tool's own limit: a server answers so many, then a new one takes its place
READ_BYTES = 50_000
READS = 90


def main() -> int:
    """Measure, and say whether the goals are reached."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grep", description=__doc__)
    parser.add_argument("--tree", type=Path, default=Path(sysconfig.get_paths()["purelib"]), help="what to search in")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(options.tree, tree, ignore=shutil.ignore_patterns("__pycache__", "node_modules", "*.so*"))
        (tree / "fieldguide.toml").write_text("[context]\nindex_code = false\n")  # it would run beside the first calls
        ours, raw = measure_grep(tree, rounds=options.rounds)
    over_seconds = statistics.median(mine - 1.15 * theirs for mine, theirs in zip(ours, raw, strict=True))
    read_ours, read_bare = measure_read()
    goals = [
        Goal("grep_codebase, p50, ms beyond", "1.15 times raw rg", "at most", 3.0, over_seconds * 1000),
        Goal("read_file of 50 KB, p50, ms beyond", "a bare read", "at most", 2.0, (read_ours - read_bare) * 1000),
    ]
    print(report.describe_machine())
    print(f"tree: {sum(1 for _ in options.tree.rglob('*.py'))} Python files, {len(PATTERNS)} patterns")
    print(
        f"grep_codebase p50 {statistics.median(ours) * 1000:.1f} ms, raw rg p50 {statistics.median(raw) * 1000:.1f} ms"
    )
    print(f"read_file p50 {read_ours * 1000:.2f} ms, bare read p50 {read_bare * 1000:.2f} ms")
    print(report.format_goals(goals))
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def measure_grep(tree: Path, *, rounds: int) -> tuple[list[float], list[float]]:
    """For each pattern the median seconds of a whole call, and of raw ripgrep with the same flags, taken in turns."""
    ours: dict[str, list[float]] = {pattern: [] for pattern in PATTERNS}
    raw: dict[str, list[float]] = {pattern: [] for pattern in PATTERNS}
    for _ in range(rounds):
        with _served(tree) as client:
            _call(client, "grep_codebase", {"pattern": "warm up"})
            for pattern in PATTERNS:
                arguments = {"pattern": pattern, "limit": 100}
                ours[pattern].append(_timed(partial(_call, client, "grep_codebase", arguments)))
                raw[pattern].append(_timed(partial(_raw, tree, pattern)))
    return [statistics.median(ours[each]) for each in PATTERNS], [statistics.median(raw[each]) for each in PATTERNS]


def measure_read() -> tuple[float, float]:
    """The median seconds of `read_file` on a file of 50 KB, and of a bare read of it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "module.py"
        file.write_text("value = 1  # a line of an ordinary length, so to say\n" * (READ_BYTES // 53))
        with _served(Path(folder)) as client:
            _call(client, "read_file", {"path": file.name})
            ours = [_timed(lambda: _call(client, "read_file", {"path": file.name})) for _ in range(READS)]
        bare = [_timed(lambda: file.read_bytes()) for _ in range(READS)]
    return statistics.median(ours), statistics.median(bare)


def _served(project: Path) -> StdioClient:
    command = [sys.executable, "-m", "fieldguide", "serve", "--project", str(project), "--toolsets", "context"]
    client = StdioClient(command, environment=os.environ)
    client.initialize()
    return client


def _call(client: StdioClient, tool: str, arguments: dict[str, Any]) -> Any:
    answer = client.request("tools/call", {"name": tool, "arguments": arguments})
    assert not answer.get("isError"), answer
    return answer


def _raw(tree: Path, pattern: str) -> bytes:
    flags = (*FLAGS, *SEARCH_FLAGS, *make_listing_flags(EVERYBODYS))
    command = [find_ripgrep("/nowhere"), *flags, "--ignore-case", "-e", pattern, "--", "."]
    return start_ripgrep(command, str(tree)).communicate()[0]


def _timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    raise SystemExit(main())
