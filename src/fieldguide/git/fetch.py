"""Fetches a repository for a hosted project, limited in protocol, time and bytes, and checks its address.

What lets somebody in stands in some addresses. It is used, and shown nowhere: not in an answer, a log or an error, nor
in the list of processes.

What the person who runs the service has set up for git holds where something is fetched: credential helpers, proxies,
certificates, keys. Where files are checked out nothing of that holds, and nothing that the repository brings.
"""

import os
import signal
import subprocess
import tempfile
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic
from typing import IO, NamedTuple
from urllib.parse import unquote

from fieldguide.settings.limits import Limits
from fieldguide.text import regex as re
from fieldguide.text.errors import Misconfiguration, Unreadable

SCHEMES = ("https", "ssh", "file")
LONGEST = 2000
HIDDEN = "…"
HOST = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._-]{0,254}|\[[0-9A-Fa-f:.]{2,60}\])(?::[0-9]{1,5})?")
USER = re.compile(r"[^@/:?#\[\]\\]*(?::[^@/?#\[\]\\]*)?")
SHORT_SSH = re.compile(
    r"(?P<user>[A-Za-z0-9_][A-Za-z0-9._-]{0,63})@(?P<host>[A-Za-z0-9][A-Za-z0-9._-]{0,254}):(?P<path>[^:].*)"
)
HELPER = re.compile(r"[A-Za-z0-9+.-]*::.*")
WAYS = "https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH or file:///PATH"


class OpenedAddress(NamedTuple):
    """An address as git is given it, and the header that lets us in (None: nobody has to be let in by one)."""

    address: str
    authorization: str | None


def is_address(text: str) -> bool:
    """Whether somebody means a git address, right or wrong, and not a folder."""
    return "://" in text or bool(HELPER.fullmatch(text)) or bool(SHORT_SSH.fullmatch(text))


def check_address(text: str) -> str:
    """A git address in its long spelling; a sentence, without the address, says why another can't be used."""
    short = SHORT_SSH.fullmatch(text) if "://" not in text and "::" not in text else None
    address = f"ssh://{short['user']}@{short['host']}/{short['path'].lstrip('/')}" if short else text
    scheme, mark, rest = address.partition("://")
    if not mark or scheme not in SCHEMES:
        raise Misconfiguration(f"A git address is {WAYS}; no other way to a repository is used.")
    authority, _, path = rest.partition("/")
    if len(address) > LONGEST or not _is_plain(address) or not path.strip("/") or path.startswith("-"):
        raise Misconfiguration(f"This git address is not written in the usual way: {WAYS}.")
    if scheme == "file":
        if authority:
            raise Misconfiguration("A file address has no host: write file:///PATH, with three slashes.")
        return address
    user, _, host = authority.rpartition("@")
    if not HOST.fullmatch(host) or not USER.fullmatch(user) or user.startswith("-"):
        raise Misconfiguration(f"The host or user of this git address is not written in the usual way: {WAYS}.")
    if scheme == "ssh" and ":" in user:
        raise Misconfiguration("ssh asks for a key, not for a password: leave the password out of the address.")
    return address


def mask_address(address: str) -> str:
    """An address as anybody may see it: without a user and a password of the web."""
    scheme, mark, rest = address.partition("://")
    authority, slash, path = rest.partition("/")
    _, at, host = authority.rpartition("@")
    if scheme == "https" and at:
        return f"{scheme}{mark}{HIDDEN}@{host}{slash}{path}"
    return address


def open_address(address: str) -> OpenedAddress:
    """An address for git: a user of the web becomes a header, which no list of processes shows."""
    scheme, mark, rest = address.partition("://")
    authority, slash, path = rest.partition("/")
    user, at, host = authority.rpartition("@")
    if scheme != "https" or not at:
        return OpenedAddress(address, None)
    name, _, password = user.partition(":")
    basic = b64encode(f"{unquote(name)}:{unquote(password)}".encode()).decode()
    return OpenedAddress(f"{scheme}{mark}{host}{slash}{path}", f"Authorization: Basic {basic}")


def _is_plain(address: str) -> bool:
    return all(" " < each != "\x7f" and each not in "?#\\\"'`<>" for each in address) and address.isprintable()


LOOK_SECONDS = 0.1
LOOKS_SHARE = 10  # a look at how large a folder is takes at most so much of the time
MOST_FILES = 2_000_000
MEGABYTE = 1 << 20
TOLD_BYTES = 1 << 16
SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.bigFileThreshold": "16m",  # larger objects pass through git's memory piece by piece
    "core.autocrlf": "false",
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.unpackLimit": "1",  # one pack, not a file for each object
    "fetch.uriProtocols": "",
    "transfer.bundleURI": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "http.followRedirects": "false",
    "filter.lfs.smudge": "",
    "filter.lfs.process": "",
    "filter.lfs.required": "false",
    "advice.detachedHead": "false",
    "protocol.allow": "never",
}
ALWAYS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    "LC_ALL": "C",
}
KEPT = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_CONFIG_GLOBAL", "GIT_ASKPASS", "GIT_EXEC_PATH")
ALONE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
BATCH_SSH = "ssh -oBatchMode=yes"


class GitCommands:
    """Commands of git that work below one folder, together for so long and on so many bytes as one fetch may take."""

    def __init__(self, folder: str, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._until = monotonic() + limits.project_fetch_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def fetch(self, repository: str, address: str, *refspecs: str) -> None:
        """Get what these refspecs name, with all of its history."""
        target = open_address(address)
        scheme = address.partition("://")[0]
        arguments = ("fetch", "--quiet", "--force", "--prune", "--no-tags", "--update-shallow", "--no-write-fetch-head")
        words = (*arguments, "--", target.address, *refspecs)
        try:
            self._run(repository, words, scheme, _reaching(target.authorization))
        except Unreadable as error:
            message = error.message.replace(target.address, mask_address(address))
            if "returned error: 30" in error.message:
                message += " It has moved: add the project with the address that it has now."
            raise Unreadable(message, **error.details) from None

    def run(self, folder: str, *arguments: str) -> str:
        """What a command prints that needs nothing from elsewhere."""
        return self._run(folder, arguments, "file", ALONE)

    def stop(self) -> None:
        """End the command that runs, if one does; no other begins."""
        self._until = 0.0
        if self._process is not None:
            _end(self._process)

    def _run(self, folder: str, arguments: tuple[str, ...], protocol: str, environment: Mapping[str, str]) -> str:
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complaints:
            with self._started(folder, arguments, protocol, environment, _Streams(said, complaints)) as process:
                self._process = process
                try:
                    self._watch(process)
                finally:
                    _end(process)
            if process.returncode:
                raise Unreadable(f"git {arguments[0]} did not work: {_last_words(complaints)}")
            said.seek(0)
            return said.read(TOLD_BYTES).decode(errors="replace")

    def _watch(self, process: "subprocess.Popen[bytes]") -> None:
        """Wait for its end, and end it when it takes too much of anything."""
        pause = LOOK_SECONDS
        while process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(pause)
            began = monotonic()
            if began > self._until:
                raise self._too_much("Fetching took too long", "project_fetch_seconds")
            if not self._is_within(self._limits.project_repository_megabytes * MEGABYTE):
                raise self._too_much("The repository is too large", "project_repository_megabytes")
            pause = max(LOOK_SECONDS, LOOKS_SHARE * (monotonic() - began))

    def _too_much(self, what: str, limit: str) -> Unreadable:
        return Unreadable(f"{what}: {self._limits.told(limit)}.", limit=limit)

    def _started(
        self,
        folder: str,
        arguments: tuple[str, ...],
        protocol: str,
        environment: Mapping[str, str],
        streams: "_Streams",
    ) -> "subprocess.Popen[bytes]":
        settings = {**SETTINGS, f"protocol.{protocol}.allow": "always"}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in KEPT}
        try:
            return subprocess.Popen(
                ["git", *(word for key, value in settings.items() for word in ("-c", f"{key}={value}")), *arguments],  # noqa: S607  the user's own git, wherever it is
                cwd=folder,
                env={**kept, **ALWAYS, "GIT_ALLOW_PROTOCOL": protocol, **environment},
                stdin=subprocess.DEVNULL,
                stdout=streams.said,
                stderr=streams.complaints,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise Unreadable("A project from git needs the `git` program, which is not installed.") from error

    def _is_within(self, most_bytes: int) -> bool:
        """Whether what lies in the folder by now is not too much; what goes away meanwhile does not count."""
        size = 0
        files = 0
        pending = [self._folder]
        while pending:
            with suppress(OSError), os.scandir(pending.pop()) as listing:
                for entry in listing:
                    files += 1
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        with suppress(OSError):
                            size += entry.stat(follow_symlinks=False).st_size
            if size > most_bytes or files > MOST_FILES:
                return False
        return True


class _Streams(NamedTuple):
    said: IO[bytes]
    complaints: IO[bytes]


def _reaching(authorization: str | None) -> dict[str, str]:
    """How a fetch gets in: as the person has set git up, or by a header, which no list of processes shows."""
    batch = {} if os.environ.get("GIT_SSH") or os.environ.get("GIT_SSH_COMMAND") else {"GIT_SSH_COMMAND": BATCH_SSH}
    if authorization is None:
        return batch
    header = {"GIT_CONFIG_KEY_0": "http.extraHeader", "GIT_CONFIG_VALUE_0": authorization}
    return {**batch, "GIT_CONFIG_COUNT": "1", **header}


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _last_words(complaints: IO[bytes]) -> str:
    complaints.seek(max(0, os.fstat(complaints.fileno()).st_size - TOLD_BYTES))
    lines = [line for line in complaints.read(TOLD_BYTES).decode(errors="replace").splitlines() if line.strip()]
    said = next((line for line in lines if line.startswith(("fatal: ", "error: "))), lines[-1] if lines else "")
    words = " ".join(mask_address(word) for word in said.removeprefix("fatal: ").removeprefix("error: ").split())
    return f"{words.rstrip('.')}." if words else "it said nothing."
