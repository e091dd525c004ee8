"""What an install weighs, package by package: Fieldguide without extras, and with the extra `http`.

The sizes are those of the files that the packages list, in the environment that runs this, and of their compiled
bytecode. A megabyte is 1,000,000 bytes.
"""

import argparse
import marshal
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from importlib.util import cache_from_source
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks import report
from benchmarks.report import Goal

MEGABYTE = 1e6
MOST_MEGABYTES = 95.0
MOST_MEGABYTES_WITH_HTTP = 125.0
MOST_PACKAGES = 16
OURS = "fieldguide"
ROOT = Path(__file__).parent.parent
LISTED = 12
PYC_HEADER_BYTES = 16


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.install_size", description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit with 1 if it weighs more than the goals")
    options = parser.parse_args()
    plain = weights()
    with_http = weights("http")
    print_heaviest("a plain install", plain)
    print_heaviest("with [http]", with_http)
    goals = [
        Goal("a plain install, MB", "the goal", "at most", MOST_MEGABYTES, sum(plain.values())),
        Goal("a plain install, packages", "the goal", "at most", MOST_PACKAGES, len(plain)),
        Goal("with [http], MB", "the goal", "at most", MOST_MEGABYTES_WITH_HTTP, sum(with_http.values())),
    ]
    print(report.format_goals(goals))
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def print_heaviest(title: str, found: dict[str, float]) -> None:
    heaviest = sorted(found.items(), key=lambda each: -each[1])
    rest = sum(weight for _, weight in heaviest[LISTED:])
    rows = [[name, f"{weight:.1f}"] for name, weight in heaviest[:LISTED]]
    rows += [[f"{len(heaviest) - LISTED} more", f"{rest:.1f}"], ["all", f"{sum(found.values()):.1f}"]]
    print(report.format_table([title, "MB"], rows))


def weights(*extras: str) -> dict[str, float]:
    """The megabytes of every package of an install with these extras."""
    return {name: size_of(name) / MEGABYTE for name in installed_packages(*extras)}


def installed_packages(*extras: str) -> list[str]:
    """Fieldguide and what it needs with these extras, and what that needs, here."""
    waiting, found = [(OURS, frozenset(extras))], dict[str, frozenset[str]]()
    while waiting:
        name, chosen = waiting.pop()
        known = found.get(name)
        if known is not None and chosen <= known:
            continue
        found[name] = chosen | (known or frozenset())
        waiting += needed_by(distribution(name), chosen)
    return sorted(found)


def needed_by(package: Distribution, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for line in package.requires or ():
        needed = Requirement(line)
        chosen = [{"extra": extra} for extra in ("", *extras)]
        if needed.marker is None or any(needed.marker.evaluate(each) for each in chosen):
            yield canonicalize_name(needed.name), frozenset(needed.extras)


def size_of(name: str) -> int:
    """The bytes of a package's files and of their bytecode; ours lie in the checkout."""
    if name == OURS:
        held = [*(ROOT / "src").rglob("*")]
    else:
        held = [Path(str(file.locate())) for file in distribution(name).files or ()]
    files = [path for path in held if path.suffix != ".pyc" and path.is_file()]
    return sum(path.stat().st_size for path in files) + sum(bytecode_of(path) for path in files if path.suffix == ".py")


def bytecode_of(path: Path) -> int:
    """The bytes of a module's bytecode, also where it was not compiled yet."""
    compiled = Path(cache_from_source(path))
    if compiled.is_file():
        return compiled.stat().st_size
    try:
        return PYC_HEADER_BYTES + len(marshal.dumps(compile(path.read_bytes(), path, "exec")))
    except SyntaxError:  # a template, or a module for a newer Python
        return 0


if __name__ == "__main__":
    raise SystemExit(main())
