"""`fieldguide prove`: on your own repository, how many of the files of past changes a brief finds, beside grep."""

import argparse
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from fieldguide.cli.indexing import Bar
from fieldguide.cli.options import settings_from
from fieldguide.cli.proving.measuring import BRIEF, GREP, Outcome, Total, kept_in, measured, totals
from fieldguide.cli.proving.picture import svg_bars, text_bars
from fieldguide.cli.proving.stage import Stage
from fieldguide.cli.proving.tasks import Task, tasks_of
from fieldguide.cli.terminal import Line, say, say_json
from fieldguide.errors import Refusal

USUAL_COMMITS, MOST_COMMITS = 20, 200
USUAL_BUDGETS = (1_000, 4_000, 16_000)
LEAST_BUDGET, MOST_BUDGET = 200, 50_000
MOST_REMOVALS, REMOVAL_SECONDS = 40, 0.05
TITLE = "Changed files that are found, by tokens read"
EPILOG = """\
The message of each commit is the task, without the names of files; the files that it changed are what is to be found,
in the state before it, with a history that ends there. This happens in a folder outside of the project, which is
removed. Nothing of the repository is run, nothing is written to it, and nothing leaves the machine.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How many commits, which budgets, and how to print."""
    parser.epilog = EPILOG
    parser.add_argument(
        "--commits", type=_commits, default=USUAL_COMMITS, metavar="N", help="at most so many tasks (default: 20)"
    )
    parser.add_argument(
        "--budgets", type=_budgets, default=USUAL_BUDGETS, metavar="N,N", help="in tokens (default: 1000,4000,16000)"
    )
    parser.add_argument("--svg", metavar="FILE", help="write the picture to a file as well")
    parser.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    parser.add_argument("--json", action="store_true", help="print every task and figure as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Measure, and print a table and a picture."""
    project = settings_from(arguments).project
    tasks = tasks_of(project, arguments.commits)
    if not tasks:
        raise Refusal("There is no commit here that could be a task: one that says in a few words what it changes.")
    outcomes = _outcomes(project, tasks, arguments.budgets)
    if not outcomes:
        raise Refusal("None of the latest commits changed a file that could be found: they are new, large or binary.")
    figures = totals(outcomes, arguments.budgets)
    if arguments.svg:
        with open(arguments.svg, "w", encoding="utf-8") as file:
            file.write(svg_bars(figures, TITLE, _counted(outcomes)))
    if arguments.json:
        say_json({"tasks": [_told(each) for each in outcomes], "totals": [each._asdict() for each in figures]})
    else:
        say(f"{_counted(outcomes)}.", "", *_table(figures), "", *text_bars(figures))
    return 0


def _outcomes(project: str, tasks: Sequence[Task], budgets: Sequence[int]) -> list[Outcome]:
    """What was found, measured in a folder that is gone afterwards, however this ends."""
    bar = Bar()
    with _ended_like_by_hand(), _passing_folder() as folder:
        staged, kept = os.path.join(folder, "project"), os.path.join(folder, "state")
        os.mkdir(staged)
        try:
            with kept_in(kept):
                return measured(tasks, Stage(staged, project), budgets, bar)
        finally:
            bar.clear()


@contextmanager
def _passing_folder() -> Generator[str]:
    """A folder that is gone afterwards, with what a thread that was left behind still writes into it meanwhile."""
    folder = tempfile.mkdtemp(prefix="fieldguide-prove-")
    try:
        yield folder
    finally:
        for _ in range(MOST_REMOVALS):
            shutil.rmtree(folder, ignore_errors=True)
            if not os.path.lexists(folder):
                break
            time.sleep(REMOVAL_SECONDS)


@contextmanager
def _ended_like_by_hand() -> Generator[None]:
    """Have a request to end clean up as Ctrl-C does."""

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _counted(outcomes: Sequence[Outcome]) -> str:
    files = sum(len(each.wanted.files) for each in outcomes)
    return f"{_of(len(outcomes), 'task')} from the latest commits, which changed {_of(files, 'file')}"


def _of(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _table(figures: Sequence[Total]) -> Iterator[Line]:
    """A row for each budget: what was found, what it cost, and how much of it a thousand tokens bring."""
    ways = f"{BRIEF:>7}{GREP:>7}"
    yield f"{'':8}   {'files found':^14}   {'places found':^14}   {'tokens used':^14}   {'files per 1,000 tokens'}"
    yield f"{'budget':>8}   {ways}   {ways}   {ways}   {BRIEF:>11}{GREP:>11}"
    for brief, grep in zip(figures[::2], figures[1::2], strict=True):
        yield (
            f"{brief.budget:>8,}   {brief.share:>7.0%}{grep.share:>7.0%}   {brief.places:>7.0%}{grep.places:>7.0%}"
            f"   {brief.tokens:>7,.0f}{grep.tokens:>7,.0f}"
            f"   {brief.files_per_1000_tokens:>11.2f}{grep.files_per_1000_tokens:>11.2f}"
        )


def _told(outcome: Outcome) -> dict[str, Any]:
    task, wanted = outcome.task, outcome.wanted
    found = [each._asdict() for each in outcome.found]
    of_task = {"commit": task.commit, "before": task.before, "task": task.words}
    return {**of_task, "files": wanted.files, "places": len(wanted.places), "found": found}


def _commits(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_COMMITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_COMMITS}")
    return int(text)


def _budgets(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.strip().isdecimal() and LEAST_BUDGET <= int(part) <= MOST_BUDGET for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} are not numbers from {LEAST_BUDGET} to {MOST_BUDGET}")
    return tuple(sorted({int(part) for part in parts}))
