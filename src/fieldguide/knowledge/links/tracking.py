"""Follows cited lines through the git history to the files as they are now.

What was found is kept with each note, so that the next time only the commits since then are read, and only the files
that were touched since are looked at.

Text of the history is used only where the note's hash proves that whoever wrote it has seen these very lines, or where
all of the history is the project's own: so nothing is told of a repository that a strange one only points to.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.git_index import LARGEST_POINTER_BYTES, find_git_index, keeps_own_history
from fieldguide.git.diff import FileStep, TouchedFiles, read_file_steps, read_step_between, read_touched_since
from fieldguide.git.program import EarlierFile, GitProgram, read_earlier_files
from fieldguide.knowledge.links.citations import (
    HEX,
    LARGEST_BYTES,
    CitationVerdict,
    LineCitation,
    TrackedCitation,
    WorkTree,
    has_word,
    judge_tracked,
    read_cited_lines,
    read_tracked,
)
from fieldguide.settings.folders import PRIVATE_FILE
from fieldguide.storage.state_folder import find_known_folder, make_state_folder
from fieldguide.text.citation import FRESH, MOVED
from fieldguide.text.errors import FieldguideError, Refusal, Unreadable

NAME = "stale-notes.json"
VERSION = 1
LARGEST_STATE_BYTES = 64 << 20
MOST_NOTES = 50_000


def load_tracked(project: str, notes: Sequence[LineCitation]) -> dict[str, TrackedCitation]:
    """What is kept of some notes, by their keys; nothing where it can't be read."""
    found: dict[str, TrackedCitation] = {}
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError, FieldguideError):
        with open(_place(project), "rb") as file:
            said = json.loads(file.read(LARGEST_STATE_BYTES))
        if said["version"] != VERSION:
            return {}
        rows = said["notes"]
        for note in notes:
            if note.key in rows and (followed := read_tracked(note, rows[note.key])) is not None:
                found[note.key] = followed
    return found


def save_tracked(project: str, followed: Iterable[TrackedCitation]) -> None:
    """Keep these notes in place of what was kept; where that can't be written, the next time takes longer."""
    rows = {each.note.key: each.kept() for each in followed}
    if not rows or len(rows) > MOST_NOTES:
        return
    with suppress(OSError, FieldguideError):
        place = _place(project)
        draft = f"{place}.{os.getpid()}.new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(draft, flags, PRIVATE_FILE), "w", encoding="utf-8") as file:
            file.write(json.dumps({"version": VERSION, "notes": rows}, separators=(",", ":")))
        os.replace(draft, place)


def _place(project: str) -> str:
    return os.path.join(find_known_folder(project) or make_state_folder(project), NAME)


READ_SECONDS = 20.0
ID_DIGITS = (40, 64)
MOST_CHAIN = 100_000
MOST_HOLDERS = 300
MOST_KEYS = 500
READ = ("HEAD", "packed-refs", "refs", "objects", "objects/info", "objects/pack")  # what a link would lead elsewhere
GREP = ("grep", "-l", "-z", "-I", "-F", "--threads=1", "--no-color", "--no-recurse-submodules", "-f", "-")


class CitedRepository:
    """What git knows of a project as of HEAD."""

    def __init__(self, git: GitProgram, head: str, project: ConfinedFolder) -> None:
        self.head = head
        self._git = git
        self._project = project

    def files(self, names: Sequence[tuple[str, str]]) -> dict[tuple[str, str], bytes]:
        """The bytes of some files, each as a commit has it; those that are not there or not to be told are left out."""
        from fieldguide.git.program import read_git_files  # mostly nothing of the history is read again

        allowed = [each for each in dict.fromkeys(names) if self._may_read(each[1])]
        try:
            found = read_git_files(self._git, [f"{commit}:./{path}" for commit, path in allowed])
        except (Unreadable, ValueError):
            return {}
        refuses = self._project.sensitive.refuses_content
        told = zip(allowed, found, strict=False)
        return {each: content for each, content in told if content and not refuses(each[1].split("/"), content)}

    def touched(self, base: str) -> list[TouchedFiles] | None:
        """What each commit since one touched; None where that one is none of HEAD's first parents."""
        try:
            found = read_touched_since(self._git, base, self.head)
        except Unreadable:
            return None
        return found if found and found[0].parent == base else None

    def steps(self, steps: Iterable[TouchedFiles], paths: Iterable[str]) -> dict[str, dict[str, FileStep]] | None:
        """What some commits did to some files."""
        try:
            return read_file_steps(self._git, steps, paths)
        except Unreadable:
            return None

    def step(self, base: str) -> dict[str, FileStep] | None:
        """What became of files from a commit that lies aside of HEAD's first parents."""
        try:
            return read_step_between(self._git, base, self.head)
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
        """Files of the work tree with such endings that hold one of some lines; also those that git does not track."""
        asked = [*filter(None, dict.fromkeys(map(str.strip, keys)))][:MOST_KEYS]
        words = [*GREP, *(["--untracked"] if untracked else []), "--", *(f":(glob)**/*{each}" for each in endings)]
        try:
            said = self._git.ask(*words, said="".join(f"{key}\n" for key in asked).encode()) if asked else b""
        except Unreadable:  # nothing was found
            return []
        return [path.decode("utf-8", "replace") for path in said.split(b"\0")[:MOST_HOLDERS] if path]

    def _may_read(self, path: str) -> bool:
        names = path.split("/")
        is_plain = "\n" not in path and not path.startswith("/") and not {"", ".", ".."}.intersection(names)
        return is_plain and not self._project.sensitive.refuses(names)


def open_repository(project: ConfinedFolder) -> CitedRepository | None:
    """The repository of a project; None without git, or where something in it leads elsewhere."""
    root = project.real_path()
    place = find_git_index(root)
    if place is None or any(os.path.islink(os.path.join(place.folder, name)) for name in READ):
        return None
    git = GitProgram(root, READ_SECONDS)
    head = _named_head(place.folder)
    if not head:
        try:
            head = git.ask("rev-parse", "--verify", "HEAD^{commit}").decode("ascii", "replace").strip()
        except Unreadable:
            return None
    return CitedRepository(git, head, project)


def _named_head(folder: str) -> str:
    """The commit that is checked out, where git's own files say so at once; empty where git must be asked."""
    said = _said(folder, "HEAD")
    branch = said.removeprefix("ref: ")
    if branch != said:
        said = _said(folder, branch) if ".." not in branch.split("/") else ""
    return said if len(said) in ID_DIGITS and HEX.issuperset(said) else ""


def _said(folder: str, name: str) -> str:
    try:
        return ConfinedFolder(folder).read(name, limit_bytes=LARGEST_POINTER_BYTES).decode("ascii", "replace").strip()
    except Refusal:
        return ""


MOST_ASIDE = 20  # commits beside HEAD's first parents from which a whole comparison is made


class CitationWalk:
    """Brings notes from the commits where they were last seen to HEAD."""

    def __init__(self, repository: CitedRepository | None, all_followed: Sequence[TrackedCitation]) -> None:
        self._repository = repository
        self._all = all_followed
        self.has_moved = False
        self.touched: set[str] = set()
        self.lost: set[int] = set()
        """The notes, by `id`, that git could not bring to HEAD: their commits are not there any more, or aside."""
        self.moved: set[int] = set()
        """The notes, by `id`, whose files some commit touched."""

    def go(self) -> None:
        """Walk, from every commit that a note was seen at; a note that can't be brought on stays where it was."""
        repository = self._repository
        if repository is None:
            return
        behind = [each for each in self._all if each.text and each.commit not in ("", repository.head)]
        self.has_moved = bool(behind)
        waiting = self._bring(repository, behind)
        if self._begin_again(waiting):
            again = [each for each in chain.from_iterable(waiting.values()) if each.commit != repository.head]
            waiting = self._bring(repository, again)
        self._compare(repository, waiting)

    def _begin_again(self, waiting: Mapping[str, list[TrackedCitation]]) -> bool:
        """Take notes back to where they were cited, where another branch is checked out; whether there were any."""
        back = [each for each in chain.from_iterable(waiting.values()) if each.commit != each.origin]
        for each in back:
            each.begin()
            self.moved.add(id(each))
        return bool(back)

    def _bring(
        self, repository: CitedRepository, followed: Sequence[TrackedCitation]
    ) -> dict[str, list[TrackedCitation]]:
        """Bring notes on along HEAD's first parents; those that do not lie on them are given back, by commit."""
        waiting: dict[str, list[TrackedCitation]] = {}
        for each in followed:
            waiting.setdefault(each.commit, []).append(each)
        base = self._oldest(repository, waiting) if waiting else ""
        steps = repository.touched(base) if base else None
        if steps is not None:
            self._along(repository, base, steps, waiting)
        return waiting

    def _oldest(self, repository: CitedRepository, waiting: Mapping[str, object]) -> str:
        """The commit from which all that lie on HEAD's first parents can be passed in one walk."""
        if len(waiting) == 1:
            return next(iter(waiting))
        return next((each for each in reversed(repository.chain()) if each in waiting), "")

    def _along(
        self,
        repository: CitedRepository,
        base: str,
        steps: Sequence[TouchedFiles],
        waiting: dict[str, list[TrackedCitation]],
    ) -> None:
        """Take the notes of each commit along as it is passed; what is taken is taken out of `waiting`."""
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
        """One commit: all its files at once, since two may have changed their names with each other."""
        taken = [(step, by_path.pop(old)) for old, step in files.items() if old in by_path]
        for step, group in taken:
            for each in group:
                each.take(step, commit)
                self.moved.add(id(each))
            by_path.setdefault(step.path, []).extend(group)

    def _compare(self, repository: CitedRepository, waiting: Mapping[str, list[TrackedCitation]]) -> None:
        """Bring notes on from commits that lie aside, each compared with HEAD; those of too many are lost."""
        for number, (commit, group) in enumerate(waiting.items()):
            if number >= MOST_ASIDE or not self._across(repository, commit, group):
                self.lost.update(map(id, group))

    def _across(self, repository: CitedRepository, commit: str, group: Sequence[TrackedCitation]) -> bool:
        """One comparison of a commit with HEAD, where it is none of its first parents; whether that could be done."""
        files = repository.step(commit)
        if files is None:
            return False
        self.touched |= {step.path for step in files.values() if step.path}
        for each in group:
            if (step := files.get(each.path)) is not None:
                each.take(step, repository.head)
                self.moved.add(id(each))
            each.commit = repository.head
        return True


def _done(
    repository: CitedRepository, steps: Sequence[TouchedFiles], followed: Iterable[TrackedCitation]
) -> dict[str, dict[str, FileStep]] | None:
    """What commits did to the files in which something is followed; None where that can't be read."""
    paths = _names_of({each.path for each in followed if each.path}, steps)
    telling = [each for each in steps if not paths.isdisjoint(each.changed) or not paths.isdisjoint(each.renamed)]
    return repository.steps(telling, paths) if telling else {}


def _names_of(paths: Iterable[str], steps: Sequence[TouchedFiles]) -> set[str]:
    """The files among some paths that commits touched, under all the names that they had."""
    current = set(paths)
    found = set[str]()
    for step in steps:
        found |= current & step.changed
        for old in current & step.renamed.keys():
            new = step.renamed[old]
            found.add(old)
            if new:
                found.add(new)
                current.add(new)
    return found


MOST_TOUCHED = 3000
MOST_OTHERS = 20


class TrackingResults(NamedTuple):
    """What became of each note, in their order, and what is worth keeping of them for the next time."""

    judgements: list[CitationVerdict]
    followed: list[TrackedCitation]
    is_new: bool = True


def track_citations(
    project: ConfinedFolder, notes: Sequence[LineCitation], kept: Mapping[str, TrackedCitation]
) -> TrackingResults:
    """What became of some notes; `kept` is what was kept of notes by their keys."""
    repository = open_repository(project)
    tree = WorkTree(project)
    known = _settled(notes, kept, "" if repository is None else repository.head)
    new = [note for note in notes if note.key not in known]
    begun = _begun(new, kept, tree, repository)
    known |= {each.note.key: each for each in begun}
    with_text = _with_text(known.values())
    walk = CitationWalk(repository, with_text)
    walk.go()
    judge = _Judge(repository, tree, walk)
    judge.all(with_text, _with_text(begun))
    found = [_judgement(note, known.get(note.key), tree) for note in notes]
    return TrackingResults(found, [*known.values()], bool(new or walk.has_moved or judge.has_judged))


def _settled(
    notes: Iterable[LineCitation], kept: Mapping[str, TrackedCitation], head: str
) -> dict[str, TrackedCitation]:
    """What was kept of notes and holds still, by their keys."""
    known = {note.key: kept[note.key] for note in notes if note.key in kept}
    return {key: each for key, each in known.items() if each.is_settled(head)}


def _begun(
    new: Sequence[LineCitation], kept: Mapping[str, TrackedCitation], tree: WorkTree, repository: CitedRepository | None
) -> list[TrackedCitation]:
    """Notes that are followed from now on."""
    if not new:
        return []

    return [_remembered(each, kept) for each in find_origins(new, tree, repository)]


def _with_text(followed: Iterable[TrackedCitation]) -> list[TrackedCitation]:
    return [each for each in followed if each.text]


def _remembered(followed: TrackedCitation, kept: Mapping[str, TrackedCitation]) -> TrackedCitation:
    """What is known of a note whose text is found nowhere: the text that was saved once, if somebody kept it."""
    before = kept.get(followed.note.key)
    return before if before is not None and before.text and not followed.text else followed


def _judgement(note: LineCitation, followed: TrackedCitation | None, tree: WorkTree) -> CitationVerdict:
    if followed is None or followed.judged is None:
        from fieldguide.knowledge.links.citations import judge_by_content

        return judge_by_content(note, tree)
    return followed.judged


class _Judge:
    """Judges notes by content, as few of them as need it."""

    def __init__(self, repository: CitedRepository | None, tree: WorkTree, walk: CitationWalk) -> None:
        self._repository = repository
        self._tree = tree
        self._walk = walk
        self._committed: dict[str, bytes | None] = {}
        self.has_judged = False

    def all(self, followed: Sequence[TrackedCitation], new: Sequence[TrackedCitation]) -> None:
        """Judge them, once it is known where else their lines stand; what is saved alone may be anywhere."""
        again = self._noted(sorted(self._walk.touched)[:MOST_TOUCHED], followed)
        self._held_elsewhere(new, untracked=False)
        for each in followed:
            if self._needs(each) or (id(each) in again and not _is_whole(each.judged)):
                self._judge(each)
        self._look_around([each for each in followed if not _is_whole(each.judged) and each.is_whole])

    def _needs(self, each: TrackedCitation) -> bool:
        """Whether anything that its last judgement rests on is not as it was."""
        if each.judged is None or id(each) in self._walk.moved or each.stamps != self._stamps(each):
            return True
        return not _is_whole(each.judged) and each.is_whole  # broken by what is not committed yet

    def _judge(self, each: TrackedCitation) -> None:
        self.has_judged = True
        is_followed = each.commit and id(each) not in self._walk.lost
        each.judged = judge_tracked(each, self._tree, self._as_committed if is_followed else None)
        each.stamps = self._stamps(each)

    def _stamps(self, each: TrackedCitation) -> list[str]:
        told = each.judged.path if each.judged else ""
        return [self._tree.stamp(path) for path in (each.note.path, each.path, told)]

    def _noted(self, paths: Iterable[str], followed: Sequence[TrackedCitation]) -> set[int]:
        """Note with each of those whose most telling line stands in one of some files that it does; who they are."""
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

    def _look_around(self, broken: Sequence[TrackedCitation]) -> None:
        """Look for texts that were cut out just now in all files, also those that git does not know yet."""
        again = self._held_elsewhere(broken, untracked=True)
        for each in broken:
            if id(each) in again:
                self._judge(each)

    def _held_elsewhere(self, followed: Sequence[TrackedCitation], *, untracked: bool) -> set[int]:
        """Note with each of those whose most telling line stands in other files of the repository; who they are."""
        if not followed or self._repository is None:
            return set()
        keys = {each.key for each in followed}
        endings = _endings(followed)
        return self._noted(self._repository.holders(keys, endings, untracked=untracked), followed)

    def _as_committed(self, path: str) -> bytes | None:
        if path not in self._committed and self._repository is not None:
            head = self._repository.head
            self._committed[path] = self._repository.files([(head, path)]).get((head, path))
        return self._committed.get(path)


def _is_whole(judgement: CitationVerdict | None) -> bool:
    return judgement is not None and judgement.state in (FRESH, MOVED)


def _endings(followed: Iterable[TrackedCitation]) -> list[str]:
    """What the names of their files end with; nothing where one has no plain ending, since then any file may do."""
    endings = {_ending(each.note.path) for each in followed}
    return sorted(endings) if all(each and all(map(_is_plain, each)) for each in endings) else []


def _ending(path: str) -> str:
    """What a file's name ends with, from the last dot on; empty where it has none."""
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :] if "." in name else ""


def _is_plain(character: str) -> bool:
    return character.isalnum() or character in "._-"


MOST_SOUGHT = 50  # files whose earlier versions are looked through


def find_origins(
    notes: Sequence[LineCitation], tree: WorkTree, repository: CitedRepository | None
) -> Iterable[TrackedCitation]:
    """The notes, each as of the commit where it stood so; without a text where nothing is known but its hash."""
    head = "" if repository is None else repository.head
    lost: list[LineCitation] = []
    for note, content in _committed(notes, tree, repository, head):
        text = None if content is None else read_cited_lines(content, note)
        if text and any(map(has_word, text)):
            yield TrackedCitation(note, text, note.commit or head)
        elif note.hash:
            lost.append(note)
    yield from _sought(lost, tree, head)


def _sought(lost: Sequence[LineCitation], tree: WorkTree, head: str) -> Iterator[TrackedCitation]:
    """Notes whose lines their commits do not have: as the work tree has them, or else some earlier version."""
    saved = {note: text for note in lost if (text := _saved(note, tree))}
    yield from (TrackedCitation(note, text, "") for note, text in saved.items())
    yield from _from_history([note for note in lost if note not in saved], tree, head)


def _committed(
    notes: Sequence[LineCitation], tree: WorkTree, repository: CitedRepository | None, head: str
) -> Iterator[tuple[LineCitation, bytes | None]]:
    """The notes, each with its file as of the commit that it names, or else HEAD; None where that must not be used."""
    wanted = [(note.commit or head, note.path) for note in notes]
    found = {} if repository is None else repository.files(wanted)
    is_own = any(not note.hash for note in notes) and keeps_own_history(tree.project.real_path())
    for note, asked in zip(notes, wanted, strict=True):
        may_use = note.hash or (is_own and note.commit)
        yield note, found.get(asked) if may_use else None


def _saved(note: LineCitation, tree: WorkTree) -> list[str] | None:
    """The lines where they stand in the work tree as cited, but are not committed yet."""
    try:
        return read_cited_lines(tree.project.read(note.path, limit_bytes=LARGEST_BYTES), note)
    except Refusal:
        return None


def _from_history(notes: Sequence[LineCitation], tree: WorkTree, head: str) -> Iterable[TrackedCitation]:
    """Those that name no commit, or one that is not there: the last version of their file that has the lines."""
    by_path: dict[str, list[LineCitation]] = {}
    for note in notes:
        by_path.setdefault(note.path, []).append(note)
    root = tree.project.real_path()
    for number, (path, group) in enumerate(by_path.items()):
        is_sought = number < MOST_SOUGHT and not tree.project.sensitive.refuses(path.split("/"))
        versions = read_earlier_files(root, path) if is_sought else []
        yield from (_version(note, versions) or TrackedCitation(note, (), head) for note in group)


def _version(note: LineCitation, versions: Iterable[EarlierFile]) -> TrackedCitation | None:
    for version in versions:
        text = read_cited_lines(version.content, note) if version.content is not None else None
        if text:
            return TrackedCitation(note, text, version.id)
    return None
