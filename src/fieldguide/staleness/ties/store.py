"""The ties in the index's database: what each document cites, what of it is stale, and how far notes were followed."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.spine.answers.stale_places import StalePlace
from fieldguide.staleness.followed import Followed
from fieldguide.staleness.ties.mentions import Mention
from fieldguide.storage.port import Transaction

MOST_STALE = 2000


class Tied(NamedTuple):
    """A document: what tells whether it was written anew, and what it cites."""

    stamp: str
    mentions: Sequence[Mention]


class TieStore:
    """The ties of one project, in one transaction of the index's database."""

    def __init__(self, transaction: Transaction, namespace: str) -> None:
        self._transaction = transaction
        self._namespace = namespace

    def documents(self) -> dict[str, Tied]:
        """Every document that was looked at."""
        rows = self._fetch("SELECT document, stamp, mentions FROM tied_document WHERE namespace = :namespace")
        return {str(row["document"]): Tied(str(row["stamp"]), _mentions(str(row["mentions"]))) for row in rows}

    def put(self, documents: Mapping[str, Tied]) -> None:
        """Keep what some documents cite, in place of what they cited."""
        self._transaction.execute_many(
            """
            INSERT INTO tied_document (namespace, document, stamp, mentions, stale)
            VALUES (:namespace, :document, :stamp, :mentions, '')
            ON CONFLICT (namespace, document) DO UPDATE
            SET stamp = excluded.stamp, mentions = excluded.mentions
            """,
            [
                {"namespace": self._namespace, "document": document, "stamp": tied.stamp, "mentions": _text(tied)}
                for document, tied in documents.items()
            ],
        )

    def forget(self, documents: Iterable[str]) -> None:
        """Forget documents that are gone."""
        self._transaction.execute_many(
            "DELETE FROM tied_document WHERE namespace = :namespace AND document = :document",
            [{"namespace": self._namespace, "document": each} for each in documents],
        )

    def stale(self) -> dict[str, list[StalePlace]]:
        """What is stale, by document: one query, for there is never much of it."""
        sql = "SELECT document, stale FROM tied_document WHERE namespace = :namespace AND stale <> '' LIMIT :most"
        rows = self._fetch(sql, most=MOST_STALE)
        return {str(row["document"]): _places(str(row["document"]), str(row["stale"])) for row in rows}

    def keep_stale(self, stale: Mapping[str, Sequence[StalePlace]]) -> None:
        """Keep what is stale of some documents; nothing where all is fresh."""
        self._transaction.execute_many(
            "UPDATE tied_document SET stale = :stale WHERE namespace = :namespace AND document = :document",
            [
                {"namespace": self._namespace, "document": document, "stale": _written(places)}
                for document, places in stale.items()
            ],
        )

    def notes(self) -> dict[str, Any]:
        """How far each note was followed, by its key."""
        rows = self._fetch("SELECT note, followed FROM tied_note WHERE namespace = :namespace")
        return {str(row["note"]): json.loads(str(row["followed"])) for row in rows}

    def keep_notes(self, followed: Iterable[Followed]) -> None:
        """Keep how far notes were followed, in place of all that was kept."""
        self._transaction.execute("DELETE FROM tied_note WHERE namespace = :namespace", {"namespace": self._namespace})
        self._transaction.execute_many(
            "INSERT INTO tied_note (namespace, note, followed) VALUES (:namespace, :note, :followed)",
            [
                {"namespace": self._namespace, "note": kept_key(each.note.key), "followed": json.dumps(each.kept())}
                for each in followed
            ],
        )

    def _fetch(self, sql: str, **given: Any) -> Sequence[Mapping[str, Any]]:
        return self._transaction.fetch_all(sql, {"namespace": self._namespace, **given})


def kept_key(key: str) -> str:
    """The key of a note as it is kept: PostgreSQL takes no NUL."""
    return key.replace("\0", "\n")


def _mentions(text: str) -> list[Mention]:
    return [Mention(*row) for row in cast("list[list[Any]]", json.loads(text))]


def _text(tied: Tied) -> str:
    return json.dumps([[*each] for each in tied.mentions], ensure_ascii=True)


def _written(places: Sequence[StalePlace]) -> str:
    return json.dumps([[*each[1:]] for each in places], ensure_ascii=True) if places else ""


def _places(document: str, text: str) -> list[StalePlace]:
    return [StalePlace(document, *row) for row in cast("list[list[Any]]", json.loads(text))]
