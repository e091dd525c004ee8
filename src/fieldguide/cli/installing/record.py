"""What was written into which file, kept in the person's state folder, with a copy of what stood there before."""

import hashlib
import json
import os
from contextlib import suppress
from typing import Any, NamedTuple, cast

from fieldguide.cli.installing.settings_place import Place
from fieldguide.errors import Refusal
from fieldguide.places import PRIVATE_FOLDER, state_root

FOLDER = "connections"
MOST_BACKUPS = 5
ENTRY, SECTION = "entry", "section"


class Written(NamedTuple):
    """One change of one file: what it was about, the hashes of both sides, and what was made for it."""

    file: str
    kind: str
    client: str
    name: str
    value: Any
    before: str | None
    after: str
    backup: str | None
    folders: list[str]
    made: int


class Record:
    """All changes that still stand, oldest first."""

    def __init__(self) -> None:
        self.folder = os.path.join(state_root(), FOLDER)
        self._place = Place(os.path.join(self.folder, "record.json"), None, self.folder)
        self._read_again()

    def last(self, file: str, kind: str, name: str) -> Written | None:
        """The last change of this thing in a file."""
        found = [each for each in self.changes if (each.file, each.kind, each.name) == (file, kind, name)]
        return found[-1] if found else None

    def of_file(self, file: str) -> list[Written]:
        """The changes of a file, oldest first."""
        return [each for each in self.changes if each.file == file]

    def add(self, change: Written) -> None:
        """Note a change, beside what another command may have noted meanwhile."""
        self._read_again()
        self._keep([*self.changes, change])

    def forget(self, changes: list[Written]) -> None:
        """Strike changes out that stand no more."""
        self._read_again()
        self._keep([each for each in self.changes if each not in changes])

    def back_up(self, file: str, content: bytes) -> str:
        """Put a copy of a file aside, where only the person can read it; the oldest of many goes."""
        folder = os.path.join(self.folder, "backups")
        os.makedirs(folder, mode=PRIVATE_FOLDER, exist_ok=True)
        beginning = f"{os.path.basename(file)}.{digest(file.encode())[:12]}."
        path = os.path.join(folder, beginning + digest(content)[:12])
        if not os.path.lexists(path):
            Place(path, None, folder).write(None, content, is_lasting=False)
        self._prune(folder, beginning, path)
        return path

    def _read_again(self) -> None:
        self._bytes = self._place.read()
        self.changes = _changes(self._bytes)

    def _prune(self, folder: str, beginning: str, newest: str) -> None:
        needed = {newest, *(each.backup for each in self.changes)}
        paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith(beginning)]
        spare = sorted((path for path in paths if path not in needed), key=os.path.getmtime)
        for path in spare[: max(0, len(paths) - MOST_BACKUPS)]:
            with suppress(OSError):
                os.unlink(path)

    def _keep(self, changes: list[Written]) -> None:
        text = json.dumps([each._asdict() for each in changes], indent=1)
        os.makedirs(self.folder, mode=PRIVATE_FOLDER, exist_ok=True)
        self._place.write(self._bytes, text.encode(), is_lasting=False)
        self._bytes, self.changes = text.encode(), changes


def digest(content: bytes) -> str:
    """What a content is known by."""
    return hashlib.sha256(content).hexdigest()


def read_backup(change: Written) -> bytes | None:
    """The copy of what stood there before a change; None where it is gone, or is another."""
    if change.backup is None:
        return None
    with suppress(Refusal):
        content = Place(change.backup, None, os.path.dirname(change.backup)).read()
        if content is not None and digest(content) == change.before:
            return content
    return None


def _changes(content: bytes | None) -> list[Written]:
    try:
        rows = cast("list[dict[str, Any]]", json.loads(content or b"[]"))
        return [Written(**row) for row in rows]
    except (ValueError, TypeError) as error:
        raise Refusal("The record of what was installed can't be read. Without it, entries are found too.") from error
