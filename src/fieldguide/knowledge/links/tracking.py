"""Follows cited lines through the git history to the files as they are now.

The result is stored with each citation, so that the next time only later commits and the files they touched are read.

Text of the history is used only if the citation's hash proves that its author has seen these lines, or if all of the
history is the project's own: a project must not reveal a repository that it only points to.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import PRIVATE_FILE, replace_file
from fieldguide.files.git_index import find_git_index, keeps_own_history, read_pointer
from fieldguide.git.diff import (
    FileStep,
    StepBetween,
    TouchedFiles,
    read_file_steps,
    read_renames,
    read_step_between,
    read_touched_since,
)
from fieldguide.git.history import READ
from fieldguide.git.program import EarlierFile, GitProgram, read_earlier_files, read_git_files
from fieldguide.knowledge.links.citations import (
    HEX,
    LARGEST_BYTES,
    CitationVerdict,
    LineCitation,
    TrackedCitation,
    WorkTree,
    has_word,
    judge_by_content,
    judge_tracked,
    read_cited_lines,
    read_tracked,
)
from fieldguide.storage.state_folder import find_known_folder, make_state_folder
from fieldguide.text.citation import FRESH, MOVED
from fieldguide.text.errors import FieldguideError, Refusal, Unreadable

NAME = "stale-notes.json"
VERSION = 1
LARGEST_STATE_BYTES = 64 << 20
MOST_NOTES = 50_000
READ_SECONDS = 20.0
ID_DIGITS = (40, 64)
MOST_CHAIN = 100_000
MOST_HOLDERS = 300
MOST_KEYS = 500
GREP = ("grep", "-l", "-z", "-I", "-F", "--threads=1", "--no-color", "--no-recurse-submodules", "-f", "-")
MOST_ASIDE = 20  # commits beside HEAD's first parents that are compared with HEAD
MOST_TOUCHED = 3000
MOST_OTHERS = 20
MOST_SOUGHT = 50  # files whose earlier versions are searched


def load_tracked(project: str, notes: Sequence[LineCitation]) -> dict[str, TrackedCitation]:
    """Load what is stored of some citations, by their keys; nothing if it can't be read."""
    tracked: dict[str, TrackedCitation] = {}
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError, FieldguideError):
        with open(_place(project), "rb") as file:
            stored = json.loads(file.read(LARGEST_STATE_BYTES))
        if stored["version"] != VERSION:
            return {}
        rows = stored["notes"]
        for note in notes:
            followed = read_tracked(note, rows[note.key]) if note.key in rows else None
            if followed is not None:
                tracked[note.key] = followed
    return tracked


def save_tracked(project: str, followed: Iterable[TrackedCitation]) -> None:
    """Store these citations in place of what was stored; if that fails, the next time takes longer."""
    rows = {each.note.key: each.kept() for each in followed}
    if not rows or len(rows) > MOST_NOTES:
        return
    with suppress(OSError, FieldguideError), replace_file(_place(project), PRIVATE_FILE) as file:
        file.write(json.dumps({"version": VERSION, "notes": rows}, separators=(",", ":")).encode())


def _place(project: str) -> str:
    return os.path.join(find_known_folder(project) or make_state_folder(project), NAME)


class CitedRepository:
    """Reads a project's git repository as of HEAD."""

    def __init__(self, git: GitProgram, head: str, project: ConfinedFolder) -> None:
        self.head = head
        self._git = git
        self._project = project

    def files(self, names: Sequence[tuple[str, str]]) -> dict[tuple[str, str], bytes]:
        """Read files as commits have them, by commit and path; without those that are missing or not to be shown."""

        allowed = [each for each in dict.fromkeys(names) if self._may_read(each[1])]
        try:
            contents = read_git_files(self._git, [f"{commit}:./{path}" for commit, path in allowed])
        except (Unreadable, ValueError):
            return {}
        refuses = self._project.sensitive.refuses_content
        files = zip(allowed, contents, strict=False)
        return {name: content for name, content in files if content and not refuses(name[1].split("/"), content)}

    def touched(self, base: str) -> list[TouchedFiles] | None:
        """What each commit since `base` touched; None if that is none of HEAD's first parents."""
        try:
            touched = read_touched_since(self._git, base, self.head)
        except Unreadable:
            return None
        if not touched or touched[0].parent != base:
            return None
        return touched

    def steps(self, steps: Iterable[TouchedFiles], paths: Iterable[str]) -> dict[str, dict[str, FileStep]] | None:
        """What some commits did to some files."""
        try:
            return read_file_steps(self._git, steps, paths)
        except Unreadable:
            return None

    def renames(self, step: TouchedFiles) -> dict[str, str]:
        """The new names of what a commit renamed; none if git can't tell."""
        try:
            return read_renames(self._git, step)
        except Unreadable:
            return {}

    def step(self, base: str, paths: Iterable[str]) -> StepBetween | None:
        """What changed since a commit that is none of HEAD's first parents, and what became of some files."""
        try:
            return read_step_between(self._git, base, self.head, paths)
        except Unreadable:
            return None

    def chain(self) -> list[str]:
        """HEAD and its first parents, the newest first."""
        try:
            said = self._git.ask("rev-list", "--first-parent", f"--max-count={MOST_CHAIN}", self.head)
        except Unreadable:
            return []
        return said.decode("ascii", "replace").split()

    def holders(self, keys: Iterable[str], endings: Iterable[str], *, untracked: bool) -> list[str]:
        """The files of the work tree with such endings that hold one of some lines; with `untracked`, all of them."""
        asked = [*filter(None, dict.fromkeys(map(str.strip, keys)))][:MOST_KEYS]
        if not asked:
            return []
        words = [*GREP, "--untracked"] if untracked else [*GREP]
        words += ["--", *(f":(glob)**/*{each}" for each in endings)]
        try:
            said = self._git.ask(*words, said="".join(f"{key}\n" for key in asked).encode())
        except Unreadable:  # nothing was found
            return []
        return [path.decode("utf-8", "replace") for path in said.split(b"\0")[:MOST_HOLDERS] if path]

    def _may_read(self, path: str) -> bool:
        names = path.split("/")
        is_plain = "\n" not in path and not path.startswith("/") and not {"", ".", ".."}.intersection(names)
        return is_plain and not self._project.sensitive.refuses(names)


def open_repository(project: ConfinedFolder) -> CitedRepository | None:
    """Open the repository of a project; None without git, or if a link in it leads elsewhere."""
    root = project.real_path()
    place = find_git_index(root)
    if place is None or any(os.path.islink(os.path.join(place.folder, name)) for name in READ):
        return None
    git = GitProgram(root, READ_SECONDS)
    head = _named_head(place.folder)
    if not head:
        try:
            head = git.resolve("HEAD")
        except Unreadable:
            return None
    return CitedRepository(git, head, project)


def _named_head(folder: str) -> str:
    """The commit that is checked out, if git's own files say so at once; empty if git must be asked."""
    git = ConfinedFolder(folder)
    said = read_pointer(git, "HEAD")
    branch = said.removeprefix("ref: ")
    if branch != said:
        said = "" if ".." in branch.split("/") else read_pointer(git, branch)
    if len(said) in ID_DIGITS and HEX.issuperset(said):
        return said
    return ""


class CitationWalk:
    """Carries citations from the commits where they were last seen to HEAD."""

    def __init__(self, repository: CitedRepository | None, all_followed: Sequence[TrackedCitation]) -> None:
        self._repository = repository
        self._all = all_followed
        self.has_moved = False
        self.touched: set[str] = set()
        self.lost: set[int] = set()
        """The citations, by `id`, that could not be carried to HEAD: their commits are gone, or aside."""
        self.moved: set[int] = set()
        """The citations, by `id`, whose files some commit touched."""

    def go(self) -> None:
        """Walk from every commit that a citation was seen at; a citation that can't be carried on stays."""
        repository = self._repository
        if repository is None:
            return
        behind = [each for each in self._all if each.text and each.commit not in ("", repository.head)]
        self.has_moved = bool(behind)
        waiting = self._bring(repository, behind)
        aside = [*chain.from_iterable(waiting.values())]
        back = [each for each in aside if each.commit != each.origin]
        for each in back:  # another branch is checked out
            each.begin()
            self.moved.add(id(each))
        if back:
            waiting = self._bring(repository, [each for each in aside if each.commit != repository.head])
        for number, (commit, group) in enumerate(waiting.items()):
            if number >= MOST_ASIDE or not self._across(repository, commit, group):
                self.lost.update(map(id, group))

    def _bring(
        self, repository: CitedRepository, followed: Sequence[TrackedCitation]
    ) -> dict[str, list[TrackedCitation]]:
        """Carry citations along HEAD's first parents; return those that are not on them, by commit."""
        waiting: dict[str, list[TrackedCitation]] = {}
        for each in followed:
            waiting.setdefault(each.commit, []).append(each)
        base = next(iter(waiting), "")
        if len(waiting) > 1:
            base = next((each for each in reversed(repository.chain()) if each in waiting), "")
        steps = repository.touched(base) if base else None
        if steps is not None:
            self._along(repository, base, steps, waiting)
        return waiting

    def _along(
        self,
        repository: CitedRepository,
        base: str,
        steps: Sequence[TouchedFiles],
        waiting: dict[str, list[TrackedCitation]],
    ) -> None:
        """Carry the citations of each commit along as it is passed, and remove them from `waiting`."""
        passed = [base, *(each.commit for each in steps)]
        joined = {commit: waiting.pop(commit) for commit in passed if commit in waiting}
        done = _done(repository, steps, chain.from_iterable(joined.values()))
        if done is None:
            waiting.update(joined)
            return
        by_path: dict[str, list[TrackedCitation]] = {}
        for place, commit in enumerate(passed):
            if place:
                self.touched |= steps[place - 1].changed
                self._take(by_path, done.get(commit, {}), commit)
            for each in joined.get(commit, ()):
                by_path.setdefault(each.path, []).append(each)
        for each in chain.from_iterable(joined.values()):
            each.commit = repository.head

    def _take(self, by_path: dict[str, list[TrackedCitation]], files: Mapping[str, FileStep], commit: str) -> None:
        """Apply one commit to all its files at once, since two may have swapped their names."""
        taken = [(step, by_path.pop(old)) for old, step in files.items() if old in by_path]
        for step, group in taken:
            for each in group:
                each.take(step, commit)
                self.moved.add(id(each))
            by_path.setdefault(step.path, []).extend(group)

    def _across(self, repository: CitedRepository, commit: str, group: Sequence[TrackedCitation]) -> bool:
        """Compare a commit that is none of HEAD's first parents with HEAD; whether that could be done."""
        found = repository.step(commit, {each.path for each in group})
        if found is None:
            return False
        self.touched |= found.changed
        for each in group:
            step = found.steps.get(each.path)
            if step is not None:
                each.take(step, repository.head)
                self.moved.add(id(each))
            each.commit = repository.head
        return True


def _done(
    repository: CitedRepository, steps: Sequence[TouchedFiles], followed: Iterable[TrackedCitation]
) -> dict[str, dict[str, FileStep]] | None:
    """What commits did to the files in which something is followed; None if that can't be read."""
    paths = _find_names(repository, {each.path for each in followed if each.path}, steps)
    relevant = [each for each in steps if not paths.isdisjoint(each.changed) or not paths.isdisjoint(each.gone)]
    if not relevant:
        return {}
    return repository.steps(relevant, paths)


def _find_names(repository: CitedRepository, paths: set[str], steps: Sequence[TouchedFiles]) -> set[str]:
    """The files among these paths that commits touched, under all the names that they had."""
    current = set(paths)
    found = set[str]()
    for step in steps:
        found |= current & step.changed
        gone = current & step.gone
        if gone:
            found |= gone
            renames = repository.renames(step)
            names = {renames[path] for path in gone if path in renames}
            found |= names
            current |= names
    return found


class TrackingResults(NamedTuple):
    """The verdict on each citation, in their order, and what to store of them for the next time."""

    judgements: list[CitationVerdict]
    followed: list[TrackedCitation]
    is_new: bool = True


def track_citations(
    project: ConfinedFolder, notes: Sequence[LineCitation], kept: Mapping[str, TrackedCitation]
) -> TrackingResults:
    """Judge citations; `kept` is what was stored of them, by their keys."""
    repository = open_repository(project)
    tree = WorkTree(project)
    head = "" if repository is None else repository.head
    known: dict[str, TrackedCitation] = {}
    for note in notes:
        before = kept.get(note.key)
        if before is not None and before.is_settled(head):
            known[note.key] = before
    new = [note for note in notes if note.key not in known]
    begun = [_remembered(each, kept) for each in find_origins(new, tree, repository)] if new else []
    known |= {each.note.key: each for each in begun}
    with_text = [each for each in known.values() if each.text]
    walk = CitationWalk(repository, with_text)
    walk.go()
    judge = _Judge(repository, tree, walk)
    judge.all(with_text, [each for each in begun if each.text])
    verdicts: list[CitationVerdict] = []
    for note in notes:
        followed = known.get(note.key)
        judged = followed.judged if followed is not None else None
        verdicts.append(judged or judge_by_content(note, tree))
    return TrackingResults(verdicts, [*known.values()], bool(new or walk.has_moved or judge.has_judged))


def _remembered(followed: TrackedCitation, kept: Mapping[str, TrackedCitation]) -> TrackedCitation:
    """A citation whose text is found nowhere, with the text that was stored once."""
    before = kept.get(followed.note.key)
    if before is not None and before.text and not followed.text:
        return before
    return followed


class _Judge:
    """Judges citations by content, as few of them as need it."""

    def __init__(self, repository: CitedRepository | None, tree: WorkTree, walk: CitationWalk) -> None:
        self._repository = repository
        self._tree = tree
        self._walk = walk
        self._committed: dict[str, bytes | None] = {}
        self.has_judged = False

    def all(self, followed: Sequence[TrackedCitation], new: Sequence[TrackedCitation]) -> None:
        """Judge them, after looking for other files that have their lines."""
        again = self._noted(sorted(self._walk.touched)[:MOST_TOUCHED], followed)
        self._held_elsewhere(new, untracked=False)
        for each in followed:
            if self._needs(each) or (id(each) in again and not _is_whole(each.judged)):
                self._judge(each)
        broken = [each for each in followed if not _is_whole(each.judged) and each.is_whole]
        again = self._held_elsewhere(broken, untracked=True)  # their text was cut out just now
        for each in broken:
            if id(each) in again:
                self._judge(each)

    def _needs(self, each: TrackedCitation) -> bool:
        """Whether anything changed that its last verdict rests on."""
        if each.judged is None or id(each) in self._walk.moved or each.stamps != self._stamps(each):
            return True
        return not _is_whole(each.judged) and each.is_whole  # broken by what is not committed yet

    def _judge(self, each: TrackedCitation) -> None:
        self.has_judged = True
        is_followed = each.commit and id(each) not in self._walk.lost
        each.judged = judge_tracked(each, self._tree, self._as_committed if is_followed else None)
        each.stamps = self._stamps(each)

    def _stamps(self, each: TrackedCitation) -> list[str]:
        judged_path = each.judged.path if each.judged else ""
        return [self._tree.stamp(path) for path in (each.note.path, each.path, judged_path)]

    def _noted(self, paths: Iterable[str], followed: Sequence[TrackedCitation]) -> set[int]:
        """Record the files that have a citation's most telling line; return the `id`s of those citations."""
        keys: dict[str, list[TrackedCitation]] = {}
        for each in followed:
            keys.setdefault(each.key, []).append(each)
        endings = {_ending(each.note.path) for each in followed}
        found: set[int] = set()
        for path in paths:
            lines = self._tree.lines(path) if _ending(path) in endings else None
            for key in keys.keys() & set(lines or ()):
                for each in keys[key]:
                    found.add(id(each))
                    if path not in each.others and path != each.path:
                        each.others = [*each.others, path][-MOST_OTHERS:]
        return found

    def _held_elsewhere(self, followed: Sequence[TrackedCitation], *, untracked: bool) -> set[int]:
        """Record the files of the repository that have a citation's most telling line; return their `id`s."""
        if not followed or self._repository is None:
            return set()
        keys = {each.key for each in followed}
        endings = sorted({_ending(each.note.path) for each in followed})
        if not all(each and all(map(_is_plain, each)) for each in endings):
            endings = []  # any file may do
        return self._noted(self._repository.holders(keys, endings, untracked=untracked), followed)

    def _as_committed(self, path: str) -> bytes | None:
        if path not in self._committed and self._repository is not None:
            head = self._repository.head
            self._committed[path] = self._repository.files([(head, path)]).get((head, path))
        return self._committed.get(path)


def _is_whole(judgement: CitationVerdict | None) -> bool:
    return judgement is not None and judgement.state in (FRESH, MOVED)


def _ending(path: str) -> str:
    """The suffix of a file's name, from the last dot on; empty if it has none."""
    _, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return dot + suffix if dot else ""


def _is_plain(character: str) -> bool:
    return character.isalnum() or character in "._-"


def find_origins(
    notes: Sequence[LineCitation], tree: WorkTree, repository: CitedRepository | None
) -> Iterable[TrackedCitation]:
    """The citations, each as of the commit where it stood so; without a text if only its hash is known."""
    head = "" if repository is None else repository.head
    lost: list[LineCitation] = []
    for note, content in _committed(notes, tree, repository, head):
        text = None if content is None else read_cited_lines(content, note)
        if text and any(map(has_word, text)):
            yield TrackedCitation(note, text, note.commit or head)
        elif note.hash:
            lost.append(note)
    older: list[LineCitation] = []
    for note in dict.fromkeys(lost):
        text = _saved(note, tree)
        if text:
            yield TrackedCitation(note, text, "")
        else:
            older.append(note)
    yield from _from_history(older, tree, head)


def _committed(
    notes: Sequence[LineCitation], tree: WorkTree, repository: CitedRepository | None, head: str
) -> Iterator[tuple[LineCitation, bytes | None]]:
    """The citations, each with its file as of its commit, or else HEAD; None if that must not be used."""
    wanted = [(note.commit or head, note.path) for note in notes]
    found = {} if repository is None else repository.files(wanted)
    is_own = any(not note.hash for note in notes) and keeps_own_history(tree.project.real_path())
    for note, asked in zip(notes, wanted, strict=True):
        if note.hash or (is_own and note.commit):
            yield note, found.get(asked)
        else:
            yield note, None


def _saved(note: LineCitation, tree: WorkTree) -> list[str] | None:
    """The cited lines, if the work tree has them but they are not committed yet."""
    try:
        return read_cited_lines(tree.project.read(note.path, limit_bytes=LARGEST_BYTES), note)
    except Refusal:
        return None


def _from_history(notes: Sequence[LineCitation], tree: WorkTree, head: str) -> Iterable[TrackedCitation]:
    """Find citations without a known commit in the last version of their file that has the lines."""
    by_path: dict[str, list[LineCitation]] = {}
    for note in notes:
        by_path.setdefault(note.path, []).append(note)
    root = tree.project.real_path()
    for number, (path, group) in enumerate(by_path.items()):
        is_sought = number < MOST_SOUGHT and not tree.project.sensitive.refuses(path.split("/"))
        versions = read_earlier_files(root, path) if is_sought else []
        for note in group:
            yield _version(note, versions) or TrackedCitation(note, (), head)


def _version(note: LineCitation, versions: Iterable[EarlierFile]) -> TrackedCitation | None:
    for version in versions:
        text = None if version.content is None else read_cited_lines(version.content, note)
        if text:
            return TrackedCitation(note, text, version.id)
    return None
