"""Collections from git: the `git` program fetches one commit, without history, into a folder of our own."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence

from fieldguide.errors import Unreadable
from fieldguide.toolsets.documents.locations import GitLocation, snapshot_at
from fieldguide.toolsets.documents.snapshot import Snapshot

FETCH_SECONDS = 300.0
SAFE = (  # a repository brings text: no program of its own, no prompt, no other way in
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never",
    "-c", "core.symlinks=false", "-c", "submodule.recurse=false", "-c", "advice.detachedHead=false",
)  # fmt: skip


def git_snapshot(location: GitLocation, cache: str) -> Snapshot:
    """What the repository holds at the ref, fetched anew; what was there stays until the new is whole."""
    name = hashlib.sha256(f"{location.repository}#{location.ref}".encode()).hexdigest()[:20]
    target, draft = os.path.join(cache, name), os.path.join(cache, f"{name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    os.makedirs(draft)
    try:
        _fetch(location, draft)
        shutil.rmtree(os.path.join(draft, ".git"))
        shutil.rmtree(target, ignore_errors=True)
        os.rename(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return snapshot_at(target, location.manifest)


def _fetch(location: GitLocation, folder: str) -> None:
    _git(folder, "init", "--quiet")
    _git(folder, "remote", "add", "origin", location.repository)
    _git(folder, "fetch", "--quiet", "--depth", "1", "--no-tags", "origin", location.ref or "HEAD")
    _git(folder, "checkout", "--quiet", "FETCH_HEAD")


def _git(folder: str, *arguments: str) -> None:
    command = ["git", *SAFE, *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=FETCH_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise Unreadable("A collection from git needs the `git` program, which is not installed.") from error
    except subprocess.TimeoutExpired as error:
        raise Unreadable("git took too long to fetch the collection.") from error
    if done.returncode:
        raise Unreadable(f"git could not fetch the collection: {_last_line(done.stderr)}")


def _environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in KEPT}
    return {
        **kept,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", "ssh -oBatchMode=yes"),
    }


KEPT: Sequence[str] = ("GIT_SSH", "GIT_SSL_CAINFO", "GIT_CONFIG_GLOBAL", "GIT_ASKPASS")


def _last_line(output: bytes) -> str:
    lines = [line for line in output.decode(errors="replace").splitlines() if line.strip()]
    return lines[-1].removeprefix("fatal: ").rstrip(".") + "." if lines else "it said nothing."
