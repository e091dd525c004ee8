"""What the panel of decisions draws: every record in its order, how it stands, and the ties between them."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from fieldguide.decisions.names import is_dated, own_name
from fieldguide.decisions.reading.links import link_records
from fieldguide.decisions.reading.record import Record
from fieldguide.secret_values import without_secret_values
from fieldguide.toolsets.architecture.library import Document

MOST_RECORDS = 400
LONGEST_TITLE, LONGEST_WORD = 160, 40


class Pictured:
    """The decisions at one moment, tied together."""

    def __init__(self, records: Sequence[Record], documents: Mapping[str, Document]) -> None:
        self._links = link_records(records)
        self._uris = {path: document.full_uri for path, document in documents.items()}
        self._order = sorted(records, key=_order)

    def told(self, wanted: Set[str]) -> dict[str, Any]:
        """The records as data, the earliest first; where they are too many, those that are wanted and the latest."""
        kept = self._order
        if len(kept) > MOST_RECORDS:
            near = self._near(wanted)
            asked = [each for each in kept if each.path in near][:MOST_RECORDS]
            latest = [each for each in kept if each.path not in near]
            chosen = {each.path for each in (*asked, *latest[len(latest) - MOST_RECORDS + len(asked) :])}
            kept = [each for each in kept if each.path in chosen]
        left_out = len(self._order) - len(kept)
        return {"records": [self._record(each) for each in kept], **({"left_out": left_out} if left_out else {})}

    def _near(self, wanted: Set[str]) -> set[str]:
        """The paths of the records that are wanted, and of what took their place or changed them."""
        named = {path for path, uri in self._uris.items() if uri in wanted}
        tied = (self._links.ties[path] for path in named if path in self._links.ties)
        return named.union(*((*each.supersedes, *each.superseded_by, *each.amends, *each.amended_by) for each in tied))

    def _record(self, record: Record) -> dict[str, Any]:
        ties = self._links.ties[record.path]
        told: dict[str, Any] = {
            "uri": self._uris[record.path],
            "label": _label(record),
            "title": without_secret_values(record.name)[:LONGEST_TITLE],
            "status": record.status[:LONGEST_WORD],
            "standing": self._links.standing_of(record),
            "date": record.date[:LONGEST_WORD],
        }
        tied = {"supersedes": ties.supersedes, "amends": ties.amends}
        return told | {tie: [self._uris[path] for path in paths] for tie, paths in tied.items() if paths}


def _label(record: Record) -> str:
    """The number of a record as its file writes it; none where it is known by its day or its name."""
    return record.adr_id if record.adr_id.isdecimal() and not is_dated(own_name(record.path)) else ""


def _order(record: Record) -> tuple[str, bool, int, str]:
    folder = record.path.rpartition("/")[0]
    return folder, record.number is None, record.number or 0, record.path
