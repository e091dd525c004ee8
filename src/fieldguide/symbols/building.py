"""Brings symbols up to date with the index: a file is read once for each content.

The texts come from the index, so nothing is read from disk twice, and no name is resolved: that is done when somebody
asks. What is kept of a file is written whole or not at all, so that a kill leaves nothing half done.
"""

import json
import posixpath
from collections.abc import Iterable, Mapping, Sequence

from fieldguide.errors import FieldguideError
from fieldguide.import_graph.building import MANIFESTS, indexed_hashes, indexed_texts
from fieldguide.import_graph.changes import batches, changes_since
from fieldguide.import_graph.store import ImportStore
from fieldguide.search.engine import SearchEngine
from fieldguide.source_code.languages import language_of
from fieldguide.storage.port import Transaction
from fieldguide.symbols.facts import Facts
from fieldguide.symbols.packing import Packed, pack
from fieldguide.symbols.reading.registry import is_read, read_packed
from fieldguide.symbols.store import SymbolStore

VERSION = "1"  # of how texts are read: what was made by another is made again
BATCH = 50
MOST_MANIFESTS = 5_000


def bring_up(engine: SearchEngine, namespace: str, paths: Sequence[str], only: Iterable[str] | None = None) -> int:
    """Read what is new in the index, and forget what is gone from it; how many files were read.

    `paths` are all files of the project; `only` some of them are looked at where no other has changed. It comes after
    the import graph, whose surroundings tell whether imports may lead elsewhere.
    """
    with engine.database.reading() as transaction:
        now, store = current(transaction, namespace, only), SymbolStore(transaction, namespace)
        before, state = store.hashes(only), store.state()
        surroundings = ImportStore(transaction, namespace).surroundings()
    changed, gone = changes_since(before, now)
    for some in batches(changed, BATCH):
        engine.way.give()
        _read(engine, namespace, {path: now[path] for path in some})
    for some in batches(gone, BATCH):
        with engine.database.writing() as transaction:
            SymbolStore(transaction, namespace).forget(some)
    if surroundings != state[0]:
        manifests = [path for path in paths if posixpath.basename(path) in MANIFESTS][:MOST_MANIFESTS]
        with engine.database.writing() as transaction:
            SymbolStore(transaction, namespace).keep_state(surroundings, json.dumps(manifests))
    return len(changed)


def current(transaction: Transaction, namespace: str, only: Iterable[str] | None = None) -> dict[str, str]:
    """The files in the index whose symbols are read, or only some of them, with what tells their contents apart."""
    found = indexed_hashes(transaction, namespace, only)
    return {path: f"{VERSION} {digest}" for path, digest in found.items() if is_read(language_of(path))}


def _read(engine: SearchEngine, namespace: str, wanted: Mapping[str, str]) -> None:
    texts = indexed_texts(engine, namespace, wanted)
    read = [(path, facts_in(path, texts[path])) for path in wanted]
    with engine.database.writing() as transaction:
        for path, packed in read:
            SymbolStore(transaction, namespace).put(path, wanted[path], packed)


def waiting(transaction: Transaction, namespace: str) -> tuple[int, int]:
    """How many files of code are read as they are in the index, or gone from both, and how many there are."""
    now = current(transaction, namespace)
    before = SymbolStore(transaction, namespace).hashes()
    every = now.keys() | before.keys()
    return sum(now.get(path) == before.get(path) for path in every), len(every)


def facts_in(path: str, text: str) -> Packed:
    """What a file says, packed; nothing of one that can't be read."""
    try:
        return read_packed(text, language_of(path) or "")
    except FieldguideError:
        return pack(Facts())
