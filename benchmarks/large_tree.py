"""A tree of very many files: what listing, searching, indexing and serving it cost, beside raw ripgrep and a walk."""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.process_usage import cpu_seconds
from benchmarks.report import Goal
from benchmarks.stdio_client import ServerError, StdioClient
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.listing import find_ripgrep, list_files

FILES = 200_000
MOST_FILES = 1_000_000
A_FOLDER = 100
A_NEEDLE = 2_000
WORDS = ("apple", "river", "stone", "cloud", "maple", "forest", "silver", "harbor", "meadow", "lantern")
TEXT = '''"""Module {number}: {first} and {second}."""

import os


def {first}_{number}(value):
    """Return the {second} of a value."""
    total = value + {number}
    return os.path.join(str(total), "{second}")
'''
WAIT_SECONDS = 600.0
INDEX_SECONDS = 1500.0
STEP_SECONDS = 0.5
CALLS = 3


class Figure(NamedTuple):
    """What a step took and used, its child processes included."""

    what: str
    seconds: float
    cpu: float
    note: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_tree", description=__doc__)
    parser.add_argument("--files", type=int, default=FILES, help=f"at most {MOST_FILES:,}")
    parser.add_argument("--folder", type=Path, help="where the tree is made (default: the system's temporary folder)")
    parser.add_argument("--index", action="store_true", help="index the tree too, which takes minutes")
    options = parser.parse_args()
    files = min(max(options.files, A_FOLDER), MOST_FILES)
    with tempfile.TemporaryDirectory(prefix="fieldguide-large-tree-", dir=options.folder) as folder:
        tree, state = Path(folder) / "tree", Path(folder) / "state"
        grow(tree, files)
        os.environ["FIELDGUIDE_STATE"] = str(state)
        figures = [*_shown(measure_tools(tree)), *_shown(measure_server(tree, index=False))]
        if options.index:
            figures += [*_shown(measure_index(tree)), *_shown(measure_server(tree, index=True))]
    print(report.describe_machine())
    print(f"{files:,} files in {files // A_FOLDER:,} folders")
    rows = [[each.what, f"{each.seconds:.2f}", f"{each.cpu:.2f}", each.note] for each in figures]
    print(report.format_table(["what", "seconds", "CPU s", ""], rows))
    by_name = {each.what: each for each in figures}
    ours, raw = by_name["grep_codebase, files not listed"], by_name["rg, plain"]
    print(
        report.format_goals([Goal("grep_codebase, CPU", "rg, plain", "at most", 1.2, report.divide(ours.cpu, raw.cpu))])
    )
    return 0


def _shown(figures: Iterator[Figure]) -> Iterator[Figure]:
    """The figures as they come: the whole takes minutes."""
    for each in figures:
        print(f"{each.seconds:8.2f} s {each.cpu:8.2f} CPU s  {each.what} {each.note}", file=sys.stderr, flush=True)
        yield each


def grow(tree: Path, files: int) -> None:
    """Small modules of Python, a hundred in a folder; every two thousandth holds what is searched for."""
    for number in range(files):
        folder = tree / f"package{number // A_FOLDER // 20:04}" / f"part{number // A_FOLDER % 20:02}"
        if number % A_FOLDER == 0:
            folder.mkdir(parents=True)
        first, second = WORDS[number % 10], WORDS[number // 10 % 10]
        text = TEXT.format(number=number, first=first, second=second)
        needle = f"# needle {number}\n" if number % A_NEEDLE == 0 else ""
        (folder / f"{first}_{second}_{number}.py").write_text(text + needle)


def measure_tools(tree: Path) -> Iterator[Figure]:
    """What there is without us, and our own list of the files."""
    yield _timed("a walk with a status for each file", lambda: sum(_sizes(str(tree))))
    ripgrep = find_ripgrep("/nowhere")
    yield _timed("rg --files, plain", lambda: _run([ripgrep, "--files"], tree))
    yield _timed("our list of the files", lambda: list_files(ConfinedFolder(str(tree))))
    for _ in range(2):  # the first one warms the file system's caches
        figure = _timed("rg, plain", lambda: _run([ripgrep, "--ignore-case", "-e", "needle"], tree))
    yield figure


def measure_index(tree: Path) -> Iterator[Figure]:
    """The whole tree indexed by the command."""
    command = [sys.executable, "-m", "fieldguide", "index", "--project", str(tree), "--toolsets", "context"]
    yield _timed("fieldguide index", lambda: _run(command, tree, seconds=INDEX_SECONDS))
    yield _timed("fieldguide index, nothing changed", lambda: _run(command, tree, seconds=INDEX_SECONDS))


def measure_server(tree: Path, *, index: bool) -> Iterator[Figure]:
    """A served tree: the first search at once after the start, then others."""
    settings = tree / "fieldguide.toml"
    settings.write_text(f"[context]\nindex_code = {str(index).lower()}\n")
    named = "while it is watched" if index else "files not listed"
    command = [sys.executable, "-m", "fieldguide", "serve", "--project", str(tree), "--toolsets", "context"]
    with StdioClient(command, environment=os.environ) as client:
        client.initialize()
        client.notify_initialized()
        with _used(client) as first:
            note = _grep(client)
        yield Figure(f"grep_codebase right after the start{', indexed' if index else ''}", first[0], first[1], note)
        _wait_until_quiet(client)
        steps: list[tuple[float, float]] = []
        for _ in range(CALLS):
            with _used(client) as step:
                note = _grep(client)
            steps.append((step[0], step[1]))
        yield Figure(f"grep_codebase, {named}", *sorted(steps)[CALLS // 2], note)
    settings.unlink()


def _grep(client: StdioClient) -> str:
    try:
        answer = client.request("tools/call", {"name": "grep_codebase", "arguments": {"pattern": "needle"}})
    except ServerError as error:
        return f"FAILED: {str(error)[:120]}"
    found = json.loads(answer["content"][0]["text"])
    return f"{found['totalMatches']} matches in {found['filesSearched']:,} files"


@contextmanager
def _used(client: StdioClient) -> Iterator[list[float]]:
    figures: list[float] = []
    before, started = cpu_seconds(client.pid), time.perf_counter()
    yield figures
    figures += [time.perf_counter() - started, cpu_seconds(client.pid) - before]


def _wait_until_quiet(client: StdioClient) -> None:
    """Until the server has used next to nothing for a while, or for ten minutes at most."""
    until = time.monotonic() + WAIT_SECONDS
    quiet = 0
    while quiet < 6 and time.monotonic() < until:
        before = cpu_seconds(client.pid)
        time.sleep(STEP_SECONDS)
        quiet = quiet + 1 if cpu_seconds(client.pid) - before < STEP_SECONDS / 20 else 0


def _sizes(folder: str) -> Iterator[int]:
    pending = [folder]
    while pending:
        with os.scandir(pending.pop()) as listing:
            for entry in listing:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    yield entry.stat(follow_symlinks=False).st_size


def _run(command: list[str], tree: Path, seconds: float = WAIT_SECONDS) -> None:
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(command, cwd=tree, stdout=subprocess.DEVNULL, check=False, timeout=seconds)


def _timed(what: str, work: Callable[[], Any]) -> Figure:
    before, started = _own_cpu(), time.perf_counter()
    work()
    return Figure(what, time.perf_counter() - started, _own_cpu() - before)


def _own_cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    raise SystemExit(main())
