"""A file as earlier commits had it: read by the guarded git, bounded, from the project's own repository alone."""

from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.errors import Unreadable
from fieldguide.project_history.git_program import GitProgram
from fieldguide.project_text.git_place import keeps_own_history

MOST_COMMITS = 40
LARGEST_BYTES = 1 << 20
READ_SECONDS = 5.0
FIELDS = 3


class EarlierFile(NamedTuple):
    """A file as a commit left it, and the commit; `content` is None where it took the file away."""

    commit: str
    subject: str
    content: bytes | None
    id: str = ""


def earlier_files(project: str, path: str) -> list[EarlierFile]:
    """The latest versions of a file that HEAD reaches, newest first; none without git, or where it can't be read."""
    if "\n" in path or "\0" in path or not keeps_own_history(project):
        return []
    git = GitProgram(project, READ_SECONDS)
    try:
        commits = [*_commits(git, path)]
        contents = read_files(git, [f"{commit}:./{path}" for commit, _, _ in commits])
    except (Unreadable, ValueError):
        return []
    versions = zip(commits, contents, strict=False)
    return [EarlierFile(short, subject, content, identity) for (identity, short, subject), content in versions]


def read_files(git: GitProgram, names: list[str]) -> list[bytes | None]:
    """The bytes of files by their names, such as `HEAD:./a.py`, in their order; None for what is missing or large."""
    blobs = _blobs(git, names) if names else []
    contents = _contents(git, dict.fromkeys(blob for blob in blobs if blob))
    return [contents.get(blob) if blob else None for blob in blobs]


def _commits(git: GitProgram, path: str) -> Iterator[tuple[str, str, str]]:
    told = ("--format=%H%x00%h%x00%s", f"--max-count={MOST_COMMITS}", "--no-color", "--encoding=UTF-8", "HEAD")
    for line in git.ask("log", *told, "--", f":(literal){path}").decode(errors="replace").split("\n"):
        fields = line.split("\0")
        if len(fields) == FIELDS:
            yield fields[0], fields[1], fields[2]


def _blobs(git: GitProgram, names: list[str]) -> list[str]:
    """The ids of files in commits; empty where there is none, or one that is too large."""
    asked = "".join(f"{name}\n" for name in names).encode()
    lines = git.ask("cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", said=asked).split(b"\n")
    found = (line.split() for line in lines[: len(names)])
    return [
        words[0].decode() if len(words) == FIELDS and words[1] == b"blob" and int(words[2]) <= LARGEST_BYTES else ""
        for words in found
    ]


def _contents(git: GitProgram, blobs: dict[str, None]) -> dict[str, bytes]:
    output = git.ask("cat-file", "--batch", said="".join(f"{blob}\n" for blob in blobs).encode()) if blobs else b""
    found: dict[str, bytes] = {}
    at = 0
    for blob in blobs:
        end = output.index(b"\n", at) + 1
        size = int(output[at:end].split()[2])
        found[blob] = output[end : end + size]
        at = end + size + 1
    return found
