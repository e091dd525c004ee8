"""Syncs the files of a source into the index, reports progress, and first indexes the files a caller asks for.

All kinds of text share one index, and the rarity of a word counts over all of it. So results may be ordered differently
once everything is indexed; an answer that comes earlier says so.
"""

import hashlib
import json
import math
import os
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import nlargest
from stat import S_ISREG
from time import monotonic
from typing import Any, NamedTuple, Protocol

from fieldguide import __version__
from fieldguide.files.parser_process import map_ahead, run_in_child, works_ahead
from fieldguide.search.chunking import chunk_lines
from fieldguide.search.embedding import Embedder, blend_context, compose_embedded_text
from fieldguide.search.engine import KeepFacts, SearchEngine
from fieldguide.search.models.static import StaticModel
from fieldguide.search.types import Chunk, KnownDocument, NewDocument, PreparedChunks, SearchSource
from fieldguide.storage.database import Database, Transaction
from fieldguide.text.errors import FieldguideError, Refusal, ToolFailed
from fieldguide.text.secrets import mask_secret_values_of_file
from fieldguide.text.windows import decode_document
from fieldguide.text.words import extract_hidden_words, extract_query_terms, strip_ending

SYNC_BATCH_CHARACTERS = 400_000
BATCH_DOCUMENTS = 100
SETTLED_SECONDS = 2.0  # a younger file may still change within one tick of the clock, so its stamp proves nothing
MOST_LIKELY = 40
MOST_WORDS = 12
SHORTEST_WORD = 2
IN_NAME = 1.5  # a word in a file's name counts for more than once in its text
MOST_COMPARED = 2000  # files whose stamps tell nothing are read, to see whether they are still the same
COMPARING_SECONDS = 0.5
KNOWN_SECONDS = 2.0  # counting what waits takes a look at every file
LOOKING_SHARE = 0.6  # of the time that there is: the rest is for reading and cutting what was found
LEAST_SECONDS = 1.0  # a caller whose time was used up by others still looks for its files
BATCH_CHARACTERS = 60_000
LIKELIEST = 10  # of all sources together, before the others

GIVEN_UP = "givenUp"
MOST_GIVEN_UP = 1_000  # names that are kept
MOST_NAMED = 20

SyncProgress = Callable[[int, int, str], None]


class SourceFile(NamedTuple):
    """A file of a source: its document's name, its stamp, and how to read it (None: it can't be read just now).

    If it `is_only_away`, as on the web, its document stays in the index while it can't be read.
    """

    name: str
    stamp: str
    read: Callable[[], bytes | None]
    is_only_away: bool = True


class SyncCounts(NamedTuple):
    """What a sync did, and how many documents there are now."""

    added: int
    updated: int
    removed: int
    total: int


Legible = Callable[[str, bytes], bytes | None]


def accept_text(name: str, content: bytes) -> bytes:
    """The bytes of a file that is text."""
    return content


class SourcePart(NamedTuple):
    """Some of a source's documents: those with these names, and those in these folders."""

    names: frozenset[str]
    folders: frozenset[str] = frozenset()


class ChangedContent(NamedTuple):
    """A file that is new or has changed, its text in bytes, and the hash of what the file holds."""

    entry: SourceFile
    text: bytes
    hash: str


class Sync:
    """One pass over a source, or a part of it; every batch is committed, so that an interruption loses nothing.

    The newest files come first. `legible` extracts the text of a file by its name; None if it can't. Documents are made
    on several threads at once, and written on the caller's.

    Whatever a reader raises over a file costs this one file, which is indexed as plain text, for its words alone. The
    names of such files are kept with the source until they change: `given_up` has them when the pass is over.
    """

    def __init__(
        self,
        engine: SearchEngine,
        source: SearchSource,
        make: Callable[[SourceFile, bytes, str], NewDocument],
        part: SourcePart | None = None,
        legible: Legible = accept_text,
        keep_facts: KeepFacts | None = None,
    ) -> None:
        self._engine = engine
        self._source = source
        self._make = make
        self._keep_facts = keep_facts
        self._answers = KeptAnswers(engine.database, engine.namespace, (engine.maker,))
        self._legible = legible
        self._is_whole = part is None
        self._known = engine.known(source, *(part or ()))
        self._others = 0 if part is None else engine.count(source) - len(self._known)
        self._stamps: list[tuple[str, str]] = []
        self._unread: set[str] = set()
        self._lost: set[str] = set()
        self.given_up: list[str] = []
        self._given_up: set[str] = set()
        self._read_anew: set[str] = set()
        self._done = 0
        self._added = 0
        self._updated = 0

    def run(self, entries: Sequence[SourceFile], details: Mapping[str, Any], progress: SyncProgress) -> SyncCounts:
        """Bring the index up to date with these files and forget the others; a Refusal says what did not fit."""
        left_out = self._left_out(entries)
        entries = entries[: max(self._engine.limits.documents_per_collection - self._others, 0)]
        is_full = False
        for batch in _split_batches(self._changed(sort_newest_first(entries)), SYNC_BATCH_CHARACTERS, BATCH_DOCUMENTS):
            is_full = is_full or self._engine.is_full()
            if is_full:
                self._unread.update(new.name for new in batch if new.name not in self._known)
                continue
            self._put(batch)
            progress(self._done, len(entries), self._source.name)
        names = {entry.name for entry in entries}
        gone = sorted((self._known.keys() - names) | (self._known.keys() & self._lost))
        self.given_up = self._list_given_up(gone)
        if self.given_up:
            details = {**details, GIVEN_UP: self.given_up[:MOST_GIVEN_UP]}
        self._engine.finish(self._source, details, gone=gone, stamps=self._stamps)
        if self._is_whole:
            self._engine.made_over.add(self._source)
        progress(len(entries), len(entries), self._source.name)
        total = self._others + len(((self._known.keys() & names) | (names - self._unread)) - self._lost)
        if is_full:
            raise Refusal(f"The index is full: {self._engine.limits.told('index_megabytes')}.")
        if left_out:
            raise Refusal(left_out)
        return SyncCounts(self._added, self._updated, len(gone), total)

    def _left_out(self, entries: Sequence[SourceFile]) -> str:
        limits = self._engine.limits
        more = self._others + len(entries) - limits.documents_per_collection
        told = limits.told("documents_per_collection")
        return f"Too many documents, of which {more:,} are left out: {told}." if more > 0 else ""

    def _list_given_up(self, gone: Iterable[str]) -> list[str]:
        """The files that were given up in this pass, or before and were not read since."""
        before = list_given_up(self._engine, self._source.kind).get(self._source.name, [])
        return sorted(self._given_up.union(before) - (self._read_anew - self._given_up) - {*gone})

    def _changed(self, entries: Sequence[SourceFile]) -> Iterator[NewDocument]:
        """The documents of changed files, in the order of the files; what is parsed of code is kept as it was asked."""
        changed = self._read_changed(entries)
        return map_ahead(self._prepare, changed, lambda content: len(content.text), joins=self._keep_facts is None)

    def _prepare(self, content: "ChangedContent") -> NewDocument:
        """The document of a file; where many are read, with its vectors, so that whoever writes it has little to do."""
        entry = content.entry
        text = b""
        try:
            text = mask_secrets(entry.name, content.text)
            new = self._make(entry, text, content.hash)
            is_prepared = new.prepared is not None or not works_ahead() or not is_shipped_model(self._engine.embedder)
            return new if is_prepared else prepare_apart(new, self._answers)
        except Exception as error:  # noqa: BLE001  whatever a reader raises costs one file
            _raise_unless_of_reader(error)
        new = NewDocument(entry.name, entry.name, decode_document(text), content.hash, entry.stamp, (), ())
        return self._make_plain(new)

    def _put(self, batch: Sequence[NewDocument]) -> None:
        """Store documents; one that can't be stored with its facts and vectors is stored as plain text."""
        try:
            self._engine.put(self._source, batch, self._keep)
        except Exception as error:  # noqa: BLE001  what was read of a file is resolved and embedded here
            _raise_unless_of_reader(error)
            if len(batch) > 1:
                for each in batch:
                    self._put([each])
                return
            batch = [self._make_plain(batch[0])]
            self._engine.put(self._source, batch)
        self._given_up.update(new.name for new in batch if new.is_given_up)

    def _keep(self, transaction: Transaction, batch: Sequence[NewDocument]) -> None:
        """Keep what else was read of documents, and what need not be read again."""
        self._answers.keep(transaction)
        if self._keep_facts is not None:
            self._keep_facts(transaction, batch)

    def _make_plain(self, new: NewDocument) -> NewDocument:
        """A document cut between lines, with vectors that point nowhere: nothing of it is parsed."""
        chunks = chunk_lines(new.text)
        prepared = PreparedChunks([bytes(self._engine.embedder.dimensions)] * len(chunks), [""] * len(chunks))
        return new._replace(outline=(), chunks=chunks, prepared=prepared, facts=None, is_given_up=True)

    def _read_changed(self, entries: Sequence[SourceFile]) -> Iterator["ChangedContent"]:
        for entry in entries:
            self._done += 1
            self._engine.way.give()
            before = self._current(entry.name)
            if before and before.stamp and before.stamp == entry.stamp:
                continue
            content = self._read(entry, before)
            if content is not None:
                yield content

    def _read(self, entry: SourceFile, before: KnownDocument | None) -> "ChangedContent | None":
        """The content of a changed file; None if it is the same, or can't be read."""
        content = entry.read()
        digest = hashlib.sha256(content or b"").hexdigest()
        if content is not None and before and before.hash == digest:
            if entry.stamp:
                self._stamps.append((entry.name, entry.stamp))
            return None
        if content is not None:
            try:
                content = self._legible(entry.name, content)
            except Exception as error:  # noqa: BLE001  as in `_prepare`; nothing of it can be searched
                _raise_unless_of_reader(error)
                self._given_up.add(entry.name)
                content = b""
        if content is None or b"\0" in content:
            self._unread.add(entry.name)
            if not entry.is_only_away:
                self._lost.add(entry.name)
            return None
        self._read_anew.add(entry.name)
        self._updated += entry.name in self._known
        self._added += entry.name not in self._known
        return ChangedContent(entry, content, digest)

    def _current(self, name: str) -> KnownDocument | None:
        """The known document, if its chunks and vectors are as they would be made now (or were so once)."""
        known = self._known.get(name)
        is_ours = known is not None and (known.maker == self._engine.maker or self._source in self._engine.made_over)
        return known if is_ours else None


def _raise_unless_of_reader(error: Exception) -> None:
    """Raise again what is no fault of the file that was read: a database that is away, a call that was taken back."""
    if isinstance(error, FieldguideError) and not isinstance(error, ToolFailed):
        raise error


def list_given_up(engine: SearchEngine, kind: str) -> dict[str, list[str]]:
    """The files of each source of a kind that were given up and are indexed as plain text."""
    return {each.name: list(each.details[GIVEN_UP]) for each in engine.sources(kind) if each.details.get(GIVEN_UP)}


def explain_given_up(names: Sequence[str]) -> str:
    """Why some files are not indexed as their language, in words for a person."""
    listed = ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
    why = "a parser failed, or took too long or too much memory"
    return f"{why}, so what it could not read is indexed as plain text: {listed}"


def mask_secrets(path: str, content: bytes) -> bytes:
    """The content of a file with values that look like live secrets masked; its lines stay where they are."""
    text = decode_document(content)
    clean = mask_secret_values_of_file(path, text)
    return content if clean is text else clean.encode("utf-8", errors="replace")


def make_stamp(status: os.stat_result, now: float) -> str:
    """A stamp that changes with the file; empty while the file is too young for a reliable one."""
    if now - max(status.st_mtime, status.st_ctime) < SETTLED_SECONDS or not S_ISREG(status.st_mode):
        return ""
    return f"{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_size}-{status.st_ino}"


def sort_newest_first(entries: Sequence[SourceFile]) -> list[SourceFile]:
    """The files, the last changed first; one without a stamp was changed just now, or is not on this disk."""

    def age(entry: SourceFile) -> int:
        changed = entry.stamp.partition("-")[0]
        return -int(changed) if changed.isdecimal() else -(1 << 63)

    return sorted(entries, key=age)


def _split_batches(
    documents: Iterator[NewDocument], most_characters: int, most_documents: int
) -> Iterator[list[NewDocument]]:
    batch: list[NewDocument] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.text)
        if size >= most_characters or len(batch) >= most_documents:
            yield batch
            batch = []
            size = 0
    if batch:
        yield batch


class WordMatches(NamedTuple):
    """A file, how often it contains each word, which words are in its name, and its length."""

    entry: SourceFile
    counts: Sequence[int]
    named: Sequence[bool]
    size: int


def rank_likely_files(
    entries: Sequence[SourceFile], question: str, until: float, most: int = MOST_LIKELY, seen: set[str] | None = None
) -> list[SourceFile]:
    """The files that hold most of a question's words, best first; looking stops at `until`.

    Files in `seen` are skipped, and those looked at are added to it.
    """
    words = extract_word_starts(question)
    if not words or not entries:
        return []
    before: set[str] = set() if seen is None else seen
    looked = [*_looked([entry for entry in entries if entry.name not in before], words, until)]
    before.update(each.entry.name for each in looked)
    weights = _weights(looked, len(words))
    usual = sum(each.size for each in looked) / max(len(looked), 1) or 1.0
    scored = [(_score(each, weights, usual), -place, each.entry) for place, each in enumerate(looked)]
    return [entry for score, _, entry in nlargest(most, scored) if score > 0]


def extract_word_starts(question: str) -> list[str]:
    """What to look for in files: the beginnings of the question's words, whatever they end with."""
    words = " ".join(extract_query_terms(question)).split()
    starts = [strip_ending(word) for word in words if len(word) >= SHORTEST_WORD]
    return list(dict.fromkeys(starts))[:MOST_WORDS]


def _looked(entries: Sequence[SourceFile], words: Sequence[str], until: float) -> Iterator[WordMatches]:
    """The files with what is in them: those whose names tell first, then the newest, until the time is up."""
    named: dict[str, list[bool]] = {}
    for entry in entries:
        lowered_name = entry.name.lower()
        named[entry.name] = [word in lowered_name for word in words]
    ordered = sorted(sort_newest_first(entries), key=lambda entry: -sum(named[entry.name]))
    sought = [word.encode() for word in words]
    is_plain = all(map(str.isascii, words))
    for entry in ordered:
        is_late = monotonic() > until
        if is_late and not any(named[entry.name]):
            return
        content = b"" if is_late else entry.read() or b""
        lowered = content.lower() if is_plain else content.decode("utf-8", errors="replace").lower().encode()
        yield WordMatches(entry, [lowered.count(word) for word in sought], named[entry.name], len(lowered))


def _weights(looked: Sequence[WordMatches], words: int) -> list[float]:
    """How much each word tells: the fewer files hold it, the more."""
    weights: list[float] = []
    for word in range(words):
        held = sum(1 for each in looked if each.counts[word])
        weights.append(math.log(1 + (len(looked) - held + 0.5) / (held + 0.5)))
    return weights


def _score(looked: WordMatches, weights: Sequence[float], usual: float) -> float:
    room = 0.5 + 1.0 * looked.size / usual
    in_text = sum(weight * count / (count + room) for weight, count in zip(weights, looked.counts, strict=True))
    in_name = sum(weight for weight, is_named in zip(weights, looked.named, strict=True) if is_named)
    return in_text + IN_NAME * in_name


class IndexProgress(NamedTuple):
    """How many documents are indexed, of how many; a total of 0 means that the files are not counted yet."""

    done: int
    total: int

    def told(self) -> dict[str, Any]:
        """The field of an answer."""
        return {"indexing": {"done": self.done, "total": self.total}}

    def sentence(self) -> str:
        """The progress in words."""
        if not self.total:
            return "indexing: the files are still being counted. This answer may lack some; ask again in a moment."
        return (
            f"indexing: {self.done} of {self.total} files are in the index so far. "
            "This answer may lack some; ask again in a moment."
        )


class WaitingFiles(NamedTuple):
    """The files of a source that are not indexed as they are now, and how to make a document of each.

    `gone` counts indexed documents without a file; `legible` extracts the text of a file.
    """

    source: SearchSource
    make: Callable[[SourceFile, bytes, str], NewDocument]
    entries: Sequence[SourceFile]
    total: int
    gone: int = 0
    legible: Legible = accept_text


class Backlog(NamedTuple):
    """The waiting files of all sources of a toolset."""

    waiting: Sequence[WaitingFiles]

    @property
    def missing(self) -> int:
        """How many files wait."""
        return sum(len(each.entries) for each in self.waiting)

    def standing(self, put: int = 0) -> IndexProgress | None:
        """The progress, with so many documents added since; None if nothing is missing."""
        total = sum(each.total + each.gone for each in self.waiting)
        missing = self.missing + sum(each.gone for each in self.waiting) - put
        return IndexProgress(total - missing, total) if missing > 0 else None


class SearchableSource(Protocol):
    """Something that can be searched before all of it is indexed."""

    def is_whole(self) -> bool:
        """Whether everything was once indexed to its end."""
        ...

    def backlog(self) -> Backlog:
        """What is not in the index as it is now."""
        ...


def find_waiting(
    engine: SearchEngine,
    source: SearchSource,
    make: Callable[[SourceFile, bytes, str], NewDocument],
    entries: Sequence[SourceFile],
    legible: Legible = accept_text,
) -> WaitingFiles:
    """What waits of a source, by its files as they are now."""
    known = engine.known(source)
    entries = entries[: engine.limits.documents_per_collection]
    was_whole = any(each.name == source.name and each.is_synced for each in engine.sources(source.kind))
    missing = [*_missing(engine, known, entries, was_whole=was_whole)]
    gone = len(known.keys() - {entry.name for entry in entries})
    return WaitingFiles(source, make, missing, len(entries), gone, legible)


def _missing(
    engine: SearchEngine, known: Mapping[str, KnownDocument], entries: Iterable[SourceFile], *, was_whole: bool
) -> Iterator[SourceFile]:
    """The files that are new or changed; where a source was complete before, files in doubt are read and compared."""
    compared = 0
    until = monotonic() + COMPARING_SECONDS
    for entry in entries:
        before = known.get(entry.name)
        if before is not None and before.maker == engine.maker and entry.stamp and before.stamp == entry.stamp:
            continue
        if before is None and not was_whole:
            yield entry
            continue
        compared += 1
        if compared > MOST_COMPARED or monotonic() > until or _is_other(engine, entry, before):
            yield entry


def _is_other(engine: SearchEngine, entry: SourceFile, before: KnownDocument | None) -> bool:
    content = entry.read()
    if content is None or b"\0" in content:
        return False
    return before is None or before.maker != engine.maker or hashlib.sha256(content).hexdigest() != before.hash


class OtherProgress:
    """The progress of other sources, counted at intervals."""

    def __init__(self, asks: Sequence[Callable[[], IndexProgress | None]]) -> None:
        self._asks = asks
        self._counted_until = 0.0
        self._standing: IndexProgress | None = None

    def standing(self) -> IndexProgress | None:
        """The progress of all others together; None if all of them are indexed."""
        if monotonic() > self._counted_until or self._standing is None:
            answers = [ask() for ask in self._asks]
            found = [each for each in answers if each is not None]
            self._standing = None
            if found:
                self._standing = IndexProgress(sum(each.done for each in found), sum(each.total for each in found))
            self._counted_until = monotonic() + KNOWN_SECONDS
        return self._standing


def index_requested(
    engine: SearchEngine, backlog: Backlog, question: str, document: str, until: float, seen: set[str] | None = None
) -> int:
    """Index the requested document, or those a question is likely about, before all others; how many."""
    with engine.way.taken():
        if document:
            put = 0
            for waiting in backlog.waiting:
                put += _put(engine, waiting, [entry for entry in waiting.entries if entry.name == document], until)
            return put
        return index_likely(engine, backlog, question, until, seen)


def index_likely(
    engine: SearchEngine, backlog: Backlog, question: str, until: float, seen: set[str] | None = None
) -> int:
    """Index the files that a question is likely about while there is time; how many (`seen`: files to skip)."""
    until = max(until, monotonic() + LEAST_SECONDS)
    owners: dict[int, WaitingFiles] = {}
    entries: list[SourceFile] = []
    for waiting in backlog.waiting:
        entries += waiting.entries
        owners.update(dict.fromkeys(map(id, waiting.entries), waiting))
    looking_ends = monotonic() + (until - monotonic()) * LOOKING_SHARE
    chosen = rank_likely_files(entries, question, looking_ends, seen=seen)
    put = 0
    for some in (chosen[:LIKELIEST], chosen[LIKELIEST:]):
        together: dict[int, list[SourceFile]] = {}  # the files of one source are written at once
        for entry in some:
            together.setdefault(id(owners[id(entry)]), []).append(entry)
        for of_source in together.values():
            put += _put(engine, owners[id(of_source[0])], of_source, until)
            if monotonic() > until:
                return put
    return put


def _put(engine: SearchEngine, waiting: WaitingFiles, entries: Sequence[SourceFile], until: float) -> int:
    """Put these files into the index in small pieces; the source stays unfinished, as it was."""
    if not entries or engine.is_full():
        return 0
    put = 0
    for batch in _split_batches(_read_documents(waiting, entries), BATCH_CHARACTERS, len(entries)):
        engine.put(waiting.source, batch)
        put += len(batch)
        if monotonic() > until:
            break
    return put


def _read_documents(waiting: WaitingFiles, entries: Iterable[SourceFile]) -> Iterator[NewDocument]:
    for entry in entries:
        content = entry.read()
        text = None if content is None else waiting.legible(entry.name, content)
        if content is not None and text is not None and b"\0" not in text:
            try:
                new = waiting.make(entry, mask_secrets(entry.name, text), hashlib.sha256(content).hexdigest())
            except Exception as error:  # noqa: BLE001  the pass over everything tells of it
                _raise_unless_of_reader(error)
            else:
                yield new


MOST_KEPT_BYTES = 96 << 20
KEPT_SHARE = 0.75  # of that, when a pass begins

SIZES = """
    SELECT name, length(content) AS size FROM parsed_part
    WHERE namespace = :namespace ORDER BY stamp DESC, name
"""
CONTENT = "SELECT content FROM parsed_part WHERE namespace = :namespace AND name = :name"
KEEP = """
    INSERT INTO parsed_part (namespace, name, stamp, content)
    VALUES (:namespace, :name, :stamp, :content)
    ON CONFLICT (namespace, name) DO UPDATE SET stamp = excluded.stamp, content = excluded.content
"""
USE = "UPDATE parsed_part SET stamp = :stamp WHERE namespace = :namespace AND name = :name"
FORGET = "DELETE FROM parsed_part WHERE namespace = :namespace AND name = :name"


class KeptAnswers:
    """What parser processes tell of contents during one pass, and told before; any thread may ask.

    A content that comes back, as with a branch that is checked out again, is not read a second time. What was not used
    for longest makes room. `made_by` is what the answers depend on besides.
    """

    def __init__(self, database: Database, namespace: str, made_by: Sequence[str]) -> None:
        self._database = database
        self._place = {"namespace": namespace}
        self._made_by = [__version__, *made_by]
        self._stamp = f"{int(time.time()):012}"
        self._lock = threading.Lock()
        self._sizes: dict[str, int] | None = None
        self._new: dict[str, bytes] = {}
        self._used: list[str] = []
        self._old: list[str] = []

    def ask(self, function: str, *arguments: str | None, more_seconds: float, is_tried_once: bool = False) -> Any:
        """What `run_in_child` gives, or gave before."""
        asked = (each or "" for each in (*self._made_by, function, *arguments))
        key = hashlib.sha256("\0".join(asked).encode("utf-8", "surrogatepass")).hexdigest()
        told = self._find(key)
        if told is None:
            told = run_in_child(function, *arguments, more_seconds=more_seconds, is_tried_once=is_tried_once)
            if told is not None:
                with self._lock:
                    self._new[key] = json.dumps(told).encode()
        return told

    def keep(self, transaction: Transaction) -> None:
        """Keep what was told since, as far as there is room, and forget what is too old."""
        with self._lock:
            sizes = {} if self._sizes is None else self._sizes  # before anything was asked
            new, self._new = self._new, {}
            used, self._used = self._used, []
            old, self._old = self._old, []
            room = MOST_KEPT_BYTES - sum(sizes.values())
            kept: list[dict[str, Any]] = []
            for key, content in new.items():
                if len(content) <= room:
                    room -= len(content)
                    sizes[key] = len(content)
                    kept.append({**self._place, "name": key, "stamp": self._stamp, "content": content})
        transaction.execute_many(KEEP, kept)
        transaction.execute_many(USE, [{**self._place, "name": key, "stamp": self._stamp} for key in used])
        transaction.execute_many(FORGET, [{**self._place, "name": key} for key in old])

    def _find(self, key: str) -> Any:
        with self._lock:
            if self._sizes is None:
                self._sizes = self._load_sizes()
            if key not in self._sizes:
                return None
            self._used.append(key)
        with self._database.reading() as transaction:
            row = transaction.fetch_one(CONTENT, {**self._place, "name": key})
        return None if row is None else json.loads(bytes(row["content"]))

    def _load_sizes(self) -> dict[str, int]:
        """The sizes of what is kept; what leaves no room for what is new is old from now on."""
        with self._database.reading() as transaction:
            rows = transaction.fetch_all(SIZES, self._place)
        sizes: dict[str, int] = {}
        total = 0
        for row in rows:
            total += int(row["size"])
            if total <= KEPT_SHARE * MOST_KEPT_BYTES:
                sizes[str(row["name"])] = int(row["size"])
            else:
                self._old.append(str(row["name"]))
        return sizes


MODEL_START_SECONDS = 2.0


def is_shipped_model(embedder: Embedder) -> bool:
    """Whether an embedder is the model that comes with this package, which any process can load."""
    return isinstance(embedder, StaticModel) and embedder.is_shipped


def prepare_apart(document: NewDocument, answers: KeptAnswers) -> NewDocument:
    """The document with the vectors of its chunks, made by a parser process; without them if it had to be ended."""
    rows = [[chunk.headings, chunk.text] for chunk in document.chunks]
    told = answers.ask(f"{__name__}:prepare_rows", document.title, json.dumps(rows), more_seconds=MODEL_START_SECONDS)
    return document if told is None else document._replace(prepared=take_prepared(told, len(rows)))


def prepare_rows(title: str, rows: str) -> dict[str, Any]:
    """What `prepare_chunks` makes of the headings and texts of chunks, given as JSON. For a parser process."""
    return prepare_chunks(title, [Chunk(text, tuple(headings), 0, 0) for headings, text in json.loads(rows)])


def prepare_chunks(title: str, chunks: Sequence[Chunk], *, has_vectors: bool = True) -> dict[str, Any]:
    """The hidden words and the vectors of a document's chunks as plain data. For a parser process."""
    hidden = [extract_hidden_words(f"{title} {' '.join(chunk.headings)} {chunk.text}") for chunk in chunks]
    if not has_vectors:
        return {"hidden": hidden, "vectors": None}
    texts = [compose_embedded_text(title, chunk.headings, chunk.text) for chunk in chunks]
    vectors = blend_context(_shipped_model().embed_documents(texts))
    return {"hidden": hidden, "vectors": b64encode(b"".join(vectors)).decode()}


def take_prepared(told: Mapping[str, Any], count: int) -> PreparedChunks:
    """What `prepare_chunks` told of so many chunks."""
    if told["vectors"] is None:
        return PreparedChunks(None, told["hidden"])
    joined = b64decode(told["vectors"])
    width = len(joined) // max(count, 1)
    return PreparedChunks([joined[at * width : (at + 1) * width] for at in range(count)], told["hidden"])


@cache
def _shipped_model() -> StaticModel:
    return StaticModel()
