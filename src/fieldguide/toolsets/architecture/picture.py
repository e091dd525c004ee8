"""What the panel of decisions draws: every record in its order, how it stands, and the ties between them."""

from collections.abc import Mapping, Set
from typing import Any

from fieldguide.decisions.reading.record import Record
from fieldguide.picturing.decisions import Decision, Recorded, decisions_of, shown_status
from fieldguide.secret_values import without_secret_values

MOST_RECORDS = 400
LONGEST_TITLE, LONGEST_WORD = 160, 40


class Pictured:
    """The decisions at one moment, tied together."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        """Records by their addresses."""
        self._decisions = decisions_of([Recorded(uri, uri, record) for uri, record in records.items()])

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
        tied = [each for each in self._decisions if each.name in wanted]
        ties = ((*each.supersedes, *each.superseded_by, *each.amends, *each.amended_by) for each in tied)
        return {*wanted}.union(*ties)


def _record(decision: Decision) -> dict[str, Any]:
    told: dict[str, Any] = {
        "uri": decision.name,
        "label": decision.label,
        "title": without_secret_values(decision.title)[:LONGEST_TITLE],
        "status": shown_status(decision)[:LONGEST_WORD],
        "standing": decision.standing,
        "date": decision.day.isoformat() if decision.day else "",
    }
    tied = {"supersedes": decision.supersedes, "amends": decision.amends}
    return told | {tie: [*names] for tie, names in tied.items() if names}
