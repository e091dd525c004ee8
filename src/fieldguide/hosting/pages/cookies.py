"""The cookie of somebody who is signed in: their token, sealed so that only a replica of this service can read it.

The token is verified again for each page, so a cookie ends with its token, wherever that was revoked.
"""

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable
from time import time

NAME, SECURE_NAME = "fieldguide_page", "__Host-fieldguide_page"
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
