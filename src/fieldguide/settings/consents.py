"""What a project may do with the person's consent, and what a caller of a service may do.

A project's own file may describe the project. A database to send notes to, a user to act as, a folder outside or an
address to read are powers: each is an `Ask`, which has no effect until the person allows it. A consent holds for
exactly the text that was shown.

A `Principal` is a user of a service as its token shows; `Access` are their rights in one project.
"""

import json
import os
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar, cast

from fieldguide.files.confined_folder import replace_file
from fieldguide.settings.folders import PRIVATE_FILE, PRIVATE_FOLDER, find_config_folder
from fieldguide.text.errors import Misconfiguration

FILE_NAME = "consents.json"
MOST_BYTES = 4 << 20
LONGEST_SHOWN = 200
TRUST = "`fieldguide trust` shows what it asks for, and allows it."
READ = "read"
WRITE = "write"
METRICS = "metrics"
SCOPES = (READ, WRITE)
"""What MCP clients ask for; `metrics` is for monitors alone."""
NOTHING: frozenset[str] = frozenset()

T = TypeVar("T")

ACTING_USER: ContextVar[str | None] = ContextVar("acting_user", default=None)
"""The user for whom this thread works now; a database with row policies needs it."""
ACTING_ACCESS: ContextVar["Access | None"] = ContextVar("acting_access", default=None)
"""Their rights: a toolset that looks for tools of another finds only those that its caller may use."""


class Ask(NamedTuple):
    """One power that a project asks for: which, its whole value, how that may be shown, and the file that asks."""

    what: str
    value: str
    shown: str
    where: str

    @property
    def digest(self) -> str:
        """What a consent is bound to."""
        import hashlib  # only where a project asks for something

        return hashlib.sha256(f"{self.what}\0{self.value}".encode(errors="surrogatepass")).hexdigest()

    def sentence(self) -> str:
        """The ask for people."""
        value = self.shown if len(self.shown) <= LONGEST_SHOWN else f"{self.shown[:LONGEST_SHOWN]}…"
        return f"{self.where} asks for {self.what} = {value}"


class Consents:
    """What the person has allowed to one project folder."""

    def __init__(self, project: str, environment: Mapping[str, str] = os.environ) -> None:
        self._project = os.path.realpath(project)
        self._path = os.path.join(find_config_folder(environment), FILE_NAME)

    @property
    def path(self) -> str:
        """The file that keeps the consents to all projects."""
        return self._path

    def allowed(self, asks: Iterable[Ask]) -> set[Ask]:
        """Those of these asks that the person has allowed."""
        asks = tuple(asks)
        if not asks:
            return set()
        consents = self._entries()
        return {ask for ask in asks if ask.digest in consents}

    def allow(self, asks: Iterable[Ask]) -> None:
        """Remember that the person allows these asks, from now on."""
        from datetime import UTC, datetime

        now = datetime.now(UTC).isoformat(timespec="seconds")
        new = {ask.digest: {"what": ask.what, "shown": ask.shown, "where": ask.where, "at": now} for ask in asks}
        self._write({**self._entries(), **new})

    def revoke(self, asks: Iterable[Ask] | None = None) -> int:
        """Take consent back: for these asks, or for all that was ever allowed to this folder; how many there were."""
        before = self._entries()
        gone = set(before) if asks is None else {ask.digest for ask in asks} & set(before)
        if gone:
            self._write({digest: entry for digest, entry in before.items() if digest not in gone})
        return len(gone)

    def _entries(self) -> dict[str, Any]:
        entries = self._read().get(self._project, {})
        return cast("dict[str, Any]", entries) if isinstance(entries, dict) else {}

    def _read(self) -> dict[str, Any]:
        try:
            with open(self._path, "rb") as file:
                value = json.loads(file.read(MOST_BYTES))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise Misconfiguration(
                f"Your consents in {self._path} can't be read ({type(error).__name__}): mend or remove that file."
            ) from error
        return cast("dict[str, Any]", value) if isinstance(value, dict) else {}

    def _write(self, entries: Mapping[str, Any]) -> None:
        folder = os.path.dirname(self._path)
        os.makedirs(folder, mode=PRIVATE_FOLDER, exist_ok=True)
        others = {project: kept for project, kept in self._read().items() if project != self._project}
        content = {**others, self._project: dict(entries)} if entries else others
        with replace_file(self._path, PRIVATE_FILE) as file:
            file.write(json.dumps(content, indent=2).encode())
            file.flush()
            os.fsync(file.fileno())


class Access(NamedTuple):
    """The rights of one principal in one project: the toolsets that it may read, and those that it may change.

    None stands for all of them. A call without an Access comes from the person's own machine and may do anything.
    """

    user: str
    readable: frozenset[str] | None = None
    writable: frozenset[str] | None = None

    def allows(self, toolset: str, *, writes: bool = False) -> bool:
        """Whether this toolset may be read, and changed where that is asked."""
        may_read = self.readable is None or toolset in self.readable
        return may_read and (not writes or self.writable is None or toolset in self.writable)


@contextmanager
def acting_as(user: str | None, access: Access | None = None) -> Generator[None]:
    """Work for this user with these rights while the block runs, on this thread."""
    token = ACTING_USER.set(user)
    rights = ACTING_ACCESS.set(access)
    try:
        yield
    finally:
        ACTING_USER.reset(token)
        ACTING_ACCESS.reset(rights)


def bind_caller(user: str | None, function: Callable[[], T], access: Access | None = None) -> Callable[[], T]:
    """The same function, known to work for this user with these rights while it runs, on whichever thread that is."""

    def run() -> T:
        with acting_as(user, access):
            return function()

    return run


def is_allowed(access: Access | None, toolset: str, *, writes: bool = False) -> bool:
    """The same for a caller that may have no Access, and then may do anything."""
    return access is None or access.allows(toolset, writes=writes)


class Principal(NamedTuple):
    """One user, as an issuer of tokens vouches for them.

    `expires_at` is when the token ends, in seconds since 1970; None: never. `token` names the token, and is not it.
    """

    user: str
    scopes: frozenset[str]
    issuer: str
    expires_at: float | None = None
    token: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What a session, a stream or a count belongs to: the user of this issuer, whichever token they show."""
        return (self.issuer, self.user)

    def limited(self, access: Access) -> Access:
        """What is left of some rights with the scopes of this token."""
        readable = access.readable if READ in self.scopes else NOTHING
        return Access(self.user, readable, access.writable if WRITE in self.scopes else NOTHING)


async def grant_whole_project(principal: Principal, project: str) -> Access | None:
    """The lookup of a service with one project: whoever has a token may do what its scopes say."""
    return Access(principal.user)
