"""The words by which a client starts this very Fieldguide."""

import json
import os
import shutil
import sys
import sysconfig
from importlib import metadata
from typing import Any
from urllib.parse import unquote, urlsplit

PROGRAM = "fieldguide"
UVX = "uvx"
FOLDERS_OF_UVX = frozenset({"archive-v0", "environments-v2", "builds-v0"})


def starting_words(*, is_shared: bool) -> list[str]:
    """What stands before `serve`: a whole path for the person's own settings, a name in those that others read too.

    A client that is no terminal's child does not know the person's PATH.
    """
    if _is_from_uvx():
        return [*_uvx(is_shared=is_shared), *_source(), PROGRAM]
    own = os.path.join(sysconfig.get_path("scripts"), PROGRAM)
    named = shutil.which(PROGRAM)
    is_named = named is not None and os.path.realpath(named) == os.path.realpath(own)
    if is_shared and is_named:
        return [PROGRAM]
    if is_named and named is not None:
        return [os.path.abspath(named)]
    return [own] if os.access(own, os.X_OK) else [sys.executable, "-m", PROGRAM]


def is_of_this_machine(words: list[str]) -> bool:
    """Whether somebody else's machine may not have what is started."""
    return os.path.isabs(words[0])


def _is_from_uvx() -> bool:
    """Whether this is an environment that uv made for one run, and may remove again."""
    return bool(FOLDERS_OF_UVX.intersection(sys.prefix.split(os.sep)))


def _uvx(*, is_shared: bool) -> list[str]:
    whole = shutil.which(UVX)
    if is_shared:
        return [UVX]
    if whole is None and os.path.isabs(os.environ.get("UV", "")):  # uv tells those whom it runs where it is
        return [os.environ["UV"], "tool", "run"]
    return [UVX if whole is None else os.path.abspath(whole)]


def _source() -> list[str]:
    """Where uvx takes Fieldguide from, if not from an index."""
    try:
        text = metadata.distribution(PROGRAM).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        text = None
    told: dict[str, Any] = json.loads(text) if text else {}
    url = str(told.get("url", ""))
    if not url:
        return []
    if "vcs_info" in told:
        wanted = told["vcs_info"].get("requested_revision")
        return ["--from", f"git+{url}@{wanted}" if wanted else f"git+{url}"]
    return ["--from", unquote(urlsplit(url).path) if url.startswith("file:") else url]
