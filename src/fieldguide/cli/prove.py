"""`fieldguide prove`: measures on past commits how many changed files a brief finds, beside grep."""

import argparse
import os
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import log
from statistics import mean
from typing import Any, NamedTuple

from fieldguide.app import build_app
from fieldguide.cli.console.options import add_json_option, read_settings_from
from fieldguide.cli.console.terminal import BoldText, Line, ProgressBar, say_result
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import STATE_VARIABLE
from fieldguide.files.project_files import list_project_files
from fieldguide.git.diff import read_patches
from fieldguide.git.fetch import GitCommands
from fieldguide.git.log import GitHistory, LoggedCommit
from fieldguide.git.program import GitProgram
from fieldguide.knowledge.findings.commit_message import MACHINE, PEOPLE, TICKET, parse_message
from fieldguide.settings.config import read_settings
from fieldguide.settings.limits import Limits
from fieldguide.spine.executor import Executor
from fieldguide.text import regex as re
from fieldguide.text.display import format_count
from fieldguide.text.errors import FieldguideError, Refusal, Unreadable
from fieldguide.text.tokens import count_exact_tokens

USUAL_COMMITS = 20
MOST_COMMITS = 200
USUAL_BUDGETS = (1_000, 4_000, 16_000)
LEAST_BUDGET = 200
MOST_BUDGET = 50_000
MOST_REMOVALS = 40
REMOVAL_SECONDS = 0.05
EPILOG = """\
The message of each commit is the task, without the names of files; the files that it changed are what is to be found,
in the state before it, with a history that ends there. This happens in a folder outside of the project, which is
removed. Nothing of the repository is run, nothing is written to it, and nothing leaves the machine.
"""
DIFF = ("diff-tree", "--no-renames")
MOST_LOOKED_AT = 2_000
MOST_TASK_FILES = 25
LEAST_WORDS = 6
NO_TASKS = frozenset({"release", "revert", "style", "deps"})
LINK = re.compile(r"<?https?://[^\s>]+>?")
NUMBER = re.compile(r"\(?(?:#|GH-|!)\d+\)?")
PATH = re.compile(r"`?[\w.@~+-]*(?:/[\w.@~+-]+)+\.\w+`?")
TEXT_WORD = re.compile(r"[^\W\d_]{2,}")
BY_A_PROGRAM = re.compile(r"\[bot\]|\bbot\b|^(?:dependabot|renovate|github-actions)", re.IGNORECASE)
SAYS_NOTHING = re.compile(r"(?:merge|revert|bump|release|fixup!|squash!|prepare release|v?\d+\.\d+)\b", re.IGNORECASE)
NOT_WRITTEN = re.compile(
    r"(?:^|/)(?:changelog|changes|history|news|authors)[^/]*$|\.(?:lock|sum|snap)$|-lock\.\w+$|\.min\.\w+$"
    r"|(?:^|/)(?:node_modules|vendor|dist|third_party|__snapshots__)/",
    re.IGNORECASE,
)
MOST_WORDS = 10
MOST_PER_FILE = 4
MOST_SHOWN_FILES = 80
MOST_FILE_BYTES = 1 << 20
CONTEXT_LINES = 5
LONGEST_LINE = 400
LEAST_LETTERS = 3
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
BRIEF = "brief"
GREP = "grep"
Tell = Callable[[int, int, str], None]
BAR_COLUMNS = 40


class CommitPlace(NamedTuple):
    """Some lines of a file, the last one included."""

    path: str
    start: int
    end: int

    def holds_some_of(self, other: "CommitPlace") -> bool:
        """Whether another place has a line of this one."""
        return self.path == other.path and self.start <= other.end and other.start <= self.end


class CommitTask(NamedTuple):
    """What was to be done, the state before it was, and the files that were there and were changed."""

    commit: str
    before: str
    words: str
    files: tuple[str, ...]


class GrepMatch(NamedTuple):
    """A place that grep would print, with the lines around it."""

    path: str
    start: int
    lines: Sequence[str]


class TaskResult(NamedTuple):
    """What one way found of that within a budget, and how many tokens its answer has."""

    way: str
    budget: int
    files: tuple[str, ...]
    places: int
    tokens: int


class TaskOutcome(NamedTuple):
    """A task, the files and places to be found for it, and what brief and grep found of them."""

    task: CommitTask
    files: tuple[str, ...]
    places: tuple[CommitPlace, ...]
    results: list[TaskResult]


class ProofTotal(NamedTuple):
    """What one way found within a budget: the mean share of a task's files and changed places, and what that cost."""

    way: str
    budget: int
    share: float
    places: float
    tokens: float
    files_per_1000_tokens: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How many commits, which budgets, and how to print."""
    parser.epilog = EPILOG
    parser.add_argument(
        "--commits", type=_commits, default=USUAL_COMMITS, metavar="N", help="at most so many tasks (default: 20)"
    )
    parser.add_argument(
        "--budgets", type=_budgets, default=USUAL_BUDGETS, metavar="N,N", help="in tokens (default: 1000,4000,16000)"
    )
    parser.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure, and print a table and a picture."""
    project = read_settings_from(arguments).project
    tasks = list_commit_tasks(project, arguments.commits)
    if not tasks:
        raise Refusal("There is no commit here that could be a task: one that says in a few words what it changes.")
    outcomes = _measure(project, tasks, arguments.budgets)
    if not outcomes:
        raise Refusal("None of the latest commits changed a file that could be found: they are new, large or binary.")
    figures = sum_outcomes(outcomes, arguments.budgets)
    result = {"tasks": [_outcome_to_json(each) for each in outcomes], "totals": [each._asdict() for each in figures]}
    lines = [f"{_counted(outcomes)}.", "", *_table(figures), "", *draw_text_bars(figures)]
    say_result(result, lines, as_json=arguments.json)
    return 0


def _measure(project: str, tasks: Sequence[CommitTask], budgets: Sequence[int]) -> list[TaskOutcome]:
    """Measure in a temporary folder, which is removed however this ends."""
    bar = ProgressBar()
    with _interrupted_by_sigterm(), _temporary_folder() as folder:
        staged = os.path.join(folder, "project")
        os.mkdir(staged)
        try:
            with keep_state_in(os.path.join(folder, "state")):
                return measure_tasks(tasks, CommitStage(staged, project), budgets, bar)
        finally:
            bar.clear()


@contextmanager
def _temporary_folder() -> Generator[str]:
    """A temporary folder; its removal is repeated while a thread that was left behind still writes into it."""
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
def _interrupted_by_sigterm() -> Generator[None]:
    """Clean up after SIGTERM as after Ctrl-C."""

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _counted(outcomes: Sequence[TaskOutcome]) -> str:
    files = sum(len(each.files) for each in outcomes)
    return f"{format_count(len(outcomes), 'task')} from the latest commits, which changed {format_count(files, 'file')}"


def _table(figures: Sequence[ProofTotal]) -> Iterator[Line]:
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


def _outcome_to_json(outcome: TaskOutcome) -> dict[str, Any]:
    return {
        "commit": outcome.task.commit,
        "before": outcome.task.before,
        "task": outcome.task.words,
        "files": outcome.files,
        "places": len(outcome.places),
        "found": [each._asdict() for each in outcome.results],
    }


def _commits(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_COMMITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_COMMITS}")
    return int(text)


def _budgets(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.strip().isdecimal() and LEAST_BUDGET <= int(part) <= MOST_BUDGET for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} are not numbers from {LEAST_BUDGET} to {MOST_BUDGET}")
    return tuple(sorted({int(part) for part in parts}))


def measure_tasks(
    tasks: Sequence[CommitTask], stage: "CommitStage", budgets: Sequence[int], tell: Tell
) -> list[TaskOutcome]:
    """The outcome of each task; one without a file that could be found is left out."""
    outcomes: list[TaskOutcome] = []
    for number, task in enumerate(tasks):
        tell(number, len(tasks), task.commit[:10])
        stage.move_to(task.before)
        files = tuple(path for path in task.files if os.path.isfile(os.path.join(stage.project, path)))
        if not files:
            continue
        outcome = TaskOutcome(task, files, tuple(stage.changed(task.before, task.commit, files)), [])
        with _served(stage.project) as executor:
            if not outcomes:
                _add_brief(outcome, executor, budgets[0])  # reads the history, and may not wait for all of it
                outcome.results.clear()
            for budget in budgets:
                _add_brief(outcome, executor, budget)
        matches = find_matches(stage.project, task.words)
        for budget in budgets:
            places, tokens = cut_to_budget(matches, budget)
            _add_result(outcome, GREP, budget, places, tokens)
        outcomes.append(outcome)
    return outcomes


def sum_outcomes(outcomes: Sequence[TaskOutcome], budgets: Sequence[int]) -> list[ProofTotal]:
    """The figures for each budget and way."""
    totals: list[ProofTotal] = []
    for budget in budgets:
        totals += [_total(BRIEF, budget, outcomes), _total(GREP, budget, outcomes)]
    return totals


@contextmanager
def keep_state_in(folder: str) -> Generator[None]:
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
def _served(project: str) -> Generator[Executor]:
    """A server of the folder, indexed, in this process; nobody's database and nobody's tasks."""
    settings = read_settings({"project": project}, os.environ)._replace(toolsets=None, database=None, user=None)
    app = build_app(settings, write_journal=lambda lines: None)
    for toolset in app.toolsets:
        if toolset.upkeep is not None:
            with suppress(FieldguideError):  # what one toolset can't read stops no other
                toolset.upkeep.refresh(lambda done, total, name: None)
                toolset.upkeep.settle(lambda done, total, name: None)
    yield app.executor


def _add_brief(outcome: TaskOutcome, executor: Executor, budget: int) -> None:
    answer = executor.call("guide_brief", {"task": outcome.task.words, "budget": budget})
    places = [CommitPlace(item["path"], item["start"], item["end"]) for item in answer.value["items"]]
    _add_result(outcome, BRIEF, budget, places, count_exact_tokens(answer.text))


def _add_result(outcome: TaskOutcome, way: str, budget: int, shown: Sequence[CommitPlace], tokens: int) -> None:
    paths = {place.path for place in shown}
    files = tuple(path for path in outcome.files if path in paths)
    outcome.results.append(TaskResult(way, budget, files, count_found_places(outcome.places, shown), tokens))


def _total(way: str, budget: int, outcomes: Sequence[TaskOutcome]) -> ProofTotal:
    shares: list[float] = []
    places: list[float] = []
    tokens = 0
    files = 0
    for outcome in outcomes:
        for result in outcome.results:
            if (result.way, result.budget) == (way, budget):
                shares.append(len(result.files) / len(outcome.files))
                places.append(result.places / max(len(outcome.places), 1))
                tokens += result.tokens
                files += len(result.files)
    return ProofTotal(way, budget, mean(shares), mean(places), tokens / len(shares), 1000 * files / max(tokens, 1))


def draw_text_bars(totals: Sequence[ProofTotal]) -> Iterator[Line]:
    """A bar for each way and budget, as long as the share of files that was found."""
    before = None
    for total in totals:
        budget = "" if total.budget == before else f"{total.budget:,}"
        filled = round(total.share * BAR_COLUMNS)
        bar = "█" * filled + "░" * (BAR_COLUMNS - filled)
        yield [f"{budget:>8}  {total.way:<5} ", BoldText(bar) if total.way == BRIEF else bar, f" {total.share:4.0%}"]
        before = total.budget


def find_changed_places(git: GitProgram, before: str, after: str, path: str, prefix: str) -> list[CommitPlace]:
    """The places of a file that were changed; what was only put in counts for the lines around it."""
    found: list[CommitPlace] = []
    for patch in read_patches(git, DIFF, before, after, "--", f":(top,literal){prefix}{path}"):
        for start, lines, _, _ in patch.hunks:
            end = start + lines - 1 if lines else start + 1
            found.append(CommitPlace(path, start, end))
    return found


def count_found_places(wanted: Iterable[CommitPlace], shown: Sequence[CommitPlace]) -> int:
    """How many places are among those that are shown, at least in part."""
    count = 0
    for place in wanted:
        count += any(place.holds_some_of(other) for other in shown)
    return count


class CommitStage:
    """The files of one commit at a time, checked out from the objects of a repository, with none of its settings."""

    def __init__(self, folder: str, project: str) -> None:
        source = GitProgram(project)
        self._folder = folder
        self._git = GitProgram(folder)
        self._prefix = os.fsdecode(source.ask("rev-parse", "--show-prefix").removesuffix(b"\n"))
        form = source.ask("rev-parse", "--show-object-format").decode().strip()
        self._run("init", "--quiet", "--template=", f"--object-format={form}")
        own = os.path.join(folder, ".git")
        alternates = os.path.join(own, "objects", "info", "alternates")
        os.makedirs(os.path.dirname(alternates), exist_ok=True)
        with open(alternates, "w", encoding="utf-8") as file:
            file.write(f"{os.path.abspath(_find_git_path(source, 'objects'))}\n")
        with suppress(FileNotFoundError):
            shutil.copyfile(_find_git_path(source, "shallow"), os.path.join(own, "shallow"))

    @property
    def project(self) -> str:
        """The folder that stands for the project: in a repository of which it is a part, the same part."""
        return os.path.join(self._folder, self._prefix).rstrip("/")

    def changed(self, before: str, after: str, paths: Iterable[str]) -> list[CommitPlace]:
        """The places of some files that are other in one commit than in another."""
        places: list[CommitPlace] = []
        for path in paths:
            places += find_changed_places(self._git, before, after, path, self._prefix)
        return places

    def move_to(self, commit: str) -> None:
        """Have the files of a commit, and a history that ends with it."""
        self._run("-c", "core.symlinks=false", "checkout", "--quiet", "--force", "--detach", commit, "--")
        os.makedirs(self.project, exist_ok=True)

    def _run(self, *arguments: str) -> None:
        GitCommands(self._folder, Limits()).run(self._folder, *arguments)


def _find_git_path(git: GitProgram, name: str) -> str:
    path = git.ask("rev-parse", "--git-path", name).removesuffix(b"\n")
    return os.path.join(git.folder, os.fsdecode(path))


def list_commit_tasks(project: str, limit: int) -> list[CommitTask]:
    """The latest commits that tell what they do, oldest first; Unreadable where there is no git."""
    git = GitProgram(project)
    found = list[CommitTask]()
    for commit in GitHistory(project).commits(limit=MOST_LOOKED_AT):
        task = _task(git, commit)
        if task is not None:
            found.append(task)
        if len(found) >= limit:
            break
    return found[::-1]


def clean_message(message: str, files: tuple[str, ...]) -> str:
    """A message without what is for machines, without links and numbers, and without the names of the files."""
    lines = message.splitlines()
    for trailer in (PEOPLE, MACHINE, TICKET):
        lines = [line for line in lines if not trailer.match(line)]
    text = "\n".join(lines)
    for pattern in (LINK, NUMBER, PATH):
        text = pattern.sub(" ", text)
    for name in sorted({*files, *map(os.path.basename, files)}, key=len, reverse=True):
        text = text.replace(name, " ")
    return "\n".join(" ".join(line.split()) for line in text.splitlines()).strip()


def _task(git: GitProgram, commit: LoggedCommit) -> CommitTask | None:
    files = tuple(change.path for change in commit.changes if change.before and not NOT_WRITTEN.search(change.path))
    if not files or len(commit.changes) > MOST_TASK_FILES or not _is_meant(commit):
        return None
    words = clean_message(commit.message, tuple(change.path for change in commit.changes))
    if len(TEXT_WORD.findall(words)) < LEAST_WORDS:
        return None
    try:
        before = git.resolve(f"{commit.id}^1")
    except Unreadable:  # the first commit, or the oldest of a shallow clone
        return None
    return CommitTask(commit.id, before, words, files)


def _is_meant(commit: LoggedCommit) -> bool:
    """Whether somebody did something and said what."""
    message = parse_message(commit.message)
    is_task = message.kind not in NO_TASKS and message.scope != "deps" and not message.reverts
    return is_task and not BY_A_PROGRAM.search(commit.author) and not SAYS_NOTHING.match(commit.message.lstrip())


def find_matches(project: str, words: str) -> list[GrepMatch]:
    """The places that match, the file that holds most of the rarest words first."""
    asked = list(dict.fromkeys(word.lower() for word in WORD.findall(words) if len(word) >= LEAST_LETTERS))
    counted: dict[str, dict[str, int]] = {}
    for path, text in _read_texts(project):
        lowered = text.lower()
        counts = {word: lowered.count(word) for word in asked if word in lowered}
        if counts:
            counted[path] = counts
    weights = _weigh_words(asked, counted)
    worth: dict[str, float] = {}
    for path, counts in counted.items():
        worth[path] = sum(weights[word] * (1 + log(times)) for word, times in counts.items() if word in weights)
    best = sorted([path for path in worth if worth[path]], key=lambda path: (-worth[path], path))
    folder = ConfinedFolder(project)
    matches: list[GrepMatch] = []
    for path in best[:MOST_SHOWN_FILES]:
        matches += _find_in_file(folder, path, weights)
    return matches


def cut_to_budget(matches: Sequence[GrepMatch], budget: int) -> tuple[list[CommitPlace], int]:
    """What is printed before the budget is used up, and how many tokens that takes."""
    found: list[CommitPlace] = []
    used = 0
    for match in matches:
        head = f"{match.path}\n"
        for number, line in enumerate(match.lines, match.start):
            cost = count_exact_tokens(f"{head}{number}:{line[:LONGEST_LINE]}\n")
            if used + cost > budget:
                return found, used
            found.append(CommitPlace(match.path, number, number))
            head = ""
            used = used + cost
    return found, used


def _read_texts(project: str) -> Iterator[tuple[str, str]]:
    folder = ConfinedFolder(project)
    for path in list_project_files(folder).paths:
        try:
            content = folder.read(path, limit_bytes=MOST_FILE_BYTES)
        except Refusal:
            continue
        if b"\0" not in content:
            yield path, content.decode("utf-8", "replace")


def _weigh_words(asked: Sequence[str], counted: Mapping[str, Mapping[str, int]]) -> dict[str, float]:
    """The weights of the rarest words: higher, the fewer files have the word."""
    spread: Counter[str] = Counter()
    for counts in counted.values():
        spread.update(counts.keys())
    rarest = sorted(spread, key=lambda word: (spread[word], asked.index(word)))[:MOST_WORDS]
    return {word: log(1 + len(counted) / spread[word]) for word in rarest}


def _find_in_file(folder: ConfinedFolder, path: str, weights: dict[str, float]) -> Iterator[GrepMatch]:
    lines = folder.read(path, limit_bytes=MOST_FILE_BYTES).decode("utf-8", "replace").split("\n")
    scores: list[float] = []
    for line in lines:
        lowered = line.lower()
        scores.append(sum(weight for word, weight in weights.items() if word in lowered))
    best = sorted((number for number, score in enumerate(scores) if score), key=lambda each: (-scores[each], each))
    taken: list[range] = []
    for number in best[:MOST_PER_FILE]:
        span = range(max(0, number - CONTEXT_LINES), min(len(lines), number + CONTEXT_LINES + 1))
        if not any(span.start < other.stop and other.start < span.stop for other in taken):
            taken.append(span)
            yield GrepMatch(path, span.start + 1, lines[span.start : span.stop])
