"""What a list of files that is not whole means for the index: what it does not name may still be there."""

from collections.abc import Iterable, Sequence

from fieldguide.search.syncing import Entry


def with_known(entries: Sequence[Entry], known: Iterable[str]) -> list[Entry]:
    """The entries, and those that the index knows besides, as files that can't be read just now: they stay in it."""
    named = {entry.name for entry in entries}
    return [*entries, *(Entry(name, "", _unread) for name in known if name not in named)]


def _unread() -> None:
    return None
