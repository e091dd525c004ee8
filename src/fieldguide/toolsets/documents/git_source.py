"""Collections from git: the `git` program fetches one commit, without history, and its files are read from there.

Nothing is checked out. So no hook, filter or link of the repository can do anything, and nothing of it stays on disk.
"""

import os
import signal
import subprocess
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from fieldguide.errors import Unreadable
from fieldguide.toolsets.documents.addresses import opened, without_secrets
from fieldguide.toolsets.documents.contents import contents_snapshot
from fieldguide.toolsets.documents.locations import GitLocation
from fieldguide.toolsets.documents.snapshot import LARGEST_DOCUMENT_BYTES, Snapshot
from fieldguide.toolsets.documents.web_source import WebSource

FETCH_SECONDS = 300.0
REGULAR_FILES = (b"100644", b"100755")
ALLOWED = "file:http:https:ssh"
KEPT = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_CONFIG_GLOBAL", "GIT_ASKPASS", "GIT_EXEC_PATH")
SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "fetch.recurseSubmodules=false")
DIGITS = frozenset("0123456789abcdef")


def git_snapshot(location: GitLocation, hold: Callable[[Snapshot], Snapshot]) -> Snapshot:
    """What the repository holds at the ref, all of it read before the fetched commit is thrown away."""
    fetch = WebSource(location.repository).fetch
    with TemporaryDirectory(prefix="fieldguide-git-") as folder:
        git = Git(folder, location.repository)
        git.fetch(location.ref)
        with git.started("cat-file", "--batch") as reader:
            files = CommitFiles(git.run("ls-tree", "-r", "-l", "-z", "--full-tree", "FETCH_HEAD"), reader)
            return hold(contents_snapshot(files, manifest=location.manifest, fetch=fetch))


class Git:
    """The `git` program in a folder of its own; no terminal, so that it can't stop to ask anything."""

    def __init__(self, folder: str, repository: str) -> None:
        self._folder = folder
        self._repository = repository
        self._environment = _environment(repository)
        self.run("init", "--quiet", "--bare")

    def fetch(self, ref: str | None) -> None:
        """Get one commit; a failure says which, and never the password in its address."""
        try:
            self.run("fetch", "--quiet", "--depth", "1", "--no-tags", "--", _bare(self._repository), ref or "HEAD")
        except Unreadable as error:
            is_short = ref is not None and len(ref) < 40 and DIGITS.issuperset(ref)
            hint = " A commit needs its whole id of 40 digits." if is_short else ""
            raise Unreadable(f"{error.message}{hint}") from error

    def run(self, *arguments: str) -> bytes:
        """What a command of git prints; Unreadable with its last words when it fails."""
        with self.started(*arguments) as process:
            try:
                output, errors = process.communicate(timeout=FETCH_SECONDS)
            except subprocess.TimeoutExpired as error:
                raise Unreadable(f"git took too long to fetch {without_secrets(self._repository)}.") from error
        if process.returncode:
            raise Unreadable(f"git could not fetch {without_secrets(self._repository)}: {_last_words(errors)}")
        return output

    @contextmanager
    def started(self, *arguments: str) -> "Generator[subprocess.Popen[bytes]]":
        """A command of git while the block runs; whatever it had started ends with the block."""
        try:
            process = subprocess.Popen(
                ["git", *SAFE, *arguments],  # noqa: S607  the user's own git, wherever it is
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise Unreadable("A collection from git needs the `git` program, which is not installed.") from error
        with process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)


class CommitFiles:
    """The regular files of the commit that was fetched; links, submodules and what is too large are passed over."""

    def __init__(self, tree: bytes, reader: "subprocess.Popen[bytes]") -> None:
        self._objects = dict(_listed(tree))
        self._reader = reader

    @property
    def names(self) -> Collection[str]:
        """Every path."""
        return self._objects.keys()

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, as they were committed."""
        asked, answers = self._reader.stdin, self._reader.stdout
        if name not in self._objects or asked is None or answers is None:
            return None
        asked.write(self._objects[name] + b"\n")
        asked.flush()
        size = int(answers.readline().split()[2])
        return answers.read(size + 1)[:size]


def _listed(tree: bytes) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for line in tree.split(b"\0"):
        about, _, path = line.partition(b"\t")
        words = about.split()
        if len(words) == 4 and words[0] in REGULAR_FILES and int(words[3]) <= LARGEST_DOCUMENT_BYTES:
            found.append((path.decode(errors="replace"), words[2]))
    return found


def _environment(repository: str) -> dict[str, str]:
    """Ours without what could lead git elsewhere; a user in the address becomes a header that no process list shows."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in KEPT}
    kept |= {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": ALLOWED, "LC_ALL": "C"}
    authorization = opened(repository).authorization if repository.startswith("http") else None
    if authorization is None:
        return kept
    settings = {"http.extraHeader": f"Authorization: {authorization}", "http.followRedirects": "false"}
    for number, (key, value) in enumerate(settings.items()):
        kept |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return {**kept, "GIT_CONFIG_COUNT": str(len(settings))}


def _bare(repository: str) -> str:
    """The address that git is given: every process of this machine can read the arguments of every other."""
    return opened(repository).address if repository.startswith("http") else without_secrets(repository)


def _last_words(errors: bytes) -> str:
    lines = [line for line in errors.decode(errors="replace").splitlines() if line.strip()]
    said = next((line for line in lines if line.startswith(("fatal: ", "error: "))), lines[-1] if lines else "")
    words = " ".join(without_secrets(word) for word in said.removeprefix("fatal: ").removeprefix("error: ").split())
    return f"{words.rstrip('.')}." if words else "it said nothing."
