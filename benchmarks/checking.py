"""What `fieldguide check` costs beside ast-grep itself with the same rules, and whether both find the same.

The rules are those of `checking_rules`, taken over by `fieldguide patterns import`. ast-grep is the program of the
wheel `ast-grep-cli`. Both run in turn; user and system time count their children too.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report

RULES = Path(__file__).parent / "checking_rules" / "rules.yml"
ROUNDS = 3
EMBEDDING = (".html", ".vue", ".svelte")  # ast-grep also looks into scripts inside of these
FEWEST_SHARED = 0.99
SHOWN = 10

Place = tuple[str, str, int]


class Run(NamedTuple):
    """One run: what it took, and the rule, file and line of everything it found."""

    wall_seconds: float
    cpu_seconds: float
    places: Counter[Place]
    unparsed: frozenset[str] = frozenset()


def main() -> int:
    """Measure, and say whether both agree."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.checking", description=__doc__)
    parser.add_argument("--checkout", type=Path, nargs="+", required=True, help="folders of code")
    parser.add_argument("--ast-grep", default=shutil.which("ast-grep") or "ast-grep", help="the program")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--disagreements", action="store_true", help="show where both differ")
    parser.add_argument("--check", action="store_true", help="fail where they agree on too little")
    options = parser.parse_args()
    print(report.describe_machine())
    return max(_measured(checkout, options) for checkout in options.checkout)


def _measured(checkout: Path, options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "code"
        shutil.copytree(checkout, copy, symlinks=True, ignore=shutil.ignore_patterns(".git", "node_modules", "mcp"))
        _fieldguide(copy, "patterns", "import", str(RULES), "--name", "bench")
        rounds = [(_ast_grep(copy, options.ast_grep), _ours(copy)) for _ in range(options.rounds)]
    theirs, ours = rounds[-1]
    shared = _shared(ours, theirs)
    print(
        f"{checkout.name}: wall {_median(rounds, 'wall_seconds')}; CPU {_median(rounds, 'cpu_seconds')}; "
        f"{theirs.places.total()} places by ast-grep, {ours.places.total()} by us, {shared:.2%} shared"
    )
    if options.disagreements:
        _show(ours, theirs)
    return int(options.check and shared < FEWEST_SHARED)


def _median(rounds: list[tuple[Run, Run]], name: str) -> str:
    """Both medians, and the median of the ratios of one round."""
    theirs = statistics.median(getattr(each, name) for each, _ in rounds)
    ours = statistics.median(getattr(each, name) for _, each in rounds)
    ratio = statistics.median(getattr(mine, name) / getattr(other, name) for other, mine in rounds)
    return f"ast-grep {theirs:.2f} s, fieldguide {ours:.2f} s, ratio {ratio:.2f}"


def _shared(ours: Run, theirs: Run) -> float:
    both, either = set(ours.places) & set(theirs.places), set(ours.places) | set(theirs.places)
    return len(both) / len(either) if either else 1.0


def _show(ours: Run, theirs: Run) -> None:
    for name, places in (
        ("only ast-grep", set(theirs.places) - set(ours.places)),
        ("only fieldguide", set(ours.places) - set(theirs.places)),
    ):
        for rule, path, line in sorted(places)[:SHOWN]:
            print(f"  {name}: {rule} {path}:{line}{' (does not parse)' if path in ours.unparsed else ''}")


def _ast_grep(folder: Path, program: str) -> Run:
    rules = RULES.read_text(encoding="utf-8")
    command = [program, "scan", "--inline-rules", rules, "--json=stream", "--no-ignore", "hidden", "."]
    wall, cpu, said = _timed(command, folder)
    found = [each for line in said.splitlines() if not (each := json.loads(line))["file"].endswith(EMBEDDING)]
    return Run(wall, cpu, _places((each["ruleId"], each["file"], each["range"]["start"]["line"] + 1) for each in found))


def _ours(folder: Path) -> Run:
    command = [sys.executable, "-m", "fieldguide", "check", "--format", "json", "--fail-on", "never"]
    wall, cpu, said = _timed(command, folder)
    found = json.loads(said)["findings"]
    unparsed = frozenset(each["path"] for each in found if each["rule"] == "parseable")
    places = ((each["rule"].rpartition("/")[2], each["path"], each["line"]) for each in found)
    return Run(wall, cpu, _places(each for each in places if each[0] != "parseable"), unparsed)


def _places(found: Any) -> Counter[Place]:
    return Counter((rule, path.removeprefix("./"), line) for rule, path, line in found)


def _timed(command: list[str], folder: Path) -> tuple[float, float, str]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=dict(os.environ))
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr[-2000:])
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def _fieldguide(folder: Path, *words: str) -> None:
    subprocess.run([sys.executable, "-m", "fieldguide", *words], cwd=folder, check=True, capture_output=True)


if __name__ == "__main__":
    raise SystemExit(main())
