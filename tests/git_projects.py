"""Projects with a git history, made by the git program itself."""

import os
import stat
import subprocess
from pathlib import Path

from tests.projects import Project

IDENTITY = ("-c", "user.name=Ann Author", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false")
DATE = "2026-03-04T05:06:07+00:00"


class GitProject(Project):
    """A folder in which a test commits."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str, stdin: bytes = b"", date: str = DATE) -> str:
        """Run git in the folder, with no settings but ours."""
        alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        done = subprocess.run(
            ["git", *IDENTITY, *words],
            cwd=self.root,
            input=stdin,
            env={**os.environ, **alone, **dates},
            capture_output=True,
            check=True,
            timeout=60,
        )
        return done.stdout.decode().strip()

    def commit(
        self,
        message: str | bytes,
        *paths: str,
        author: str = "Ann Author",
        date: str = DATE,
        flags: tuple[str, ...] = (),
    ) -> str:
        """Commit a change of these files, or of none, and give back the commit's id."""
        for path in paths:
            target = self.root / path
            before = target.read_text(encoding="utf-8") if target.exists() else ""
            self.write(path, f"{before}a line of {len(before)}\n")
        return self.commit_all(message, author=author, date=date, flags=flags)

    def commit_all(
        self, message: str | bytes, *, author: str = "Ann Author", date: str = DATE, flags: tuple[str, ...] = ()
    ) -> str:
        """Commit what is there."""
        raw = message if isinstance(message, bytes) else message.encode()
        self.git("add", "--all")
        by = f"--author={author} <somebody@example.com>"
        self.git(
            *flags, "commit", "--quiet", "--allow-empty", "--cleanup=verbatim", by, "-F", "-", stdin=raw, date=date
        )
        return self.git("rev-parse", "HEAD")


def write_program(path: Path, script: str) -> None:
    """A program of a shell script, such as another `git`."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
