"""What a default install weighs, package by package: the files of everything that Fieldguide depends on without extras.

The sizes are those of the files that the packages list, in the environment that runs this, without compiled bytecode. A
megabyte is 1,000,000 bytes.
"""

import argparse
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks import report
from benchmarks.report import Goal

MEGABYTE = 1e6
MOST_MEGABYTES = 130.0
OURS = "fieldguide"
ROOT = Path(__file__).parent.parent
LISTED = 12


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.install_size", description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit with 1 if it weighs more than the goal")
    options = parser.parse_args()
    found = weights()
    total = sum(found.values())
    heaviest = sorted(found.items(), key=lambda each: -each[1])
    rest = sum(weight for _, weight in heaviest[LISTED:])
    rows = [[name, f"{weight:.1f}"] for name, weight in heaviest[:LISTED]]
    rows += [[f"{len(heaviest) - LISTED} more", f"{rest:.1f}"], ["all", f"{total:.1f}"]]
    print(report.format_table(["package", "MB"], rows))
    goal = Goal("a default install, MB", "the goal", "at most", MOST_MEGABYTES, total)
    print(report.format_goals([goal]))
    return int(options.check and goal.verdict != "reached")


def weights() -> dict[str, float]:
    """The megabytes of every package of a default install."""
    return {name: size_of(name) / MEGABYTE for name in default_packages()}


def default_packages() -> list[str]:
    """Fieldguide and what it needs without extras, and what that needs, here."""
    waiting, found = [(OURS, frozenset[str]())], dict[str, frozenset[str]]()
    while waiting:
        name, extras = waiting.pop()
        known = found.get(name)
        if known is not None and extras <= known:
            continue
        found[name] = extras | (known or frozenset())
        waiting += needed_by(distribution(name), extras)
    return sorted(found)


def needed_by(package: Distribution, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for line in package.requires or ():
        needed = Requirement(line)
        chosen = [{"extra": extra} for extra in ("", *extras)]
        if needed.marker is None or any(needed.marker.evaluate(each) for each in chosen):
            yield canonicalize_name(needed.name), frozenset(needed.extras)


def size_of(name: str) -> int:
    """The bytes of a package's files; ours lie in the checkout."""
    if name == OURS:
        held = [path for folder in ("src", "release/share") for path in (ROOT / folder).rglob("*")]
    else:
        held = [Path(str(file.locate())) for file in distribution(name).files or ()]
    return sum(path.stat().st_size for path in held if path.suffix != ".pyc" and path.is_file())


if __name__ == "__main__":
    raise SystemExit(main())
