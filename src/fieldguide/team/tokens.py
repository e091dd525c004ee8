"""Makes, stores and finds the static tokens of a service.

Only the SHA-256 of the secret is kept. A slow hash, as for passwords, would add nothing: the secret has 238 random
bits, so there is no list of likely ones to try, and every request would pay for it.
"""

import hmac
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from time import time
from typing import Any, NamedTuple

from fieldguide.settings.access import METRICS, READ, WRITE
from fieldguide.storage.database import Database, Row, Transaction
from fieldguide.text import regex as re
from fieldguide.text.errors import Misconfiguration, StorageFailed, shorten
from fieldguide.text.secrets import BASE62_DIGITS, compute_checksum, has_checksum

PREFIX = "fgt"
ID_CHARACTERS = 12
SECRET_CHARACTERS = 40
CHECKED_CHARACTERS = 6
IN_AN_ID = frozenset(BASE62_DIGITS[:10] + BASE62_DIGITS[36:])


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
    return f"{PREFIX}_{named}_{secret}{compute_checksum(secret)}"


def parse_token(text: str) -> ShownToken | None:
    """The parts of a token; None for what can't be one of ours, and need not be looked up."""
    prefix, _, rest = text.partition("_")
    named, _, secret = rest.partition("_")
    is_named = len(named) == ID_CHARACTERS and set(named) <= IN_AN_ID
    is_long = len(secret) == SECRET_CHARACTERS + CHECKED_CHARACTERS and set(secret) <= set(BASE62_DIGITS)
    if prefix != PREFIX or not is_named or not is_long or not has_checksum(text):
        return None
    return ShownToken(named, sha256(secret.encode()).hexdigest())


NEVER = "never"
SPAN = re.compile(r"([0-9]{1,5})([hdw])")
UNIT_SECONDS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}
LONGEST_SECONDS = 10 * 366 * 86_400
LONGEST_NOTE = 200
SCOPES = (READ, WRITE, METRICS)


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


SELECT = """
    SELECT id, digest, principal, scopes, note, created_at, expires_at, revoked_at, used_at FROM access_token
"""


class TokenRepository:
    """The tokens of a service, read and changed in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def add(self, token: StoredToken) -> None:
        """Keep a new token."""
        self._transaction.execute(
            """
            INSERT INTO access_token (id, digest, principal, scopes, note, created_at, expires_at)
            VALUES (:id, :digest, :principal, :scopes, :note, :created_at, :expires_at)
            """,
            _given(token),
        )

    def find(self, id_: str) -> StoredToken | None:
        """The token with this id, whatever its state."""
        row = self._transaction.fetch_one(f"{SELECT} WHERE id = :id", {"id": id_})
        return None if row is None else _token(row)

    def all(self) -> list[StoredToken]:
        """Every token, by principal, the oldest first."""
        return [_token(row) for row in self._transaction.fetch_all(f"{SELECT} ORDER BY principal, created_at, id", {})]

    def of(self, principal: str) -> list[StoredToken]:
        """Every token of one principal."""
        sql = f"{SELECT} WHERE principal = :principal ORDER BY created_at, id"
        return [_token(row) for row in self._transaction.fetch_all(sql, {"principal": principal})]

    def revoke(self, id_: str, now: int) -> None:
        """End a token; the first time counts."""
        sql = "UPDATE access_token SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL"
        self._transaction.execute(sql, {"id": id_, "now": now})

    def used(self, id_: str, now: int) -> None:
        """Note that a token was used."""
        self._transaction.execute("UPDATE access_token SET used_at = :now WHERE id = :id", {"id": id_, "now": now})


def _given(token: StoredToken) -> Mapping[str, Any]:
    return {**token._asdict(), "scopes": " ".join(token.scopes)}


def _token(row: Row) -> StoredToken:
    found = StoredToken(**row)
    return found._replace(scopes=tuple(str(row["scopes"]).split()))


NOTED_SECONDS = 60
NOBODYS = "0" * 64


class KnownTokens:
    """The tokens that a database holds."""

    def __init__(self, database: Database, clock: Callable[[], float] = time) -> None:
        self._database = database
        self._clock = clock

    def find(self, text: str) -> StoredToken | None:
        """What is kept of a token that is good now; None for any other."""
        shown = parse_token(text)
        if shown is None:
            return None
        with self._database.reading() as transaction:
            stored = TokenRepository(transaction).find(shown.id)
        is_it = shown.fits(NOBODYS if stored is None else stored.digest)
        if stored is None or not is_it or stored.state(self._clock()) != "active":
            return None
        self._note(stored)
        return stored

    def _note(self, token: StoredToken) -> None:
        """Keep when a token was used, to the minute: a write for each request would cost more than the request."""
        now = int(self._clock())
        if token.used_at is None or now - token.used_at >= NOTED_SECONDS:
            with suppress(StorageFailed), self._database.writing() as transaction:
                TokenRepository(transaction).used(token.id, now)
