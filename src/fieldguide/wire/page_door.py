"""The door of the page for people: links that open it once, cookies for those who came by one, and the local token.

The cookie opens the pages and never MCP. A browser sends it to every port of this machine, so a server on another port
may see it: a cookie counts only if a program of this server's own user sends it, and the page shows the token only to
the first request after a link.

The local token is kept in a folder and a file that only the user can read. Both are judged by the opened handle, never
by name, because another user may own what is there.
"""

import contextlib
import errno
import hashlib
import os
import secrets
import socket
import stat
import string
import time
from base64 import b64encode
from collections.abc import Callable, Generator, Iterable, Mapping
from urllib.parse import parse_qs

from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Scope

from fieldguide.files.file_system import PRIVATE_FILE, PRIVATE_FOLDER, find_state_root, replace_file, wait_for_file_lock
from fieldguide.text.errors import Misconfiguration

PAGE = "/"
ASK = {"www-authenticate": 'Bearer realm="fieldguide"'}
LINK_PARAMETER = "link"
MOST_LINKS = 16
MOST_COOKIES = 64
COOKIE_SECONDS = 12 * 3600.0
SECRET_BYTES = 32
PLACEHOLDER = "YOUR_TOKEN"
TABLES = {socket.AF_INET: "/proc/net/tcp", socket.AF_INET6: "/proc/net/tcp6"}
UID_FIELD = 4  # behind the two addresses
ROOT = 0  # forwards connections for others, as WSL does; and may read all files anyway
VARIABLE = "FIELDGUIDE_TOKEN"
FOLDER = "http"
FILE = "token"
FEWEST_CHARACTERS = 16
MOST_CHARACTERS = 512
RANDOM_BYTES = 32
CHARACTERS = frozenset(f"{string.ascii_letters}{string.digits}-._~+/=")  # RFC 6750; no shell and no file quotes them
CLOSED_STYLE = (
    ":root{color-scheme:light dark}body{margin:0 auto;max-width:38rem;padding:4rem 1.25rem;"
    "font:1rem/1.6 system-ui,sans-serif}h1{font-size:1.875rem;line-height:1.2}pre{white-space:pre-wrap}"
)
CLOSED_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fieldguide</title><style>{style}</style></head><body><main>
<h1>This page opens by a link</h1>
<p>Fieldguide wrote one to its terminal when it started, and writes the next one there when one was used.
Each link opens once, in one browser.</p>
<p>Have you opened a new one just now? Then load this page again. Is the server on this machine?
<code>fieldguide open</code> in the project's folder gives you a new one.</p>
<p>Where nobody sees that terminal, the server's token gets you a link:</p>
<pre>curl -X POST -H "Authorization: Bearer TOKEN" {page}link</pre>
</main></body></html>
"""
CLOSED_HASH = b64encode(hashlib.sha256(CLOSED_STYLE.encode()).digest()).decode()
PAGE_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{CLOSED_HASH}'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


class PageDoor:
    """The links that nobody has opened yet, and the cookies that those who did were given."""

    def __init__(
        self, *, page: str, token: str, tell: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.page = page
        self.token = token
        self._tell = tell
        self._clock = clock
        self._links: dict[bytes, None] = {}
        self._cookies: dict[bytes, float] = {}
        self._unseen: set[bytes] = set()
        self.cookie_name = f"fieldguide_{page.rpartition(':')[2].strip('/')}"  # browsers don't tell ports apart

    def new_link(self) -> str:
        """A link that opens the page once; the oldest of too many opens no more."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        self._links[_hashed(secret)] = None
        while len(self._links) > MOST_LINKS:
            del self._links[next(iter(self._links))]
        return f"{self.page}?{LINK_PARAMETER}={secret}"

    def open(self, secret: str) -> str | None:
        """The `Set-Cookie` for whoever opens a link, and the next link is told; None when it opens no more."""
        if self._links.pop(_hashed(secret), False) is False:
            return None
        cookie = secrets.token_urlsafe(SECRET_BYTES)
        self._cookies[_hashed(cookie)] = self._clock() + COOKIE_SECONDS
        self._unseen.add(_hashed(cookie))
        while len(self._cookies) > MOST_COOKIES:
            self._forget(next(iter(self._cookies)))
        self._tell(f"The page was opened by its link, which opens no more. The next one: {self.new_link()}")
        return f"{self.cookie_name}={cookie}; Path=/; HttpOnly; SameSite=Strict"

    def visitor(self, cookies: Iterable[bytes]) -> bytes:
        """What a browser with a cookie of ours is known by; nothing for any other."""
        return self._known(cookies) or b""

    def token_to_show(self, cookies: Iterable[bytes]) -> str:
        """The token for the first look after a link; a word in its place for every later one."""
        known = self._known(cookies)
        if known is None or known not in self._unseen:
            return PLACEHOLDER
        self._unseen.discard(known)
        return self.token

    def admits(self, scope: Scope) -> bool:
        """Whether a request has a cookie of ours, and comes from a program of the user whose server this is."""
        cookies = [value for name, value in scope["headers"] if name == b"cookie"]
        return bool(self.visitor(cookies)) and not is_from_another_user(scope)

    def answer_visitor(self, scope: Scope) -> Response | None:
        """The answer to whoever asks for the page: a link that is opened, or how to get one; None for the page."""
        links = parse_qs(scope["query_string"].decode("latin-1")).get(LINK_PARAMETER)
        cookie = self.open(links[0]) if links and scope["method"] == "GET" else None
        if cookie is not None:
            return RedirectResponse(PAGE, 303, headers={**PAGE_HEADERS, "set-cookie": cookie})
        if not self.admits(scope):
            return self.explain_link()
        return RedirectResponse(PAGE, 303, headers=PAGE_HEADERS) if links else None

    def explain_link(self) -> Response:
        """The page for those who have not opened a link."""
        shown = CLOSED_PAGE.format(page=self.page, style=CLOSED_STYLE)
        return HTMLResponse(shown, 401, headers={**PAGE_HEADERS, **ASK})

    def _known(self, cookies: Iterable[bytes]) -> bytes | None:
        for header in cookies:
            for pair in header.decode("latin-1").split(";"):
                name, _, value = pair.strip().partition("=")
                key = _hashed(value)
                until = self._cookies.get(key) if name == self.cookie_name else None
                if until is not None and until > self._clock():
                    return key
                if until is not None:
                    self._forget(key)
        return None

    def _forget(self, key: bytes) -> None:
        self._cookies.pop(key, None)
        self._unseen.discard(key)


def _hashed(secret: str) -> bytes:
    """What is looked up in its place: how long a look takes tells nothing about the secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()


def is_from_another_user(scope: Scope) -> bool:
    """Whether a request comes from a program of another user; where nobody tells, it does not."""
    client = scope.get("client")
    server = scope.get("server")
    if not client or not server or not server[1]:
        return False
    return find_socket_owner(client, server) not in (None, ROOT, os.geteuid())


def find_socket_owner(client: tuple[str, int], server: tuple[str, int]) -> int | None:
    """The user whose socket talks to ours; None where the system does not say."""
    family = socket.AF_INET6 if ":" in client[0] else socket.AF_INET
    try:
        with open(TABLES[family], encoding="ascii") as table:
            text = table.read()
        pair = f": {_written(family, client)} {_written(family, server)} "
    except OSError:
        return None
    fields = text.partition(pair)[2].partition("\n")[0].split()
    return int(fields[UID_FIELD]) if len(fields) > UID_FIELD and fields[UID_FIELD].isdecimal() else None


def _written(family: socket.AddressFamily, address: tuple[str, int]) -> str:
    """An address as the table writes it: words of four bytes, each backwards, and the port."""
    packed = socket.inet_pton(family, address[0])
    words = (packed[at : at + 4][::-1].hex().upper() for at in range(0, len(packed), 4))
    return f"{''.join(words)}:{address[1]:04X}"


def read_local_token(environment: Mapping[str, str]) -> str:
    """The token that this environment names, or else the one that is kept; the first start makes it."""
    named = environment.get(VARIABLE)
    if named:  # a client's settings may hold an empty one where nothing was filled in
        return _checked(named, f"The token in {VARIABLE}")
    folder = os.path.join(find_state_root(environment), FOLDER)
    try:
        with _own_folder(folder) as handle:
            wait_for_file_lock(handle)  # two servers that start at once keep one token
            kept = _kept(handle, folder)
            return _make(handle) if kept is None else kept
    except OSError as error:
        raise Misconfiguration(
            f"The token can't be kept in {folder}: {error.strerror or error}. Set {VARIABLE}, or name another folder "
            "by FIELDGUIDE_STATE."
        ) from error


def describe_token_place(environment: Mapping[str, str]) -> str:
    """Where a person finds the token again, in words."""
    if environment.get(VARIABLE):
        return f"the server's environment, as {VARIABLE}"
    return f"the file {os.path.join(find_state_root(environment), FOLDER, FILE)}"


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
    with replace_file(FILE, PRIVATE_FILE, folder=folder) as file:
        file.write(f"{token}\n".encode("ascii"))
        file.flush()
        os.fsync(file.fileno())
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
