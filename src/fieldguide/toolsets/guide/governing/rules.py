"""Rules that say by themselves where they hold: by globs in their front matter, or by the folder that they lie in."""

import posixpath
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal
from fieldguide.globbing import matcher

GLOB_KEYS = ("globs", "applyto", "applies_to", "applies-to", "paths", "files", "scope")
FOLDER_RULES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
RULE_FOLDERS = (".cursor/rules", ".claude/rules", ".github/instructions", ".windsurf/rules", ".clinerules")
ENDINGS = (".mdc", ".md")
LARGEST_BYTES = 256 << 10
MOST_FILES = 300
MOST_GLOBS = 100
LONGEST_HEAD = 200  # lines of front matter
LONGEST_GLOB = 100


class Rule(NamedTuple):
    """A document that holds for a path: where, and by which of its words."""

    path: str
    start: int
    end: int
    why: str


def rules_for(project: ConfinedFolder, path: str, known: Sequence[str]) -> list[Rule]:
    """The rules whose globs mean a path, then those of the folders around it, the nearest first.

    `known` are documents that are rules by where they lie, such as patterns and decisions.
    """
    documents = dict.fromkeys((*known[:MOST_FILES], *_placed(project)))
    by_glob = (_by_glob(project, document, path) for document in documents)
    return [*filter(None, by_glob), *_around(project, path)]


def _placed(project: ConfinedFolder) -> Iterator[str]:
    for folder in RULE_FOLDERS:
        try:
            names = sorted(project.folder(folder).files())[:MOST_FILES]
        except Refusal:
            continue
        yield from (f"{folder}/{name}" for name in names if name.endswith(ENDINGS))


def _by_glob(project: ConfinedFolder, document: str, path: str) -> Rule | None:
    lines = _text(project, document).splitlines()[:LONGEST_HEAD]
    if not lines or lines[0].strip() != "---":
        return None
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.strip() == "---"), 0)
    for line, glob in _globs(lines[:end]):
        if _means(glob, path):
            return Rule(document, line, line, f"its glob `{glob[:LONGEST_GLOB]}` means {path}")
    return None


def _globs(head: Sequence[str]) -> list[tuple[int, str]]:
    """The globs of a front matter with their lines, read by hand: many are no YAML (`globs: *.ts`)."""
    found: list[tuple[int, str]] = []
    is_listed = False
    for number, line in enumerate(head, start=1):
        key, colon, value = line.partition(":")
        if line[:1].isspace() or line.startswith("-"):
            said = line.strip().removeprefix("-").strip() if is_listed else ""
        else:
            is_listed = bool(colon) and key.strip().lower() in GLOB_KEYS
            said = value if is_listed else ""
        parts = (part.strip(" \t\"'[]") for part in said.split(","))
        found += [(number, part) for part in parts if part]
    return found[:MOST_GLOBS]


def _means(glob: str, path: str) -> bool:
    """A glob as rule files write it; a folder means everything below it, and one that means all tells nothing."""
    bare = glob.strip().removeprefix("./").lstrip("/")
    if not bare or bare in ("*", "**", "**/*"):
        return False
    wanted = [bare, f"{bare.rstrip('/')}/**"] if "*" not in bare.rpartition("/")[2] else [bare]
    if "/" not in bare:
        wanted.append(f"**/{bare}")
    return matcher(wanted)(path)


def _around(project: ConfinedFolder, path: str) -> list[Rule]:
    """The rules of the folders above a path, but for the project's own: an agent is given that one anyway."""
    found: list[Rule] = []
    folder = posixpath.dirname(path)
    while folder:
        for name in FOLDER_RULES:
            place = f"{folder}/{name}"
            if place != path and project.status(place) is not None:
                found.append(Rule(place, 1, 1, f"holds for everything in {folder}/"))
        folder = posixpath.dirname(folder)
    return found


def _text(project: ConfinedFolder, path: str) -> str:
    try:
        return project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8", "replace")
    except Refusal:
        return ""
