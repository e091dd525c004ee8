"""Which file defines a symbol, where only one does: asked of the index, whose chunks are headed by their symbols."""

from collections.abc import Sequence
from typing import NamedTuple

from fieldguide.search.engine import SearchEngine
from fieldguide.search.port import Scope, chunk_number, place_of
from fieldguide.source_code.roles import IMPLEMENTATION, role_of
from fieldguide.source_code.test_files import is_test
from fieldguide.storage.port import Transaction

CODE = "code"
MOST_NAMES = 200
MOST_CHUNKS = 12  # of one name: what has more is defined by several files


class Defined(NamedTuple):
    """Where a name is defined: the file, what it is a part of there, and the line in which that begins."""

    path: str
    owner: str = ""
    line: int = 1


class Definers:
    """Finds the only file that defines a name, and the names that a file defines."""

    def __init__(self, engine: SearchEngine, transaction: Transaction) -> None:
        self._engine = engine
        self._transaction = transaction
        self._scope = Scope(tuple(source.id for source in engine.sources(CODE)))
        self._known: dict[str, Defined | None] = {}

    def only(self, name: str) -> Defined | None:
        """The only file that defines a name, beside tests and examples; None for none, and for several."""
        if name not in self._known:
            self._known[name] = self._asked(name) if self._scope.sources else None
        return self._known[name]

    def _asked(self, name: str) -> Defined | None:
        chunks = self._engine.index.headed(self._transaction, [name], self._scope, MOST_CHUNKS)
        if not chunks or len(chunks) == MOST_CHUNKS:
            return None
        documents = self._engine.store(self._transaction).numbered([place_of(chunk)[0] for chunk in chunks])
        paths = {number: each.name for number, each in documents.items()}
        plain = [chunk for chunk in chunks if _is_plain(paths.get(place_of(chunk)[0], ""))]
        found = {paths[place_of(chunk)[0]] for chunk in plain}
        return self._defined(found.pop(), plain) if len(found) == 1 else None

    def _defined(self, path: str, chunks: Sequence[int]) -> Defined:
        passages = self._engine.index.passages(self._transaction, chunks).values()
        owners = [each.headings[-2] if len(each.headings) > 1 else "" for each in passages]
        line = min((each.start_line for each in passages), default=1)
        return Defined(path, min(owners, default=""), line)

    def names_in(self, path: str) -> list[str]:
        """The names that a file defines, as far as they head its chunks."""
        store = self._engine.store(self._transaction)
        for source in self._scope.sources:
            if (document := store.find(source, path)) is not None:
                chunks = [chunk_number(document.id, position) for position in range(min(document.chunks, MOST_NAMES))]
                passages = self._engine.index.passages(self._transaction, chunks).values()
                return list(dict.fromkeys(each.headings[-1] for each in passages if each.headings))
        return []


def _is_plain(path: str) -> bool:
    return bool(path) and not is_test(path) and role_of(path) == IMPLEMENTATION
