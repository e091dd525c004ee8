"""Reads the decisions of a project from the library, and checks a proposal against them."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from fieldguide.knowledge.decisions.comparison import Alignment, RelatedRecord
from fieldguide.knowledge.decisions.reader import read_record
from fieldguide.knowledge.decisions.record import DecisionRecord
from fieldguide.search.embedding import Embedder
from fieldguide.text.errors import FieldguideError
from fieldguide.toolsets.architecture.library import ArchitectureDocument, DocumentLibrary, DocumentShelf
from fieldguide.toolsets.architecture.resources import ADR


class DecisionAlignment:
    """The alignment check over the decisions as they are now; made anew only when one of them has changed."""

    def __init__(self, library: DocumentLibrary, embedder: Callable[[], Embedder]) -> None:
        self._library = library
        self._embedder = embedder
        self._lock = threading.Lock()
        self._records: dict[str, tuple[str, DecisionRecord]] = {}
        self._documents: tuple[int, dict[str, ArchitectureDocument]] = (0, {})
        self._reading: threading.Thread | None = None
        self._made: tuple[int, Alignment, dict[str, ArchitectureDocument]] | None = None

    def checked(self, description: str, context: str) -> dict[str, Any]:
        """What the decisions that were made before say about a proposal."""
        alignment, documents = self._current(self._library.shelf())
        verdicts = alignment.check(description, context)
        return {
            "related_adrs": [_related(documents[each.record.path], each) for each in verdicts.related],
            "conflicts": [_conflict(documents[each.record.path], each) for each in verdicts.conflicts],
            "suggestions": list(verdicts.suggestions),
        }

    def records(self) -> list[tuple[ArchitectureDocument, DecisionRecord]]:
        """Every decision as it is now, with its document."""
        with self._lock:
            documents = self._read(self._library.shelf())
            return [(document, self._records[path][1]) for path, document in documents.items()]

    def records_within(self, seconds: float) -> list[tuple[ArchitectureDocument, DecisionRecord]] | None:
        """The same, for who can't wait; None where reading them takes longer: it goes on for the next who asks."""
        if self._reading is None or not self._reading.is_alive():
            self._reading = threading.Thread(target=self._read_all, name="decisions", daemon=True)
            self._reading.start()
        self._reading.join(seconds)
        return None if self._reading.is_alive() else self.records()

    def _read_all(self) -> None:
        with suppress(FieldguideError):  # who asks is told
            self.records()

    def _read(self, shelf: DocumentShelf) -> dict[str, ArchitectureDocument]:
        """The documents that are decisions, by path; those that have changed are read again."""
        if self._documents[0] != shelf.generation:
            documents = {each.path: each for each in shelf.of(ADR) if each.is_decision}
            self._records = {path: self._record(path, each) for path, each in documents.items()}
            self._documents = (shelf.generation, documents)
        return self._documents[1]

    def _current(self, shelf: DocumentShelf) -> tuple[Alignment, dict[str, ArchitectureDocument]]:
        with self._lock:
            if self._made is None or self._made[0] != shelf.generation:
                documents = self._read(shelf)
                records = [record for _, record in self._records.values()]
                earlier = self._made[1] if self._made else None  # what is known of an unchanged record is kept
                self._made = (shelf.generation, Alignment(records, self._embedder(), earlier), documents)
            return self._made[1], self._made[2]

    def _record(self, path: str, document: ArchitectureDocument) -> tuple[str, DecisionRecord]:
        known = self._records.get(path)
        if known and known[0] == document.checksum:
            return known
        return document.checksum, read_record(path, document.text)


def _related(document: ArchitectureDocument, related: RelatedRecord) -> dict[str, Any]:
    return {
        "uri": document.full_uri,
        "title": document.title,
        "adr_id": document.adr_id,
        "status": related.record.status,
        "alignment": related.alignment,
        "reason": related.reason.text,
        "citation": document.cited(related.reason.first_line, related.reason.last_line),
        "same_question": related.same_question,
    }


def _conflict(document: ArchitectureDocument, related: RelatedRecord) -> dict[str, Any]:
    return {
        "adr_uri": document.full_uri,
        "conflict_description": related.reason.text,
        "citation": document.cited(related.reason.first_line, related.reason.last_line),
    }
