"""The decisions of a project that lie in no folder which is known for them, found among all its documents."""

import os
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from fieldguide.confinement import ConfinedFolder
from fieldguide.decisions.shape import is_decision, is_numbered_with_status, may_be_numbered_with
from fieldguide.document_formats.kinds import ASCIIDOC, MARKDOWN, MDX, RST
from fieldguide.errors import Refusal
from fieldguide.project_text.finding import FoundDocument, known_text

FORMS = frozenset((MARKDOWN, MDX, RST, ASCIIDOC))
LARGEST_BYTES, MOST_READ = 1 << 20, 20_000
LEAST_CERTAIN = (2, 0.5)  # so many of the numbered files of a folder, and such a share, make decisions of the others
LEAST_LIKELY = (4, 0.6)  # as much where they only say what became of them
CERTAIN, LIKELY, NONE = 2, 1, 0

Judged = tuple[tuple[int, int], int]


class FoundDecisions:
    """The decisions among a project's documents; a document is read again when it has changed."""

    def __init__(self, project: ConfinedFolder, *, beside: Sequence[str] = (), is_wanted: bool = True) -> None:
        """`beside` are the folders that are looked through anyway."""
        self._project = project
        self._beside = tuple(f"{folder}/" for folder in beside) or ("//",)
        self._is_wanted = is_wanted
        self._lock = threading.Lock()
        self._known: dict[str, Judged] = {}
        self._looked: tuple[object, dict[str, os.stat_result]] | None = None

    def paths(self) -> Mapping[str, os.stat_result]:
        """Every decision with its status then, except in the folders that are looked through anyway."""
        if not self._is_wanted:
            return {}
        text = known_text(self._project.root).now(self._project)
        with self._lock:
            if self._looked is None or self._looked[0] is not text:
                wanted = [each.path for each in text.documents if _may_be_one(each)]
                others = [path for path in wanted if not path.startswith(self._beside)]
                self._looked = (text, self._found(others[:MOST_READ]))
            return self._looked[1]

    def folders(self) -> list[str]:
        """The folders that they lie in."""
        return sorted({path.rpartition("/")[0] for path in self.paths()})

    def look_again(self) -> None:
        """Some document may have changed: read those that have when somebody asks."""
        with self._lock:
            self._looked = None

    def find(self, path: str) -> os.stat_result | None:
        """The status of a decision at a path; None where none was found there, or it is gone."""
        return self._project.entry(path) if path in self.paths() else None

    def _found(self, paths: Sequence[str]) -> dict[str, os.stat_result]:
        statuses = {path: status for path in paths if (status := self._project.entry(path)) is not None}
        self._known = {path: self._judged(path, status) for path, status in statuses.items()}
        verdicts = {path: verdict for path, (_, verdict) in self._known.items()}
        certain = {path for path, verdict in verdicts.items() if verdict == CERTAIN}
        return {path: statuses[path] for path in sorted({*certain, *_among(verdicts)})}

    def _judged(self, path: str, status: os.stat_result) -> Judged:
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known
        try:
            text = self._project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8", errors="replace")
        except Refusal:
            return stamp, NONE
        return stamp, CERTAIN if is_decision(path, text) else LIKELY * is_numbered_with_status(path, text)


def _may_be_one(document: FoundDocument) -> bool:
    """Whether a document may be a decision, before it is read: no URI may hold some names."""
    is_addressed = not any(mark in f"/{document.path}" for mark in ("..", "\\", "/."))
    return is_addressed and document.form in FORMS and not document.language


def _among(verdicts: Mapping[str, int]) -> Iterator[str]:
    """What is numbered like the decisions that it lies among: some are written in no form at all."""
    numbered = {path: path.rpartition("/")[0] for path in verdicts if may_be_numbered_with(path)}
    there = Counter(numbered.values())
    for verdict, (least, share) in ((CERTAIN, LEAST_CERTAIN), (LIKELY, LEAST_LIKELY)):
        alike = Counter(folder for path, folder in numbered.items() if verdicts[path] >= verdict)
        yield from (path for path, folder in numbered.items() if alike[folder] >= max(least, share * there[folder]))
