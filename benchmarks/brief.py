"""What a brief finds of a real change: `guide_brief` asked with commit messages, judged by the guide's kit.

The kit (`--kit DIR`) holds the tasks and the judge, `--mirror` says where the git directories of its repositories lie.
Its `run.py` serves every commit's parent with this Fieldguide, counts every token of the answers, and writes what was
covered; here its rows are put beside the goals. Needs `tiktoken` and `litellm` in the Python that runs the kit.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from benchmarks import report
from benchmarks.report import Goal

BUDGETS = (1_000, 4_000, 16_000)
# The kit's hunks are those whose lines are shown; a map of 1,000 tokens names definitions and shows few.
GOALS = {1_000: (0.82, 0.0), 4_000: (0.86, 0.55), 16_000: (0.92, 0.72)}
NAME = "guide"


def main() -> int:
    """Run the kit, and say for each repository and budget which share of files and hunks was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.brief", description=__doc__)
    parser.add_argument("--kit", type=Path, required=True)
    parser.add_argument("--mirror", required=True, help="such as '/mirror/{owner}+{name}/repo'")
    parser.add_argument("--work", type=Path, default=Path("build/brief"))
    parser.add_argument("--python", default=sys.executable, help="the Python that runs the kit")
    parser.add_argument("--repos", default="", help="some of the kit's, with commas")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    options = parser.parse_args()
    _run(options)
    rows = _rows(options.work / "results")
    print(f"What a brief finds. {report.describe_machine()}\n")
    header = ["repository", "tasks", *(f"{what}, {budget:,}" for budget in BUDGETS for what in ("files", "hunks"))]
    table = [[name, str(len(found)), *(f"{each:.3f}" for each in _means(found))] for name, found in rows.items()]
    goals = _goals(list(rows.values()))
    print(report.format_table(header, table), report.format_goals(goals), sep="\n\n")
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def _run(options: argparse.Namespace) -> None:
    arguments = ["--name", NAME, "--count-raw", "--out", str((options.work / "results").resolve())]
    arguments += ["--repos", options.repos, "--every", str(options.every), "--mcp-tool", "guide_brief"]
    environment = {
        **os.environ,
        "GUIDELAB_MIRROR": options.mirror,
        "GUIDELAB_WORK": str(options.work.resolve()),
        "FIELDGUIDE": str(Path(sys.executable).with_name("fieldguide")),
    }
    command = [options.python, str(options.kit / "run.py"), "brief", *arguments]
    subprocess.run(command, env=environment, check=True)


def _rows(folder: Path) -> dict[str, list[list[tuple[float, float]]]]:
    """For each repository its tasks, and of each the shares of files and hunks at each budget; an error finds none."""
    nothing = [(0.0, 0.0)] * len(BUDGETS)
    return {
        path.stem.partition("@")[2]: [
            [(each["files"], each["hunks"]) for each in row["results"]] if "results" in row else nothing
            for row in map(json.loads, path.read_text().splitlines())
        ]
        for path in sorted(folder.glob(f"{NAME}@*.jsonl"))
    }


def _means(found: list[list[tuple[float, float]]]) -> Iterator[float]:
    for number in range(len(BUDGETS)):
        for part in (0, 1):
            yield mean(task[number][part] for task in found)


def _goals(repositories: list[list[list[tuple[float, float]]]]) -> list[Goal]:
    means = [mean(each) for each in zip(*map(_means, repositories), strict=True)]
    wanted = [goal for budget in BUDGETS for goal in GOALS[budget]]
    names = [f"{what} at {budget:,} tokens" for budget in BUDGETS for what in ("files", "hunks")]
    told = zip(names, wanted, means, strict=True)
    return [Goal(name, "what was changed", "at least", least, value) for name, least, value in told]


if __name__ == "__main__":
    sys.exit(main())
