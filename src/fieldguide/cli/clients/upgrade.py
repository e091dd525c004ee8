"""`fieldguide upgrade`: brings a newer version from where this one came, then renews what `install` wrote."""

import os
import shutil
import subprocess
import sys
from glob import glob
from typing import NamedTuple

from fieldguide import __version__
from fieldguide.cli.clients.catalog import PROGRAM, came_by_uvx, find_checkout, find_start_words, find_uv
from fieldguide.cli.console.terminal import ask_to_agree, can_be_asked, complain, say

DONE = 0
FAILED = 1
NOT_AGREED = 3


class Origin(NamedTuple):
    """How this program was installed, and the command that brings a newer one, or why only the person can do that."""

    installer: str
    command: tuple[str, ...] = ()
    advice: str = ""


def find_origin(prefix: str, checkout: str) -> Origin:
    """Tells from the files of an environment who made it."""
    if checkout:
        return Origin("a checkout", advice=f"It runs from {checkout}: update that checkout with git.")
    if came_by_uvx():
        return Origin("uvx", (find_uv(), "tool", "run", "--refresh", PROGRAM, "--version"))
    if os.path.isfile(os.path.join(prefix, "uv-receipt.toml")):
        return Origin("uv tool", (find_uv(), "tool", "upgrade", "--compile-bytecode", PROGRAM))
    if os.path.isfile(os.path.join(prefix, "pipx_metadata.json")):
        return Origin("pipx", (shutil.which("pipx") or "pipx", "upgrade", PROGRAM))
    if "Cellar" in prefix.split(os.sep):
        return Origin("Homebrew", (shutil.which("brew") or "brew", "upgrade", PROGRAM))
    if not os.path.isfile(os.path.join(prefix, "pyvenv.cfg")):
        return Origin("the system's Python", advice="Use your system's package manager, which installed it.")
    python = os.path.join(prefix, "bin", "python")
    if glob(os.path.join(prefix, "lib", "python*", "site-packages", "pip")):
        return Origin("pip", (python, "-m", "pip", "install", "--upgrade", PROGRAM))
    return Origin("uv pip", (find_uv(), "pip", "install", "--python", python, "--upgrade", PROGRAM))


def upgrade(*, is_agreed: bool, is_dry: bool) -> int:
    """Show the command, ask, run it, and let the new program renew what `install` wrote."""
    origin = find_origin(sys.prefix, find_checkout())
    say(f"Fieldguide {__version__}, installed by {origin.installer}.")
    if not origin.command:
        say(origin.advice)
        return DONE
    say(f"To upgrade: {' '.join(origin.command)}")
    if is_dry:
        return DONE
    if not is_agreed and not (can_be_asked() and ask_to_agree("Run it?", usually=True)):
        say("Nothing was changed. --yes runs it.")
        return NOT_AGREED
    renewal = [*find_start_words(is_shared=False), "install", "--refresh", *(["--yes"] if is_agreed else [])]
    for command in (origin.command, renewal):
        try:
            code = subprocess.call(command)
        except OSError as error:
            complain(f"{command[0]} could not be started: {error.strerror}.")
            return FAILED
        if code:
            return code
    return DONE
