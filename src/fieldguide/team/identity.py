"""Verifies bearer tokens: static tokens of this service, and JWTs by the keys of an identity provider.

Providers change their keys. A key that is not known is looked for again, but not more often than its pause allows: who
sends made-up names of keys must not make us fetch.

The header is an attacker's until the signature holds: it chooses one of the provider's own keys by name, and nothing
else. An address or a key in it (`jku`, `x5u`, `jwk`) is not looked at, and whom it is for (`aud`) is compared where the
request is known.
"""

import asyncio
import hmac
import json
import os
import secrets
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from http.client import HTTPException
from time import monotonic, time
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit
from zlib import crc32

from fieldguide.search.models.remote import fetch_answer
from fieldguide.settings.access import METRICS, READ, WRITE, Principal
from fieldguide.settings.service import LOOPBACK
from fieldguide.storage.database import Database, Row, Transaction
from fieldguide.text import regex as re
from fieldguide.text.errors import Failure, Misconfiguration, StorageFailed, shorten
from fieldguide.wire.authentication import VerifiedToken, vouch_for

PREFIX = "fgt"
ID_CHARACTERS = 12
SECRET_CHARACTERS = 40
CHECKED_CHARACTERS = 6
BASE62_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
IN_AN_ID = frozenset(BASE62_DIGITS[:10] + BASE62_DIGITS[36:])
NEVER = "never"
SPAN = re.compile(r"([0-9]{1,5})([hdw])")
UNIT_SECONDS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}
LONGEST_SECONDS = 10 * 366 * 86_400
LONGEST_NOTE = 200
SCOPES = (READ, WRITE, METRICS)
SELECT = """
    SELECT id, digest, principal, scopes, note, created_at, expires_at, revoked_at, used_at FROM access_token
"""
NOTED_SECONDS = 60
NOBODYS = "0" * 64
STALE_SECONDS = 3600.0
MOST_KEYS = 100
MOST_BYTES = 262_144
FEWEST_RSA_BITS = 2048
RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
CURVES = {"P-256": ("ES256",), "P-384": ("ES384",), "P-521": ("ES512",), "Ed25519": ("EdDSA",), "Ed448": ("EdDSA",)}
ALGORITHMS = frozenset({*RSA, "ES256", "ES384", "ES512", "EdDSA"})
FETCH_SECONDS = 5.0
ISSUER = "fieldguide"
MOST_AUDIENCES = 20
MOST_SCOPES = 200
LONGEST_USER = 255
LONGEST_KEY_ID = 256
KINDS = ("jwt", "at+jwt", "application/at+jwt", "application/jwt")
REQUIRED = ["exp", "iss", "sub", "aud"]
BROKEN = (ValueError, TypeError, OverflowError, RecursionError)


class ShownToken(NamedTuple):
    """A token as its bearer shows it: its id, and the digest of its secret."""

    id: str
    digest: str

    def fits(self, digest: str) -> bool:
        """Whether this is the digest of the token's secret; how long it takes to say tells nothing."""
        return hmac.compare_digest(self.digest, digest)


def make_token() -> str:
    """A token that nobody has had."""
    named = "".join(secrets.choice(sorted(IN_AN_ID)) for _ in range(ID_CHARACTERS))
    secret = "".join(secrets.choice(BASE62_DIGITS) for _ in range(SECRET_CHARACTERS))
    return f"{PREFIX}_{named}_{secret}{_compute_checksum(secret)}"


def parse_token(text: str) -> ShownToken | None:
    """The parts of a token; None for what can't be one of ours, and need not be looked up."""
    prefix, _, rest = text.partition("_")
    named, _, secret = rest.partition("_")
    is_named = len(named) == ID_CHARACTERS and set(named) <= IN_AN_ID
    is_long = len(secret) == SECRET_CHARACTERS + CHECKED_CHARACTERS and set(secret) <= set(BASE62_DIGITS)
    if prefix != PREFIX or not is_named or not is_long:
        return None
    if secret[SECRET_CHARACTERS:] != _compute_checksum(secret[:SECRET_CHARACTERS]):
        return None
    return ShownToken(named, sha256(secret.encode()).hexdigest())


def _compute_checksum(body: str) -> str:
    """The CRC-32 of a text in base 62: a mistyped token is not even looked up."""
    number = crc32(body.encode())
    written = ""
    while number:
        number, digit = divmod(number, len(BASE62_DIGITS))
        written = BASE62_DIGITS[digit] + written
    return written.rjust(CHECKED_CHARACTERS, "0")


class StoredToken(NamedTuple):
    """What is kept of a token: everything but the token. Times are seconds since 1970."""

    id: str
    digest: str
    principal: str
    scopes: tuple[str, ...]
    created_at: int
    note: str = ""
    expires_at: int | None = None
    revoked_at: int | None = None
    used_at: int | None = None

    def state(self, now: float) -> str:
        """`active`, `revoked` or `expired`."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"


def parse_scopes(text: str) -> tuple[str, ...]:
    """The scopes of a new token; who may write may read, and who may read metrics need not read anything else."""
    named = {each.strip() for each in text.split(",") if each.strip()}
    unknown = sorted(named - set(SCOPES))
    if unknown or not named:
        raise Misconfiguration(f"The scopes are {', '.join(SCOPES)}, not {shorten(text)!r}.")
    wanted = named | {READ} if WRITE in named else named
    return tuple(each for each in SCOPES if each in wanted)


def parse_span(text: str) -> int | None:
    """How many seconds a new token is good for, from `90d`, `12h` or `8w`; None for `never`."""
    if text == NEVER:
        return None
    found = SPAN.fullmatch(text)
    seconds = int(found.group(1)) * UNIT_SECONDS[found.group(2)] if found else 0
    if not 0 < seconds <= LONGEST_SECONDS:
        raise Misconfiguration(
            f"{shorten(text)!r} does not say when a token ends: write a number with h, d or w, such as 90d (at most "
            f"ten years), or {NEVER}."
        )
    return seconds


def check_note(note: str) -> str:
    """A remark about a token, short and on one line."""
    if len(note) > LONGEST_NOTE or not note.isprintable():
        raise Misconfiguration(f"A note has at most {LONGEST_NOTE} characters, on one line.")
    return note


class TokenRepository(NamedTuple):
    """The tokens of a service, read and changed in one transaction."""

    transaction: Transaction

    def add(self, token: StoredToken) -> None:
        """Keep a new token."""
        self.transaction.execute(
            """
            INSERT INTO access_token (id, digest, principal, scopes, note, created_at, expires_at)
            VALUES (:id, :digest, :principal, :scopes, :note, :created_at, :expires_at)
            """,
            {**token._asdict(), "scopes": " ".join(token.scopes)},
        )

    def find(self, id_: str) -> StoredToken | None:
        """The token with this id, whatever its state."""
        row = self.transaction.fetch_one(f"{SELECT} WHERE id = :id", {"id": id_})
        return None if row is None else _token(row)

    def all(self) -> list[StoredToken]:
        """Every token, by principal, the oldest first."""
        return [_token(row) for row in self.transaction.fetch_all(f"{SELECT} ORDER BY principal, created_at, id", {})]

    def of(self, principal: str) -> list[StoredToken]:
        """Every token of one principal."""
        sql = f"{SELECT} WHERE principal = :principal ORDER BY created_at, id"
        return [_token(row) for row in self.transaction.fetch_all(sql, {"principal": principal})]

    def revoke(self, id_: str, now: int) -> None:
        """End a token; the first time counts."""
        sql = "UPDATE access_token SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL"
        self.transaction.execute(sql, {"id": id_, "now": now})

    def used(self, id_: str, now: int) -> None:
        """Note that a token was used."""
        self.transaction.execute("UPDATE access_token SET used_at = :now WHERE id = :id", {"id": id_, "now": now})


def _token(row: Row) -> StoredToken:
    fields: dict[str, Any] = {**row, "scopes": tuple(str(row["scopes"]).split())}
    return StoredToken(**fields)


class KnownTokens(NamedTuple):
    """The tokens that a database holds."""

    database: Database
    clock: Callable[[], float] = time

    def find(self, text: str) -> StoredToken | None:
        """What is kept of a token that is good now; None for any other."""
        shown = parse_token(text)
        if shown is None:
            return None
        with self.database.reading() as transaction:
            stored = TokenRepository(transaction).find(shown.id)
        is_it = shown.fits(NOBODYS if stored is None else stored.digest)
        if stored is None or not is_it or stored.state(self.clock()) != "active":
            return None
        now = int(self.clock())
        if stored.used_at is None or now - stored.used_at >= NOTED_SECONDS:  # a write per request would cost too much
            with suppress(StorageFailed), self.database.writing() as transaction:
                TokenRepository(transaction).used(stored.id, now)
        return stored


class PublicKey(NamedTuple):
    """One key: its name, and the ways of signing that it is for."""

    name: str | None
    algorithms: tuple[str, ...]
    key: Any


class KeySet:
    """The keys that a provider has now: how long they are taken for good, and how soon one that is not known is looked
    for again."""

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
        is_old = self._read_at is None or self._clock() - self._read_at > self._refresh_seconds
        if is_old and self._may_try():
            await self._refresh()
        key = self._find_key(name, algorithm)
        if key is None and self._may_try():
            await self._refresh()
            key = self._find_key(name, algorithm)
        if self._read_at is None or self._clock() - self._read_at > STALE_SECONDS:
            raise StorageFailed("The keys of the identity provider can't be read.")
        return key

    def load(self) -> int:
        """Read the keys now, and say how many can be used; a Failure where they can't be read."""
        self._keys = read_keys(self._read())
        self._read_at = self._tried_at = self._clock()
        return len(self._keys)

    def _find_key(self, name: str | None, algorithm: str) -> Any:
        fitting = [each for each in self._keys if algorithm in each.algorithms]
        named = fitting if name is None else [each for each in fitting if each.name == name]
        return named[0].key if len(named) == 1 else None

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
    return tuple(filter(None, map(_read_key, keys)))


def _read_key(value: Any) -> PublicKey | None:
    import jwt

    described = cast("dict[str, Any]", value if isinstance(value, dict) else {})
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
    possible: Sequence[str] = ()
    if kind == "RSA":
        possible = RSA
    elif kind in ("EC", "OKP"):
        possible = CURVES.get(str(described.get("crv")), ())
    named = described.get("alg")
    return tuple(each for each in possible if named in (None, each))


def open_key_set(named: str) -> KeySet:
    """The keys at this path or address; a Misconfiguration for an address that is not safe."""
    if "://" not in named:
        path = os.path.abspath(os.path.expanduser(named))
        return KeySet(lambda: _read_file(path), refresh_seconds=5.0, pause_seconds=1.0)
    parts = urlsplit(named)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    if not is_safe or not parts.hostname or parts.username or parts.password:
        raise Misconfiguration(f"{named[:200]!r} is not where keys are read from: name a file, or an https address.")
    return KeySet(lambda: _fetch(named), refresh_seconds=300.0, pause_seconds=10.0)


def _read_file(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return _bounded(file.read(MOST_BYTES + 1), path)
    except OSError as error:
        raise Failure(f"The keys in {path} can't be read: {error.strerror or error}.") from error


def _fetch(address: str) -> bytes:
    """What an address answers, all of it in time; one that leads elsewhere is not followed."""
    host = urlsplit(address).hostname
    asked = urllib.request.Request(address, headers={"Accept": "application/json", "User-Agent": "fieldguide"})  # noqa: S310  checked at the beginning
    try:
        return _bounded(fetch_answer(asked, seconds=FETCH_SECONDS, most_bytes=MOST_BYTES), address)
    except urllib.error.HTTPError as error:
        raise Failure(f"{host} answered {error.code} in place of keys.") from error
    except (OSError, HTTPException, ValueError) as error:
        raise Failure(f"The keys at {host} can't be fetched.") from error


def _bounded(content: bytes, where: str) -> bytes:
    if len(content) > MOST_BYTES:
        raise Failure(f"The keys at {where[:200]} are larger than {MOST_BYTES} bytes.")
    return content


class StaticTokens(NamedTuple):
    """Verifies tokens by the database that keeps their hashes."""

    known: KnownTokens

    async def verify_token(self, token: str) -> VerifiedToken | None:
        """What is kept of a good token; what can't be one of ours is not even looked up."""
        if parse_token(token) is None:
            return None
        found = await asyncio.to_thread(self.known.find, token)
        if found is None:
            return None
        return vouch_for(Principal(found.principal, frozenset(found.scopes), ISSUER, found.expires_at, found.id))


class WebTokens(NamedTuple):
    """Verifies JWTs by the keys of their issuer."""

    keys: KeySet
    issuer: str
    skew_seconds: int
    clock: Callable[[], float] = time

    async def verify_token(self, token: str) -> VerifiedToken | None:
        """What a good token claims; None for any other."""
        header = _header(token)
        if header is None:
            return None
        key = await self.keys.find(header.get("kid"), header["alg"])
        claims = None if key is None else self._claims(token, key, header["alg"])
        return None if claims is None else self._vouched(claims)

    def _claims(self, token: str, key: Any, algorithm: str) -> dict[str, Any] | None:
        """The claims of a token whose signature, dates and issuer hold."""
        import jwt

        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                issuer=self.issuer,
                leeway=self.skew_seconds,
                options={"require": REQUIRED, "verify_aud": False},
            )
        except (jwt.PyJWTError, *BROKEN):
            return None
        return claims if claims.get("iss") == self.issuer else None

    def _vouched(self, claims: Mapping[str, Any]) -> VerifiedToken | None:
        user: Any = claims.get("sub")
        is_name = isinstance(user, str) and 0 < len(user) <= LONGEST_USER and user.isprintable()
        audiences = _audiences(claims.get("aud"))
        scopes = _scopes(claims)
        is_bound = "cnf" in claims  # to a key of its bearer's, which we can't ask for
        if not is_name or user != user.strip() or audiences is None or is_bound:
            return None
        ends = float(claims["exp"]) + self.skew_seconds
        named = claims.get("jti")
        principal = Principal(str(user), scopes, self.issuer, ends, named[:64] if isinstance(named, str) else "")
        return vouch_for(principal, audiences)


def _header(token: str) -> Mapping[str, Any] | None:
    """The header of a token, as far as it names a way of signing that we take."""
    import jwt

    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, *BROKEN):
        return None
    kind = header.get("typ", "jwt")
    named = header.get("kid")
    is_known = header.get("alg") in ALGORITHMS and isinstance(kind, str) and kind.lower() in KINDS
    is_named = named is None or (isinstance(named, str) and len(named) <= LONGEST_KEY_ID)
    return header if is_known and is_named and "crit" not in header and "b64" not in header else None


def _audiences(claimed: Any) -> list[str] | None:
    """Whom a token is for; None where it does not say it as it should."""
    named = list(cast("Iterable[Any]", claimed)) if isinstance(claimed, list) else [claimed]
    is_plain = 0 < len(named) <= MOST_AUDIENCES and all(isinstance(each, str) and each for each in named)
    return named if is_plain else None


def _scopes(claims: Mapping[str, Any]) -> frozenset[str]:
    """The scopes of a token: `scope` with blanks between them, or `scp`, as some providers write it."""
    claimed = claims.get("scope", claims.get("scp"))
    listed: Any = claimed.split(" ") if isinstance(claimed, str) else claimed
    named = list(cast("Iterable[Any]", listed)) if isinstance(listed, list) else []
    return frozenset(each for each in named[:MOST_SCOPES] if isinstance(each, str) and each)
