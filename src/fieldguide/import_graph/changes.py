"""What is made of files, each read once for each content: which of them are new since then, and which are gone."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

MOST_FILES = 50_000


class Changes(NamedTuple):
    """The files that are new or were written anew, so many at most, and those that are gone."""

    changed: list[str]
    gone: list[str]


def changes_since(before: Mapping[str, str], now: Mapping[str, str]) -> Changes:
    """What changed between two looks at some files; what a file is mapped to tells its contents apart."""
    changed = [path for path, stamp in now.items() if before.get(path) != stamp][:MOST_FILES]
    return Changes(changed, [path for path in before if path not in now])


def batches(paths: Iterable[str], size: int) -> Iterator[list[str]]:
    """Some at a time: what is done for each batch is kept, whatever becomes of the next."""
    waiting = iter(paths)
    while some := list(islice(waiting, size)):
        yield some
