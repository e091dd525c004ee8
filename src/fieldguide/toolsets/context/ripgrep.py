"""Where ripgrep is, and the options that always hold: which files count as the project's."""

import os
import sys
from shutil import which

from fieldguide.errors import ToolFailed

LARGEST_FILE = "8M"
EXCLUDED = ("node_modules", ".git", "dist/", "build/", ".next/", ".context/", ".fieldguide/", ".env", ".env.*")
LISTING = (
    "--no-config", "--no-messages", "--hidden", "--no-require-git", "--max-filesize", LARGEST_FILE,
    *(word for name in EXCLUDED for word in ("--iglob", f"!{name}")),
)  # fmt: skip


def find_ripgrep(project: str) -> str:
    """The `rg` that was installed with us, or the first on the PATH that does not come from the project itself."""
    beside = os.path.join(os.path.dirname(sys.executable), "rg")
    if os.access(beside, os.X_OK):
        return beside
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        is_inside = f"{os.path.realpath(folder)}{os.sep}".startswith(os.path.realpath(project) + os.sep)
        found = which("rg", path=folder) if os.path.isabs(folder) and not is_inside else None
        if found:
            return found
    raise ToolFailed("ripgrep is not installed: install the package `ripgrep`, or put `rg` on the PATH.")


def environment() -> dict[str, str]:
    """Our environment without a way to give ripgrep more options."""
    return {name: value for name, value in os.environ.items() if name != "RIPGREP_CONFIG_PATH"}
