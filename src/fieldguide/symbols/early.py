"""Reads the files that a name is likely in before their turn: whoever asks need not wait until all are read."""

from time import monotonic

from fieldguide.errors import FieldguideError
from fieldguide.import_graph.building import indexed_texts
from fieldguide.import_graph.changes import changes_since
from fieldguide.search.engine import SearchEngine
from fieldguide.search.port import Scope, place_of
from fieldguide.search.words import query_terms
from fieldguide.source_code.languages import language_of
from fieldguide.storage.port import Transaction
from fieldguide.symbols.building import current, facts_in
from fieldguide.symbols.naming import last_part
from fieldguide.symbols.reading.registry import is_read
from fieldguide.symbols.store import SymbolStore

CODE = "code"
MOST_CHUNKS = 300
MOST_FILES = 60
SECONDS = 1.5


def read_first(engine: SearchEngine, namespace: str, name: str) -> int:
    """Read what the index has of a name, as far as it was not read yet; how many files that were.

    It takes no turn: what it writes is the same that the pass writes, which has the turn meanwhile.
    """
    until = monotonic() + SECONDS
    waiting = _waiting(engine, namespace, name)
    done = 0
    for path, digest in waiting.items():
        if monotonic() > until:
            break
        text = indexed_texts(engine, namespace, [path])[path]
        try:
            with engine.database.writing() as transaction:
                SymbolStore(transaction, namespace).put(path, digest, facts_in(path, text))
        except FieldguideError:  # somebody else writes: then it is read in its turn
            break
        done += 1
    return done


def _waiting(engine: SearchEngine, namespace: str, name: str) -> dict[str, str]:
    """The likely files that were not read as they are now, with the hashes of their contents."""
    scope = Scope(tuple(source.id for source in engine.sources(CODE)))
    if not scope.sources:
        return {}
    with engine.database.reading() as transaction:
        likely = _likely(engine, transaction, scope, name)
        now = current(transaction, namespace, likely)
        before = SymbolStore(transaction, namespace).hashes(likely)
    return {path: now[path] for path in changes_since(before, now).changed}


def _likely(engine: SearchEngine, transaction: Transaction, scope: Scope, name: str) -> list[str]:
    """The files that have a name among their words, the likeliest first."""
    terms = [term for part in dict.fromkeys((last_part(name), name)) for term in query_terms(part)]
    chunks = engine.index.by_words(transaction, terms, scope, MOST_CHUNKS)
    numbers = [*dict.fromkeys(place_of(chunk)[0] for chunk in sorted(chunks, key=lambda each: (-chunks[each], each)))]
    documents = engine.store(transaction).numbered(numbers)
    paths = dict.fromkeys(documents[number].name for number in numbers if number in documents)
    return [path for path in paths if is_read(language_of(path))][:MOST_FILES]
