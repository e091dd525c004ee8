"""Keeps facts that are derived from file contents: reads files that are new or changed, forgets those that are gone."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from fieldguide.search.engine import SearchEngine
    from fieldguide.storage.database import Transaction

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


class DerivedRows:
    """The derived facts of one project, in one transaction of the index's database."""

    def __init__(self, transaction: "Transaction", namespace: str) -> None:
        self._transaction = transaction
        self._namespace = namespace

    def forget(self, paths: Iterable[str]) -> None:
        """Forget files that are gone."""
        raise NotImplementedError

    def _fetch(self, sql: str, **given: Any) -> Sequence[Mapping[str, Any]]:
        return self._transaction.fetch_all(sql, {"namespace": self._namespace, **given})

    def _fetch_stamps(self, sql: str, only: Iterable[str] | None) -> dict[str, str]:
        """The stamps that a statement selects for every path, or only for some."""
        if only is None:
            rows = list(self._fetch(sql))
        else:
            rows = [row for path in only for row in self._fetch(f"{sql} AND path = :path", path=path)]
        return dict(map(itemgetter("path", "stamp"), rows))


class Derived(NamedTuple):
    """One kind of derived facts: where they are stored, and how some files, given with their stamps, are read."""

    engine: "SearchEngine"
    namespace: str
    rows: type[DerivedRows]
    read: Callable[[Mapping[str, str]], None]
    batch: int

    def update(self, before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
        """Read what is new and forget what is gone, a batch at a time; the files that were read."""
        changed, gone = find_changes(before, now)
        for some in split_path_batches(changed, self.batch):
            self.engine.way.give()
            self.read({path: now[path] for path in some})
        for some in split_path_batches(gone, self.batch):
            with self.engine.database.writing() as transaction:
                self.rows(transaction, self.namespace).forget(some)
        return changed
