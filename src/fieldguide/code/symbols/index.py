"""Keeps the stored symbols up to date with the search index, and reads likely files first when a name is asked for.

The texts come from the index, so nothing is read from disk twice, and no name is resolved: that is done when somebody
asks. What is kept of a file is written whole or not at all, so that a kill leaves nothing half done.
"""

import json
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from time import monotonic, sleep

from fieldguide.code.imports.graph import MANIFESTS, ImportStore, load_indexed_hashes, load_indexed_texts
from fieldguide.code.symbols.facts import PackedFacts, SymbolFacts, pack
from fieldguide.code.symbols.lookup import take_last_part
from fieldguide.code.symbols.readers.registry import is_read, read_packed
from fieldguide.code.symbols.store import SymbolStore
from fieldguide.files.kinds import language_of
from fieldguide.search.derived import Derived, find_changes
from fieldguide.search.engine import SearchEngine
from fieldguide.search.types import Scope, locate_chunk
from fieldguide.storage.database import Transaction
from fieldguide.text.errors import FieldguideError
from fieldguide.text.words import extract_query_terms

VERSION = "1"  # of how texts are read: what was made by another is made again
BATCH = 50
MOST_MANIFESTS = 5_000


def update_symbols(
    engine: SearchEngine, namespace: str, paths: Sequence[str], only: Iterable[str] | None = None
) -> int:
    """Read what is new in the index, and forget what is gone from it; how many files were read.

    `paths` are all files of the project; `only` some of them are looked at where no other has changed. It comes after
    the import graph, whose surroundings tell whether imports may lead elsewhere.
    """
    with engine.database.reading() as transaction:
        now = load_current_files(transaction, namespace, only)
        store = SymbolStore(transaction, namespace)
        before = store.hashes(only)
        state = store.state()
        surroundings = ImportStore(transaction, namespace).surroundings()
    symbols = Derived(engine, namespace, SymbolStore, partial(_read, engine, namespace), BATCH)
    read = symbols.update(before, now)
    if surroundings != state[0]:
        manifests = [path for path in paths if posixpath.basename(path) in MANIFESTS][:MOST_MANIFESTS]
        with engine.database.writing() as transaction:
            SymbolStore(transaction, namespace).keep_state(surroundings, json.dumps(manifests))
    return len(read)


def load_current_files(transaction: Transaction, namespace: str, only: Iterable[str] | None = None) -> dict[str, str]:
    """The files in the index whose symbols are read, or only some of them, with what tells their contents apart."""
    found = load_indexed_hashes(transaction, namespace, only)
    return {path: f"{VERSION} {digest}" for path, digest in found.items() if is_read(language_of(path))}


def _read(engine: SearchEngine, namespace: str, wanted: Mapping[str, str]) -> None:
    texts = load_indexed_texts(engine, namespace, wanted)
    read = [(path, read_file_facts(path, texts[path])) for path in wanted]
    with engine.database.writing() as transaction:
        for path, packed in read:
            SymbolStore(transaction, namespace).put(path, wanted[path], packed)


def count_waiting(transaction: Transaction, namespace: str) -> tuple[int, int]:
    """How many files of code are read as they are in the index, or gone from both, and how many there are."""
    now = load_current_files(transaction, namespace)
    before = SymbolStore(transaction, namespace).hashes()
    every = now.keys() | before.keys()
    return sum(now.get(path) == before.get(path) for path in every), len(every)


def read_file_facts(path: str, text: str) -> PackedFacts:
    """What a file says, packed; nothing of one that can't be read."""
    try:
        return read_packed(text, language_of(path) or "")
    except FieldguideError:
        return pack(SymbolFacts())


CODE = "code"
MOST_CHUNKS = 300
MOST_FILES = 60
SECONDS = 2.5
RETRY_SECONDS = 0.05


def read_likely_files(engine: SearchEngine, namespace: str, name: str) -> int:
    """Read what the index has of a name, as far as it was not read yet; how many files that were.

    It takes no turn: what it writes is the same that the pass writes, which has the turn meanwhile.
    """
    until = monotonic() + SECONDS
    waiting = _waiting(engine, namespace, name)
    done = 0
    for path, digest in waiting.items():
        if monotonic() > until:
            break
        text = load_indexed_texts(engine, namespace, [path])[path]
        facts = read_file_facts(path, text)
        while not _is_kept(engine, namespace, path, digest, facts):
            if monotonic() > until:
                return done
            sleep(RETRY_SECONDS)
        done += 1
    return done


def _is_kept(engine: SearchEngine, namespace: str, path: str, digest: str, facts: PackedFacts) -> bool:
    """Keep what was read of a file; False while somebody else writes."""
    try:
        with engine.database.writing() as transaction:
            SymbolStore(transaction, namespace).put(path, digest, facts)
    except FieldguideError:
        return False
    return True


def _waiting(engine: SearchEngine, namespace: str, name: str) -> dict[str, str]:
    """The likely files that were not read as they are now, with the hashes of their contents."""
    scope = Scope(tuple(source.id for source in engine.sources(CODE)))
    if not scope.sources:
        return {}
    with engine.database.reading() as transaction:
        likely = _likely(engine, transaction, scope, name)
        now = load_current_files(transaction, namespace, likely)
        before = SymbolStore(transaction, namespace).hashes(likely)
    return {path: now[path] for path in find_changes(before, now).changed}


def _likely(engine: SearchEngine, transaction: Transaction, scope: Scope, name: str) -> list[str]:
    """The files that have a name among their words, the likeliest first."""
    terms = [term for part in dict.fromkeys((take_last_part(name), name)) for term in extract_query_terms(part)]
    chunks = engine.index.by_words(transaction, terms, scope, MOST_CHUNKS)
    numbers = [
        *dict.fromkeys(locate_chunk(chunk)[0] for chunk in sorted(chunks, key=lambda each: (-chunks[each], each)))
    ]
    documents = engine.store(transaction).numbered(numbers)
    paths = dict.fromkeys(documents[number].name for number in numbers if number in documents)
    return [path for path in paths if is_read(language_of(path))][:MOST_FILES]
