"""Folders watched for changes; the watcher is imported when the first one is."""

import threading
from collections.abc import Iterable, Iterator

LOOK_MILLISECONDS = 1000
SETTLE_MILLISECONDS = 300
STEP_MILLISECONDS = 50
OURS = ".fieldguide"


def watched(
    folders: Iterable[str],
    stopped: threading.Event,
    *,
    recursive: bool = True,
    look_milliseconds: int = LOOK_MILLISECONDS,
    settle_milliseconds: int = SETTLE_MILLISECONDS,
) -> Iterator[bool]:
    """Again and again, until stopped: whether something has changed; after some time also when nothing has.

    Changes that come close together are told once. What changes while the reader is busy is told at the next turn.
    """
    from watchfiles import Change, DefaultFilter, watch

    usual = DefaultFilter(ignore_dirs=[*DefaultFilter.ignore_dirs, OURS])
    roots = tuple(folders)

    def is_wanted(change: Change, path: str) -> bool:
        """What lies in a folder of tools counts for nothing; where the watched folder itself lies does not matter."""
        root = max((root for root in roots if path.startswith(root)), key=len, default="")
        return usual(change, path[len(root) :])

    for changes in watch(
        *roots,
        watch_filter=is_wanted,
        recursive=recursive,
        debounce=settle_milliseconds,
        step=STEP_MILLISECONDS,
        rust_timeout=look_milliseconds,
        yield_on_timeout=True,
        stop_event=stopped,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        if stopped.is_set():
            return
        yield bool(changes)
