"""Follows notes to the files as they are now: through the history from where they were last seen, then by content.

What was found is kept with each note, so that the next time only the commits since then are read, and only the files
that were touched since are looked at.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.spine.answers.stale_places import FRESH, MOVED
from fieldguide.staleness.followed import Followed, Judgement
from fieldguide.staleness.guessing import guessed
from fieldguide.staleness.judging import judged
from fieldguide.staleness.notes import Note, telling_line
from fieldguide.staleness.origins import originated
from fieldguide.staleness.repository import Repository, open_repository
from fieldguide.staleness.walking import FileStep, Touched
from fieldguide.staleness.work_tree import WorkTree

MOST_TOUCHED = 3000
MOST_ASIDE = 20  # commits beside HEAD's first parents from which a whole comparison is made


class Results(NamedTuple):
    """What became of each note, in their order, and what is worth keeping of them for the next time."""

    judgements: list[Judgement]
    followed: list[Followed]


def follow(project: ConfinedFolder, notes: Sequence[Note], kept: Mapping[str, Followed]) -> Results:
    """What became of some notes; `kept` is what was kept of notes by their keys."""
    repository = open_repository(project)
    tree = WorkTree(project)
    known = {note.key: kept[note.key] for note in notes if note.key in kept}
    new = [note for note in notes if note.key not in known]
    if new:
        known |= {each.note.key: each for each in originated(new, tree, repository)}
    walk = _Walk(repository, [*known.values()])
    walk.go()
    judge = _Judge(repository, tree, walk)
    judge.all([*known.values()])
    found = [_judgement(note, known.get(note.key), tree) for note in notes]
    return Results(found, [*known.values()])


def _judgement(note: Note, followed: Followed | None, tree: WorkTree) -> Judgement:
    if followed is None or followed.judged is None:
        return guessed(note, tree)
    return followed.judged


class _Walk:
    """Brings notes from the commits where they were last seen to HEAD."""

    def __init__(self, repository: Repository | None, all_followed: Sequence[Followed]) -> None:
        self._repository = repository
        self._all = all_followed
        self.touched: set[str] = set()
        self.moved: set[int] = set()
        """The notes, by `id`, whose files some commit touched."""

    def go(self) -> None:
        """Walk, from every commit that a note was seen at; a note that can't be brought on stays where it was."""
        repository = self._repository
        if repository is None:
            return
        waiting: dict[str, list[Followed]] = {}
        for each in self._all:
            if each.commit and each.commit != repository.head:
                waiting.setdefault(each.commit, []).append(each)
        if not waiting:
            return
        base = self._oldest(repository, waiting)
        steps = repository.touched(base) if base else None
        if steps is not None:
            self._along(repository, base, steps, waiting)
        for commit, group in [*waiting.items()][:MOST_ASIDE]:
            self._across(repository, commit, group)

    def _oldest(self, repository: Repository, waiting: Mapping[str, object]) -> str:
        """The commit from which all that lie on HEAD's first parents can be passed in one walk."""
        if len(waiting) == 1:
            return next(iter(waiting))
        return next((each for each in reversed(repository.chain()) if each in waiting), "")

    def _along(
        self, repository: Repository, base: str, steps: Sequence[Touched], waiting: dict[str, list[Followed]]
    ) -> None:
        """Take the notes of each commit along as it is passed; what is taken is taken out of `waiting`."""
        passed = [base, *(each.commit for each in steps)]
        joined = {commit: waiting.pop(commit) for commit in passed if commit in waiting}
        paths = _names_of({each.path for group in joined.values() for each in group if each.path}, steps)
        done = repository.steps(base, paths) if paths else {}
        if done is None:
            waiting.update(joined)
            return
        by_path: dict[str, list[Followed]] = {}
        for place, commit in enumerate(passed):
            if place:
                self.touched |= steps[place - 1].changed
                self._take(by_path, done.get(commit, {}), commit)
            for each in joined.get(commit, ()):
                by_path.setdefault(each.path, []).append(each)
        for group in joined.values():
            for each in group:
                each.commit = repository.head

    def _take(self, by_path: dict[str, list[Followed]], files: Mapping[str, FileStep], commit: str) -> None:
        """One commit: all its files at once, since two may have changed their names with each other."""
        taken = [(step, by_path.pop(old)) for old, step in files.items() if old in by_path]
        for step, group in taken:
            for each in group:
                each.take(step, commit)
                self.moved.add(id(each))
            by_path.setdefault(step.path, []).extend(group)

    def _across(self, repository: Repository, commit: str, group: Sequence[Followed]) -> None:
        """One comparison of a commit with HEAD: for one that is not among its first parents, or not any more."""
        files = repository.step(commit)
        if files is None:
            return
        self.touched |= {step.path for step in files.values() if step.path}
        for each in group:
            if (step := files.get(each.path)) is not None:
                each.take(step, repository.head)
                self.moved.add(id(each))
            each.commit = repository.head


def _names_of(paths: Iterable[str], steps: Sequence[Touched]) -> set[str]:
    """The files among some paths that commits touched, under all the names that they had."""
    current, found = set(paths), set[str]()
    for step in steps:
        found |= current & step.changed
        for old in current & step.renamed.keys():
            new = step.renamed[old]
            found.add(old)
            if new:
                found.add(new)
                current.add(new)
    return found


class _Judge:
    """Judges notes by content, as few of them as need it."""

    def __init__(self, repository: Repository | None, tree: WorkTree, walk: _Walk) -> None:
        self._repository = repository
        self._tree = tree
        self._walk = walk
        self._committed: dict[str, bytes | None] = {}
        self._holding: dict[str, list[str]] = {}

    def all(self, followed: Sequence[Followed]) -> None:
        """Judge them; those that are not whole any more a second time, once it is known where their lines stand."""
        again = self._with_new_text([each for each in followed if each.judged and not _is_whole(each.judged)])
        asked = [each for each in followed if self._needs(each) or id(each) in again]
        for each in asked:
            before = each.judged
            self._judge(each)
            if each.judged and not _is_whole(each.judged) and (before is None or _is_whole(before)):
                again.add(id(each))
        self._look_for([each for each in asked if id(each) in again and each.judged and not _is_whole(each.judged)])

    def _needs(self, each: Followed) -> bool:
        """Whether anything that its last judgement rests on is not as it was."""
        if each.judged is None or id(each) in self._walk.moved or each.stamps != self._stamps(each):
            return True
        return not _is_whole(each.judged) and each.is_whole  # broken by what is not committed yet

    def _judge(self, each: Followed) -> None:
        each.judged = judged(each, self._tree, self._as_committed, lambda one: self._holding.get(_key(one), ()))
        each.stamps = self._stamps(each)

    def _stamps(self, each: Followed) -> list[str]:
        told = each.judged.path if each.judged else ""
        return [self._tree.stamp(path) for path in (each.note.path, each.path, told)]

    def _with_new_text(self, broken: Sequence[Followed]) -> set[int]:
        """Those whose most telling line stands in a file that was touched since."""
        keys: dict[str, list[int]] = {}
        for each in broken:
            keys.setdefault(each.text[telling_line(each.text)], []).append(id(each))
        found: set[int] = set()
        if keys:
            for path in sorted(self._walk.touched)[:MOST_TOUCHED]:
                for key in keys.keys() & set(self._tree.lines(path) or ()):
                    found.update(keys[key])
                    self._holding.setdefault(key.strip(), []).append(path)
        return found

    def _look_for(self, broken: Sequence[Followed]) -> None:
        """Look for the texts of some notes in all files at once, and judge those anew of which a line was found."""
        keys = {_key(each) for each in broken}
        if not keys or self._repository is None:
            return
        for path in self._repository.holders(keys):
            for key in keys & {line.strip() for line in self._tree.lines(path) or ()}:
                self._holding.setdefault(key, []).append(path)
        for each in broken:
            if _key(each) in self._holding:
                self._judge(each)

    def _as_committed(self, path: str) -> bytes | None:
        if path not in self._committed and self._repository is not None:
            head = self._repository.head
            self._committed[path] = self._repository.files([(head, path)]).get((head, path))
        return self._committed.get(path)


def _is_whole(judgement: Judgement) -> bool:
    return judgement.state in (FRESH, MOVED)


def _key(each: Followed) -> str:
    return each.text[telling_line(each.text)].strip()
