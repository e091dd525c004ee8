"""Fetches a repository for a hosted project, limited in protocol, time and bytes, and checks its address.

What lets somebody in stands in some addresses. It is used, and shown nowhere: not in an answer, a log or an error, nor
in the list of processes.

What the person who runs the service has set up for git holds where something is fetched: credential helpers, proxies,
certificates, keys. Where files are checked out nothing of that holds, and nothing that the repository brings.
"""

import os
import subprocess
import tempfile
from base64 import b64encode
from contextlib import suppress
from time import monotonic
from typing import NamedTuple
from urllib.parse import unquote

from fieldguide.files.git_process import GitReach, end_git, start_git
from fieldguide.git.program import TOLD_BYTES, measure_folder, read_last_words
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
NEED = "A project from git"
ALONE = GitReach(
    NEED, "file", variables={"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
)
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
            self._run(repository, words, GitReach(NEED, scheme, variables=_prepare_access(target.authorization)))
        except Unreadable as error:
            message = error.message.replace(target.address, mask_address(address))
            if "returned error: 30" in error.message:
                message += " It has moved: add the project with the address that it has now."
            raise Unreadable(message, **error.details) from None

    def run(self, folder: str, *arguments: str) -> str:
        """What a command prints that needs nothing from elsewhere."""
        return self._run(folder, arguments, ALONE)

    def stop(self) -> None:
        """End the command that runs, if one does; no other begins."""
        self._until = 0.0
        if self._process is not None:
            end_git(self._process)

    def _run(self, folder: str, arguments: tuple[str, ...], reach: GitReach) -> str:
        seconds = self._until - monotonic()
        if seconds <= 0:
            raise self._too_much("Fetching took too long", "project_fetch_seconds")
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complaints:
            with start_git(arguments, folder, seconds, reach=reach, output=said, errors=complaints) as process:
                self._process = process
                self._watch(process)
            if process.returncode and monotonic() > self._until:
                raise self._too_much("Fetching took too long", "project_fetch_seconds")
            if process.returncode:
                raise Unreadable(f"git {arguments[0]} did not work: {read_last_words(complaints, mask_address)}")
            said.seek(0)
            return said.read(TOLD_BYTES).decode(errors="replace")

    def _watch(self, process: "subprocess.Popen[bytes]") -> None:
        """Wait for its end, and stop when its folder grows too large."""
        pause = LOOK_SECONDS
        while process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(pause)
            began = monotonic()
            size = measure_folder(self._folder, MOST_FILES)
            if size is None or size > self._limits.project_repository_megabytes * MEGABYTE:
                raise self._too_much("The repository is too large", "project_repository_megabytes")
            pause = max(LOOK_SECONDS, LOOKS_SHARE * (monotonic() - began))

    def _too_much(self, what: str, limit: str) -> Unreadable:
        return Unreadable(f"{what}: {self._limits.told(limit)}.", limit=limit)


def _prepare_access(authorization: str | None) -> dict[str, str]:
    """The variables by which a fetch gets in: as the person has set git up, or by a header."""
    batch = {} if os.environ.get("GIT_SSH") or os.environ.get("GIT_SSH_COMMAND") else {"GIT_SSH_COMMAND": BATCH_SSH}
    return batch | make_header(authorization)


def make_header(authorization: str | None) -> dict[str, str]:
    """The variables by which git sends a header, which no list of processes shows."""
    if authorization is None:
        return {}
    return {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader", "GIT_CONFIG_VALUE_0": authorization}
