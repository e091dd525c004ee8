"""What the index keeps of a document: its text, as it was when it was put in, without values that are secrets."""

from fieldguide.search.engine import SearchEngine
from fieldguide.search.port import Source


def kept_text(engine: SearchEngine, source: Source, document: str) -> str | None:
    """The text of a document; None where the index does not have it."""
    with engine.database.reading() as transaction:
        store = engine.store(transaction)
        number = store.find_source(source)
        stored = None if number is None else store.find(number, document)
        return None if stored is None else store.text(stored.id)
