"""Notes that are given to `fieldguide stale`: read from a file or standard input, judged, and told as programs read it.

Nothing heavy is imported on this way: whoever judges notes at each commit waits for every millisecond.
"""

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from fieldguide.errors import Misconfiguration
from fieldguide.spine.answers.stale_places import LINES, StalePlace
from fieldguide.staleness.followed import Judgement
from fieldguide.staleness.notes import Note, read_note

if TYPE_CHECKING:
    from fieldguide.confinement import ConfinedFolder

LARGEST_BYTES = 64 << 20
MOST_NOTES = 50_000


def read_notes(path: str) -> tuple[str | None, list[Note]]:
    """The project that is named with notes, if any, and the notes: one object with `notes`, a list, or JSON lines."""
    try:
        given = _parsed(_text(path))
        rows: Any = given["notes"] if isinstance(given, dict) else given
        if not isinstance(rows, list):
            raise ValueError("`notes` is no list.")  # noqa: TRY004, TRY301  wrong JSON is a wrong value
        some: list[Any] = cast("Any", rows)
        notes = [read_note(each, number) for number, each in enumerate(some[:MOST_NOTES])]
    except (ValueError, RecursionError) as error:
        raise Misconfiguration(f"The notes can't be read: {error}") from error
    project = given.get("project") if isinstance(given, dict) else None
    return project if isinstance(project, str) else None, notes


def _text(path: str) -> str:
    if path == "-":
        return sys.stdin.read(LARGEST_BYTES)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST_BYTES)
    except OSError as error:
        raise Misconfiguration(f"The notes can't be read: {error.strerror}.") from error


def _parsed(text: str) -> dict[str, Any] | list[Any]:
    """An object with `notes`; or a list of them, also where each has a line of its own."""
    try:
        found: Any = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(found, dict):
        return cast("dict[str, Any]", found) if "notes" in found else [found]
    return cast("list[Any]", found)


def judge_notes(project: "ConfinedFolder", notes: Sequence[Note]) -> list[Judgement]:
    """What became of each note; what is found is kept for the next time."""
    from fieldguide.staleness.following import follow
    from fieldguide.staleness.kept import load, save

    results = follow(project, notes, load(project.root, notes))
    if results.is_new:
        save(project.root, results.followed)
    return results.judgements


def as_json(notes: Sequence[Note], judgements: Sequence[Judgement]) -> dict[str, Any]:
    """The judgements by the ids of the notes, without what says nothing."""
    return {note.id: _told(each) for note, each in zip(notes, judgements, strict=True)}


def as_places(notes: Sequence[Note], judgements: Sequence[Judgement]) -> list[StalePlace]:
    """The judgements in the form that is printed and written as SARIF."""
    return [
        StalePlace(note.path, note.start, f"{note.path}#L{note.start}-L{note.end}", LINES, *each)
        for note, each in zip(notes, judgements, strict=True)
    ]


def _told(judgement: Judgement) -> dict[str, Any]:
    told = {"status": judgement.state, **judgement._asdict()}
    del told["state"]
    if judgement.confidence == 1.0:
        del told["confidence"]
    return {name: value for name, value in told.items() if value}
