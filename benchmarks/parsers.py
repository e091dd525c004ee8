"""What a parser process costs, and what it is there for: `python -m benchmarks.parsers`.

A start, a round trip, the worst that 2,000 characters of nonsense do to each grammar left to itself, and what a long
dotted key does to the TOML library.
"""

import statistics
import subprocess
import sys
import time
import tomllib

from benchmarks.report import REPOSITORY, describe_machine
from fieldguide.code.parsing import GRAMMARS
from fieldguide.files.parser_process import ParserProcesses

JOB = "fieldguide.code.imports.languages:parse_imports_as_data"
TEXT = "import a\n"
PATIENCE_SECONDS = 60
WORST = """
import sys, time
from ast_grep_py import SgRoot
from tests.hostile.nonsense import runs
def seconds(text):
    started = time.thread_time()
    SgRoot(text, sys.argv[1]).root()
    return time.thread_time() - started
worst, text = max((seconds(text), text) for text in runs(2_000))
print(f"{worst * 1000:8.0f} ms  {text[:10]!r}")
"""


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    print(f"start and first answer, p50: {statistics.median(_start() for _ in range(7)) * 1000:.0f} ms")
    print(f"round trip, p50: {_round_trip() * 1000:.2f} ms")
    print("2,000 characters of one token, the worst for each grammar, CPU:")
    for grammar in GRAMMARS.values():
        print(f"{grammar:>12} {_worst(grammar)}", flush=True)
    for parts in (2_000, 4_000, 8_000):
        started = time.thread_time()
        tomllib.loads(".".join(["a"] * parts) + " = 1")
        print(f"a TOML key of {parts:,} parts, CPU: {(time.thread_time() - started) * 1000:.0f} ms")


def _start() -> float:
    parsers = ParserProcesses()
    started = time.perf_counter()
    parsers.ask(JOB, TEXT, "python")
    taken = time.perf_counter() - started
    parsers.close()
    return taken


def _round_trip() -> float:
    parsers = ParserProcesses()
    parsers.ask(JOB, TEXT, "python")
    taken: list[float] = []
    for _ in range(500):
        started = time.perf_counter()
        parsers.ask(JOB, TEXT, "python")
        taken.append(time.perf_counter() - started)
    parsers.close()
    return statistics.median(taken)


def _worst(grammar: str) -> str:
    command = [sys.executable, "-c", WORST, grammar]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, cwd=REPOSITORY)
    except subprocess.TimeoutExpired:
        return f"more than {PATIENCE_SECONDS} s"
    return done.stdout.rstrip() or f"ended by signal {-done.returncode}"


if __name__ == "__main__":
    main()
