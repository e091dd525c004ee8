"""Files put into the index before their turn, because somebody asks for them now."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from time import monotonic

from fieldguide.search.early.backlog import Backlog, Waiting
from fieldguide.search.early.likely import likely
from fieldguide.search.engine import SearchEngine
from fieldguide.search.port import NewDocument
from fieldguide.search.syncing import Entry, without_secrets

LOOKING_SHARE = 0.6  # of the time that there is: the rest is for reading and cutting what was found
LEAST_SECONDS = 1.0  # who comes last, after others took the time of a call, still looks for what it asks for
BATCH_CHARACTERS = 60_000


def put_asked(engine: SearchEngine, backlog: Backlog, question: str, document: str, until: float) -> int:
    """Index the document that is asked for, or those that a question is likely about, before all else; how many."""
    with engine.way.taken():
        return put_named(engine, backlog, document, until) if document else put_first(engine, backlog, question, until)


def put_first(engine: SearchEngine, backlog: Backlog, question: str, until: float) -> int:
    """Index the files that a question is likely about, as many as there is time for; how many."""
    until = max(until, monotonic() + LEAST_SECONDS)
    owners = {id(entry): waiting for waiting in backlog.waiting for entry in waiting.entries}
    looking_ends = monotonic() + (until - monotonic()) * LOOKING_SHARE
    chosen = likely([entry for waiting in backlog.waiting for entry in waiting.entries], question, looking_ends)
    together: dict[int, list[Entry]] = {}  # what one source has goes in at once: each time costs a write of its own
    for entry in chosen:
        together.setdefault(id(owners[id(entry)]), []).append(entry)
    put = 0
    for entries in together.values():
        put += _put(engine, owners[id(entries[0])], entries, until)
        if monotonic() > until:
            break
    return put


def put_named(engine: SearchEngine, backlog: Backlog, name: str, until: float) -> int:
    """Index the one document that is asked for by its name, in whichever source it waits; how many there were."""
    return sum(
        _put(engine, waiting, [entry for entry in waiting.entries if entry.name == name], until)
        for waiting in backlog.waiting
    )


def _put(engine: SearchEngine, waiting: Waiting, entries: Sequence[Entry], until: float) -> int:
    """Put these files into the index in small pieces; the source stays unfinished, as it was."""
    if not entries or engine.is_full():
        return 0
    put = 0
    for batch in _batches(waiting, entries):
        engine.put(waiting.source, batch)
        put += len(batch)
        if monotonic() > until:
            break
    return put


def _batches(waiting: Waiting, entries: Iterable[Entry]) -> Iterator[list[NewDocument]]:
    batch: list[NewDocument] = []
    size = 0
    for entry in entries:
        content = entry.read()
        text = None if content is None else waiting.legible(entry.name, content)
        if content is None or text is None or b"\0" in text:
            continue
        batch.append(waiting.make(entry, without_secrets(text), hashlib.sha256(content).hexdigest()))
        size += len(batch[-1].text)
        if size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
