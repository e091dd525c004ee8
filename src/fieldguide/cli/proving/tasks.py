"""Commits as tasks: what was to be done in the words of the message, and which files it took.

The names of files are taken out of the words: with them, finding the files would be no feat.
"""

import os
from collections.abc import Iterator
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.discoveries.commit_message import MACHINE, PEOPLE, TICKET, parse_message
from fieldguide.errors import Unreadable
from fieldguide.project_history.git_history import Commit, GitHistory
from fieldguide.project_history.git_program import GitProgram

MOST_LOOKED_AT = 2_000
MOST_FILES = 25
LEAST_WORDS = 6
NO_TASKS = frozenset({"release", "revert", "style", "deps"})
LINK = re.compile(r"<?https?://[^\s>]+>?")
NUMBER = re.compile(r"\(?(?:#|GH-|!)\d+\)?")
PATH = re.compile(r"`?[\w.@~+-]*(?:/[\w.@~+-]+)+\.\w+`?")
WORD = re.compile(r"[^\W\d_]{2,}")
BY_A_PROGRAM = re.compile(r"\[bot\]|\bbot\b|^(?:dependabot|renovate|github-actions)", re.IGNORECASE)
SAYS_NOTHING = re.compile(r"(?:merge|revert|bump|release|fixup!|squash!|prepare release|v?\d+\.\d+)\b", re.IGNORECASE)
NOT_WRITTEN = re.compile(
    r"(?:^|/)(?:changelog|changes|history|news|authors)[^/]*$|\.(?:lock|sum|snap)$|-lock\.\w+$|\.min\.\w+$"
    r"|(?:^|/)(?:node_modules|vendor|dist|third_party|__snapshots__)/",
    re.IGNORECASE,
)


class Task(NamedTuple):
    """What was to be done, the state before it was, and the files that were there and were changed."""

    commit: str
    before: str
    words: str
    files: tuple[str, ...]


def tasks_of(project: str, limit: int) -> list[Task]:
    """The latest commits that tell what they do, oldest first; Unreadable where there is no git."""
    git, found = GitProgram(project), list[Task]()
    for commit in GitHistory(project).commits(limit=MOST_LOOKED_AT):
        task = _task(git, commit)
        if task is not None:
            found.append(task)
        if len(found) >= limit:
            break
    return found[::-1]


def words_of(message: str, files: tuple[str, ...]) -> str:
    """A message without what is for machines, without links and numbers, and without the names of the files."""
    lines = [line for line in message.splitlines() if not any(each.match(line) for each in (PEOPLE, MACHINE, TICKET))]
    text = "\n".join(lines)
    for pattern in (LINK, NUMBER, PATH):
        text = pattern.sub(" ", text)
    for name in sorted({*files, *map(os.path.basename, files)}, key=len, reverse=True):
        text = text.replace(name, " ")
    return "\n".join(" ".join(line.split()) for line in text.splitlines()).strip()


def _task(git: GitProgram, commit: Commit) -> Task | None:
    files = tuple(change.path for change in commit.changes if change.before and not NOT_WRITTEN.search(change.path))
    if not files or len(commit.changes) > MOST_FILES or not _is_meant(commit):
        return None
    words = words_of(commit.message, tuple(change.path for change in commit.changes))
    if len([*_words(words)]) < LEAST_WORDS:
        return None
    try:
        before = git.ask("rev-parse", "--verify", "--end-of-options", f"{commit.id}^1^{{commit}}").decode().strip()
    except Unreadable:  # the first commit, or the oldest of a shallow clone
        return None
    return Task(commit.id, before, words, files)


def _is_meant(commit: Commit) -> bool:
    """Whether somebody did something and said what."""
    message = parse_message(commit.message)
    is_task = message.kind not in NO_TASKS and message.scope != "deps" and not message.reverts
    return is_task and not BY_A_PROGRAM.search(commit.author) and not SAYS_NOTHING.match(commit.message.lstrip())


def _words(text: str) -> Iterator[str]:
    yield from WORD.findall(text)
