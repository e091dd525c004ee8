"""One commit as the history keeps it, and how it is written down."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple, cast


class Change(NamedTuple):
    """A commit: what it is called, who made it when, which files it left changed or took away, and what it renamed.

    `files` is empty for a commit of very many files: those tell nothing of each other.
    """

    id: str
    seconds: int
    author: str
    subject: str
    files: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()


def written(changes: Iterable[Change]) -> str:
    """Changes as text, for the database."""
    return json.dumps([list(each) for each in changes], ensure_ascii=False, separators=(",", ":"))


def read_changes(text: str) -> list[Change]:
    """What was written; nothing where it is not legible, so that it is read from git again."""
    try:
        rows = cast("list[list[Any]]", json.loads(text))
        return [_change(row) for row in rows]
    except (ValueError, TypeError, RecursionError):
        return []


def _change(row: list[Any]) -> Change:
    identity, seconds, author, subject, files, gone, renamed = row
    pairs = tuple((str(old), str(new)) for old, new in renamed)
    return Change(str(identity), int(seconds), str(author), str(subject), tuple(files), tuple(gone), pairs)
