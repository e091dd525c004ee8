"""Scores answers: recall of changed files, places inside the named ranges, precision, and what was read for it."""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.agents.tasks import ChangedPlace, LocatingTask
from benchmarks.agents.workspace import Workspace

MOST_NAMED_FILES = 10
MOST_NAMED_RANGES = 20
DRAWS = 2000
FIGURES = ("recall", "places", "precision", "characters", "calls", "lines")


class NamedRange(NamedTuple):
    """Lines of a file that an agent says must change."""

    path: str
    start: int
    end: int


class InvalidAnswer(ValueError):
    """An answer that can't be kept; the subject agent reads the message."""


class TaskScore(NamedTuple):
    """One task in one run; `lines` is how many lines the answer names."""

    task: str
    recall: float
    places: float
    precision: float
    characters: int
    calls: int
    lines: int


class RunScore(NamedTuple):
    """All tasks of a run."""

    run: str
    arm: str
    model: str
    tasks: list[TaskScore]
    unanswered: int


def read_answer(given: Any) -> list[NamedRange]:
    """The ranges of an answer; `InvalidAnswer` says what is wrong with it."""
    if not isinstance(given, list):
        raise InvalidAnswer('An answer is a JSON list: [{"path": …, "start": …, "end": …}, …].')
    ranges: list[NamedRange] = []
    for item in given:
        if not isinstance(item, dict) or not isinstance(item.get("path"), str):
            raise InvalidAnswer('Each item has "path", "start" and "end".')
        start, end = item.get("start"), item.get("end")
        if not isinstance(start, int) or not isinstance(end, int) or not 1 <= start <= end:
            raise InvalidAnswer('"start" and "end" are line numbers, start not after end.')
        ranges.append(NamedRange(item["path"].removeprefix("./"), start, end))
    files = len({each.path for each in ranges})
    if files > MOST_NAMED_FILES or len(ranges) > MOST_NAMED_RANGES:
        raise InvalidAnswer(f"At most {MOST_NAMED_FILES} files and {MOST_NAMED_RANGES} ranges.")
    return ranges


def is_inside(place: ChangedPlace, path: str, ranges: Iterable[NamedRange]) -> bool:
    """Whether a named range has a line of the place; for an insertion, one of the lines around it."""
    start = place.start - 1 if place.is_insertion else place.start
    end = place.end + 1 if place.is_insertion else place.end
    return any(each.path == path and each.start <= end and start <= each.end for each in ranges)


def score_answer(task: LocatingTask, ranges: Sequence[NamedRange], calls: Sequence[Mapping[str, Any]]) -> TaskScore:
    """The figures of one task; `calls` are its recorded calls."""
    named = {each.path for each in ranges}
    judged = named - set(task.also_changed)
    right = named & task.places.keys()
    inside = [is_inside(place, path, ranges) for path, places in task.places.items() for place in places]
    lines = {(each.path, number) for each in ranges for number in range(each.start, min(each.end, 100_000) + 1)}
    return TaskScore(
        task=task.id,
        recall=len(right) / len(task.places),
        places=sum(inside) / len(inside),
        precision=len(right) / len(judged) if judged else 0.0,
        characters=sum(call["characters"] for call in calls),
        calls=len(calls),
        lines=len(lines),
    )


def score_run(workspace: Workspace, run: str) -> RunScore:
    """Scores the tasks that a run was begun with; one without an answer counts as nothing found."""
    rows = workspace.read_run(run)
    calls: dict[str, list[dict[str, Any]]] = defaultdict(list)
    answers: dict[str, list[NamedRange]] = {}
    asked: dict[str, None] = {}
    for row in rows:
        if row["kind"] == "run":
            asked |= dict.fromkeys(row["tasks"])
        elif row["kind"] == "call":
            calls[row["task"]].append(row)
        elif row["kind"] == "answer":
            answers[row["task"]] = [NamedRange(*each) for each in row["ranges"]]
    tasks = workspace.read_tasks()
    scored = [score_answer(tasks[each], answers.get(each, []), calls[each]) for each in asked]
    unanswered = sum(score.task not in answers for score in scored)
    return RunScore(run, rows[0]["arm"], rows[0]["model"], scored, unanswered)


def average(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def group_by_task(runs: Iterable[RunScore], figure: str) -> dict[str, list[float]]:
    """The values of a figure by task, over all runs."""
    values: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        for score in run.tasks:
            values[score.task].append(float(getattr(score, figure)))
    return values


def bootstrap(by_task: Mapping[str, Sequence[float]]) -> tuple[float, float, float]:
    """The mean over tasks of their means over runs, with the 95 % interval of drawing the tasks anew."""
    means = [average(values) for values in by_task.values()]
    draws = random.Random(0)
    drawn = sorted(average(draws.choices(means, k=len(means))) for _ in range(DRAWS))
    return average(means), drawn[int(DRAWS * 0.025)], drawn[int(DRAWS * 0.975)]


def bootstrap_ratio(ours: Mapping[str, Sequence[float]], base: Mapping[str, Sequence[float]]) -> list[float]:
    """The ratio of two sums over the tasks that both have, with its 95 % interval; tasks are drawn in pairs."""
    pairs = [(average(ours[task]), average(base[task])) for task in ours if task in base]
    if not pairs or not any(second for _, second in pairs):
        return []
    draws = random.Random(0)
    ratios = sorted(_divide(draws.choices(pairs, k=len(pairs))) for _ in range(DRAWS))
    return [_divide(pairs), ratios[int(DRAWS * 0.025)], ratios[int(DRAWS * 0.975)]]


def _divide(pairs: Sequence[tuple[float, float]]) -> float:
    return sum(first for first, _ in pairs) / max(sum(second for _, second in pairs), 1e-9)


def summarise(runs: Sequence[RunScore]) -> dict[str, Any]:
    """All figures: each run, each arm with intervals, and each arm's characters beside those of ripgrep alone."""
    arms: dict[str, list[RunScore]] = defaultdict(list)
    for run in runs:
        arms[run.arm].append(run)
    base = group_by_task(arms.get("rg", []), "characters")
    summary: dict[str, Any] = {"runs": [], "arms": {}}
    for run in runs:
        figures = {each: average([float(getattr(score, each)) for score in run.tasks]) for each in FIGURES}
        row = {"run": run.run, "arm": run.arm, "model": run.model, "tasks": len(run.tasks)}
        by_task = [score._asdict() for score in run.tasks]
        summary["runs"].append({**row, "unanswered": run.unanswered, **figures, "by_task": by_task})
    for arm, its_runs in arms.items():
        row = {"runs": len(its_runs)}
        if any(run.tasks for run in its_runs):
            row |= {each: bootstrap(group_by_task(its_runs, each)) for each in FIGURES}
            row["characters_beside_rg"] = bootstrap_ratio(group_by_task(its_runs, "characters"), base)
        summary["arms"][arm] = row
    return summary


def render(summary: Mapping[str, Any]) -> str:
    """The table for people."""
    titles = "tasks  recall  places  precision  characters  calls  lines  unanswered"
    lines = [f"{'run':18} {'arm':11} {'model':16} {titles}", *map(_render_run, summary["runs"])]
    lines += ["", "arm: mean over tasks [95 % interval of drawing the tasks anew]"]
    for arm, row in summary["arms"].items():
        lines.append(f"{arm}, {row['runs']} runs")
        for figure in FIGURES:
            if figure in row:
                middle, low, high = row[figure]
                form = ".3f" if figure in ("recall", "places", "precision") else ",.1f"
                lines.append(f"  {figure:11} {middle:{form}} [{low:{form}}, {high:{form}}]")
        if row.get("characters_beside_rg"):
            middle, low, high = row["characters_beside_rg"]
            lines.append(f"  characters beside rg alone: {middle:.2f} [{low:.2f}, {high:.2f}]")
    return "\n".join(lines) + "\n"


def _render_run(run: Mapping[str, Any]) -> str:
    return (
        f"{run['run']:18} {run['arm']:11} {run['model']:16} {run['tasks']:5}  {run['recall']:6.3f}  "
        f"{run['places']:6.3f}  {run['precision']:9.3f}  {run['characters']:10,.0f}  {run['calls']:5.1f}  "
        f"{run['lines']:5.0f}  {run['unanswered']:10}"
    )
