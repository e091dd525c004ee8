"""The token that HTTP clients show: `FIELDGUIDE_TOKEN`, else a random one that is kept for the next start.

It is kept below the person's state folder, in a folder and a file that nobody else can read. Both are judged by the
handle that was opened, never by their name: another user may own what lies there.
"""

import contextlib
import errno
import os
import secrets
import stat
import string
from collections.abc import Generator, Mapping

from fieldguide.errors import Misconfiguration
from fieldguide.places import PRIVATE_FILE, PRIVATE_FOLDER, state_root
from fieldguide.platform_files import lock

VARIABLE = "FIELDGUIDE_TOKEN"
FOLDER, FILE = "http", "token"
FEWEST_CHARACTERS, MOST_CHARACTERS = 16, 512
RANDOM_BYTES = 32
CHARACTERS = frozenset(f"{string.ascii_letters}{string.digits}-._~+/=")  # RFC 6750; no shell and no file quotes them


def read_token(environment: Mapping[str, str]) -> str:
    """The token that this environment names, or else the one that is kept; the first start makes it."""
    named = environment.get(VARIABLE)
    if named:  # a client's settings may hold an empty one where nothing was filled in
        return _checked(named, f"The token in {VARIABLE}")
    folder = os.path.join(state_root(environment), FOLDER)
    try:
        with _own_folder(folder) as handle:
            lock(handle)  # two servers that start at once keep one token
            kept = _kept(handle, folder)
            return _make(handle) if kept is None else kept
    except OSError as error:
        raise Misconfiguration(
            f"The token can't be kept in {folder}: {error.strerror or error}. Set {VARIABLE}, or name another folder "
            "by FIELDGUIDE_STATE."
        ) from error


def token_place(environment: Mapping[str, str]) -> str:
    """Where a person finds the token again, in words."""
    if environment.get(VARIABLE):
        return f"the server's environment, as {VARIABLE}"
    return f"the file {os.path.join(state_root(environment), FOLDER, FILE)}"


@contextlib.contextmanager
def _own_folder(path: str) -> Generator[int]:
    """A handle of the folder, made if need be, that is ours alone."""
    os.makedirs(os.path.dirname(path), PRIVATE_FOLDER, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, PRIVATE_FOLDER)
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP):
            raise
        raise Misconfiguration(f"{path} is not a folder of its own. Remove it; the token is kept there.") from error
    try:
        _require_own(os.fstat(handle), path, "chmod 700")
        yield handle
    finally:
        os.close(handle)


def _kept(folder: int, shown: str) -> str | None:
    path = os.path.join(shown, FILE)
    try:
        handle = os.open(FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Misconfiguration(
            f"{path} can't be read: {error.strerror or error}. Remove it; a new one is made."
        ) from error
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise Misconfiguration(f"{path} is not a plain file. Remove it; a new one is made.")
        _require_own(found, path, "chmod 600")
        text = os.read(handle, MOST_CHARACTERS + 2).decode("latin-1")
    finally:
        os.close(handle)
    return _checked(text.strip(), f"The token in {path}")


def _make(folder: int) -> str:
    token = secrets.token_urlsafe(RANDOM_BYTES)
    written = f"{FILE}.{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(written, flags, PRIVATE_FILE, dir_fd=folder), "w", encoding="ascii") as file:
        file.write(f"{token}\n")
        file.flush()
        os.fsync(file.fileno())
    os.rename(written, FILE, src_dir_fd=folder, dst_dir_fd=folder)
    return token


def _require_own(found: os.stat_result, path: str, mend: str) -> None:
    if found.st_uid != os.geteuid():
        raise Misconfiguration(f"{path} belongs to another user, so no token is read from it. Remove it, or set one.")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise Misconfiguration(f"{path} is open to other users, so its token is no secret. Remove it, or `{mend}` it.")


def _checked(token: str, where: str) -> str:
    if len(token) < FEWEST_CHARACTERS:
        raise Misconfiguration(f"{where} has fewer than {FEWEST_CHARACTERS} characters, which can be guessed.")
    if len(token) > MOST_CHARACTERS or not set(token) <= CHARACTERS:
        raise Misconfiguration(
            f"{where} must be at most {MOST_CHARACTERS} letters, digits and `-._~+/=`, as a bearer token is written."
        )
    return token
