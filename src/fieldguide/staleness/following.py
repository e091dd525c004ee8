"""Follows notes to the files as they are now: through the history from where they were last seen, then by content.

What was found is kept with each note, so that the next time only the commits since then are read, and only the files
that were touched since are looked at.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.spine.answers.stale_places import FRESH, MOVED
from fieldguide.staleness.bringing import Walk
from fieldguide.staleness.followed import Followed, Judgement
from fieldguide.staleness.judging import judged
from fieldguide.staleness.notes import Note
from fieldguide.staleness.repository import Repository, open_repository
from fieldguide.staleness.work_tree import WorkTree

MOST_TOUCHED = 3000
MOST_OTHERS = 20


class Results(NamedTuple):
    """What became of each note, in their order, and what is worth keeping of them for the next time."""

    judgements: list[Judgement]
    followed: list[Followed]
    is_new: bool = True


def follow(project: ConfinedFolder, notes: Sequence[Note], kept: Mapping[str, Followed]) -> Results:
    """What became of some notes; `kept` is what was kept of notes by their keys."""
    repository = open_repository(project)
    tree = WorkTree(project)
    known = _settled(notes, kept, "" if repository is None else repository.head)
    new = [note for note in notes if note.key not in known]
    begun = _begun(new, kept, tree, repository)
    known |= {each.note.key: each for each in begun}
    with_text = _with_text(known.values())
    walk = Walk(repository, with_text)
    walk.go()
    judge = _Judge(repository, tree, walk)
    judge.all(with_text, _with_text(begun))
    found = [_judgement(note, known.get(note.key), tree) for note in notes]
    return Results(found, [*known.values()], bool(new or walk.has_moved or judge.has_judged))


def _settled(notes: Iterable[Note], kept: Mapping[str, Followed], head: str) -> dict[str, Followed]:
    """What was kept of notes and holds still, by their keys."""
    known = {note.key: kept[note.key] for note in notes if note.key in kept}
    return {key: each for key, each in known.items() if each.is_settled(head)}


def _begun(
    new: Sequence[Note], kept: Mapping[str, Followed], tree: WorkTree, repository: Repository | None
) -> list[Followed]:
    """Notes that are followed from now on."""
    if not new:
        return []
    from fieldguide.staleness.origins import originated

    return [_remembered(each, kept) for each in originated(new, tree, repository)]


def _with_text(followed: Iterable[Followed]) -> list[Followed]:
    return [each for each in followed if each.text]


def _remembered(followed: Followed, kept: Mapping[str, Followed]) -> Followed:
    """What is known of a note whose text is found nowhere: the text that was saved once, if somebody kept it."""
    before = kept.get(followed.note.key)
    return before if before is not None and before.text and not followed.text else followed


def _judgement(note: Note, followed: Followed | None, tree: WorkTree) -> Judgement:
    if followed is None or followed.judged is None:
        from fieldguide.staleness.guessing import guessed

        return guessed(note, tree)
    return followed.judged


class _Judge:
    """Judges notes by content, as few of them as need it."""

    def __init__(self, repository: Repository | None, tree: WorkTree, walk: Walk) -> None:
        self._repository = repository
        self._tree = tree
        self._walk = walk
        self._committed: dict[str, bytes | None] = {}
        self.has_judged = False

    def all(self, followed: Sequence[Followed], new: Sequence[Followed]) -> None:
        """Judge them, once it is known where else their lines stand; what is saved alone may be anywhere."""
        again = self._noted(sorted(self._walk.touched)[:MOST_TOUCHED], followed)
        self._held_elsewhere(new, untracked=False)
        for each in followed:
            if self._needs(each) or (id(each) in again and not _is_whole(each.judged)):
                self._judge(each)
        self._look_around([each for each in followed if not _is_whole(each.judged) and each.is_whole])

    def _needs(self, each: Followed) -> bool:
        """Whether anything that its last judgement rests on is not as it was."""
        if each.judged is None or id(each) in self._walk.moved or each.stamps != self._stamps(each):
            return True
        return not _is_whole(each.judged) and each.is_whole  # broken by what is not committed yet

    def _judge(self, each: Followed) -> None:
        self.has_judged = True
        is_followed = each.commit and id(each) not in self._walk.lost
        each.judged = judged(each, self._tree, self._as_committed if is_followed else None)
        each.stamps = self._stamps(each)

    def _stamps(self, each: Followed) -> list[str]:
        told = each.judged.path if each.judged else ""
        return [self._tree.stamp(path) for path in (each.note.path, each.path, told)]

    def _noted(self, paths: Iterable[str], followed: Sequence[Followed]) -> set[int]:
        """Note with each of those whose most telling line stands in one of some files that it does; who they are."""
        keys: dict[str, list[Followed]] = {}
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

    def _look_around(self, broken: Sequence[Followed]) -> None:
        """Look for texts that were cut out just now in all files, also those that git does not know yet."""
        again = self._held_elsewhere(broken, untracked=True)
        for each in broken:
            if id(each) in again:
                self._judge(each)

    def _held_elsewhere(self, followed: Sequence[Followed], *, untracked: bool) -> set[int]:
        """Note with each of those whose most telling line stands in other files of the repository; who they are."""
        if not followed or self._repository is None:
            return set()
        keys, endings = {each.key for each in followed}, _endings(followed)
        return self._noted(self._repository.holders(keys, endings, untracked=untracked), followed)

    def _as_committed(self, path: str) -> bytes | None:
        if path not in self._committed and self._repository is not None:
            head = self._repository.head
            self._committed[path] = self._repository.files([(head, path)]).get((head, path))
        return self._committed.get(path)


def _is_whole(judgement: Judgement | None) -> bool:
    return judgement is not None and judgement.state in (FRESH, MOVED)


def _endings(followed: Iterable[Followed]) -> list[str]:
    """What the names of their files end with; nothing where one has no plain ending, since then any file may do."""
    endings = {_ending(each.note.path) for each in followed}
    return sorted(endings) if all(each and all(map(_is_plain, each)) for each in endings) else []


def _ending(path: str) -> str:
    """What a file's name ends with, from the last dot on; empty where it has none."""
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :] if "." in name else ""


def _is_plain(character: str) -> bool:
    return character.isalnum() or character in "._-"
