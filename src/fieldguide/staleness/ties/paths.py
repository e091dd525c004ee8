"""Paths that a text names: there, renamed, or taken away by a commit; of what never was there, nothing is said."""

from fieldguide.project_history.change import Change
from fieldguide.project_history.history import History
from fieldguide.spine.answers.stale_places import FRESH, GONE, MOVED, StalePlace
from fieldguide.staleness.ties.mentions import Mention
from fieldguide.staleness.work_tree import WorkTree

MOST_NAMES = 20
SHORT_ID = 10


class Paths:
    """What became of paths, by what git told of names."""

    def __init__(self, history: History, tree: WorkTree) -> None:
        self._history = history
        self._tree = tree
        self._renamed: dict[str, tuple[str, Change]] | None = None
        self._gone: dict[str, Change] = {}

    def place(self, document: str, mention: Mention) -> StalePlace | None:
        """The state of a path that a document names; None where it is none that the project ever had."""
        if self._tree.stamp(mention.path):
            return StalePlace(document, mention.line, mention.says, mention.kind, FRESH, mention.path)
        renamed, by = self._renamed_names(), None
        path = mention.path
        for _ in range(MOST_NAMES):
            if path not in renamed:
                break
            path, by = renamed[path]
        if by is not None and self._tree.stamp(path):
            told = (document, mention.line, mention.says, mention.kind, MOVED, path)
            return StalePlace(*told, commit=by.id[:SHORT_ID])
        by = self._gone.get(path)
        if by is None:
            return None
        return StalePlace(document, mention.line, mention.says, mention.kind, GONE, commit=by.id[:SHORT_ID])

    def _renamed_names(self) -> dict[str, tuple[str, Change]]:
        """The latest new name of each path that was renamed; those that were taken away are noted on the way."""
        if self._renamed is None:
            self._renamed = {}
            for change in reversed(self._history.changes):
                for old, new in change.renamed:
                    self._renamed[old] = (new, change)
                for path in change.gone:
                    self._gone[path] = change
        return self._renamed
