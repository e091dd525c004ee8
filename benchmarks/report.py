"""What every benchmark prints and writes: the machine, tables with ratios, goals and whether they are reached."""

import json
import math
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

REPOSITORY = Path(__file__).resolve().parent.parent

Verdict = Literal["reached", "missed", "not measured"]


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound on our figure divided by a rival's; `ratio` is None when one of the two was not measured."""

    measure: str
    beside: str
    bound: Literal["at most", "at least"]
    limit: float
    ratio: float | None

    @property
    def verdict(self) -> Verdict:
        if self.ratio is None:
            return "not measured"
        reached = self.ratio <= self.limit if self.bound == "at most" else self.ratio >= self.limit
        return "reached" if reached else "missed"


def describe_machine() -> str:
    """One line that says where figures come from: processors and how busy they were, Python, commit."""
    load = os.getloadavg()[0]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{os.cpu_count()} CPUs (load {load:.1f}), {platform.system()}, {python}, commit {_commit()}"


def percentile(values: Sequence[float], fraction: float) -> float:
    """The smallest value that at least this fraction of the values does not exceed."""
    return sorted(values)[max(0, math.ceil(fraction * len(values)) - 1)]


def divide(ours: float | None, theirs: float | None) -> float | None:
    return ours / theirs if ours is not None and theirs else None


def beside_ours(value: float, ours: float | None, *, digits: int = 0) -> str:
    """A figure and how many times ours it is, such as `962 (3.4x)`."""
    ratio = divide(value, ours)
    text = f"{value:,.{digits}f}"
    return text if ratio is None else f"{text} ({ratio:.2f}x)"


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, padded so that it also reads well in a terminal."""
    widths = [max(len(cell) for cell in column) for column in zip(header, *rows, strict=True)]
    rule = ["-" * width for width in widths]
    return "\n".join(_format_row(cells, widths) for cells in (header, rule, *rows))


def format_goals(goals: Sequence[Goal]) -> str:
    rows = [
        [
            goal.measure,
            goal.beside,
            f"{goal.bound} {goal.limit:g}",
            "" if goal.ratio is None else f"{goal.ratio:.3f}",
            goal.verdict,
        ]
        for goal in goals
    ]
    return format_table(["ours divided by theirs", "beside", "goal", "measured", ""], rows)


def write_json(path: Path, *, benchmark: str, figures: Mapping[str, Any], goals: Sequence[Goal]) -> None:
    judged = [{**asdict(goal), "verdict": goal.verdict} for goal in goals]
    content = {"benchmark": benchmark, "machine": describe_machine(), **figures, "goals": judged}
    path.write_text(json.dumps(content, indent=2) + "\n")


def _format_row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        answer = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return answer.stdout.strip()
