"""The lessons of a history: every finding with the commit, the author, the date and the files that are its evidence."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.discoveries.commit_message import Message, parse_message
from fieldguide.discoveries.discovery import Discovery, new_discovery
from fieldguide.discoveries.learning import LEAST_CONFIDENCE, Teaching, findings_in
from fieldguide.discoveries.taught_files import findings_in_files, is_taught
from fieldguide.project_history.git_history import Commit, GitHistory
from fieldguide.sensitive_files import EVERYBODYS

MOST_EVIDENCE_FILES = 20
CONTAINERS = frozenset(
    {"src", "lib", "libs", "source", "sources", "packages", "apps", "crates", "modules", "internal", "pkg", "cmd"}
)
BOT = re.compile(r"\[bot\]$|^(?:dependabot|renovate|greenkeeper|weblate|github-actions|pre-commit-ci)\b", re.IGNORECASE)
TEST = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|__snapshots__|testdata|fixtures)/|(?:^|/)(?:test_[^/]*|conftest)\.\w+$"
    r"|[^/]+[._-](?:test|tests|spec)\.\w+$|(?:^|/)[^/]+Tests?\.\w+$"
)
BESIDE = re.compile(r"(?:^|/)(?:docs?|documentation|changelog|\.github)(?:/|\.)|\.(?:md|rst|txt|lock)$", re.IGNORECASE)


class Lesson(NamedTuple):
    """A finding and its evidence."""

    finding: Teaching
    commit: Commit
    module: str | None
    files: Sequence[str]

    def discovery(self) -> Discovery:
        """The lesson as it is kept: dated by its commit, with everything that shows it."""
        at = self.commit.date
        return new_discovery(
            self.finding.type, self.finding.content, module=self.module, evidence=self.evidence(), at=at
        )

    def evidence(self) -> dict[str, Any]:
        """How we know."""
        return {
            "extractedFrom": "git",
            "confidence": self.finding.confidence,
            "commit": self.commit.id,
            "author": self.commit.author,
            "date": self.commit.date.isoformat().replace("+00:00", "Z"),
            "files": list(self.files[:MOST_EVIDENCE_FILES]),
            "why": self.finding.why,
        }


def lessons_of(history: GitHistory, commits: Sequence[Commit], *, least: float = LEAST_CONFIDENCE) -> list[Lesson]:
    """What some commits, newest first, teach with at least so much confidence."""
    below = history.folders("src")
    package = below[0] if len(below) == 1 else None
    of_files = [
        Lesson(finding, commit, None, (path,))
        for commit, path, finding in findings_in_files(commits, history.contents(_taught_contents(commits)))
    ]
    found = [*of_files, *_of_messages(commits, package)]
    return sorted((each for each in found if each.finding.confidence >= least), key=_newest_first)


def _taught_contents(commits: Sequence[Commit]) -> list[str]:
    """The files that may teach something, before and after each commit, by the hashes of their contents."""
    changes = [change for commit in commits for change in commit.changes]
    taught = [change for change in changes if is_taught(change.path) and _is_served(change.path)]
    return [blob for change in taught for blob in (change.before, change.after) if blob]


def module_of(message: Message, paths: Sequence[str], package: str | None = None) -> str | None:
    """The part of the project that a commit is about: the scope that it names, else the top folder of what it changed.

    Folders such as `src` say nothing, nor does a package that is the only one, if the file lies in a folder of it.
    Tests and documents lie beside what they are about.
    """
    if message.scope:
        return message.scope
    told = [path for path in paths if not TEST.search(path) and not BESIDE.search(path)] or list(paths)
    tops = {_top_folder(path, package) for path in told}
    return tops.pop() if len(tops) == 1 else None


def _of_messages(commits: Sequence[Commit], package: str | None) -> Iterator[Lesson]:
    reverted: list[str] = []
    for commit in commits:
        message = parse_message(commit.message)
        paths = [change.path for change in commit.changes if _is_served(change.path)]
        is_taken_back = any(commit.id.startswith(each) for each in reverted)
        if is_taken_back or BOT.search(commit.author) or (paths and all(map(TEST.search, paths))):
            continue
        reverted += message.reverts
        module = module_of(message, paths, package)
        yield from (Lesson(finding, commit, module, paths) for finding in findings_in(message))


def _is_served(path: str) -> bool:
    """Whether a path of the history is not on the list of what is never served."""
    return not EVERYBODYS.refuses(path.split("/"))


def _top_folder(path: str, package: str | None) -> str | None:
    folders = path.split("/")[:-1]
    while folders and (folders[0] in CONTAINERS or (folders[0] == package and len(folders) > 1)):
        folders.pop(0)
    return folders[0] if folders else None


def _newest_first(lesson: Lesson) -> tuple[float, str, float, str]:
    return (-lesson.commit.date.timestamp(), lesson.commit.id, -lesson.finding.confidence, lesson.finding.content)
