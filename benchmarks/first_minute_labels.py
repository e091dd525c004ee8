"""What is labelled by hand of public repositories: their documents, their decisions, and questions with answers."""

import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fieldguide.text.globs import compile_globs

FOLDER = Path(__file__).parent / "first_minute_labels"


class Asked(NamedTuple):
    """A question, and the files any of which answers it."""

    text: str
    files: frozenset[str]


class Labels(NamedTuple):
    """A repository at one commit, with what is known of it."""

    name: str
    repository: str
    commit: str
    is_seen: bool
    documents: tuple[str, ...]
    no_documents: tuple[str, ...]
    decisions: tuple[str, ...]
    questions: tuple[Asked, ...]

    def documents_of(self, paths: list[str]) -> set[str]:
        return set(filter(compile_globs((*self.documents, *(f"!{each}" for each in self.no_documents))), paths))

    def decisions_of(self, paths: list[str]) -> set[str]:
        return set(filter(compile_globs(self.decisions), paths)) if self.decisions else set()


def all_labels() -> Iterator[Labels]:
    for path in sorted(FOLDER.glob("*.toml")):
        written = tomllib.loads(path.read_text(encoding="utf-8"))
        yield Labels(
            written["name"],
            written["repository"],
            written["commit"],
            written["seen"],
            tuple(written["documents"]),
            tuple(written["no_documents"]),
            tuple(written["decisions"]),
            tuple(Asked(each["ask"], frozenset(each["files"])) for each in written["questions"]),
        )


def unlabelled(root: Path) -> Labels:
    """A checkout that nobody has labelled: only what was taken can be told."""
    return Labels(root.name, str(root), commit_of(root), False, (), (), (), ())


def tracked_files(root: Path) -> list[str]:
    """The regular files that git tracks, without links."""
    listed = _git(root, "ls-files", "-s", "-z").split("\0")
    return [line.partition("\t")[2] for line in listed if line.startswith("100")]


def commit_of(root: Path) -> str:
    return _git(root, "rev-parse", "HEAD").strip()


def _git(root: Path, *words: str) -> str:
    command = ["git", "-C", str(root), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
