"""Projects with a fixed content and a fixed history, made from the texts in `projects/`.

A text begins with a sentence about the project. `== commit DATE AUTHOR | SUBJECT | BODY` begins a commit, `== worktree`
what is not committed. Under either, `-- PATH --` begins a file, `-- delete PATH --` removes one and
`-- move OLD NEW --` renames one.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TEXTS = Path(__file__).parent / "projects"
FIRST_FILE_TIME = 1_772_700_000  # in March 2026, after the last commit
COMMIT_LINE = re.compile(r"== commit (?P<date>\S+) (?P<author>[^|]+) \| (?P<message>.+)")
WORKTREE_LINE = "== worktree"
FILE_LINE = re.compile(r"-- (?:(?P<verb>delete|move) )?(?P<paths>\S+(?: \S+)?) --")


class Commit(NamedTuple):
    """Who commits what when; the files that are not committed have no date."""

    date: str
    author: str
    message: str
    lines: list[str]


def build(name: str, folder: Path) -> None:
    """Make a project in a folder that does not exist yet."""
    folder.mkdir(parents=True)
    commits = [*_read_commits((TEXTS / f"{name}.txt").read_text("utf-8"))]
    if any(commit.date for commit in commits):
        _git(folder, "init", "--quiet", "--initial-branch=main")
    for commit in commits:
        _apply(folder, commit.lines)
        if commit.date:
            _git(folder, "add", "--all", "--force")
            _commit(folder, commit)
    _fix_times(folder)


def _fix_times(folder: Path) -> None:
    """Give every file a time of its own: what was changed last is indexed first, and that must not be by chance."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and ".git" not in path.parts]
    for number, path in enumerate(files):
        os.utime(path, (FIRST_FILE_TIME + 60 * number,) * 2)
    if (folder / ".git").exists():
        _git(folder, "update-index", "--refresh")


def _read_commits(text: str) -> Iterator[Commit]:
    current: Commit | None = None
    for line in text.splitlines():
        found = COMMIT_LINE.fullmatch(line)
        if found or line == WORKTREE_LINE:
            if current:
                yield current
            current = Commit("", "", "", [])
            if found:
                message = found["message"].replace(" | ", "\n\n")
                current = Commit(found["date"], found["author"], message, [])
        elif current:
            current.lines.append(line)
    if current:
        yield current


def _apply(folder: Path, lines: list[str]) -> None:
    """Write, move and delete files. An empty line before the next commit belongs to no file."""
    contents: dict[str, list[str]] = {}
    path = ""
    while lines and not lines[-1]:
        lines.pop()
    for line in lines:
        found = FILE_LINE.fullmatch(line)
        if found is None:
            contents[path].append(line)
        elif found["verb"] == "delete":
            (folder / found["paths"]).unlink()
        elif found["verb"] == "move":
            old, new = found["paths"].split()
            (folder / new).parent.mkdir(parents=True, exist_ok=True)
            (folder / old).rename(folder / new)
        else:
            path = found["paths"]
            contents[path] = []
    for path, written in contents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("".join(f"{line}\n" for line in written), "utf-8")


def _commit(folder: Path, commit: Commit) -> None:
    mail = commit.author.split()[0].lower() + "@example.org"
    _git(
        folder,
        "commit",
        "--quiet",
        f"--author={commit.author} <{mail}>",
        f"--message={commit.message}",
        GIT_AUTHOR_DATE=commit.date,
        GIT_COMMITTER_DATE=commit.date,
        GIT_COMMITTER_NAME="Ann Author",
        GIT_COMMITTER_EMAIL="ann@example.org",
    )


def _git(folder: Path, *words: str, **environment: str) -> None:
    """Run git with no settings of the person, so that the commits have the same ids everywhere."""
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(
        ["git", "-c", "core.autocrlf=false", "-c", "commit.gpgsign=false", *words],  # noqa: S607
        cwd=folder,
        env={**os.environ, **alone, **environment},
        check=True,
        capture_output=True,
    )
