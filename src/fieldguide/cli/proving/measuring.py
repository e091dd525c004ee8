"""Each task asked of a brief and of grep, on the state before it was done, within each budget."""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from statistics import mean
from typing import NamedTuple

from fieldguide.app import App, build_app
from fieldguide.cli.proving.grep import Match, matches_of, places_within
from fieldguide.cli.proving.places import Place, found_places
from fieldguide.cli.proving.stage import Stage
from fieldguide.cli.proving.tasks import Task
from fieldguide.config import read_settings
from fieldguide.errors import FieldguideError
from fieldguide.in_process.running import BlockingExecutor
from fieldguide.places import STATE_VARIABLE
from fieldguide.spine.answers.tokenizer import count

BRIEF, GREP = "brief", "grep"
TOOL = "guide_brief"
Tell = Callable[[int, int, str], None]


class Wanted(NamedTuple):
    """What is to be found for a task: the files that it changed, and the places in them."""

    files: tuple[str, ...]
    places: tuple[Place, ...]


class Found(NamedTuple):
    """What one way found of that within a budget, and how many tokens its answer has."""

    way: str
    budget: int
    files: tuple[str, ...]
    places: int
    tokens: int


class Outcome(NamedTuple):
    """A task, what could be found at all, and what each way found of it."""

    task: Task
    wanted: Wanted
    found: tuple[Found, ...]


class Total(NamedTuple):
    """What one way found within a budget: the mean share of a task's files and changed places, and what that cost."""

    way: str
    budget: int
    share: float
    places: float
    tokens: float
    files_per_1000_tokens: float


def measured(tasks: Sequence[Task], stage: Stage, budgets: Sequence[int], tell: Tell) -> list[Outcome]:
    """The outcome of each task; one without a file that could be found is left out."""
    outcomes: list[Outcome] = []
    for number, task in enumerate(tasks):
        tell(number, len(tasks), task.commit[:10])
        stage.move_to(task.before)
        files = tuple(path for path in task.files if os.path.isfile(os.path.join(stage.project, path)))
        if files:
            wanted = Wanted(files, tuple(stage.changed(task.before, task.commit, files)))
            with _served(stage.project) as blocking:
                if not outcomes:
                    _brief(blocking, task, wanted, budgets[0])  # reads the history, and may not wait for all of it
                briefs = [_brief(blocking, task, wanted, budget) for budget in budgets]
            matches = matches_of(stage.project, task.words)
            outcomes.append(Outcome(task, wanted, (*briefs, *(_grep(matches, wanted, each) for each in budgets))))
    return outcomes


def totals(outcomes: Sequence[Outcome], budgets: Sequence[int]) -> list[Total]:
    """The figures for each budget and way."""
    found = [(way, budget) for budget in budgets for way in (BRIEF, GREP)]
    return [_total(way, budget, outcomes) for way, budget in found]


@contextmanager
def kept_in(folder: str) -> Generator[None]:
    """Have everything that is kept lie in a folder while the block runs."""
    before = os.environ.get(STATE_VARIABLE)
    os.environ[STATE_VARIABLE] = folder
    try:
        yield
    finally:
        if before is None:
            del os.environ[STATE_VARIABLE]
        else:
            os.environ[STATE_VARIABLE] = before


@contextmanager
def _served(project: str) -> Generator[BlockingExecutor]:
    """A server of the folder, indexed, in this process; nobody's database and nobody's tasks."""
    settings = replace(read_settings({"project": project}, os.environ), toolsets=None, database=None, user=None)
    app = build_app(settings, write_journal=lambda lines: None)
    _index(app)
    blocking = BlockingExecutor(app.executor)
    try:
        yield blocking
    finally:
        blocking.close()


def _index(app: App) -> None:
    for toolset in app.toolsets:
        if toolset.upkeep is not None:
            with suppress(FieldguideError):  # what one toolset can't read stops no other
                toolset.upkeep.refresh(lambda done, total, name: None)


def _brief(blocking: BlockingExecutor, task: Task, wanted: Wanted, budget: int) -> Found:
    answer = blocking.execute(TOOL, {"task": task.words, "budget": budget})
    told = [Place(item["path"], item["start"], item["end"]) for item in answer.value["items"]]
    return _found(BRIEF, budget, wanted, told, count(answer.text))


def _grep(matches: Sequence[Match], wanted: Wanted, budget: int) -> Found:
    told, tokens = places_within(matches, budget)
    return _found(GREP, budget, wanted, told, tokens)


def _found(way: str, budget: int, wanted: Wanted, told: Sequence[Place], tokens: int) -> Found:
    paths = {place.path for place in told}
    files = tuple(path for path in wanted.files if path in paths)
    return Found(way, budget, files, found_places(wanted.places, told), tokens)


def _total(way: str, budget: int, outcomes: Sequence[Outcome]) -> Total:
    mine = [
        (each.wanted, found) for each in outcomes for found in each.found if (found.way, found.budget) == (way, budget)
    ]
    share = mean(len(found.files) / len(wanted.files) for wanted, found in mine)
    places = mean(found.places / max(len(wanted.places), 1) for wanted, found in mine)
    tokens = sum(found.tokens for _, found in mine)
    files = sum(len(found.files) for _, found in mine)
    return Total(way, budget, share, places, tokens / len(mine), 1000 * files / max(tokens, 1))
