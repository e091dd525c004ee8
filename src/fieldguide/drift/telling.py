"""How what is gone is told: in the one form that everything has which no longer holds."""

from datetime import UTC, datetime

from fieldguide.drift.judging import Drift
from fieldguide.drift.taken.removal import CommitLine
from fieldguide.spine.answers.stale_places import GONE, MOVED, PATH, StalePlace

SHORT_ID = 9


def as_place(drift: Drift) -> StalePlace:
    """A finding as `fieldguide stale` tells it."""
    is_moved = drift.kind == PATH and bool(drift.successor)
    told = f"perhaps `{drift.successor}` now" if drift.successor and drift.kind != PATH else ""
    if drift.reason:
        told = f"{told}; {drift.reason}" if told else drift.reason
    return StalePlace(
        drift.document,
        drift.line,
        drift.name,
        drift.kind,
        MOVED if is_moved else GONE,
        path=drift.successor if is_moved else "",
        difference=told,
        commit=commit_line(drift.commit),
        confidence=drift.confidence,
    )


def commit_line(commit: CommitLine) -> str:
    """A commit in one line: its short id, its day and its subject."""
    try:
        day = datetime.fromtimestamp(commit.seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        day = ""
    return " ".join(filter(None, (commit.id[:SHORT_ID], f"({day})" if day else "", commit.subject)))
