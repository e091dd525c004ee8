"""The public keys of an identity provider (JWKS): from a file or an https address, kept, and looked at again.

Providers change their keys. A key that is not known is looked for again, but not more often than its pause allows: who
sends made-up names of keys must not make us fetch.
"""

import asyncio
import json
from collections.abc import Callable
from time import monotonic
from typing import Any, NamedTuple, cast

from fieldguide.errors import Failure, StorageFailed

STALE_SECONDS = 3600.0
MOST_KEYS = 100
MOST_BYTES = 262_144
FEWEST_RSA_BITS = 2048
RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
CURVES = {"P-256": ("ES256",), "P-384": ("ES384",), "P-521": ("ES512",), "Ed25519": ("EdDSA",), "Ed448": ("EdDSA",)}
ALGORITHMS = frozenset({*RSA, "ES256", "ES384", "ES512", "EdDSA"})


class PublicKey(NamedTuple):
    """One key: its name, and the ways of signing that it is for."""

    name: str | None
    algorithms: tuple[str, ...]
    key: Any


class KeySet:
    """The keys that a provider has now."""

    def __init__(
        self,
        read: Callable[[], bytes],
        *,
        refresh_seconds: float,
        pause_seconds: float,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._read = read
        self._refresh_seconds = refresh_seconds
        self._pause_seconds = pause_seconds
        self._clock = clock
        self._keys: tuple[PublicKey, ...] = ()
        self._read_at: float | None = None
        self._tried_at: float | None = None
        self._lock: asyncio.Lock | None = None

    async def find(self, name: str | None, algorithm: str) -> Any:
        """The key of this name for this way of signing; a token without a name takes the only one that there is."""
        if self._is_due():
            await self._refresh()
        found = self._found(name, algorithm)
        if found is None and self._may_try():
            await self._refresh()
            found = self._found(name, algorithm)
        if self._read_at is None or self._clock() - self._read_at > STALE_SECONDS:
            raise StorageFailed("The keys of the identity provider can't be read.")
        return found

    def load(self) -> int:
        """Read the keys now, and say how many can be used; a Failure where they can't be read."""
        self._keys = read_keys(self._read())
        self._read_at = self._tried_at = self._clock()
        return len(self._keys)

    def _found(self, name: str | None, algorithm: str) -> Any:
        fitting = [each for each in self._keys if algorithm in each.algorithms]
        named = fitting if name is None else [each for each in fitting if each.name == name]
        return named[0].key if len(named) == 1 else None

    def _is_due(self) -> bool:
        is_old = self._read_at is None or self._clock() - self._read_at > self._refresh_seconds
        return is_old and self._may_try()

    def _may_try(self) -> bool:
        return self._tried_at is None or self._clock() - self._tried_at >= self._pause_seconds

    async def _refresh(self) -> None:
        """Read again, one at a time; where that fails, the keys from before hold for a while."""
        self._lock = self._lock or asyncio.Lock()
        async with self._lock:
            if not self._may_try():
                return  # another has, while we waited
            self._tried_at = self._clock()
            try:
                self._keys = await asyncio.to_thread(lambda: read_keys(self._read()))
                self._read_at = self._clock()
            except Failure:
                return


def read_keys(text: bytes) -> tuple[PublicKey, ...]:
    """The keys of a set that verify signatures; secrets, short keys and what we don't know are left out."""
    try:
        named: Any = json.loads(text)
        keys = cast("list[Any]", named["keys"])[:MOST_KEYS]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Failure("This is no set of keys: it must be JSON with a list `keys`.") from error
    return tuple(key for each in keys if (key := _key(each)) is not None)


def _key(given: Any) -> PublicKey | None:
    import jwt

    described = cast("dict[str, Any]", given if isinstance(given, dict) else {})
    algorithms = _algorithms(described)
    if not algorithms:
        return None
    try:
        key: Any = jwt.PyJWK(described, algorithm=algorithms[0]).key
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        return None
    if getattr(key, "key_size", FEWEST_RSA_BITS) < FEWEST_RSA_BITS and algorithms[0] in RSA:
        return None
    name = described.get("kid")
    return PublicKey(name if isinstance(name, str) else None, algorithms, key)


def _algorithms(described: dict[str, Any]) -> tuple[str, ...]:
    """The ways of signing that a key is for, by its kind and what it says of itself."""
    if described.get("use", "sig") != "sig" or "verify" not in described.get("key_ops", ["verify"]) or "d" in described:
        return ()
    kind = described.get("kty")
    possible = RSA if kind == "RSA" else CURVES.get(str(described.get("crv")), ()) if kind in ("EC", "OKP") else ()
    named = described.get("alg")
    return tuple(each for each in possible if named in (None, each))
