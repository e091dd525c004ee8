"""How soon a served project answers with a saved file, and the CPU of the save."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from benchmarks import report
from benchmarks.process_usage import cpu_seconds
from benchmarks.report import Goal
from benchmarks.stdio_client import ServerError, StdioClient

DEFAULT_FILES = 5_000
DEFAULT_ROUNDS = 5
PER_FOLDER = 50
MOST_SAVED_MILLISECONDS = 300.0
MOST_SAVED_CPU_MILLISECONDS = 60.0
QUIET_SECONDS = 1.5
LONGEST_SECONDS = 10.0
ASKED = {
    "context_search": ("query", "what is {name}"),
    "guide_search": ("query", "what is {name}"),
    "guide_symbol": ("name", "{name}"),
    "guide_brief": ("task", "change what {name} returns"),
}
"""Tools that are asked for a function that was just saved, each with its argument."""
SETTLE_SECONDS = 2.5  # a younger file is read again whatever it holds
KINDS = {
    "documents": ("docs/part-{folder}/page-{number}.md", "# Page {number}\n\nThe text of edition {edition}.\n"),
    "context": ("src/part_{folder}/code_{number}.py", "def function_{number}():\n    return {edition}\n"),
    "architecture": ("mcp/resources/patterns/p{folder}/p{number}.md", "# Pattern {number}\n\nEdition {edition}.\n"),
}


@dataclass(frozen=True, slots=True)
class Saved:
    """Milliseconds from a save until a tool tells of it, the time of its call included, and CPU ms of a save alone."""

    answered: dict[str, float]
    cpu: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.changed_file", description=__doc__)
    parser.add_argument("--files", type=int, default=DEFAULT_FILES, help="files of each kind")
    parser.add_argument("--rounds", type=int, default=DEFAULT_ROUNDS)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    options = parser.parse_args()
    with written_project(options.files) as root:
        saved = measure_saved(root, options.rounds)
    print(f"{options.files} files of each kind, {report.describe_machine()}\n")
    print("| answer after a save | ms |\n| --- | --- |")
    for tool, milliseconds in saved.answered.items():
        print(f"| {tool} | {milliseconds:.0f} |")
    print(f"| CPU of a save alone | {saved.cpu:.0f} |")
    goals = [
        Goal(f"{tool}: a saved file, ms", "the clock", "at most", MOST_SAVED_MILLISECONDS, milliseconds)
        for tool, milliseconds in saved.answered.items()
    ]
    goals.append(Goal("a saved file, CPU ms", "the clock", "at most", MOST_SAVED_CPU_MILLISECONDS, saved.cpu))
    print(f"\n{report.format_goals(goals)}")
    if options.json:
        figures = {
            "files": options.files,
            "saved": asdict(saved),
        }
        report.write_json(options.json, benchmark="changed file", figures=figures, goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


@contextmanager
def written_project(files: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
        root = Path(folder)
        for name in KINDS:
            for number in range(files):
                write(root, name, number, edition=0)
        time.sleep(SETTLE_SECONDS)
        yield root


def write(root: Path, name: str, number: int, *, edition: int) -> Path:
    path, text = KINDS[name]
    target = root / path.format(folder=number // PER_FOLDER, number=number)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text.format(number=number, edition=edition), encoding="utf-8")
    return target


def measure_saved(root: Path, rounds: int) -> Saved:
    """Serve the project and save a new function again and again, for each tool until it tells of it."""
    for words in (("init", "-q"), ("add", "-A"), ("-c", "user.email=b", "-c", "user.name=b", "commit", "-qm", "all")):
        subprocess.run(["git", *words], cwd=root, check=True)  # noqa: S607  the person's own git
    command = [sys.executable, "-m", "fieldguide"]
    subprocess.run([*command, "index", "--project", str(root)], check=True, stdout=subprocess.DEVNULL)
    with StdioClient([*command, "serve", "--project", str(root)], environment=os.environ) as client:
        client.initialize()
        client.notify_initialized()
        for tool, (argument, text) in ASKED.items():
            ask(client, tool, {argument: text.format(name="function_1")})
        wait_until_quiet(client)
        answered = {
            tool: median(answer_milliseconds(client, root, tool, turn) for turn in range(rounds)) for tool in ASKED
        }
        return Saved(answered, median(saved_cpu_milliseconds(client, root, turn) for turn in range(rounds)))


def save_function(root: Path, turn: int, name: str) -> None:
    path, text = KINDS["context"]
    target = root / path.format(folder=turn // PER_FOLDER, number=turn)
    target.write_text(f"{text.format(number=turn, edition=2)}\n\ndef {name}():\n    return {turn}\n")


def answer_milliseconds(client: StdioClient, root: Path, tool: str, turn: int) -> float:
    """From a save until the tool's answer holds the place of the new function."""
    wait_until_quiet(client)
    name = f"fresh_{tool}_{turn}"
    argument, text = ASKED[tool]
    place = f"code_{turn}.py"
    save_function(root, turn, name)
    began = time.perf_counter()
    while (seconds := time.perf_counter() - began) < LONGEST_SECONDS:
        told = ask(client, tool, {argument: text.format(name=name)})
        if (place in told and f"def {name}" in told) or f'"{name}"' in told:
            return (time.perf_counter() - began) * 1e3
        time.sleep(0.02)
    print(f"{tool} did not tell of {name}", file=sys.stderr)
    return seconds * 1e3


def saved_cpu_milliseconds(client: StdioClient, root: Path, turn: int) -> float:
    """The CPU of a save that nobody asks about, beside that of the same time without one."""
    wait_until_quiet(client)
    before = cpu_seconds(client.pid)
    time.sleep(QUIET_SECONDS)
    between = cpu_seconds(client.pid)
    save_function(root, turn, f"quiet_{turn}")
    time.sleep(QUIET_SECONDS)
    return (cpu_seconds(client.pid) - between - (between - before)) * 1e3


def ask(client: StdioClient, tool: str, arguments: dict[str, str]) -> str:
    """The answer; empty for a refusal, as of a symbol that is not known yet."""
    with suppress(ServerError):
        return json.dumps(client.request("tools/call", {"name": tool, "arguments": arguments}))
    return ""


def wait_until_quiet(client: StdioClient) -> None:
    """Waits until a server computes nothing; its upkeep can begin a second after the first answer."""
    while True:
        before = cpu_seconds(client.pid)
        time.sleep(1.5)
        if cpu_seconds(client.pid) - before < 0.02:
            return


if __name__ == "__main__":
    sys.exit(main())
