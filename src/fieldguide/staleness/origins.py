"""Where a note comes from: the commit and the text that it cites, proved by its hash.

Text of the history is used only where the note's hash proves that whoever wrote it has seen these very lines: then
nothing can be told of a repository that a strange one only points to.
"""

from collections.abc import Iterable, Sequence

from fieldguide.project_history.earlier_files import earlier_files
from fieldguide.staleness.followed import Followed
from fieldguide.staleness.notes import Note, cited_lines
from fieldguide.staleness.repository import Repository
from fieldguide.staleness.work_tree import WorkTree

MOST_SOUGHT = 50  # files whose earlier versions are looked through


def originated(notes: Sequence[Note], tree: WorkTree, repository: Repository | None) -> Iterable[Followed]:
    """The notes whose text is known, each as of the commit where it stood so."""
    if repository is None:
        return
    head = repository.head
    proved = [note for note in notes if note.hash]
    wanted = [(note.commit or head, note.path) for note in proved]
    found = repository.files(wanted)
    lost: list[Note] = []
    for note, asked in zip(proved, wanted, strict=True):
        content = found.get(asked)
        text = None if content is None else cited_lines(content, note)
        if text:
            yield Followed(note, text, asked[0])
        else:
            lost.append(note)
    yield from _from_history(lost, tree)


def _from_history(notes: Sequence[Note], tree: WorkTree) -> Iterable[Followed]:
    """Those that name no commit, or one that is not there: the last version of their file that has the lines."""
    by_path: dict[str, list[Note]] = {}
    for note in notes:
        by_path.setdefault(note.path, []).append(note)
    root = tree.project.real_path()
    for path, group in [*by_path.items()][:MOST_SOUGHT]:
        if tree.project.sensitive.refuses(path.split("/")):
            continue
        versions = earlier_files(root, path)
        for note in group:
            for version in versions:
                text = cited_lines(version.content, note) if version.content is not None else None
                if text:
                    yield Followed(note, text, version.id)
                    break
