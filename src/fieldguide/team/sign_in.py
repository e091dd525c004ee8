"""Signs people in to the pages: tokens, sealed cookies, and a limit on failed attempts.

The token is verified again for each page, so a cookie ends with its token, wherever that was revoked.
"""

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Callable, Collection, Iterable
from time import monotonic, time

from fieldguide.settings.access import READ, Principal
from fieldguide.storage.database import Database
from fieldguide.wire.authentication import BearerVerifier, VerifiedToken

MOST_FAILURES = 10
MOST_FAILURES_OF_ALL = 300
WINDOW_SECONDS = 60.0
MOST_CLIENTS = 10_000
EVERYBODY = ""


class SignInAttempts:
    """The failures of the last minute, of each address and of all together."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._failures: dict[str, deque[float]] = {}

    def may_try(self, client: str) -> bool:
        """Whether this address has not failed too often, nor all of them together."""
        return self._recent(client) < MOST_FAILURES and self._recent(EVERYBODY) < MOST_FAILURES_OF_ALL

    def failed(self, client: str) -> None:
        """Count a failure; the address that was counted first is forgotten where there are too many."""
        for each in (client, EVERYBODY):
            self._failures.setdefault(each, deque(maxlen=MOST_FAILURES_OF_ALL)).append(self._clock())
        while len(self._failures) > MOST_CLIENTS:
            del self._failures[next(each for each in self._failures if each != EVERYBODY)]

    def _recent(self, client: str) -> int:
        times = self._failures.get(client)
        if times is None:
            return 0
        while times and times[0] <= self._clock() - WINDOW_SECONDS:
            times.popleft()
        if not times:
            del self._failures[client]
        return len(times)


NAME = "fieldguide_page"
SECURE_NAME = "__Host-fieldguide_page"
LIFE_SECONDS = 12 * 3600
NONCE_BYTES = 12
MOST_TOKEN_BYTES = 2_700
"""A browser keeps cookies of up to 4,096 bytes."""
PURPOSE = b"fieldguide: who is signed in at the pages of a service"


class PageCookies:
    """Gives and reads the cookies of one service, by a key that all of its replicas have."""

    def __init__(self, key: bytes, *, is_secure: bool, clock: Callable[[], float] = time) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._seal = AESGCM(hmac.digest(key, PURPOSE, "sha256"))
        self._clock = clock
        self._name = SECURE_NAME if is_secure else NAME
        self._flags = f"Path=/; HttpOnly; SameSite=Strict{'; Secure' if is_secure else ''}"

    def given(self, token: str) -> str:
        """The `Set-Cookie` for whoever has shown this token."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        said = f"{int(self._clock()) + LIFE_SECONDS} {token}".encode()
        value = urlsafe_b64encode(nonce + self._seal.encrypt(nonce, said, PURPOSE)).decode().rstrip("=")
        return f"{self._name}={value}; Max-Age={LIFE_SECONDS}; {self._flags}"

    def taken(self) -> str:
        """The `Set-Cookie` that ends it."""
        return f"{self._name}=; Max-Age=0; {self._flags}"

    def token(self, cookies: Iterable[bytes]) -> str | None:
        """The token in these `Cookie` headers; None where no cookie of ours is alive."""
        values = [value for name, value in _pairs(cookies) if name == self._name]
        return self._opened(values[0]) if len(values) == 1 else None

    def _opened(self, value: str) -> str | None:
        from cryptography.exceptions import InvalidTag

        try:
            sealed = urlsafe_b64decode(value + "=" * (-len(value) % 4))
            said = self._seal.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], PURPOSE).decode()
        except (InvalidTag, ValueError):
            return None
        until, _, token = said.partition(" ")
        return token if int(until) > self._clock() else None


def _pairs(cookies: Iterable[bytes]) -> Iterable[tuple[str, str]]:
    for header in cookies:
        for pair in header.decode("latin-1").split(";"):
            name, _, value = pair.strip().partition("=")
            yield name, value


class SignIn:
    """Tells who may sign in; `audiences` are those that a token may be meant for, where it says."""

    def __init__(self, verifier: BearerVerifier, audiences: Collection[str], clock: Callable[[], float] = time) -> None:
        self._verifier = verifier
        self._audiences = frozenset(audiences)
        self._clock = clock

    async def principal(self, token: str) -> Principal | None:
        """Who shows this token; None where it is not good, or not for reading, or not for this service."""
        if not token.isascii() or not token.isprintable() or not 0 < len(token) <= MOST_TOKEN_BYTES:
            return None
        found = await self._verifier.verify_token(token)
        if found is None or not found.subject or not self._holds(found):
            return None
        issuer = str((found.claims or {}).get("iss") or "")
        return Principal(found.subject, frozenset(found.scopes), issuer, found.expires_at, found.client_id)

    def _holds(self, found: VerifiedToken) -> bool:
        """Whether a token that was verified is for reading, for us, and not over."""
        audiences: list[str] | None = (found.claims or {}).get("aud")
        is_ours = audiences is None or not self._audiences.isdisjoint(audiences)
        is_over = found.expires_at is not None and found.expires_at <= self._clock()
        return READ in found.scopes and is_ours and not is_over


KEY_BYTES = 32
READ_KEY = "SELECT secret FROM page_key WHERE one = 1"
MAKE = "INSERT INTO page_key (one, secret) VALUES (1, :secret) ON CONFLICT (one) DO NOTHING"


def read_page_key(database: Database) -> bytes:
    """The key; of several replicas that make one at once, the first counts for all."""
    with database.reading() as transaction:
        row = transaction.fetch_one(READ_KEY, {})
    if row is None:
        with database.writing() as transaction:
            transaction.execute(MAKE, {"secret": secrets.token_hex(KEY_BYTES)})
            row = transaction.fetch_one(READ_KEY, {})
    return bytes.fromhex(str(row["secret"])) if row is not None else b""
