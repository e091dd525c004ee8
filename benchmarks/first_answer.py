"""Seconds from the first start on a checkout to the first right answer, and to a whole index, over stdio.

For each question a server is started with an empty state, and is asked at once, and again, until the right file is
among the first hits. Answers are honest where each one that comes before the index is whole says so.

With `--terminal` the question is asked by `fieldguide find` as a person does: once in an empty state, and again when
the background process that the first command left behind is done, without any other command.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import report
from benchmarks.report import Goal
from benchmarks.stdio_client import ServerError, StdioClient

QUESTIONS = Path(__file__).parent / "first_answer_questions.json"
FIELDGUIDE = Path(sys.executable).parent / "fieldguide"
TOP = 5
MOST_SECONDS = 90.0
BETWEEN_SECONDS = 2.1  # a tool may be called 30 times a minute
MINUTE_SECONDS = 60.0
INDEXING_SECONDS = 900.0
NOT_WHOLE = "Not everything is indexed yet"
PLACES = ("path", "documentId", "uri", "id")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one question got: seconds to the first answer, to the first right one and to a whole index (None: never).

    `silent` counts the answers before that which did not say that the index is not whole and were other than the last.
    """

    checkout: str
    question: str
    answered: float
    right: float | None
    whole: float | None
    silent: int


@dataclass(frozen=True, slots=True)
class TerminalAnswer:
    """What a command took, in seconds of the wall and of the processor, and how it answered."""

    wall: float
    cpu: float
    is_right: bool
    says_not_whole: bool


@dataclass(frozen=True, slots=True)
class TerminalOutcome:
    """The first answer of a command in a fresh project, the second one, and the seconds until the index was whole."""

    checkout: str
    question: str
    first: TerminalAnswer
    whole: float
    second: TerminalAnswer


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_answer", description=__doc__)
    parser.add_argument("checkouts", nargs="+", type=Path, metavar="DIR", help="named as in the questions' file")
    parser.add_argument("--questions", type=Path, default=QUESTIONS, metavar="FILE")
    parser.add_argument("--fieldguide", type=Path, default=FIELDGUIDE, metavar="PATH", help="another one to measure")
    parser.add_argument("--terminal", action="store_true", help="ask by `fieldguide find`, as a person does")
    parser.add_argument("--to-the-end", action="store_true", help="ask until the index is whole, not just until right")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    options = parser.parse_args()
    asked = json.loads(options.questions.read_text())
    print(f"{options.fieldguide}, {report.describe_machine()}\n")
    if options.terminal:
        return measure_commands(options, asked)
    found = [
        measure(checkout, question, options.fieldguide, to_the_end=options.to_the_end)
        for checkout in options.checkouts
        for question in asked[checkout.name]
    ]
    print("| checkout | question | first answer, s | right, s | whole, s | silent |")
    print("| --- | --- | --- | --- | --- | --- |")
    for each in found:
        right, whole = (f"{seconds:.1f}" if seconds is not None else "-" for seconds in (each.right, each.whole))
        print(f"| {each.checkout} | {each.question} | {each.answered:.1f} | {right} | {whole} | {each.silent} |")
    goals = _goals(found)
    print(f"\n{report.format_goals(goals)}")
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in found], indent=2))
    return 1 if options.check and any(goal.verdict == "missed" for goal in goals) else 0


def measure_commands(options: argparse.Namespace, asked: dict[str, Any]) -> int:
    """Ask each question twice on the command line, and print what the answers took."""
    found: list[TerminalOutcome] = []
    for checkout in options.checkouts:
        found += [ask_twice(checkout, question, options.fieldguide) for question in asked[checkout.name]]
    rows: list[list[str]] = []
    for each in found:
        first = f"{each.first.wall:.1f} ({each.first.cpu:.1f})"
        second = f"{each.second.wall:.2f} ({each.second.cpu:.2f})"
        said = [_yes(each.first.is_right), _yes(each.first.says_not_whole), f"{each.whole:.0f}"]
        rows.append([each.checkout, each.question, first, *said, second, _yes(each.second.is_right)])
    head = (
        "checkout",
        "question",
        "first, s (CPU)",
        "right",
        "says what lacks",
        "whole, s",
        "second, s (CPU)",
        "right",
    )
    print(report.format_table(head, rows))
    goals = [
        Goal("first answer, s", "worst", "at most", 4.0, max(each.first.wall for each in found)),
        Goal("second answer, s", "worst", "at most", 1.0, max(each.second.wall for each in found)),
        Goal(
            "first answers before the index is whole that do not say so",
            "all",
            "at most",
            0.0,
            float(sum(not each.first.says_not_whole for each in found if each.whole > each.first.wall)),
        ),
    ]
    print(f"\n{report.format_goals(goals)}")
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in found], indent=2))
    return 1 if options.check and any(goal.verdict == "missed" for goal in goals) else 0


def _yes(claim: bool) -> str:
    return "yes" if claim else "no"


def ask_twice(checkout: Path, question: dict[str, Any], fieldguide: Path) -> TerminalOutcome:
    """Ask in an empty state, wait for the background process, and ask again."""
    with tempfile.TemporaryDirectory() as state:
        environment = {**os.environ, "FIELDGUIDE_STATE": state, "FIELDGUIDE_BACKGROUND": "on"}
        began = time.monotonic()
        first = ask_command(checkout, question, fieldguide, environment)
        while is_indexing(fieldguide, checkout, environment) and time.monotonic() - began < INDEXING_SECONDS:
            time.sleep(1.0)
        whole = time.monotonic() - began
        second = ask_command(checkout, question, fieldguide, environment)
        stop = [str(fieldguide), "stop", "--project", str(checkout)]
        subprocess.run(stop, env=environment, capture_output=True, check=True)
    return TerminalOutcome(checkout.name, question["arguments"]["query"], first, whole, second)


def ask_command(
    checkout: Path, question: dict[str, Any], fieldguide: Path, environment: dict[str, str]
) -> TerminalAnswer:
    """One `find` for a question, in a process of its own; what it leaves behind is not counted."""
    words = [str(fieldguide), "find", question["arguments"]["query"], "--project", str(checkout)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return TerminalAnswer(wall, cpu, question["right"] in done.stdout, NOT_WHOLE in done.stderr)


def is_indexing(fieldguide: Path, checkout: Path, environment: dict[str, str]) -> bool:
    """Whether the background process of a checkout runs."""
    words = [str(fieldguide), "status", "--json", "--project", str(checkout)]
    said = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
    return bool(json.loads(said)["background"]["running"])


def measure(checkout: Path, question: dict[str, Any], fieldguide: Path, *, to_the_end: bool) -> Outcome:
    """Ask one question of a fresh server until it is answered rightly."""
    answered = right = whole = None
    hits: list[tuple[list[str], bool]] = []
    with tempfile.TemporaryDirectory() as state:
        environment = {**os.environ, "FIELDGUIDE_STATE": state}
        began = time.monotonic()
        with StdioClient([str(fieldguide), "serve", "--project", str(checkout)], environment=environment) as client:
            client.initialize()
            while time.monotonic() - began < MOST_SECONDS:
                places, is_early = ask(client, question)
                seconds = time.monotonic() - began
                hits.append((places, is_early))
                answered = answered or seconds
                if right is None and any(place.endswith(question["right"]) for place in places[:TOP]):
                    right = seconds
                if not is_early and places and whole is None and right is not None:
                    whole = seconds
                if right is not None and (whole is not None or not to_the_end):
                    break
                time.sleep(BETWEEN_SECONDS)
    silent = sum(not is_early and places[:TOP] != hits[-1][0][:TOP] for places, is_early in hits)
    return Outcome(checkout.name, question["arguments"]["query"], answered or MOST_SECONDS, right, whole, silent)


def ask(client: StdioClient, question: dict[str, Any]) -> tuple[list[str], bool]:
    """The places of an answer, and whether it says that it is early; a refusal says so by being one."""
    try:
        return read_answer(client.request("tools/call", {"name": question["tool"], "arguments": question["arguments"]}))
    except ServerError:
        return [], True


def read_answer(result: dict[str, Any]) -> tuple[list[str], bool]:
    """The places that an answer names, without their lines, and whether it says that the index is not whole."""
    texts = [block["text"] for block in result.get("content", ())]
    values = [json.loads(text) for text in texts if text.startswith(("{", "["))]
    items = next((_items(value) for value in values if _items(value)), [])
    places = [next((str(item[key]) for key in PLACES if item.get(key)), "") for item in items]
    return [place.partition("#")[0] for place in places], any(
        '"indexing"' in text or "indexing:" in text for text in texts
    )


def _items(value: Any) -> list[dict[str, Any]]:
    return value if isinstance(value, list) else value.get("results", [])


def _goals(found: Sequence[Outcome]) -> list[Goal]:
    in_time = sum(each.right is not None and each.right <= MINUTE_SECONDS for each in found) / max(len(found), 1)
    return [
        Goal("right within the first minute", "all questions", "at least", 0.9, in_time),
        Goal("answers that change silently", "all answers", "at most", 0.0, float(sum(each.silent for each in found))),
        Goal("first right answer, s", "median", "at most", 10.0, median(each.right or MOST_SECONDS for each in found)),
    ]


if __name__ == "__main__":
    raise SystemExit(main())
