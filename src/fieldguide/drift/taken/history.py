"""What commits took away, as of HEAD: read from git once, and when HEAD moves only from the commits that are new."""

import json
import zlib
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple, cast

from fieldguide.drift.kept import REMOVED, Kept, KeptPart
from fieldguide.drift.places import KnownPaths
from fieldguide.drift.taken.removal import CommitLine, Removal
from fieldguide.drift.taken.removals import MOST_COMMITS, WALK_SECONDS, RemovedNames, commits_between, walk
from fieldguide.drift.taken.removed_paths import RemovedPath, removed_paths
from fieldguide.drift.words import PresentWords
from fieldguide.errors import Unreadable
from fieldguide.project_history.git_program import GitProgram

VERSION = "1"  # of what is kept: another is read from git again
MOST_NEW = 5_000  # commits: beyond so many, everything is read again
LONGEST_SECONDS = 16
LARGEST_KEPT_BYTES = 64 << 20


class Removed(NamedTuple):
    """What commits took away: names of code, and files."""

    names: Mapping[str, Removal]
    paths: Mapping[str, RemovedPath]


class Now(NamedTuple):
    """The words of the code and of the implementation alone, and since when a removal is news."""

    words: PresentWords
    own_words: PresentWords
    news_from: int


def commit_seconds(git: GitProgram, commit: str) -> int:
    """When a commit was made."""
    said = git.ask("show", "-s", "--format=%ct", commit, "--").strip()
    return int(said) if said.isdigit() and len(said) < LONGEST_SECONDS else 0


def commit_named(git: GitProgram, name: str) -> str:
    """The id of a commit, a tag or a branch; Unreadable where there is none."""
    return git.ask("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}").decode("ascii").strip()


def removed_between(
    git: GitProgram, now: Now, paths: KnownPaths, *, newest: str, oldest: str = "", most: int = MOST_COMMITS
) -> Removed:
    """What the commits of a range took away that is not there now."""
    names = RemovedNames(paths.words)
    for diff in walk(git, commits_between(git, newest, oldest, most), WALK_SECONDS):
        names.take(diff, now.own_words if diff.commit.seconds >= now.news_from else now.words)
    return Removed(names.found(), removed_paths(git, newest, oldest, most))


def removed_until_now(git: GitProgram, now: Now, paths: KnownPaths, kept: Kept) -> Removed:
    """What all commits of HEAD took away; what is known of earlier ones is not read again."""
    head = commit_named(git, "HEAD")
    before = kept.read(REMOVED).get("")
    known = _loaded(before) if before is not None else None
    stamp = f"{VERSION} {head}"
    if before is not None and known is not None and before.stamp == stamp:
        return known
    oldest = _grown_from(git, before.stamp.partition(" ")[2], head) if before is not None and known is not None else ""
    new = removed_between(git, now, paths, newest=head, oldest=oldest)
    found = Removed({**known.names, **new.names}, {**known.paths, **new.paths}) if known is not None and oldest else new
    kept.put(REMOVED, {"": KeptPart(stamp, _written(found))})
    return found


def _grown_from(git: GitProgram, before: str, head: str) -> str:
    """The commit that was read until, where HEAD has grown from it by not too many; else nothing."""
    with suppress(Unreadable, ValueError):
        git.ask("merge-base", "--is-ancestor", before, head)
        if int(git.ask("rev-list", "--count", f"{before}..{head}")) <= MOST_NEW:
            return before
    return ""


def _written(removed: Removed) -> bytes:
    commits: dict[CommitLine, int] = {}
    names = [
        [name, commits.setdefault(each.commit, len(commits)), each.strength, each.path, each.successor, each.is_handed]
        for name, each in removed.names.items()
    ]
    paths = [
        [path, commits.setdefault(each.commit, len(commits)), each.renamed] for path, each in removed.paths.items()
    ]
    text = json.dumps({"commits": [list(each) for each in commits], "names": names, "paths": paths})
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def _loaded(part: KeptPart) -> Removed | None:
    """What was written; None where it was by another version, or is not legible."""
    if not part.stamp.startswith(f"{VERSION} "):
        return None
    try:
        text = zlib.decompressobj().decompress(part.content, LARGEST_KEPT_BYTES)
        said = cast("dict[str, list[list[Any]]]", json.loads(text))
        commits = [CommitLine(*each) for each in said["commits"]]
        names = {str(name): Removal(commits[commit], *rest) for name, commit, *rest in said["names"]}
        paths = {str(path): RemovedPath(commits[commit], renamed) for path, commit, renamed in said["paths"]}
    except (ValueError, TypeError, KeyError, IndexError, zlib.error, RecursionError):
        return None
    return Removed(names, paths)
