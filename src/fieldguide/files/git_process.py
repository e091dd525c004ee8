"""Starts git: the only place that does, with one table of settings that switch off what a repository may ask for.

No hook, pager, monitor, signature check or submodule is run, and no network is used, unless a `GitReach` allows one
protocol. Commands that show or blame contents also need `--no-ext-diff` and `--no-textconv`: no setting does that.
"""

import atexit
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import MappingProxyType
from typing import IO, NamedTuple

from fieldguide.text.errors import Unreadable

KEPT_VARIABLES = (
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES",
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_ASKPASS",
)  # fmt: skip
SAFE_VARIABLES = {
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    "LC_ALL": "C",
}
SAFE_SETTINGS = {
    "core.bigFileThreshold": "16m",  # larger objects pass through git's memory piece by piece
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "diff.submodule": "short",  # another value runs git in a submodule, which obeys that one's settings
    "fetch.recurseSubmodules": "false",
    "fetch.unpackLimit": "1",  # one pack, not a file for each object
    "fetch.uriProtocols": "",
    "filter.lfs.process": "",
    "filter.lfs.required": "false",
    "filter.lfs.smudge": "",
    "gc.auto": "0",
    "http.followRedirects": "false",
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "transfer.bundleURI": "false",
}
NOTHING: Mapping[str, str] = MappingProxyType({})


class GitReach(NamedTuple):
    """What needs git, and what git may use beyond its folder: a protocol, more settings, more variables."""

    need: str
    protocol: str = "none"
    settings: Mapping[str, str] = NOTHING
    variables: Mapping[str, str] = NOTHING


@contextmanager
def start_git(
    arguments: Sequence[str],
    folder: str,
    seconds: float,
    *,
    reach: GitReach,
    output: IO[bytes] | int = subprocess.PIPE,
    errors: IO[bytes] | int = subprocess.DEVNULL,
) -> "Generator[subprocess.Popen[bytes]]":
    """A command of git while the block runs; it and all that it started end with the block, the time, or us."""
    settings = [word for pair in {**SAFE_SETTINGS, **reach.settings}.items() for word in ("-c", "=".join(pair))]
    # no variable that could lead git elsewhere
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in KEPT_VARIABLES}
    try:
        process = subprocess.Popen(
            ["git", "--no-pager", *settings, *arguments],  # noqa: S607  the user's own git, wherever it is
            cwd=folder,
            env={**kept, **SAFE_VARIABLES, "GIT_ALLOW_PROTOCOL": reach.protocol, **reach.variables},
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise Unreadable(f"{reach.need} needs the `git` program, which is not installed.") from error
    limit = threading.Timer(seconds, end_git, [process])
    limit.daemon = True
    limit.start()
    at_our_end = partial(end_git, process)
    atexit.register(at_our_end)
    with process:
        try:
            yield process
        finally:
            atexit.unregister(at_our_end)
            limit.cancel()
            limit.join()
            end_git(process)


def end_git(process: "subprocess.Popen[bytes]") -> None:
    """End a command of git and whatever it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def limit_memory(process: int, most_bytes: int) -> None:
    """Let a process have no more memory than this, where the system can say so of another one."""
    if sys.platform == "linux":
        from resource import RLIMIT_AS, prlimit

        with suppress(ProcessLookupError):
            prlimit(process, RLIMIT_AS, (most_bytes, most_bytes))
