"""Who may see the page for people: a link that opens once gives a browser a cookie.

The cookie opens the pages, and MCP to nobody. A browser sends it to every port of this machine, so whoever serves
another port may see it: the page shows the token only to the first request after a link.
"""

import hashlib
import secrets
import time
from collections.abc import Callable, Iterable

LINK_PARAMETER = "link"
MOST_LINKS, MOST_COOKIES = 16, 64
COOKIE_SECONDS = 12 * 3600.0
SECRET_BYTES = 32
PLACEHOLDER = "YOUR_TOKEN"


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

    def admits(self, cookies: Iterable[bytes]) -> bool:
        """Whether one of these `Cookie` headers holds a cookie that we gave."""
        return self._known(cookies) is not None

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

    def _known(self, cookies: Iterable[bytes]) -> bytes | None:
        for header in cookies:
            for pair in header.decode("latin-1").split(";"):
                name, _, value = pair.strip().partition("=")
                if name == self.cookie_name and self._is_alive(_hashed(value)):
                    return _hashed(value)
        return None

    def _is_alive(self, key: bytes) -> bool:
        until = self._cookies.get(key)
        if until is not None and until <= self._clock():
            self._forget(key)
            return False
        return until is not None

    def _forget(self, key: bytes) -> None:
        self._cookies.pop(key, None)
        self._unseen.discard(key)


def _hashed(secret: str) -> bytes:
    """What is looked up in its place: how long a look takes tells nothing about the secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
