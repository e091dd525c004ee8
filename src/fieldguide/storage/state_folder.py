"""Where a server keeps what it knows of a project: `.fieldguide/` in it, or the user's cache where that can't be."""

import hashlib
import os
from collections.abc import Callable

FOLDER = ".fieldguide"
IGNORE_EVERYTHING = "*\n"


def state_folder(project: str, tell: Callable[[str], None]) -> str:
    """A folder that can be written to, made if need be; `tell` hears of it when it is not the project's own."""
    own = os.path.join(project, FOLDER)
    if _prepare(own):
        return own
    name = f"{os.path.basename(project)}-{hashlib.sha256(os.fsencode(project)).hexdigest()[:12]}"
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    elsewhere = os.path.join(cache, "fieldguide", name)
    if os.path.exists(os.path.join(own, "fieldguide.db")):
        return own  # it can be read at least, and what is stored there must stay visible
    os.makedirs(elsewhere, exist_ok=True)
    tell(f"The project can't be written to, so its state is kept in {elsewhere}.")
    return elsewhere


def _prepare(folder: str) -> bool:
    try:
        os.makedirs(folder, exist_ok=True)
        ignore = os.path.join(folder, ".gitignore")
        if not os.path.exists(ignore):
            with open(ignore, "w", encoding="ascii") as file:
                file.write(IGNORE_EVERYTHING)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)
