"""Where a note comes from: the commit and the text that it cites, proved by its hash.

Text of the history is used only where the note's hash proves that whoever wrote it has seen these very lines, or where
all of the history is the project's own: so nothing is told of a repository that a strange one only points to.
"""

from collections.abc import Iterable, Iterator, Sequence

from fieldguide.errors import Refusal
from fieldguide.project_history.earlier_files import EarlierFile, earlier_files
from fieldguide.project_text.git_place import keeps_own_history
from fieldguide.staleness.followed import Followed
from fieldguide.staleness.notes import Note, cited_lines, says_something
from fieldguide.staleness.repository import Repository
from fieldguide.staleness.work_tree import LARGEST_BYTES, WorkTree

MOST_SOUGHT = 50  # files whose earlier versions are looked through


def originated(notes: Sequence[Note], tree: WorkTree, repository: Repository | None) -> Iterable[Followed]:
    """The notes, each as of the commit where it stood so; without a text where nothing is known but its hash."""
    head = "" if repository is None else repository.head
    lost: list[Note] = []
    for note, content in _committed(notes, tree, repository, head):
        text = None if content is None else cited_lines(content, note)
        if text and any(map(says_something, text)):
            yield Followed(note, text, note.commit or head)
        elif note.hash:
            lost.append(note)
    yield from _sought(lost, tree, head)


def _sought(lost: Sequence[Note], tree: WorkTree, head: str) -> Iterator[Followed]:
    """Notes whose lines their commits do not have: as the work tree has them, or else some earlier version."""
    saved = {note: text for note in lost if (text := _saved(note, tree))}
    yield from (Followed(note, text, "") for note, text in saved.items())
    yield from _from_history([note for note in lost if note not in saved], tree, head)


def _committed(
    notes: Sequence[Note], tree: WorkTree, repository: Repository | None, head: str
) -> Iterator[tuple[Note, bytes | None]]:
    """The notes, each with its file as of the commit that it names, or else HEAD; None where that must not be used."""
    wanted = [(note.commit or head, note.path) for note in notes]
    found = {} if repository is None else repository.files(wanted)
    is_own = any(not note.hash for note in notes) and keeps_own_history(tree.project.real_path())
    for note, asked in zip(notes, wanted, strict=True):
        may_use = note.hash or (is_own and note.commit)
        yield note, found.get(asked) if may_use else None


def _saved(note: Note, tree: WorkTree) -> list[str] | None:
    """The lines where they stand in the work tree as cited, but are not committed yet."""
    try:
        return cited_lines(tree.project.read(note.path, limit_bytes=LARGEST_BYTES), note)
    except Refusal:
        return None


def _from_history(notes: Sequence[Note], tree: WorkTree, head: str) -> Iterable[Followed]:
    """Those that name no commit, or one that is not there: the last version of their file that has the lines."""
    by_path: dict[str, list[Note]] = {}
    for note in notes:
        by_path.setdefault(note.path, []).append(note)
    root = tree.project.real_path()
    for number, (path, group) in enumerate(by_path.items()):
        is_sought = number < MOST_SOUGHT and not tree.project.sensitive.refuses(path.split("/"))
        versions = earlier_files(root, path) if is_sought else []
        yield from (_version(note, versions) or Followed(note, (), head) for note in group)


def _version(note: Note, versions: Iterable[EarlierFile]) -> Followed | None:
    for version in versions:
        text = cited_lines(version.content, note) if version.content is not None else None
        if text:
            return Followed(note, text, version.id)
    return None
