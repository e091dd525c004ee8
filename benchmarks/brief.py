"""What a brief finds of real changes: `guide_brief` asked with the messages of commits, beside a plain grep.

`--checkout DIR…` takes the newest commits of any repositories. The message of a commit is the task, without the names
of files; the files that it changed are what is to be found, in the state before it, with a history that ends there.
That state is checked out from the repository's objects alone, into a folder of its own that is removed: none of the
repository's settings count, none of its programs run, and nothing is written to it.

`--kit DIR --mirror …` runs a kit of tasks instead, which counts and judges by itself; its rows stand beside the goals.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import log
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from benchmarks import report
from benchmarks.report import Goal
from fieldguide.app import build_app
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import STATE_VARIABLE
from fieldguide.files.project_files import list_project_files
from fieldguide.settings.config import read_settings
from fieldguide.spine.executor import Executor
from fieldguide.text.errors import FieldguideError, Refusal
from fieldguide.text.tokens import count_exact_tokens

KIT_BUDGETS = (1_000, 4_000, 16_000)
# The kit's hunks are those whose lines are shown; a map of 1,000 tokens names definitions and shows few.
GOALS = {1_000: (0.82, 0.0), 4_000: (0.86, 0.55), 16_000: (0.92, 0.72)}
NAME = "guide"


def main() -> int:
    """Measure briefs on checkouts, or run the kit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.brief", description=__doc__)
    parser.add_argument("--checkout", type=Path, nargs="+", metavar="DIR", help="repositories whose commits are tasks")
    parser.add_argument("--commits", type=int, default=20, help="of each repository (default: 20)")
    parser.add_argument("--budgets", default="500,1000,4000", help="in tokens; 0: without a budget")
    parser.add_argument("--kit", type=Path)
    parser.add_argument("--mirror", help="such as '/mirror/{owner}+{name}/repo'")
    parser.add_argument("--work", type=Path, default=Path("build/brief"))
    parser.add_argument("--python", default=sys.executable, help="runs the kit; needs tiktoken and litellm")
    parser.add_argument("--repos", default="", help="some of the kit's, with commas")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--check", action="store_true", help="fail when a goal of the kit is missed")
    options = parser.parse_args()
    if options.checkout:
        budgets = [int(each) for each in options.budgets.split(",")]
        print(f"What a brief finds. {report.describe_machine()}\n")
        print(measure_checkouts(options.checkout, options.commits, budgets))
        return 0
    if options.kit is None or options.mirror is None:
        parser.error("--checkout, or --kit and --mirror")
    return run_kit(options)


class Place(NamedTuple):
    """Some lines of a file, the last one included."""

    path: str
    start: int
    end: int


class Task(NamedTuple):
    """What was to be done, the commits after and before, and the files that were there and were changed."""

    commit: str
    before: str
    words: str
    files: Sequence[str]


class Shares(NamedTuple):
    """The shares of a task's files and places that an answer has, 1 / rank of the first such file, and its tokens."""

    files: float
    places: float
    first: float
    tokens: float


def measure_checkouts(checkouts: Sequence[Path], commits: int, budgets: Sequence[int]) -> str:
    """A row for each way and budget, the mean of the repositories' means."""
    found: dict[tuple[int, str], list[Shares]] = {}
    count = 0
    for checkout in checkouts:
        rows: dict[tuple[int, str], list[Shares]] = {}
        for task, outcome in measure_tasks(checkout, list_tasks(checkout, commits), budgets):
            print(f"{checkout.name} {task.commit[:10]}", file=sys.stderr)
            count += 1
            for key, shares in outcome.items():
                rows.setdefault(key, []).append(shares)
        for key, of_tasks in rows.items():
            found.setdefault(key, []).append(_average(of_tasks))
    header = ["budget", "way", "files", "places", "MRR", "tokens"]
    table: list[list[str]] = []
    for (budget, way), means in sorted(found.items()):
        *parts, tokens = _average(means)
        table.append([f"{budget:,}", way, *(f"{share:.3f}" for share in parts), f"{tokens:,.0f}"])
    return f"{count} tasks of {len(checkouts)} repositories\n\n{report.format_table(header, table)}"


def _average(rows: Sequence[Shares]) -> Shares:
    files, places, first, tokens = ([row[field] for row in rows] for field in range(4))
    return Shares(mean(files), mean(places), mean(first), mean(tokens))


def run_git(folder: Path, *arguments: str) -> str:
    """What git says, without anybody's settings and without hooks."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    command = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


MOST_LOOKED_AT = 2_000
MOST_CHANGED = 25
LEAST_WORDS = 6
TRAILER = re.compile(
    r"(?m)^(?:[A-Z][\w-]+-by|Co-authored-by|Change-Id|Fixes|Closes|Refs?|Reviewed-on|PR-URL|git-svn-id):.*$"
)
NOISE = re.compile(r"<?https?://[^\s>]+>?|\(?(?:#|GH-|!)\d+\)?|`?[\w.@~+-]*(?:/[\w.@~+-]+)+\.\w+`?")
TEXT_WORD = re.compile(r"[^\W\d_]{2,}")
BY_A_PROGRAM = re.compile(r"\[bot\]|\bbot\b|^(?:dependabot|renovate|github-actions)", re.IGNORECASE)
SAYS_NOTHING = re.compile(
    r"(?:merge|revert|bump|release|fixup!|squash!|prepare release|v?\d+\.\d+)\b"
    r"|(?:release|revert|style|deps|\w+\(deps[^)]*\))!?:",
    re.IGNORECASE,
)
NOT_WRITTEN = re.compile(
    r"(?:^|/)(?:changelog|changes|history|news|authors)[^/]*$|\.(?:lock|sum|snap)$|-lock\.\w+$|\.min\.\w+$"
    r"|(?:^|/)(?:node_modules|vendor|dist|third_party|__snapshots__)/",
    re.IGNORECASE,
)


def list_tasks(checkout: Path, limit: int) -> list[Task]:
    """The newest commits that say in a few words what they change, oldest first."""
    form = "--format=%x01%H%x02%P%x02%an%x02%B%x02"
    said = run_git(checkout, "log", f"-n{MOST_LOOKED_AT}", "--no-merges", "--no-renames", "--name-status", form)
    tasks: list[Task] = []
    for record in said.split("\x01")[1:]:
        commit, before, author, message, changed = record.split("\x02", 4)
        changes = [line.split("\t", 1) for line in changed.splitlines() if "\t" in line]
        files = [path for status, path in changes if status != "A" and not NOT_WRITTEN.search(path)]
        is_meant = not BY_A_PROGRAM.search(author) and not SAYS_NOTHING.match(message.lstrip())
        words = clean_message(message, [path for _, path in changes])
        if (
            before
            and files
            and len(changes) <= MOST_CHANGED
            and is_meant
            and len(TEXT_WORD.findall(words)) >= LEAST_WORDS
        ):
            tasks.append(Task(commit, before, words, files))
        if len(tasks) == limit:
            break
    return tasks[::-1]


def clean_message(message: str, files: Iterable[str]) -> str:
    """A message without trailers, links and numbers, and without the names of the files."""
    text = NOISE.sub(" ", TRAILER.sub("", message))
    for name in sorted({*files, *map(os.path.basename, files)}, key=len, reverse=True):
        text = text.replace(name, " ")
    return "\n".join(" ".join(line.split()) for line in text.splitlines()).strip()


class CommitStage:
    """The files of one commit at a time, checked out from the objects of a repository, with none of its settings."""

    def __init__(self, folder: Path, checkout: Path) -> None:
        self.folder = folder
        run_git(folder, "init", "--quiet", "--template=", ".")
        own = folder / ".git"
        objects = (checkout / run_git(checkout, "rev-parse", "--git-path", "objects").strip()).resolve()
        (own / "objects/info").mkdir(exist_ok=True)
        (own / "objects/info/alternates").write_text(f"{objects}\n")
        shallow = checkout / run_git(checkout, "rev-parse", "--git-path", "shallow").strip()
        if shallow.exists():
            (own / "shallow").write_bytes(shallow.read_bytes())

    def move_to(self, commit: str) -> None:
        """Have the files of a commit, and a history that ends with it."""
        run_git(self.folder, "-c", "core.symlinks=false", "checkout", "--quiet", "--force", "--detach", commit, "--")

    def changed(self, task: Task) -> list[Place]:
        """The places that a task's commit changed; what was only put in counts for the lines around it."""
        places: list[Place] = []
        for path in task.files:
            difference = run_git(
                self.folder,
                "diff-tree",
                "-p",
                "-U0",
                "--no-renames",
                task.before,
                task.commit,
                "--",
                f":(literal){path}",
            )
            for start, count in re.findall(r"(?m)^@@ -(\d+)(?:,(\d+))? ", difference):
                lines = int(count or 1)
                places.append(Place(path, int(start), int(start) + lines - 1 if lines else int(start) + 1))
        return places


Outcome = dict[tuple[int, str], Shares]


def measure_tasks(checkout: Path, tasks: Sequence[Task], budgets: Sequence[int]) -> Iterator[tuple[Task, Outcome]]:
    """The outcome of each task; one without a file that could be found is left out."""
    with tempfile.TemporaryDirectory(prefix="fieldguide-brief-", ignore_cleanup_errors=True) as name:
        os.environ[STATE_VARIABLE] = os.path.join(name, "state")
        folder = Path(name) / "project"
        folder.mkdir()
        stage = CommitStage(folder, checkout.resolve())
        is_first = True
        for task in tasks:
            stage.move_to(task.before)
            files = [path for path in task.files if (folder / path).is_file()]
            if not files:
                continue
            wanted = stage.changed(task)
            executor = serve(folder)
            outcome: Outcome = {}
            if is_first:
                ask_brief(executor, task.words, 0)  # reads the history, and may not wait for all of it
                is_first = False
            matches = find_matches(folder, task.words)
            for budget in budgets:
                outcome[budget, "brief"] = judge(files, wanted, *ask_brief(executor, task.words, budget))
                if budget:
                    outcome[budget, "grep"] = judge(files, wanted, *cut_to_budget(matches, budget))
            yield task, outcome


def serve(folder: Path) -> Executor:
    """A server of the folder, indexed, in this process; nobody's database and nobody's tasks."""
    settings = read_settings({"project": str(folder)}, os.environ)._replace(toolsets=None, database=None, user=None)
    app = build_app(settings, write_journal=lambda lines: None)
    for toolset in app.toolsets:
        if toolset.upkeep is not None:
            with suppress(FieldguideError):  # what one toolset can't read stops no other
                toolset.upkeep.refresh(lambda done, total, name: None)
                toolset.upkeep.settle(lambda done, total, name: None)
    return app.executor


def ask_brief(executor: Executor, words: str, budget: int) -> tuple[list[str], list[Place], int]:
    """The files of an answer in the order of its map, its places, and its tokens."""
    answer = executor.call("guide_brief", {"task": words, **({"budget": budget} if budget else {})})
    places = [Place(item["path"], item["start"], item["end"]) for item in answer.value["items"]]
    mapped = re.findall(r"(?m)^\d+\. (\S+): ", answer.text)
    return [*dict.fromkeys([*mapped, *(place.path for place in places)])], places, count_exact_tokens(answer.text)


def judge(
    files: Sequence[str], wanted: Sequence[Place], order: Sequence[str], shown: Sequence[Place], tokens: int
) -> Shares:
    """What an answer has of what was changed."""
    ranks = [rank for rank, path in enumerate(order, 1) if path in files]
    found = [place for place in wanted if any(_share_a_line(place, other) for other in shown)]
    first = 1 / ranks[0] if ranks else 0.0
    return Shares(len(ranks) / len(files), len(found) / max(len(wanted), 1), first, tokens)


def _share_a_line(one: Place, other: Place) -> bool:
    return one.path == other.path and one.start <= other.end and other.start <= one.end


WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
MOST_WORDS = 10
MOST_FILES = 80
MOST_PER_FILE = 4
CONTEXT_LINES = 5
LARGEST_FILE_BYTES = 1 << 20


def find_matches(project: Path, words: str) -> list[tuple[str, int, list[str]]]:
    """What grep would print for the rarest words, with lines around: the file that holds most of them first."""
    folder = ConfinedFolder(str(project))
    asked = [*dict.fromkeys(word.lower() for word in WORD.findall(words))]
    texts: dict[str, str] = {}
    spread: Counter[str] = Counter()
    for path in list_project_files(folder).paths:
        with suppress(Refusal):
            texts[path] = folder.read(path, limit_bytes=LARGEST_FILE_BYTES).decode("utf-8", "replace")
            spread.update(word for word in asked if word in texts[path].lower())
    rarest = sorted(spread, key=lambda word: (spread[word], asked.index(word)))[:MOST_WORDS]
    weights = {word: log(1 + len(texts) / spread[word]) for word in rarest}
    worth = {path: _weigh(text.lower(), weights) for path, text in texts.items() if "\0" not in text}
    best = sorted((path for path in worth if worth[path]), key=lambda path: (-worth[path], path))
    return [match for path in best[:MOST_FILES] for match in _find_in_file(path, texts[path].split("\n"), weights)]


def _weigh(text: str, weights: Mapping[str, float]) -> float:
    return sum(weight * (1 + log(text.count(word))) for word, weight in weights.items() if word in text)


def _find_in_file(path: str, lines: list[str], weights: Mapping[str, float]) -> Iterator[tuple[str, int, list[str]]]:
    scores = [sum(weight for word, weight in weights.items() if word in line.lower()) for line in lines]
    best = sorted((number for number, score in enumerate(scores) if score), key=lambda each: (-scores[each], each))
    taken: set[int] = set()
    for number in best[:MOST_PER_FILE]:
        span = range(max(0, number - CONTEXT_LINES), min(len(lines), number + CONTEXT_LINES + 1))
        if taken.isdisjoint(span):
            taken.update(span)
            yield path, span.start + 1, lines[span.start : span.stop]


def cut_to_budget(matches: Iterable[tuple[str, int, list[str]]], budget: int) -> tuple[list[str], list[Place], int]:
    """What is printed before the budget is used up."""
    shown: list[Place] = []
    used = 0
    for path, start, lines in matches:
        for number, line in enumerate(lines, start):
            head = "" if shown and shown[-1].path == path and shown[-1].end == number - 1 else f"{path}\n"
            cost = count_exact_tokens(f"{head}{number}:{line[:400]}\n")
            if used + cost > budget:
                return [*dict.fromkeys(place.path for place in shown)], shown, used
            shown.append(Place(path, number, number))
            used += cost
    return [*dict.fromkeys(place.path for place in shown)], shown, used


def run_kit(options: argparse.Namespace) -> int:
    """Run the kit, and say for each repository and budget which share of files and hunks was found."""
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
    rows = _rows(options.work / "results")
    print(f"What a brief finds. {report.describe_machine()}\n")
    header = ["repository", "tasks", *(f"{what}, {budget:,}" for budget in KIT_BUDGETS for what in ("files", "hunks"))]
    table = [[name, str(len(found)), *(f"{each:.3f}" for each in _means(found))] for name, found in rows.items()]
    goals = _goals(list(rows.values()))
    print(report.format_table(header, table), report.format_goals(goals), sep="\n\n")
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def _rows(folder: Path) -> dict[str, list[list[tuple[float, float]]]]:
    """For each repository its tasks, and of each the shares of files and hunks at each budget; an error finds none."""
    nothing = [(0.0, 0.0)] * len(KIT_BUDGETS)
    return {
        path.stem.partition("@")[2]: [
            [(each["files"], each["hunks"]) for each in row["results"]] if "results" in row else nothing
            for row in map(json.loads, path.read_text().splitlines())
        ]
        for path in sorted(folder.glob(f"{NAME}@*.jsonl"))
    }


def _means(found: list[list[tuple[float, float]]]) -> Iterator[float]:
    for number in range(len(KIT_BUDGETS)):
        for part in (0, 1):
            yield mean(task[number][part] for task in found)


def _goals(repositories: list[list[list[tuple[float, float]]]]) -> list[Goal]:
    means = [mean(each) for each in zip(*map(_means, repositories), strict=True)]
    wanted = [goal for budget in KIT_BUDGETS for goal in GOALS[budget]]
    names = [f"{what} at {budget:,} tokens" for budget in KIT_BUDGETS for what in ("files", "hunks")]
    values = zip(names, wanted, means, strict=True)
    return [Goal(name, "what was changed", "at least", least, value) for name, least, value in values]


if __name__ == "__main__":
    sys.exit(main())
