"""What documents name that is gone, kept beside the index: found when HEAD moves, told without looking at history."""

import json
import threading
from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from fieldguide.confinement import ConfinedFolder
from fieldguide.document_formats.lines import readable_text, split_lines
from fieldguide.drift.check import alarms, drifted
from fieldguide.drift.judging import Drift
from fieldguide.drift.kept import FOUND, KeptInDatabase, KeptPart
from fieldguide.drift.taken.removal import CommitLine
from fieldguide.errors import Refusal
from fieldguide.project_history.keeping import head_stamp
from fieldguide.storage.port import Database

VERSION = "1"
LARGEST_BYTES = 1 << 20
MOST_TOLD = 200
STAMPS: "WeakKeyDictionary[Database, dict[tuple[str, str], object]]" = WeakKeyDictionary()
LOCK = threading.Lock()


def bring_up(database: Database, namespace: str, project: ConfinedFolder, *, is_whole: bool) -> None:
    """Look again where everything is looked at, or where another commit is checked out since the last time."""
    key, stamp = (namespace, project.root), head_stamp(project.root)
    if stamp is None:
        return
    with LOCK:
        known = STAMPS.setdefault(database, {})
        if not is_whole and known.get(key) == stamp:
            return
        known[key] = stamp
    kept = KeptInDatabase(database, namespace)
    keep_found(kept, alarms(drifted(project, kept)))


def keep_found(kept: KeptInDatabase, found: Sequence[Drift]) -> None:
    """Keep what was found, by document, in place of what was kept."""
    by_document: dict[str, list[Drift]] = {}
    for each in found:
        by_document.setdefault(each.document, []).append(each)
    before = kept.read(FOUND)
    rows = {path: KeptPart(VERSION, _written(each)) for path, each in by_document.items()}
    kept.put(FOUND, {path: row for path, row in rows.items() if before.get(path) != row})
    kept.forget(FOUND, [path for path in before if path not in rows])


def kept_drift(database: Database, namespace: str, project: ConfinedFolder) -> list[Drift]:
    """What was found last and still stands in its document: the line is read, history is not."""
    found: list[Drift] = []
    for path, part in KeptInDatabase(database, namespace).read(FOUND).items():
        if part.stamp == VERSION and len(found) < MOST_TOLD:
            found += _standing(project, path, _read(part.content))
    return found


def _standing(project: ConfinedFolder, path: str, drifts: Sequence[Drift]) -> Iterator[Drift]:
    try:
        lines = split_lines(readable_text(project.read(path, limit_bytes=LARGEST_BYTES)))
    except Refusal:
        return
    for each in drifts:
        if 0 < each.line <= len(lines) and each.name.lstrip("-./") in lines[each.line - 1]:
            yield each


def _written(drifts: Sequence[Drift]) -> bytes:
    return json.dumps(drifts, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _read(content: bytes) -> list[Drift]:
    try:
        rows = json.loads(content)
        return [Drift(*row)._replace(commit=CommitLine(*row[5])) for row in rows]
    except (ValueError, TypeError, IndexError):
        return []
