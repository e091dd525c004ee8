"""What lessons of the git history are kept: by a person's word, or by a served project itself, once for each HEAD."""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from fieldguide.discoveries.discovery import Discovery, DiscoveryRepository
from fieldguide.discoveries.indexing import index_discoveries
from fieldguide.discoveries.lessons import lessons_of
from fieldguide.errors import FieldguideError
from fieldguide.limits import Limits
from fieldguide.project_history.git_history import GitHistory
from fieldguide.project_text.git_place import keeps_own_history, own_git_folder
from fieldguide.storage.port import Database
from fieldguide.storage.state_folder import state_folder

if TYPE_CHECKING:
    from fieldguide.search.engine import SearchEngine

COMMITS = 500
FILE = "learned.json"
HEADS = ("HEAD", os.path.join("logs", "HEAD"), "packed-refs")


def keep_new(database: Database, namespace: str, limits: Limits, found: Sequence[Discovery]) -> list[Discovery]:
    """Keep what is not kept yet; what was new. A commit that says it again, or in another module, adds nothing."""
    with database.writing() as transaction:
        repository = DiscoveryRepository(transaction, namespace)
        known = {_sameness(each) for each in repository.all()}
        fresh = [each for each in found if _sameness(each) not in known]
        new = [each for each in fresh if repository.add(each) is not None]
        repository.check(limits)
    return new


def learn_by_itself(
    project: str, database: Database, engine: "Callable[[], SearchEngine]", *, namespace: str, limits: Limits
) -> int:
    """Learn from the latest commits, unless that was done at this HEAD already; how many findings were new."""
    head = _head_of(project)
    done = [namespace, head] if namespace else head  # one folder may be served to several, each with its own findings
    if head is None or done == _learned(project):
        return 0
    history = GitHistory(project)
    commits = list(islice(history.commits(limit=COMMITS), COMMITS))
    new = keep_new(database, namespace, limits, [each.discovery() for each in lessons_of(history, commits)])
    if new:
        index_discoveries(database, engine(), namespace)
    with open(os.path.join(state_folder(project), FILE), "w", encoding="utf-8") as file:
        json.dump(done, file)
    return len(new)


def _head_of(project: str) -> list[list[int]] | None:
    """What changes with every commit: read from files, so that nothing is started for a project that has not changed.

    Only a project that is a repository of its own, with commits of its own, learns by itself: what others hold is
    read for a person who asks for it.
    """
    git = own_git_folder(project)
    if git is None or not keeps_own_history(project):
        return None
    found: list[list[int]] = []
    for name in HEADS:
        with suppress(OSError):
            status = os.stat(os.path.join(git, name))
            found.append([status.st_mtime_ns, status.st_size])
    return found or None


def _learned(project: str) -> object:
    try:
        with open(os.path.join(state_folder(project), FILE), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError, FieldguideError):
        return None


def _sameness(discovery: Discovery) -> tuple[str, str, str]:
    words = " ".join(discovery.content.casefold().split())
    return discovery.type, str(discovery.evidence.get("commit")), words
