"""Fetching a collection because a person asked for it: whom that may reach, how much it may take, and what it got."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Unreadable
from fieldguide.search.syncing import Entry
from fieldguide.toolset import Progress
from fieldguide.toolsets.documents.collections import Collection
from fieldguide.toolsets.documents.locations import GIT, WEB, is_remote, local_snapshot, parse_git
from fieldguide.toolsets.documents.snapshot import Snapshot, is_no_document
from fieldguide.toolsets.documents.sources.addresses import opened
from fieldguide.toolsets.documents.sources.budget import Budget
from fieldguide.toolsets.documents.sources.networks import is_public, read_address, read_network
from fieldguide.toolsets.documents.sources.reach import PORTS, Named, Reach
from fieldguide.toolsets.documents.sources.spool import Spool
from fieldguide.toolsets.documents.sources.web_source import WebSource


class Fetching(NamedTuple):
    """What one fetch of one collection may do: whom it may reach, and how much it may take."""

    reach: Reach
    budget: Budget


def fetched_snapshot(
    collection: Collection,
    progress: Progress,
    fetching: Fetching,
    *,
    spool: Spool,
    may_fetch: bool,
    project: ConfinedFolder | None = None,
) -> Snapshot:
    """What a collection holds, with everything fetched that must be; an error means that nothing is known anew.

    `may_fetch` is false for addresses in the project's own files that the person has not allowed.
    """
    hold = partial(read_ahead, name=f"fetching {collection.id}", progress=progress, budget=fetching.budget, spool=spool)
    if collection.source.startswith(GIT):
        from fieldguide.toolsets.documents.sources.git_source import git_snapshot

        return git_snapshot(parse_git(collection.source), hold, reach=fetching.reach, budget=fetching.budget)
    web = WebSource(collection.source, reach=fetching.reach, budget=fetching.budget)
    if is_remote(collection.source):
        return hold(web.snapshot())
    return hold(local_snapshot(collection, web.fetch if may_fetch else None, project=project))


def read_ahead(snapshot: Snapshot, *, name: str, progress: Progress, budget: Budget, spool: Spool) -> Snapshot:
    """A snapshot that is here where it would have to be fetched: whatever can fail has then happened."""
    budget.check_files(len(snapshot.entries))
    entries: list[Entry] = []
    for number, entry in enumerate(snapshot.entries, start=1):
        budget.seconds_left()
        if entry.stamp or not is_no_document(entry):
            entries.append(entry if entry.stamp else _held(entry, budget, spool))
        progress(number, len(snapshot.entries), name)
    return snapshot._replace(entries=entries)


def typed_host(source: str) -> Named | None:
    """Whom a person names by typing a source: an address in numbers or `localhost`, at its port.

    The name of a host says nothing of where it is: its owner may let it lead into the network of whoever asks.
    """
    try:
        address = parse_git(source).repository if source.startswith(GIT) else source
        parts = urlsplit(opened(address).address)
        port = parts.port or PORTS.get(parts.scheme)
    except (ValueError, Unreadable):
        return None
    host = parts.hostname or ""
    if port is None or not source.startswith((GIT, *WEB)):
        return None
    if host == "localhost":
        return Named(host, None, port)
    literal = read_address(host)
    return None if literal is None or is_public(literal) else Named(None, read_network(str(literal)), port)


def _held(entry: Entry, budget: Budget, spool: Spool) -> Entry:
    content = entry.read()
    budget.hold(len(content or b""))
    read: Callable[[], bytes | None] = _nothing if content is None else spool.put(content)
    return entry._replace(stamp="", read=read)


def _nothing() -> None:
    """What is read of a file that was not there."""
