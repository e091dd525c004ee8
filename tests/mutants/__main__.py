"""`make mutants`: puts small mistakes into a copy of the code, one at a time, and names those that no test notices.

    python -m tests.mutants                          # 150 mistakes, chosen by a seed, for ten minutes at most
    python -m tests.mutants --only confinement --count 500 --seconds 3000

Exits with 1 if a mistake survives that `equivalent.txt` does not explain.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.mutations import Mutation, mutations_of
from tests.warm_starts.commands import FRESH

ROOT = Path(__file__).parent.parent.parent
SOURCE = "src/fieldguide"
COPIED = ("src", "tests", "benchmarks", "docs", "examples", "pyproject.toml")
EQUIVALENT = Path(__file__).parent / "equivalent.txt"
PATIENCE_SECONDS = 120.0

# What each module promises, and the quickest tests that hold it to that.
TARGETS: dict[str, tuple[str, ...]] = {
    "search/ranking.py": ("tests/unit/search/test_fusion.py", "tests/search/test_engine.py"),
    "files/confined_folder.py": (
        "tests/unit/test_confinement.py",
        "tests/unit/test_sensitive_files.py",
        "tests/unit/project_text/test_settled_files.py",
    ),
    "files/secrets.py": ("tests/unit/test_sensitive_files.py", "tests/hostile/test_secrets_files.py"),
    "wire/tools.py": ("tests/interaction/test_dialects.py",),
    "settings/limits.py": ("tests/unit/test_read_limits.py", "tests/docs/test_reference.py"),
    "spine/rate_limit.py": ("tests/unit/test_limits.py",),
    "files/watch.py": ("tests/unit/test_watching.py",),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Make mistakes until there are enough, or the time is over; tell which nobody noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=150, help="how many mistakes at most (default: 150)")
    parser.add_argument("--seconds", type=float, default=600.0, help="how long at most (default: 600)")
    parser.add_argument("--seed", type=int, default=1, help="which of them (default: 1)")
    parser.add_argument("--only", default="", help="modules whose path holds this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args(argv)
    chosen = _chosen(given.only, given.count, given.seed)
    until = time.monotonic() + given.seconds
    with tempfile.TemporaryDirectory(prefix="fieldguide-mutants-") as folder, ThreadPoolExecutor(given.jobs) as pool:
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(given.jobs):
            trees.put(_copied(Path(folder) / str(number)))
        if not all(pool.map(lambda path: _is_unnoticed(trees, path, None), {each.path for each in chosen})):
            return _complain("The tests fail before anything is changed.")
        tried = list(pool.map(lambda each: None if time.monotonic() > until else _survives(trees, each), chosen))
    survivors = [each for each, survived in zip(chosen, tried, strict=True) if survived]
    explained = set(_explained())
    for each in survivors:
        print(f"{'equivalent' if each.name() in explained else 'SURVIVED'}  {each.place()}  {each.name()}")
    done = len([each for each in tried if each is not None])
    print(f"{done} of {len(chosen)} mistakes made, {len(survivors)} not noticed (seed {given.seed}).")
    return 1 if {each.name() for each in survivors} - explained else 0


def _chosen(only: str, count: int, seed: int) -> list[Mutation]:
    """The mistakes to make; each module gets its share."""
    every = [mutations_of(path, (ROOT / SOURCE / path).read_text("utf-8")) for path in TARGETS if only in path]
    choice = random.Random(seed)
    for each in every:
        choice.shuffle(each)
    share = max(1, count // max(1, len(every)))
    shares = [each[:share] for each in every]
    rest = [mutation for each in every for mutation in each[share:]]
    choice.shuffle(rest)
    return [mutation for each in shares for mutation in each] + rest[: max(0, count - sum(map(len, shares)))]


def _survives(trees: "SimpleQueue[Path]", mutation: Mutation) -> bool:
    return _is_unnoticed(trees, mutation.path, mutation.source)


def _is_unnoticed(trees: "SimpleQueue[Path]", path: str, changed: str | None) -> bool:
    """Whether the tests of a module pass in a copy where its text is another."""
    tree = trees.get()
    target = tree / SOURCE / path
    right = (ROOT / SOURCE / path).read_text("utf-8")
    try:
        target.write_text(right if changed is None else changed, encoding="utf-8")
        return _passes(tree, TARGETS[path])
    finally:
        target.write_text(right, encoding="utf-8")
        trees.put(tree)


def _passes(tree: Path, files: Sequence[str]) -> bool:
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", *files]
    environment = {**os.environ, **FRESH, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True) as tests:  # fmt: skip
        try:
            return tests.wait(PATIENCE_SECONDS) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            if tests.poll() is None:
                os.killpg(tests.pid, 9)


def _copied(tree: Path) -> Path:
    """A copy of what the tests need, without what was built from it."""
    ignored = shutil.ignore_patterns("__pycache__", "node_modules", "*.pyc")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, tree / name)
    return tree


def _explained() -> list[str]:
    lines = EQUIVALENT.read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _complain(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
