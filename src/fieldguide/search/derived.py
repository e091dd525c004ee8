"""Finds which files changed since facts were last derived from their contents."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

MOST_FILES = 50_000


class FileChanges(NamedTuple):
    """The files that are new or were written anew, so many at most, and those that are gone."""

    changed: list[str]
    gone: list[str]


def find_changes(before: Mapping[str, str], now: Mapping[str, str]) -> FileChanges:
    """What changed between two looks at some files; what a file is mapped to tells its contents apart."""
    changed = [path for path, stamp in now.items() if before.get(path) != stamp][:MOST_FILES]
    return FileChanges(changed, [path for path in before if path not in now])


def split_path_batches(paths: Iterable[str], size: int) -> Iterator[list[str]]:
    """Some at a time: what is done for each batch is kept, whatever becomes of the next."""
    waiting = iter(paths)
    while some := list(islice(waiting, size)):
        yield some
