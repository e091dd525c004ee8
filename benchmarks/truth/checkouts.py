"""What git says of a checkout that truth is made of."""

import subprocess
from pathlib import Path


def git(folder: Path, *words: str) -> str:
    """What git prints."""
    done = subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)  # noqa: S607
    return done.stdout.decode(errors="surrogateescape")


def tracked_files(checkout: Path) -> list[str]:
    return [name for name in git(checkout, "ls-files", "-z").split("\0") if name]
