"""What is kept of notes from one judgement to the next: a file in the project's state folder, that may be lost."""

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress

from fieldguide.errors import FieldguideError
from fieldguide.places import PRIVATE_FILE
from fieldguide.staleness.followed import Followed, read_followed
from fieldguide.staleness.notes import Note
from fieldguide.storage.state_folder import known_folder, state_folder

NAME = "stale-notes.json"
VERSION = 1
LARGEST_BYTES = 64 << 20
MOST_NOTES = 50_000


def load(project: str, notes: Sequence[Note]) -> dict[str, Followed]:
    """What is kept of some notes, by their keys; nothing where it can't be read."""
    found: dict[str, Followed] = {}
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError, FieldguideError):
        with open(_place(project), "rb") as file:
            said = json.loads(file.read(LARGEST_BYTES))
        if said["version"] != VERSION:
            return {}
        rows = said["notes"]
        for note in notes:
            if note.key in rows and (followed := read_followed(note, rows[note.key])) is not None:
                found[note.key] = followed
    return found


def save(project: str, followed: Iterable[Followed]) -> None:
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
    return os.path.join(known_folder(project) or state_folder(project), NAME)
