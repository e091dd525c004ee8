"""Fetches a collection that a person asked for, from the web or with a guarded `git`.

What the person has set up for git stays in force: credential helpers, proxies, certificates, keys. Nothing of the
repository does: nothing is checked out, and its settings, hooks, filters and submodules are never looked at.

Nothing is checked out. So no hook, filter or link of the repository can do anything, and nothing of it stays on disk.
"""

import os
import subprocess
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, NamedTuple
from urllib.parse import urlsplit

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.git.fetch import BATCH_SSH, make_header
from fieldguide.git.program import GitReach, measure_folder, read_last_words, start_git
from fieldguide.search.backlog import SourceFile
from fieldguide.spine.toolset import Progress
from fieldguide.text import regex as re
from fieldguide.text.errors import Unreadable
from fieldguide.toolsets.documents.collections import (
    GIT,
    WEB,
    DocumentCollection,
    GitLocation,
    is_remote,
    parse_git,
    take_local_snapshot,
)
from fieldguide.toolsets.documents.fetch_policy import (
    PORTS,
    FetchBudget,
    HostPolicy,
    NamedHost,
    hide_secrets,
    is_public,
    read_address,
    read_network,
    split_credentials,
)
from fieldguide.toolsets.documents.snapshot import (
    LARGEST_DOCUMENT_BYTES,
    Snapshot,
    is_no_document,
    take_contents_snapshot,
)
from fieldguide.toolsets.documents.web_source import RequestTarget, WebSource, find_proxy

LOOK_SECONDS = 0.1
WEB_SCHEMES = ("https", "http")
AUTHORITY = re.compile(r"(?P<host>[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,60}\])(?::(?P<port>[0-9]{1,5}))?")
NOT_IN_A_USER = frozenset("\\?#[]")


class FetchingGit:
    """The program in a folder of its own; no terminal, so that it can't stop to ask anything."""

    def __init__(self, folder: str, repository: str, *, reach: HostPolicy, budget: FetchBudget) -> None:
        self._folder = folder
        self._repository = repository
        self._budget = budget
        scheme = repository.partition("://")[0]
        header = _make_header(repository)
        self._reach = GitReach("A collection from git", scheme, _pinned(repository, reach), header)
        self.run("init", "--quiet", "--bare", "--template=")
        if scheme == "ssh" and not self._has_own_ssh():
            self._reach = self._reach._replace(variables={**header, "GIT_SSH_COMMAND": BATCH_SSH})

    def fetch(self, ref: str) -> None:
        """Get one commit, without history."""
        self.run("fetch", "--quiet", "--depth", "1", "--no-tags", "--", _bare(self._repository), ref)

    def run(self, *arguments: str) -> None:
        """Run a command to its end, unless its folder grows beyond the budget; Unreadable with its last words."""
        with open(os.path.join(self._folder, "told"), "w+b") as told:
            with self.started(*arguments, output=subprocess.DEVNULL, told=told) as process:
                while process.poll() is None:
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(LOOK_SECONDS)
                    self._budget.check_size(measure_folder(self._folder) or 0)
            if process.returncode:
                self._budget.seconds_left()
                shown = hide_secrets(self._repository)
                raise Unreadable(f"git could not fetch {shown}: {read_last_words(told, hide_secrets)}")

    def started(
        self, *arguments: str, output: int = subprocess.PIPE, told: IO[bytes] | int = subprocess.DEVNULL
    ) -> "AbstractContextManager[subprocess.Popen[bytes]]":
        """A command of git while the block runs, within the time that is left."""
        seconds = self._budget.seconds_left()
        return start_git(arguments, self._folder, seconds, reach=self._reach, output=output, errors=told)

    def _has_own_ssh(self) -> bool:
        """Whether the person has said how git calls ssh: their way is kept, and has no terminal to ask on either."""
        if os.environ.get("GIT_SSH") or os.environ.get("GIT_SSH_COMMAND"):
            return True
        with self.started("config", "--get", "core.sshCommand") as process:
            process.communicate(timeout=self._budget.seconds_left())
        return process.returncode == 0


def check_host(repository: str) -> tuple[str, int] | None:
    """Host and port of a repository, so plain that git can't read another host; None for a folder of this machine."""
    scheme, _, rest = repository.partition("://")
    if scheme == "file":
        return None
    user, _, authority = rest.partition("/")[0].rpartition("@")
    found = AUTHORITY.fullmatch(authority)
    name = found["host"].strip("[]") if found else ""
    is_odd = any(each in NOT_IN_A_USER or each <= " " for each in user)
    if found is None or is_odd or _may_be_misread(name):
        raise Unreadable(f"The host of {hide_secrets(repository)!r} is not written in the usual way.")
    return name, int(found["port"] or PORTS[scheme])


def _may_be_misread(host: str) -> bool:
    """Whether a host looks like a flag, or like a number that is no usual address."""
    last = host.rstrip(".").rpartition(".")[2].lower()
    is_number = last.isdecimal() or last.startswith("0x")
    return host.startswith("-") or (is_number and read_address(host) is None)


def _pinned(repository: str, reach: HostPolicy) -> dict[str, str]:
    """The settings that hold git to the addresses that were judged; a host that a person has named may be anywhere.

    ssh looks the host up again, as its own settings say; there the key of the host decides whether it is the right one.
    """
    scheme = repository.partition("://")[0]
    host = check_host(_bare(repository))
    if host is None or reach.names(*host):
        return {}
    name, port = host
    has_proxy = scheme in WEB_SCHEMES and find_proxy(RequestTarget(scheme, name, port, "/")) is not None
    addresses = reach.behind_proxy(name, port) if has_proxy else reach.addresses(name, port)
    if scheme not in WEB_SCHEMES or read_address(name) is not None or not addresses:
        return {}
    listed = ",".join(f"[{each}]" if ":" in each else each for each in addresses)
    return {"http.curloptResolve": f"{name}:{port}:{listed}"}


def _make_header(repository: str) -> dict[str, str]:
    """A user in the address becomes a header that no list of processes shows."""
    authorization = split_credentials(repository).authorization if repository.startswith("http") else None
    return make_header(f"Authorization: {authorization}" if authorization else None)


def _bare(repository: str) -> str:
    """The address that git is given: every process of this machine can read the arguments of every other."""
    return split_credentials(repository).address if repository.startswith("http") else hide_secrets(repository)


REGULAR_FILES = (b"100644", b"100755")
DIGITS = frozenset("0123456789abcdef")
MOST_LISTED = 1_000_000  # a few small trees can hold each other so often that they list more files than there are atoms
MOST_LISTED_BYTES = 256 << 20
PIECE_BYTES = 1 << 16


def fetch_git_snapshot(
    location: GitLocation, hold: Callable[[Snapshot], Snapshot], *, reach: HostPolicy, budget: FetchBudget
) -> Snapshot:
    """What the repository holds at the ref, all of it read before the fetched commit is thrown away."""
    fetch = WebSource(location.repository, reach=reach, budget=budget).fetch
    with TemporaryDirectory(prefix="fieldguide-git-") as folder:
        git = FetchingGit(folder, location.repository, reach=reach, budget=budget)
        _fetch(git, location.ref)
        with git.started("ls-tree", "-r", "-l", "-z", "--full-tree", "FETCH_HEAD") as lister:
            objects = dict(_listed(_piped(lister.stdout)))
            budget.seconds_left()
        with git.started("cat-file", "--batch") as reader:
            files = CommitFiles(objects, reader, budget)
            return hold(take_contents_snapshot(objects, files.read, manifest=location.manifest, fetch=fetch))


class CommitFiles:
    """The regular files of the commit that was fetched; links, submodules and what is too large are passed over."""

    def __init__(self, objects: dict[str, bytes], reader: "subprocess.Popen[bytes]", budget: FetchBudget) -> None:
        self._objects = objects
        self._asked = _piped(reader.stdin)
        self._answers = _piped(reader.stdout)
        self._budget = budget

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, as they were committed."""
        if name not in self._objects:
            return None
        try:
            self._asked.write(self._objects[name] + b"\n")
            self._asked.flush()
            size = int(self._answers.readline().split()[2])
            content = self._answers.read(size + 1)
        except (OSError, IndexError, ValueError):
            content = b""
            size = 0
        if len(content) != size + 1:
            self._budget.seconds_left()
            raise Unreadable(f"git could not read {name!r}.")
        return content[:size]


def _fetch(git: FetchingGit, ref: str | None) -> None:
    try:
        git.fetch(ref or "HEAD")
    except Unreadable as error:
        if "limit" in error.details:
            raise
        is_short = ref is not None and len(ref) < 40 and DIGITS.issuperset(ref)
        hint = " A commit needs its whole id of 40 digits." if is_short else ""
        has_moved = "returned error: 30" in error.message
        hint += " It has moved: name the address that it has now." if has_moved else ""
        raise Unreadable(f"{error.message}{hint}") from error


def _listed(listing: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    for number, line in enumerate(_lines(listing)):
        if number >= MOST_LISTED:
            raise Unreadable(f"The repository has more than {MOST_LISTED} files.")
        about, _, path = line.partition(b"\t")
        words = about.split()
        if len(words) == 4 and words[0] in REGULAR_FILES and int(words[3]) <= LARGEST_DOCUMENT_BYTES:
            yield path.decode(errors="replace"), words[2]


def _lines(listing: IO[bytes]) -> Iterator[bytes]:
    """What stands between zero bytes, as it comes."""
    rest = b""
    size = 0
    while piece := listing.read(PIECE_BYTES):
        size += len(piece)
        if size > MOST_LISTED_BYTES:
            raise Unreadable("The repository has more names than can be listed.")
        *lines, rest = (rest + piece).split(b"\0")
        yield from lines


def _piped(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise Unreadable("git can't be talked to.")
    return pipe


Spool = Callable[[bytes], Callable[[], bytes]]


@contextmanager
def open_spool() -> Generator[Spool]:
    """Puts contents one after another into a file that is gone when the block ends, and gives them again."""
    with TemporaryFile(prefix="fieldguide-") as file:

        def read(start: int, size: int) -> bytes:
            file.seek(start)
            return file.read(size)

        def put(content: bytes) -> Callable[[], bytes]:
            start = file.seek(0, os.SEEK_END)
            file.write(content)
            return partial(read, start, len(content))

        yield put


class FetchPermission(NamedTuple):
    """What one fetch of one collection may do: whom it may reach, and how much it may take."""

    reach: HostPolicy
    budget: FetchBudget


def fetch_snapshot(
    collection: DocumentCollection,
    progress: Progress,
    fetching: FetchPermission,
    *,
    spool: Spool,
    may_fetch: bool,
    project: ConfinedFolder | None = None,
) -> Snapshot:
    """What a collection holds, with everything fetched that must be; an error means that nothing is known anew.

    `may_fetch` is false for addresses in the project's own files that the person has not allowed.
    """
    hold = partial(read_ahead, name=f"fetching {collection.id}", progress=progress, budget=fetching.budget, spool=spool)
    if collection.source.startswith(GIT):
        return fetch_git_snapshot(parse_git(collection.source), hold, reach=fetching.reach, budget=fetching.budget)
    web = WebSource(collection.source, reach=fetching.reach, budget=fetching.budget)
    if is_remote(collection.source):
        return hold(web.snapshot())
    return hold(take_local_snapshot(collection, web.fetch if may_fetch else None, project=project))


def read_ahead(snapshot: Snapshot, *, name: str, progress: Progress, budget: FetchBudget, spool: Spool) -> Snapshot:
    """A snapshot that is here where it would have to be fetched: whatever can fail has then happened."""
    budget.check_files(len(snapshot.entries))
    entries: list[SourceFile] = []
    for number, entry in enumerate(snapshot.entries, start=1):
        budget.seconds_left()
        if entry.stamp or not is_no_document(entry):
            entries.append(entry if entry.stamp else _held(entry, budget, spool))
        progress(number, len(snapshot.entries), name)
    return snapshot._replace(entries=entries)


def read_typed_host(source: str) -> NamedHost | None:
    """Whom a person names by typing a source: an address in numbers or `localhost`, at its port.

    The name of a host says nothing of where it is: its owner may let it lead into the network of whoever asks.
    """
    try:
        address = parse_git(source).repository if source.startswith(GIT) else source
        parts = urlsplit(split_credentials(address).address)
        port = parts.port or PORTS.get(parts.scheme)
    except (ValueError, Unreadable):
        return None
    host = parts.hostname or ""
    if port is None or not source.startswith((GIT, *WEB)):
        return None
    if host == "localhost":
        return NamedHost(host, None, port)
    literal = read_address(host)
    return None if literal is None or is_public(literal) else NamedHost(None, read_network(str(literal)), port)


def _held(entry: SourceFile, budget: FetchBudget, spool: Spool) -> SourceFile:
    content = entry.read()
    budget.hold(len(content or b""))
    return entry._replace(stamp="", read=(lambda: None) if content is None else spool(content))
