"""Chooses locating tasks from the newest commits of repositories, by rule and seed.

A task is the message of a commit without paths, links and numbers; the truth is what the commit changed, as line
ranges of its parent.
"""

import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SEED = 28
TASKS_PER_REPOSITORY = 4
NEWEST_USABLE = 40
"""Tasks are drawn from this many usable commits of each repository, counted from the newest."""
REPOSITORIES = {
    "cnquery": "mondoohq/cnquery",
    "conquery": "ingef/conquery",
    "quiet": "TryQuiet/quiet",
    "okhttp": "square/okhttp",
    "rich": "Textualize/rich",
}
"""Nothing in this project was tuned on them. The first three are little known; their languages are Go, Java,
TypeScript, Kotlin and Python."""

FEWEST_WORDS = 6
FEWEST_WORDS_OF_SUBJECT = 4
FEWEST_FILES = 2
MOST_FILES = 10
MOST_LINES = 800
LONGEST_TASK = 1500
SOURCE = re.compile(r"py|rs|go|[mc]?[jt]s|[jt]sx|c|h|cc|cpp|hpp|java|kts?|rb|swift|scala|php|cs|vue|svelte")
DOCUMENT = re.compile(r"mdx?|rst|adoc")

BOT = re.compile(r"\[bot\]|\bbot\b|dependabot|renovate|mergify|crowdin|github-actions|pre-commit", re.IGNORECASE)
DULL = re.compile(
    r"^(chore|build|ci|style|release|deps?)\b[^:]*:|^(revert|merge|release|prepare|version|publish)\b|^v?\d+\.\d+"
    r"|\b(bump(s|ed)?|back-?port|typos?|prettier|spotless|reformat\w*|formatting|lint(er|ing|s)?|black|isort|ruff"
    r"|gofmt|ktlint|checkstyle|eslint|whitespace|copyright|changelog|squash)\b"
    r"|\bupdate (the )?(dependenc|authors|readme|versions?)|\bupgrade (to|deps)",
    re.IGNORECASE,
)
NEVER_TRUTH = re.compile(
    r"(^|/)(node_modules|vendor|dist|third_party|locales?|l10n|fixtures?|snapshots?|__snapshots__|generated|gen)/"
    r"|(^|/)(change-?log|changes|history|news|authors|contributors|license)[^/]*$"
    r"|\.pb\.go$|\.lr\.go$|_gen\.go$|\.min\.(js|css)$|\.(lock|snap|sum|api)$",
    re.IGNORECASE,
)
TEST = re.compile(
    r"(^|/)([\w-]*tests?|testing|__tests__|specs?|e2e[\w-]*|testdata|\w+Test)/"
    r"|(^|/)(test_[^/]*|conftest\.py|[^/]*([_.-](test|spec)|Tests?)\.\w+)$",
)
TRAILER = re.compile(
    r"^\s*(signed-off-by|co-authored-by|reviewed-by|fixes|closes|refs?|resolves|reported-by|acked-by|cc|see(-also)?"
    r"|change-id|\(cherry picked)\b[: ].*$",
    re.IGNORECASE,
)
BOILERPLATE = re.compile(r"^(#+ .*|<!--.*|-->.*|[-*] \[[ xX]\].*|[-=*_]{3,})$")
URL = re.compile(r"https?://\S+")
REFERENCE = re.compile(r"\(?(?:\b(?:closes?|fix(?:es)?|refs?|resolves|see)\s+)?#\d+\)?[.,]?", re.IGNORECASE)
PATH = re.compile(
    r"(?<![\w.])/?(?:[\w.@*-]+/)+[\w.@*-]*"
    r"|\b[\w-]+\.(?:py|rs|go|jsx?|tsx?|java|kts?|cs|rb|php|mdx?|rst|toml|ya?ml|json|txt|html|s?css|sh|proto|lr)\b"
)
NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*(?![\w])")
WORD = re.compile(r"[A-Za-z][A-Za-z'_-]+")
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


class Commit(NamedTuple):
    """A commit with one parent."""

    name: str
    parent: str
    author: str
    message: str


class ChangedPlace(NamedTuple):
    """Lines of the parent that a commit changed; `is_insertion`: new lines came after `start`."""

    start: int
    end: int
    is_insertion: bool


class LocatingTask(NamedTuple):
    """A task and its truth; `also_changed` are files that count neither for nor against an answer."""

    id: str
    repository: str
    commit: str
    parent: str
    task: str
    places: dict[str, list[ChangedPlace]]
    also_changed: list[str]


class ObjectMissing(Exception):
    """A mirror lacks an object: some are stored without their largest files."""


def choose_tasks(mirror: str, repositories: dict[str, str], seed: int = SEED) -> Iterator[LocatingTask]:
    """Draws the tasks of each repository; `mirror` is a pattern with `{owner}` and `{name}`."""
    for short, full in repositories.items():
        owner, name = full.split("/")
        git_folder = Path(mirror.format(owner=owner, name=name))
        usable: list[LocatingTask] = []
        for commit in list_commits(git_folder):
            task = read_task(git_folder, short, commit)
            if task is not None:
                usable.append(task)
            if len(usable) == NEWEST_USABLE:
                break
        drawn = random.Random(f"{seed} {full}").sample(range(len(usable)), min(TASKS_PER_REPOSITORY, len(usable)))
        for number, index in enumerate(sorted(drawn), 1):
            yield usable[index]._replace(id=f"{short}-{number}")


def list_commits(git_folder: Path) -> Iterator[Commit]:
    """Commits without merges, newest first."""
    log = run_git(git_folder, "log", "--no-merges", "--topo-order", "-n", "2000", "--format=%H%x1f%P%x1f%an%x1f%B%x1e")
    for record in log.split("\x1e"):
        if record.strip():
            name, parent, author, message = record.strip("\n").split("\x1f")
            if parent:
                yield Commit(name, parent, author, message)


def read_task(git_folder: Path, repository: str, commit: Commit) -> LocatingTask | None:
    """The task of a commit; none where a rule leaves the commit out."""
    subject = commit.message.split("\n")[0]
    if BOT.search(commit.author) or DULL.search(subject):
        return None
    task = clean_message(commit.message)
    if len(WORD.findall(task)) < FEWEST_WORDS or len(WORD.findall(task.split("\n")[0])) < FEWEST_WORDS_OF_SUBJECT:
        return None
    try:
        changed, count = read_changes(git_folder, commit)
    except ObjectMissing:
        return None
    places = {path: ranges for path, ranges in changed.items() if is_truth(path)}
    sources = [path for path in places if SOURCE.fullmatch(extension(path)) and not TEST.search(path)]
    lines = sum(place.end - place.start + 1 for ranges in places.values() for place in ranges)
    if not FEWEST_FILES <= count <= MOST_FILES or len(places) < FEWEST_FILES or not sources or lines > MOST_LINES:
        return None
    also_changed = sorted(changed.keys() - places.keys())
    return LocatingTask("", repository, commit.name, commit.parent, task, places, also_changed)


def clean_message(message: str) -> str:
    """The message without trailers, check lists, links, references, paths and numbers."""
    kept: list[str] = []
    for line in message.replace("\r", "").split("\n"):
        if (kept and TRAILER.match(line)) or BOILERPLATE.match(line.strip()):
            continue
        for pattern in (URL, REFERENCE, PATH, NUMBER):
            line = pattern.sub("", line)
        kept.append(re.sub(r"(?<=\S) {2,}", " ", line).rstrip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()[:LONGEST_TASK]


def read_changes(git_folder: Path, commit: Commit) -> tuple[dict[str, list[ChangedPlace]], int]:
    """The places changed in files that existed, by their path in the parent, and how many files changed at all."""
    diff = run_git(git_folder, "diff", "-M", "-U0", "--no-color", "--no-ext-diff", commit.parent, commit.name)
    changed: dict[str, list[ChangedPlace]] = {}
    path = None
    count = 0
    in_header = False
    for line in diff.split("\n"):
        if line.startswith("diff --git "):
            path = None
            count += 1
            in_header = True
        elif in_header and line.startswith("--- a/"):
            path = line[6:].rstrip("\t")
        elif (hunk := HUNK.match(line)) is not None:
            in_header = False
            if path is not None:
                changed.setdefault(path, []).append(read_place(hunk))
    return changed, count


def read_place(hunk: re.Match[str]) -> ChangedPlace:
    """The lines of the parent that a hunk of a diff without context replaces."""
    start = int(hunk[1])
    count = 1 if hunk[2] is None else int(hunk[2])
    if count == 0:
        return ChangedPlace(max(start, 1), max(start, 1), is_insertion=True)
    return ChangedPlace(start, start + count - 1, is_insertion=False)


def is_truth(path: str) -> bool:
    """Source, tests and documents count; change logs, lock files, generated and vendored files do not."""
    is_read = SOURCE.fullmatch(extension(path)) or DOCUMENT.fullmatch(extension(path))
    return is_read is not None and NEVER_TRUTH.search(path) is None


def extension(path: str) -> str:
    """The ending of a file's name, without its dot."""
    return Path(path).suffix[1:].lower()


def run_git(folder: Path, *arguments: str) -> str:
    """What a git command prints; `ObjectMissing` where it fails."""
    command = ["git", "-C", str(folder), "-c", "core.quotepath=off", *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        raise ObjectMissing(done.stderr.decode("utf-8", "replace")[:300])
    return done.stdout.decode("utf-8", "replace")
