"""Brings notes from the commits where they were last seen to HEAD, with as few questions to git as can be."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from fieldguide.staleness.followed import Followed
from fieldguide.staleness.repository import Repository
from fieldguide.staleness.walking import FileStep, Touched

MOST_ASIDE = 20  # commits beside HEAD's first parents from which a whole comparison is made


class Walk:
    """Brings notes from the commits where they were last seen to HEAD."""

    def __init__(self, repository: Repository | None, all_followed: Sequence[Followed]) -> None:
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

    def _begin_again(self, waiting: Mapping[str, list[Followed]]) -> bool:
        """Take notes back to where they were cited, where another branch is checked out; whether there were any."""
        back = [each for each in chain.from_iterable(waiting.values()) if each.commit != each.origin]
        for each in back:
            each.begin()
            self.moved.add(id(each))
        return bool(back)

    def _bring(self, repository: Repository, followed: Sequence[Followed]) -> dict[str, list[Followed]]:
        """Bring notes on along HEAD's first parents; those that do not lie on them are given back, by commit."""
        waiting: dict[str, list[Followed]] = {}
        for each in followed:
            waiting.setdefault(each.commit, []).append(each)
        base = self._oldest(repository, waiting) if waiting else ""
        steps = repository.touched(base) if base else None
        if steps is not None:
            self._along(repository, base, steps, waiting)
        return waiting

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
        done = _done(repository, steps, chain.from_iterable(joined.values()))
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
        for each in chain.from_iterable(joined.values()):
            each.commit = repository.head

    def _take(self, by_path: dict[str, list[Followed]], files: Mapping[str, FileStep], commit: str) -> None:
        """One commit: all its files at once, since two may have changed their names with each other."""
        taken = [(step, by_path.pop(old)) for old, step in files.items() if old in by_path]
        for step, group in taken:
            for each in group:
                each.take(step, commit)
                self.moved.add(id(each))
            by_path.setdefault(step.path, []).extend(group)

    def _compare(self, repository: Repository, waiting: Mapping[str, list[Followed]]) -> None:
        """Bring notes on from commits that lie aside, each compared with HEAD; those of too many are lost."""
        for number, (commit, group) in enumerate(waiting.items()):
            if number >= MOST_ASIDE or not self._across(repository, commit, group):
                self.lost.update(map(id, group))

    def _across(self, repository: Repository, commit: str, group: Sequence[Followed]) -> bool:
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
    repository: Repository, steps: Sequence[Touched], followed: Iterable[Followed]
) -> dict[str, dict[str, FileStep]] | None:
    """What commits did to the files in which something is followed; None where that can't be read."""
    paths = _names_of({each.path for each in followed if each.path}, steps)
    telling = [each for each in steps if not paths.isdisjoint(each.changed) or not paths.isdisjoint(each.renamed)]
    return repository.steps(telling, paths) if telling else {}


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
