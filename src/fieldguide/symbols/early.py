"""Reads the files that a name is likely in before their turn: whoever asks need not wait until all are read."""

from time import monotonic

from fieldguide.errors import FieldguideError
from fieldguide.import_graph.building import indexed_hashes, indexed_texts
from fieldguide.search.engine import SearchEngine
from fieldguide.search.port import Scope, place_of
from fieldguide.search.words import query_terms
from fieldguide.source_code.languages import language_of
from fieldguide.symbols.building import VERSION, facts_in
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
        terms = [term for part in dict.fromkeys((last_part(name), name)) for term in query_terms(part)]
        chunks = engine.index.by_words(transaction, terms, scope, MOST_CHUNKS)
        best = sorted(chunks, key=lambda chunk: (-chunks[chunk], chunk))
        documents = engine.store(transaction).numbered([*dict.fromkeys(place_of(chunk)[0] for chunk in best)])
        paths = [documents[place_of(chunk)[0]].name for chunk in best if place_of(chunk)[0] in documents]
        likely = [path for path in dict.fromkeys(paths) if is_read(language_of(path))][:MOST_FILES]
        now = {path: f"{VERSION} {digest}" for path, digest in indexed_hashes(transaction, namespace, likely).items()}
        before = SymbolStore(transaction, namespace).hashes(likely)
    return {path: digest for path, digest in now.items() if before.get(path) != digest}
