"""Reads the decisions of a project from the library, and checks a proposal against them."""

import threading
from collections.abc import Callable, Mapping, Set
from contextlib import suppress
from typing import Any

from fieldguide.knowledge.decisions.comparison import Alignment, RelatedRecord
from fieldguide.knowledge.decisions.lineage import DatedDecision, NamedRecord, build_decisions, describe_status
from fieldguide.knowledge.decisions.reader import read_record
from fieldguide.knowledge.decisions.record import DecisionRecord
from fieldguide.search.embedding import Embedder
from fieldguide.text.errors import FieldguideError
from fieldguide.text.secrets import mask_secret_values
from fieldguide.toolsets.architecture.library import ArchitectureDocument, DocumentLibrary, DocumentShelf
from fieldguide.toolsets.architecture.resources import ADR

MOST_RECORDS = 400
LONGEST_TITLE = 160
LONGEST_WORD = 40


class DecisionPicture:
    """The decisions at one moment, tied together."""

    def __init__(self, records: Mapping[str, DecisionRecord]) -> None:
        """Records by their addresses."""
        self._decisions = build_decisions([NamedRecord(uri, uri, record) for uri, record in records.items()])

    def told(self, wanted: Set[str]) -> dict[str, Any]:
        """The records as data, the earliest first; where they are too many, those that are wanted and the latest."""
        kept = self._decisions
        if len(kept) > MOST_RECORDS:
            near = self._near(wanted)
            asked = [each.name for each in kept if each.name in near][:MOST_RECORDS]
            latest = [each.name for each in kept if each.name not in near]
            chosen = {*asked, *latest[len(latest) - MOST_RECORDS + len(asked) :]}
            kept = [each for each in kept if each.name in chosen]
        left_out = len(self._decisions) - len(kept)
        return {"records": [_record(each) for each in kept], **({"left_out": left_out} if left_out else {})}

    def _near(self, wanted: Set[str]) -> set[str]:
        """The records that are wanted, and what took their place or changed them."""
        near = {*wanted}
        for each in self._decisions:
            if each.name in wanted:
                near.update(each.supersedes, each.superseded_by, each.amends, each.amended_by)
        return near


def _record(decision: DatedDecision) -> dict[str, Any]:
    told: dict[str, Any] = {
        "uri": decision.name,
        "label": decision.label,
        "title": mask_secret_values(decision.title)[:LONGEST_TITLE],
        "status": describe_status(decision)[:LONGEST_WORD],
        "standing": decision.standing,
        "date": decision.day.isoformat() if decision.day else "",
    }
    tied = {"supersedes": decision.supersedes, "amends": decision.amends}
    return told | {tie: [*names] for tie, names in tied.items() if names}


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
        self._pictured: tuple[int, DecisionPicture] | None = None

    def checked(self, description: str, context: str) -> dict[str, Any]:
        """What the decisions that were made before say about a proposal."""
        alignment, documents = self._current(self._library.shelf())
        verdicts = alignment.check(description, context)
        return {
            "related_adrs": [_related(documents[each.record.path], each) for each in verdicts.related],
            "conflicts": [_conflict(documents[each.record.path], each) for each in verdicts.conflicts],
            "suggestions": list(verdicts.suggestions),
        }

    def pictured(self) -> DecisionPicture:
        """Every decision with its ties, as a panel draws them."""
        with self._lock:
            documents = self._read(self._library.shelf())
            if self._pictured is None or self._pictured[0] != self._documents[0]:
                found = {each.full_uri: self._records[path][1] for path, each in documents.items()}
                self._pictured = (self._documents[0], DecisionPicture(found))
            return self._pictured[1]

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
