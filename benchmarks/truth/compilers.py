"""Keep what a compiler says about symbols chosen at random as JSON lines in two halves: Go's type checker, and javac.

    python -m benchmarks.truth.compilers --language go --checkout DIR/gin DIR/flashlight --to TRUTH
    python -m benchmarks.truth.compilers --language java --checkout DIR/petclinic --source-path DIR/spring --to TRUTH

Needs `go` (1.19 or later) or a JDK (17 or later). Libraries are not fetched: what hangs on a type of theirs is no
reference here, which is why Java may be given the sources of other projects. A use of a constructor is a use of its
class. Tests, generated files and what else is not the project itself is used, but no definition is chosen from it.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.truth.__main__ import DEFAULT_COUNT, SEED, Place, report_on, write_halves
from benchmarks.truth.choosing import MOST_FROM_ONE_FILE, own_files
from benchmarks.truth.language_server import Json

HERE = Path(__file__).parent
SUFFIXES = {"go": (".go",), "java": (".java",)}
LEFT_OUT = frozenset(("generated", "test"))
COMPILER_TREES = "jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED"
SLOWEST_SECONDS = 900


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    for checkout in options.checkout:
        with tempfile.TemporaryDirectory(prefix="truth-") as folder:
            listing = _go if options.language == "go" else _java
            rows = [json.loads(line) for line in listing(checkout.resolve(), Path(folder), options)]
        lines = _lines(checkout.resolve(), rows, options)
        report_on(checkout.name, lines, 0)
        write_halves(lines, options.to / options.language, checkout.name)
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.truth.compilers", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--language", choices=sorted(SUFFIXES), required=True)
    parser.add_argument("--checkout", type=Path, nargs="+", required=True, help="git checkouts, named by their folder")
    parser.add_argument("--to", type=Path, required=True, help="folder of the truth, outside the repository")
    parser.add_argument("--source-path", type=Path, help="a project whose classes Java's may extend")
    parser.add_argument("--count", type=int, default=DEFAULT_COUNT, help="symbols for each checkout")
    return parser.parse_args(arguments)


def _go(checkout: Path, folder: Path, options: argparse.Namespace) -> Iterator[str]:
    program = folder / "go_uses"
    _output(["go", "build", "-o", str(program), str(HERE / "go_uses.go")])
    environment = {**os.environ, "CGO_ENABLED": "0"}
    yield from _output([str(program), str(checkout)], environment=environment).splitlines()


def _java(checkout: Path, folder: Path, options: argparse.Namespace) -> Iterator[str]:
    exports = ["--add-exports", COMPILER_TREES]
    _output(["javac", *exports, "-d", str(folder), str(HERE / "JavaUses.java")])
    files = _output(["git", "-C", str(checkout), "ls-files", "*.java"]).splitlines()
    given = "\n".join(path for path in files if not path.endswith("module-info.java"))
    above = sorted(options.source_path.resolve().glob("*/src/main/java")) if options.source_path else []
    command = ["java", "-Xmx6g", *exports, "-cp", str(folder), "JavaUses", str(checkout), ":".join(map(str, above))]
    yield from _output(command, given=given).splitlines()


def _output(command: list[str], *, given: str = "", environment: dict[str, str] | None = None) -> str:
    return subprocess.run(
        command, check=True, input=given, env=environment, stdout=subprocess.PIPE, text=True, timeout=SLOWEST_SECONDS
    ).stdout


def _lines(checkout: Path, rows: list[list[str | int]], options: argparse.Namespace) -> list[Json]:
    own = set(own_files(checkout, SUFFIXES[options.language]))
    in_files: dict[str, list[list[str | int]]] = defaultdict(list)
    used: dict[Place, set[Place]] = defaultdict(set)
    for row in rows:
        if row[0] == "d" and row[1] in own and row[5] not in LEFT_OUT:
            in_files[str(row[1])].append(row)
        elif row[0] == "u":
            used[_place(row[4:])].add(_place(row[1:4]))
    chance = random.Random(f"{SEED} {checkout.name}")
    found: list[list[str | int]] = []
    for path in sorted(in_files):
        found += chance.sample(in_files[path], min(MOST_FROM_ONE_FILE, len(in_files[path])))
    chosen = chance.sample(found, min(options.count, len(found)))
    commit = _output(["git", "-C", str(checkout), "rev-parse", "HEAD"]).strip()
    return [_line(row, used[_place(row[1:4])], checkout.name, commit) for row in chosen]


def _line(row: list[str | int], used: set[Place], repository: str, commit: str) -> Json:
    path, line, column = _place(row[1:4])
    return {
        "repo": repository,
        "commit": commit,
        "path": path,
        "line": line,
        "column": column,
        "name": row[4],
        "kind": row[5],
        "references": sorted(used - {(path, line, column)}),
        "also": [],
    }


def _place(row: list[str | int]) -> Place:
    return str(row[0]), int(row[1]), int(row[2])


if __name__ == "__main__":
    sys.exit(main())
