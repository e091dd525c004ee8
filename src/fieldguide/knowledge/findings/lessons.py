"""Learns findings from the git history, keeps those that still hold, and stores them.

A commit message is true of the day on which it was written. What it says is kept where it can be read alone, where the
files that show it and the code that it names are still there, where no document or decision record says the same, and
once among its like.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import replace_file
from fieldguide.files.git_index import find_own_git_folder, keeps_own_history
from fieldguide.files.kinds import MARKED_UP, find_format, is_plain_document, is_test
from fieldguide.files.secrets import EVERYBODYS
from fieldguide.git.history import READ_SECONDS, History, load_history
from fieldguide.git.log import GitHistory, LoggedCommit
from fieldguide.knowledge.findings.commit_message import (
    LEAST_CONFIDENCE,
    CommitMessage,
    Teaching,
    find_teachings,
    is_whole,
    parse_message,
)
from fieldguide.knowledge.findings.finding import OPEN, Finding, FindingRepository, create_finding
from fieldguide.knowledge.findings.indexing import index_findings
from fieldguide.settings.limits import Limits
from fieldguide.storage.database import Database
from fieldguide.storage.state_folder import make_state_folder
from fieldguide.text import regex as re
from fieldguide.text.errors import FieldguideError, Refusal
from fieldguide.text.words import make_singular, pad_words

if TYPE_CHECKING:
    from fieldguide.search.engine import SearchEngine

MOST_EVIDENCE_FILES = 20
CONTAINERS = frozenset(
    {"src", "lib", "libs", "source", "sources", "packages", "apps", "crates", "modules", "internal", "pkg", "cmd"}
)
BOT = re.compile(r"\[bot\]$|^(?:dependabot|renovate|greenkeeper|weblate|github-actions|pre-commit-ci)\b", re.IGNORECASE)
BESIDE = re.compile(r"(?:^|/)(?:docs?|documentation|changelog|\.github)(?:/|\.)|\.lock$", re.IGNORECASE)


class Lesson(NamedTuple):
    """A finding and its evidence."""

    finding: Teaching
    commit: LoggedCommit
    module: str | None
    files: Sequence[str]

    def discovery(self) -> Finding:
        """The lesson as it is kept: dated by its commit, with everything that shows it."""
        at = self.commit.date
        return create_finding(
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


def read_lessons(
    history: GitHistory, commits: Sequence[LoggedCommit], *, least: float = LEAST_CONFIDENCE
) -> list[Lesson]:
    """What some commits, newest first, teach with at least so much confidence."""
    below = history.folders("src")
    package = below[0] if len(below) == 1 else None
    lessons = [each for each in _of_messages(commits, package) if each.finding.confidence >= least]
    lessons.sort(key=lambda each: (-each.finding.confidence, each.finding.content))
    return sorted(lessons, key=lambda each: (-each.commit.date.timestamp(), each.commit.id))


def find_module(message: CommitMessage, paths: Sequence[str], package: str | None = None) -> str | None:
    """The part of the project that a commit is about: the scope that it names, else the top folder of what it changed.

    Folders such as `src` say nothing, nor does a package that is the only one, if the file lies in a folder of it.
    Tests and documents lie beside what they are about.
    """
    if message.scope:
        return message.scope
    told = [path for path in paths if not _is_beside(path)] or list(paths)
    tops = {_top_folder(path, package) for path in told}
    return tops.pop() if len(tops) == 1 else None


def _is_beside(path: str) -> bool:
    return is_test(path) or is_plain_document(path) or BESIDE.search(path) is not None


def _of_messages(commits: Sequence[LoggedCommit], package: str | None) -> Iterator[Lesson]:
    reverted: list[str] = []
    for commit in commits:
        message = parse_message(commit.message)
        paths = [change.path for change in commit.changes if not EVERYBODYS.refuses(change.path.split("/"))]
        is_taken_back = any(commit.id.startswith(each) for each in reverted)
        if is_taken_back or BOT.search(commit.author) or (paths and all(map(is_test, paths))):
            continue
        reverted += message.reverts
        module = find_module(message, paths, package)
        for finding in find_teachings(message):
            yield Lesson(finding, commit, module, paths)


def _top_folder(path: str, package: str | None) -> str | None:
    folders = path.split("/")[:-1]
    while folders and (folders[0] in CONTAINERS or (folders[0] == package and len(folders) > 1)):
        folders.pop(0)
    return folders[0] if folders else None


LARGEST_FILE_BYTES = 1 << 20
MOST_BYTES = 32 << 20  # of documents, and of code, that are read; what the rest says is not known
WORD = re.compile(r"\w+")
RUN = 5  # words: a run that two texts share is no chance
REPEATED_SHARE = 0.5  # of the runs of a finding that stand in documents
ALIKE_SHARE = 0.8  # of the words of a finding that an earlier one has
TELLING = 3  # the longest words by which findings that may be alike are looked up
LEAST_TITLE_WORDS = 3
TITLE_SHARE = 0.8
QUOTED = re.compile(r"`([^`\n]{1,200})`")
CODE_NAME = re.compile(r"\b[A-Za-z_]\w*(?:(?:::|\.)[A-Za-z_]\w*)*\(\)|\b[A-Za-z]\w*_\w+\b|\b\w+(?:::\w+)+")
PATH = re.compile(r"[\w@.+-]+(?:/[\w@.+-]+)+\.\w{1,12}")
LINES = re.compile(r"\.\w{1,12}(?::\d{1,7}\b|#L\d)")
TITLE = re.compile(r"^(?:# |title:)\s*(.+)$", re.MULTILINE)
AMONG_RECORDS = re.compile(
    r"(?i)(?:^|/)(?:adrs?|decisions|decision[-_]records|architecture[-_]decisions|rfcs?|proposals[\w-]*)/"
)
PLAIN = frozenset(("a", "an", "and", "as", "for", "from", "in", "of", "on", "our", "the", "to", "use", "using", "with"))


Run = tuple[str, ...]


class ProjectPresent:
    """The project as it is now: which files there are, which words code uses, and what documents say."""

    def __init__(self, project: ConfinedFolder, paths: Iterable[str], history: Callable[[], History]) -> None:
        self._project = project
        self._paths = [path for path in paths if not EVERYBODYS.refuses(path.split("/"))]
        self._there = frozenset(self._paths)
        self._history = history

    def name_now(self, path: str) -> str | None:
        """The path that a file of an older commit has now; None where it is gone."""
        if path in self._there:
            return path
        now = self._renamed.name_now(path)
        return now if now in self._there else None

    def lacking(self, names: Iterable[str]) -> set[str]:
        """Those of some names that no code uses; none where there is too much code to tell."""
        wanted = {name: name.encode() for name in names}
        left_bytes = MOST_BYTES
        for path in self._paths if wanted else ():
            if find_format(path) is not None:
                continue
            content = self._content(path)
            wanted = {name: raw for name, raw in wanted.items() if raw not in content}
            left_bytes -= len(content)
            if not wanted or left_bytes <= 0:
                return set()
        return {*wanted}

    def written(self, runs: set[Run]) -> set[Run]:
        """Those of some runs of words that documents hold."""
        found: set[Run] = set()
        left_bytes = MOST_BYTES
        for path in self._paths if runs else ():
            if find_format(path) is not None and left_bytes > 0:
                text = self._text(path)
                found.update(run for run in _runs(text) if run in runs)
                left_bytes -= len(text)
        return found

    @cached_property
    def titles(self) -> Sequence[frozenset[str]]:
        """The words of the titles of decision records."""
        found = (TITLE.search(self._text(path)) for path in self._paths if _is_decision_record(path))
        words = (_content_words(each[1]) for each in found if each)
        return [each for each in words if len(each) >= LEAST_TITLE_WORDS]

    @cached_property
    def _renamed(self) -> History:
        return self._history()

    def _text(self, path: str) -> str:
        return self._content(path).decode("utf-8", "replace")

    def _content(self, path: str) -> bytes:
        try:
            return self._project.read(path, limit_bytes=LARGEST_FILE_BYTES)
        except Refusal:
            return b""


def sift_findings(findings: Sequence[Finding], present: ProjectPresent) -> list[Finding]:
    """Those that are worth keeping, in their order, with the files that they rest on under their present names."""
    whole = [each for each in findings if is_whole(each.content)]
    named = {each.content: _code_names(each.content) for each in whole}
    lacking = present.lacking(name for names in named.values() for name in names)
    runs = {each.content: {*_runs(each.content)} for each in whole}
    written = present.written({run for some in runs.values() for run in some})
    kept: list[Finding] = []
    echoes = EchoIndex()
    for each in whole:
        content = each.content
        before = each.files
        files = [now for now in map(present.name_now, before) if now]
        is_gone = (before and not files) or not named[content].isdisjoint(lacking)
        is_written = len(runs[content] & written) >= REPEATED_SHARE * max(len(runs[content]), 1)
        if is_gone or is_written or _cites_what_is_gone(content, present) or _has_page(each, files, present):
            continue
        if not echoes.has(content):
            echoes.add(content)
            kept.append(each._replace(evidence={**each.evidence, "files": list(dict.fromkeys(files))}))
    return kept


class EchoIndex:
    """Texts, to tell whether another says nearly the same; only those with a long word in common are compared."""

    def __init__(self) -> None:
        self._by_word: dict[str, list[frozenset[str]]] = {}

    def has(self, text: str) -> bool:
        """Whether most words of a text stand in an earlier one."""
        words = _words(text)
        near = (each for word in _telling(words) for each in self._by_word.get(word, ()))
        return any(len(words & each) >= ALIKE_SHARE * len(words) for each in near)

    def add(self, text: str) -> None:
        """Compare later texts with this one, too."""
        words = _words(text)
        for word in words:
            self._by_word.setdefault(word, []).append(words)


def _cites_what_is_gone(content: str, present: ProjectPresent) -> bool:
    """Whether a text cites lines, which move with every edit, or a path that is not there."""
    return LINES.search(content) is not None or any(present.name_now(path) != path for path in PATH.findall(content))


def _has_page(finding: Finding, files: Sequence[str], present: ProjectPresent) -> bool:
    """Whether a decision has a page: its commit wrote one, or the title of one says it."""
    if finding.type != "decision":
        return False
    words = _content_words(finding.content)
    has_title = any(len(title & words) >= TITLE_SHARE * len(title) for title in present.titles)
    return has_title or any(map(_is_decision_record, files))


def _is_decision_record(path: str) -> bool:
    return find_format(path) in MARKED_UP and AMONG_RECORDS.search(path) is not None


def _code_names(content: str) -> frozenset[str]:
    """The names of code that a text uses: what it calls, quotes, or writes as only code is written."""
    found = CODE_NAME.findall(content)
    found += [each for each in QUOTED.findall(content) if WORD.fullmatch(each) and not each.isdigit()]
    return frozenset(WORD.findall(each)[-1] for each in found)


def _runs(text: str) -> Iterator[Run]:
    words = pad_words(text).split()
    return (tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1))


def _words(text: str) -> frozenset[str]:
    return frozenset(pad_words(text).split())


def _content_words(text: str) -> frozenset[str]:
    return frozenset(make_singular(word) for word in _words(text) if word not in PLAIN and not word.isdigit())


def _telling(words: Iterable[str]) -> list[str]:
    return sorted(words, key=lambda word: (-len(word), word))[:TELLING]


COMMITS = 500
FILE = "learned.json"
HEADS = ("HEAD", os.path.join("logs", "HEAD"), "packed-refs")


def keep_new_lessons(
    database: Database, namespace: str, limits: Limits, found: Sequence[Finding], present: ProjectPresent
) -> list[Finding]:
    """Keep what is not kept yet; what was new. A commit that says it again, or in another module, adds nothing.

    What was learnt before and was reviewed by nobody is looked at again: it is forgotten where it is no longer worth
    keeping, and its evidence has the names that files have now.
    """
    with database.reading() as transaction:
        stored = FindingRepository(transaction, namespace).all()
    mined = [each for each in stored if each.evidence.get("extractedFrom") == "git" and each.review == OPEN]
    held = {each.id: each for each in sift_findings(mined, present)}
    gone = {each.id for each in mined if each.id not in held}
    moved = [held[each.id] for each in mined if each.id in held and held[each.id].evidence != each.evidence]
    known = set[tuple[str, str, str]]()
    echoes = EchoIndex()
    for each in stored:
        if each.id not in gone:
            known.add(_sameness(each))
            echoes.add(each.content)
    fresh = [each for each in found if _sameness(each) not in known and not echoes.has(each.content)]
    with database.writing() as transaction:
        repository = FindingRepository(transaction, namespace)
        for identity in (*gone, *(each.id for each in moved)):
            repository.remove(identity)
        for each in moved:
            repository.add(each)
        new = [each for each in fresh if repository.add(each) is not None]
        repository.check(limits)
    return new


def learn_from_history(
    project: ConfinedFolder,
    paths: Callable[[], Sequence[str]],
    database: Database,
    engine: "Callable[[], SearchEngine]",
    *,
    namespace: str,
    limits: Limits,
) -> int:
    """Learn from the latest commits, unless that was done at this HEAD already; how many findings were new."""
    root = project.root
    head = _head_of(root)
    done = [namespace, head] if namespace else head  # one folder may be served to several, each with its own findings
    if head is None or done == _learned(root):
        return 0
    history = GitHistory(root)
    commits = list(islice(history.commits(limit=COMMITS), COMMITS))
    present = ProjectPresent(
        project, paths(), lambda: load_history(engine().database, namespace, root, wait_seconds=READ_SECONDS)
    )
    found = sift_findings([each.discovery() for each in read_lessons(history, commits)], present)
    new = keep_new_lessons(database, namespace, limits, found, present)
    index_findings(database, engine(), namespace)
    with replace_file(os.path.join(make_state_folder(root), FILE)) as file:
        file.write(json.dumps(done).encode())
    return len(new)


def _head_of(project: str) -> list[list[int]] | None:
    """What changes with every commit: read from files, so that nothing is started for a project that has not changed.

    Only a project that is a repository of its own, with commits of its own, learns by itself: what others hold is
    read for a person who asks for it.
    """
    git = find_own_git_folder(project)
    if git is None or not keeps_own_history(project):
        return None
    found: list[list[int]] = []
    for name in HEADS:
        with suppress(OSError):
            status = os.stat(os.path.join(git, name))
            found.append([status.st_mtime_ns, status.st_size])
    return found or None


def _learned(project: str) -> object:
    try:
        with open(os.path.join(make_state_folder(project), FILE), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError, FieldguideError):
        return None


def _sameness(discovery: Finding) -> tuple[str, str, str]:
    words = " ".join(discovery.content.casefold().split())
    return discovery.type, str(discovery.evidence.get("commit")), words
