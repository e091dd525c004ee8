"""Who owns a path: by CODEOWNERS as GitHub reads it (the last line that matches counts), else by who changed it."""

from collections.abc import Sequence
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal
from fieldguide.globbing import matcher

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
LARGEST_BYTES = 3 << 20  # GitHub reads no larger one
MOST_LINES = 20_000
MOST_OWNERS = 20
LONGEST_OWNER = 100


class Owned(NamedTuple):
    """The line of a CODEOWNERS file that gives a path its owners."""

    file: str
    line: int
    pattern: str
    owners: tuple[str, ...]


def owners_of(project: ConfinedFolder, path: str) -> Owned | None:
    """The owners of a path; None where no file says so. A line without owners takes them away."""
    for place in PLACES:
        try:
            text = project.read(place, limit_bytes=LARGEST_BYTES).decode("utf-8", "replace")
        except Refusal:
            continue
        return _last(place, text.splitlines()[:MOST_LINES], path)
    return None


def _last(place: str, lines: Sequence[str], path: str) -> Owned | None:
    for number in range(len(lines), 0, -1):
        words = lines[number - 1].split(" #")[0].replace("\\ ", "\0").split()
        if not words or words[0].startswith(("#", "[", "^[")):
            continue
        pattern, owners = (
            words[0].replace("\0", " "),
            tuple(each[:LONGEST_OWNER] for each in words[1 : MOST_OWNERS + 1]),
        )
        if matches(pattern, path):
            return Owned(place, number, pattern, owners) if owners else None
    return None


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern of CODEOWNERS means a path: as in .gitignore, but without `!` and `[…]`."""
    if pattern.startswith(("!", "#")):
        return False
    is_rooted = "/" in pattern.rstrip("/")
    bare = pattern.strip("/")
    if not bare:
        return False
    top = bare if is_rooted else f"**/{bare}"
    wanted = [f"{top}/**"]
    if not pattern.endswith("/"):
        wanted.append(top)
    if pattern.endswith("/*"):  # `docs/*` means the files right there, and none below
        wanted = [top]
    return matcher(wanted)(path)
