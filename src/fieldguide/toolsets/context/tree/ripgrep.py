"""Where ripgrep is, and the options that always hold: which files count as the project's."""

import os
import sys
from shutil import which

from fieldguide.errors import ToolFailed
from fieldguide.sensitive_files import ENDINGS, FILES, FOLDERS, SensitiveFiles

LARGEST_FILE = "8M"
NOT_OURS = ("dist/", "build/", ".next/", ".context/", ".fieldguide/")
PACKAGES = ("node_modules", ".git")
SECRETS = (f"{{{','.join(sorted(FOLDERS | FILES))}}}", f"*{{{','.join(ENDINGS)}}}", ".env", ".env[!a-z0-9]*")
FLAGS = ("--no-config", "--no-messages", "--hidden", "--no-require-git")
SEARCH_FLAGS = ("--max-filesize", LARGEST_FILE)  # not to list files: it would ask for the size of each
NOTHING_FOUND = 1
FAILED = 2
LONGEST_REASON = 200


def listing_flags(sensitive: SensitiveFiles) -> list[str]:
    """The options that leave out what is not the project's, and most of what is never served.

    The rest of that is left out of what comes back. Where a person excepts something, all of it is: a glob that takes
    away can't be taken back.
    """
    excluded = (*NOT_OURS, *(PACKAGES if sensitive.excepted else SECRETS))
    return [*FLAGS, *(word for name in excluded for word in ("--iglob", f"!{name}"))]


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


def reason_of_end(code: int, said: bytes) -> str:
    """How ripgrep ended, in words, with the first line of what it said."""
    if code < 0:
        return f"was ended by signal {-code}"
    line = said.decode("utf-8", errors="replace").strip().partition("\n")[0]
    return f"ended with {code}{f' ({line[:LONGEST_REASON]})' if line else ''}"
