"""Sends short messages between replicas over the notification channel of PostgreSQL."""

import hashlib
import json
import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, Literal, NamedTuple

from fieldguide.storage.database import Database, Transaction
from fieldguide.storage.postgres_listener import HeldLock, PostgresLine
from fieldguide.text.errors import FieldguideError

CHANNEL = "fieldguide_replicas"
LONGEST_PAYLOAD = 7_500  # PostgreSQL takes less than 8,000 bytes
MESSAGE_SECONDS = 600

Kind = Literal["change", "session", "ended", "stream", "answer", "cancel", "row", "missed"]

KEEP_ROW = "INSERT INTO replica_message (namespace, body) VALUES (:namespace, :body) RETURNING id"
READ_ROW = "SELECT body FROM replica_message WHERE id = :id AND namespace = :namespace"
FORGET_ROWS = """
    DELETE FROM replica_message
    WHERE namespace = :namespace AND created_at < now() - make_interval(secs => :seconds)
"""


class ReplicaMessage(NamedTuple):
    """One thing that a replica says: what kind of thing, about which session and request, and the rest as JSON."""

    kind: Kind
    session: str = ""
    about: Any = None
    told: Any = None


class ReplicaListener(NamedTuple):
    """Who is told in one project: of a word of another replica, and that some may have been missed."""

    hear: Callable[[ReplicaMessage], None]
    miss: Callable[[], None]


class ReplicaExchange:
    """The replicas of this process's database, as seen from this process: one line for all projects."""

    def __init__(self, address: str) -> None:
        self._line = PostgresLine(address, CHANNEL, self._hear, self._miss)
        self._self = os.urandom(6).hex()
        self._lock = threading.Lock()
        self._ears: dict[str, list[tuple[Database, str, ReplicaListener]]] = {}

    @contextmanager
    def following(self, namespace: str, database: Database, ears: ReplicaListener) -> Generator[None]:
        """Have somebody told of what other replicas say about a project, while the block runs."""
        entry = (database, namespace, ears)
        topic = hash_topic(namespace)
        with self._lock:
            self._ears.setdefault(topic, []).append(entry)
        self._line.begin()
        try:
            yield
        finally:
            with self._lock:
                self._ears[topic].remove(entry)
                if not self._ears[topic]:
                    del self._ears[topic]

    @contextmanager
    def holding(self, name: str, held: HeldLock) -> Generator[None]:
        """Want the lock of this name while the block runs; whoever has it is alone among all replicas."""
        key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
        self._line.hold(key, held)
        try:
            yield
        finally:
            self._line.release(key, held)

    def tell(self, namespace: str, database: Database, word: ReplicaMessage) -> None:
        """Tell the other replicas, and wait for nothing: it goes out as soon as the line is free."""
        payload = self._payload(namespace, word)
        if len(payload) <= LONGEST_PAYLOAD:
            self._line.say(payload)
            return

        def keep() -> None:
            with suppress(FieldguideError), database.writing() as transaction:  # without it nobody hears anything
                self.say_within(transaction, namespace, word)

        threading.Thread(target=keep, name="replicas", daemon=True).start()

    def say_within(self, transaction: Transaction, namespace: str, word: ReplicaMessage) -> None:
        """Tell the other replicas when a transaction is committed; what is long is kept as a row for them."""
        payload = self._payload(namespace, word)
        if len(payload) > LONGEST_PAYLOAD:
            transaction.execute(FORGET_ROWS, {"namespace": namespace, "seconds": MESSAGE_SECONDS})
            row = transaction.fetch_one(KEEP_ROW, {"namespace": namespace, "body": payload})
            payload = self._payload(namespace, ReplicaMessage("row", about=row["id"] if row else None))
        transaction.fetch_one("SELECT pg_notify(:channel, :payload) AS said", {"channel": CHANNEL, "payload": payload})

    def close(self) -> None:
        """End the line."""
        self._line.close()

    def _payload(self, namespace: str, word: ReplicaMessage) -> str:
        """A word in ASCII, so that its characters are its bytes."""
        return json.dumps([hash_topic(namespace), self._self, *word], separators=(",", ":"))

    def _hear(self, payload: str) -> None:
        """Hand a word on. Whatever can't be read was said by no replica of ours."""
        with suppress(ValueError, TypeError):
            topic, speaker, *rest = json.loads(payload)
            if speaker == self._self:
                return
            word = ReplicaMessage(*rest)
            with self._lock:
                listening = list(self._ears.get(topic, ()))
            for database, namespace, ears in listening:
                if word.kind == "row":
                    self._fetch(database, namespace, word.about, ears)
                else:
                    ears.hear(word)

    def _fetch(self, database: Database, namespace: str, row_id: Any, ears: ReplicaListener) -> None:
        """A long word lies in the database; it is read on a thread of its own, because the line must not wait."""

        def fetch() -> None:
            try:
                with database.reading() as transaction:
                    row = transaction.fetch_one(READ_ROW, {"id": row_id, "namespace": namespace})
            except FieldguideError:
                row = None
            if row is None:
                ears.miss()
                return
            _, _, *rest = json.loads(row["body"])
            ears.hear(ReplicaMessage(*rest))

        threading.Thread(target=fetch, name="replicas", daemon=True).start()

    def _miss(self) -> None:
        with self._lock:
            everybody = [ears for entries in self._ears.values() for _, _, ears in entries]
        for ears in everybody:
            ears.miss()


def hash_topic(namespace: str) -> str:
    """What stands for a project on the line: its own name may be long, and is nobody else's business."""
    return hashlib.sha256(namespace.encode(errors="surrogatepass")).hexdigest()[:24]
