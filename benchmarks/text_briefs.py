"""What a brief names of the files that later changes touched: code, and text beside it.

A checkout stands at an earlier commit; the commits after it, up to `--until`, give the tasks: their messages, and the
files they changed that are there already. One index answers all of them, so a run takes a minute.
"""

import argparse
import shutil
import subprocess
from collections.abc import Iterator
from statistics import mean
from typing import NamedTuple

from benchmarks import report
from benchmarks.mixed_questions.serving import served
from fieldguide.files.kinds import GENERATED, VENDORED, find_role, find_text_kind

BUDGETS = (1_000, 4_000)
MOST_FILES = 12
FEWEST_WORDS = 5
PARTS = ("all", "with text", "without text", "text files")


class BriefTask(NamedTuple):
    """The message of a commit, and the files that it changed."""

    text: str
    files: frozenset[str]

    @property
    def texts(self) -> frozenset[str]:
        """The files that are text beside the code."""
        return frozenset(path for path in self.files if find_text_kind(path))


def main() -> int:
    """Ask for a brief of every task, and count the files that it names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.text_briefs", description=__doc__)
    parser.add_argument("--checkout", nargs="+", required=True, metavar="PATH", help="checkouts at earlier commits")
    parser.add_argument("--until", default="origin/HEAD", help="the last commit that gives a task")
    parser.add_argument("--tasks", type=int, default=80, help="of each checkout at most, half of them with text")
    options = parser.parse_args()
    rows: list[list[str]] = []
    for checkout in options.checkout:
        found = [*read_tasks(checkout, options.until)]
        half = options.tasks // 2
        tasks = [task for task in found if task.texts][:half] + [task for task in found if not task.texts][:half]
        with served(checkout) as project:
            for budget in BUDGETS:
                shares: dict[str, list[float]] = {part: [] for part in PARTS}
                for task in tasks:
                    value, _ = project.run("guide_brief", {"task": task.text, "budget": budget})
                    _count(task, {item["path"] for item in value["items"]}, shares)
                figures = [f"{mean(each):.3f} of {len(each)}" if each else "-" for each in shares.values()]
                rows.append([checkout.rstrip("/").rpartition("/")[2], f"{budget:,}", *figures])
    print(f"Files that a brief names. {report.describe_machine()}\n")
    print(report.format_table(["checkout", "tokens", *PARTS], rows))
    return 0


def read_tasks(checkout: str, until: str) -> Iterator[BriefTask]:
    """The commits after the checkout's, oldest first, that change a few files of it and say what they do."""
    there = frozenset(_git(checkout, "ls-files").splitlines())
    told = _git(checkout, "log", "--no-merges", "--reverse", "--format=%x00%B%x01", "--name-only", f"HEAD..{until}")
    for each in told.split("\0")[1:]:
        message, _, names = each.partition("\1")
        changed = [path for path in names.split("\n") if path in there and _may_be_asked_for(path)]
        text = message.strip()
        if 0 < len(changed) <= MOST_FILES and len(text.split()) >= FEWEST_WORDS and not _is_upkeep(text):
            yield BriefTask(text, frozenset(changed))


def _may_be_asked_for(path: str) -> bool:
    is_record = path.lower().rpartition("/")[2].startswith(("changelog", "changes", "news", "history"))
    return not is_record and find_role(path) not in (GENERATED, VENDORED)


def _is_upkeep(message: str) -> bool:
    first = message.lower().partition("\n")[0]
    return any(word in first for word in ("bump", "dependabot", "deps", "revert", "release", "backport"))


def _count(task: BriefTask, named: set[str], shares: dict[str, list[float]]) -> None:
    share = len(task.files & named) / len(task.files)
    shares["all"].append(share)
    shares["with text" if task.texts else "without text"].append(share)
    if task.texts:
        shares["text files"].append(len(task.texts & named) / len(task.texts))


def _git(checkout: str, *arguments: str) -> str:
    command = [shutil.which("git") or "git", "-C", checkout, *arguments]
    done = subprocess.run(command, check=True, capture_output=True)
    return done.stdout.decode(errors="replace")


if __name__ == "__main__":
    raise SystemExit(main())
