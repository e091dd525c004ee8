"""The `git` program, held on a short lead: one protocol, one judged host, so many bytes, so much time.

What the person has set up for git stays in force: credential helpers, proxies, certificates, keys. Nothing of the
repository does: nothing is checked out, and its settings, hooks, filters and submodules are never looked at.
"""

import os
import signal
import subprocess
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.errors import Unreadable
from fieldguide.toolsets.documents.sources.addresses import opened, without_secrets
from fieldguide.toolsets.documents.sources.budget import Budget
from fieldguide.toolsets.documents.sources.networks import read_address
from fieldguide.toolsets.documents.sources.reach import PORTS, Reach
from fieldguide.toolsets.documents.sources.web_request import Target, proxy_for

LOOK_SECONDS = 0.1
TOLD_BYTES = 1 << 16
WEB_SCHEMES = ("https", "http")
KEPT = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_CONFIG_GLOBAL", "GIT_ASKPASS", "GIT_EXEC_PATH")
AUTHORITY = re.compile(r"(?P<host>[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,60}\])(?::(?P<port>[0-9]{1,5}))?")
NOT_IN_A_USER = frozenset("\\?#[]")
SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.bigFileThreshold": "16m",  # larger objects pass through git's memory piece by piece
    "fetch.recurseSubmodules": "false",
    "fetch.unpackLimit": "1",  # one pack, not a file for each object
    "fetch.uriProtocols": "",
    "transfer.bundleURI": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "http.followRedirects": "false",
    "protocol.allow": "never",
}
ENVIRONMENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"}
BATCH_SSH = "ssh -oBatchMode=yes"


class Host(NamedTuple):
    """Whom git is to connect to."""

    name: str
    port: int


class Git:
    """The program in a folder of its own; no terminal, so that it can't stop to ask anything."""

    def __init__(self, folder: str, repository: str, *, reach: Reach, budget: Budget) -> None:
        self._folder = folder
        self._repository = repository
        self._budget = budget
        scheme = repository.partition("://")[0]
        settings = {**SETTINGS, f"protocol.{scheme}.allow": "always", **_pinned(repository, reach)}
        self._settings = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        self._environment = _environment(repository, scheme)
        self.run("init", "--quiet", "--bare", "--template=")
        if scheme == "ssh" and not self._has_own_ssh():
            self._environment["GIT_SSH_COMMAND"] = BATCH_SSH

    def fetch(self, ref: str) -> None:
        """Get one commit, without history."""
        self.run("fetch", "--quiet", "--depth", "1", "--no-tags", "--", _bare(self._repository), ref)

    def run(self, *arguments: str) -> None:
        """Run a command to its end, unless its folder grows beyond the budget; Unreadable with its last words."""
        with open(os.path.join(self._folder, "told"), "w+b") as told:
            with self.started(*arguments, told=told) as process:
                while process.poll() is None:
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(LOOK_SECONDS)
                    self._budget.check_size(_folder_bytes(self._folder))
            if process.returncode:
                self._budget.seconds_left()
                shown = without_secrets(self._repository)
                raise Unreadable(f"git could not fetch {shown}: {_last_words(told)}")

    @contextmanager
    def started(
        self, *arguments: str, told: IO[bytes] | int = subprocess.DEVNULL
    ) -> "Generator[subprocess.Popen[bytes]]":
        """A command of git while the block runs; it and all that it started end with the block, or with the time."""
        seconds = self._budget.seconds_left()
        try:
            process = subprocess.Popen(
                ["git", *self._settings, *arguments],  # noqa: S607  the user's own git, wherever it is
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if told == subprocess.DEVNULL else subprocess.DEVNULL,
                stderr=told,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise Unreadable("A collection from git needs the `git` program, which is not installed.") from error
        timer = threading.Timer(seconds, _end, (process,))
        timer.daemon = True
        timer.start()
        with process:
            try:
                yield process
            finally:
                timer.cancel()
                timer.join()
                _end(process)

    def _has_own_ssh(self) -> bool:
        """Whether the person has said how git calls ssh: their way is kept, and has no terminal to ask on either."""
        if self._environment.get("GIT_SSH") or self._environment.get("GIT_SSH_COMMAND"):
            return True
        with self.started("config", "--get", "core.sshCommand") as process:
            process.communicate(timeout=self._budget.seconds_left())
        return process.returncode == 0


def checked_host(repository: str) -> Host | None:
    """The host of a repository, so plain that git can't read another one; None for a folder of this machine."""
    scheme, _, rest = repository.partition("://")
    if scheme == "file":
        return None
    user, _, authority = rest.partition("/")[0].rpartition("@")
    found = AUTHORITY.fullmatch(authority)
    name = found["host"].strip("[]") if found else ""
    is_odd = any(each in NOT_IN_A_USER or each <= " " for each in user)
    if found is None or is_odd or _may_be_misread(name):
        raise Unreadable(f"The host of {without_secrets(repository)!r} is not written in the usual way.")
    return Host(name, int(found["port"] or PORTS[scheme]))


def _may_be_misread(host: str) -> bool:
    """Whether a host looks like a flag, or like a number that is no usual address."""
    last = host.rstrip(".").rpartition(".")[2].lower()
    is_number = last.isdecimal() or last.startswith("0x")
    return host.startswith("-") or (is_number and read_address(host) is None)


def _pinned(repository: str, reach: Reach) -> dict[str, str]:
    """The settings that hold git to the addresses that were judged; a host that a person has named may be anywhere.

    ssh looks the host up again, as its own settings say; there the key of the host decides whether it is the right one.
    """
    scheme, host = repository.partition("://")[0], checked_host(_bare(repository))
    if host is None or reach.names(*host):
        return {}
    has_proxy = scheme in WEB_SCHEMES and proxy_for(Target(scheme, host.name, host.port, "/")) is not None
    addresses = reach.behind_proxy(*host) if has_proxy else reach.addresses(*host)
    if scheme not in WEB_SCHEMES or read_address(host.name) is not None or not addresses:
        return {}
    listed = ",".join(f"[{each}]" if ":" in each else each for each in addresses)
    return {"http.curloptResolve": f"{host.name}:{host.port}:{listed}"}


def _environment(repository: str, scheme: str) -> dict[str, str]:
    """Ours without what could lead git elsewhere; a user in the address becomes a header that no process list shows."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in KEPT}
    kept |= {**ENVIRONMENT, "GIT_ALLOW_PROTOCOL": scheme}
    authorization = opened(repository).authorization if repository.startswith("http") else None
    return kept | (_as_variables({"http.extraHeader": f"Authorization: {authorization}"}) if authorization else {})


def _as_variables(settings: Mapping[str, str]) -> dict[str, str]:
    named: dict[str, str] = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        named |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return named


def _bare(repository: str) -> str:
    """The address that git is given: every process of this machine can read the arguments of every other."""
    return opened(repository).address if repository.startswith("http") else without_secrets(repository)


def _folder_bytes(folder: str) -> int:
    """How large a folder is by now; what is renamed or removed meanwhile counts for nothing."""
    total, pending = 0, [folder]
    while pending:
        with suppress(OSError), os.scandir(pending.pop()) as listing:
            for entry in listing:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    with suppress(OSError):
                        total += entry.stat(follow_symlinks=False).st_size
    return total


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _last_words(told: IO[bytes]) -> str:
    told.seek(max(0, os.fstat(told.fileno()).st_size - TOLD_BYTES))
    lines = [line for line in told.read(TOLD_BYTES).decode(errors="replace").splitlines() if line.strip()]
    said = next((line for line in lines if line.startswith(("fatal: ", "error: "))), lines[-1] if lines else "")
    words = " ".join(without_secrets(word) for word in said.removeprefix("fatal: ").removeprefix("error: ").split())
    return f"{words.rstrip('.')}." if words else "it said nothing."
