"""Tokens in the database, in plain SQL."""

from collections.abc import Mapping
from typing import Any

from fieldguide.storage.port import Row, Transaction
from fieldguide.teams.tokens.token import StoredToken

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
