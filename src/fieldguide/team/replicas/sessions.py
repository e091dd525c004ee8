"""Keeps sessions of the handshake era and workflows in the database, so that any replica can answer them."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from time import time
from typing import Any, NamedTuple

from fieldguide.settings.limits import Limits
from fieldguide.spine.prompts import (
    LIFETIME_SECONDS,
    MAX_CHARACTERS,
    MAX_RESULT_CHARACTERS,
    MAX_WORKFLOWS,
    WorkflowContext,
)
from fieldguide.storage.database import Database, Transaction
from fieldguide.team.replicas.exchange import ReplicaExchange, ReplicaMessage
from fieldguide.text.errors import FieldguideError, Refusal
from fieldguide.wire.http_sessions import SessionCaller, make_session_refusal

IDLE_SECONDS = 1800
BUSY_SECONDS = 15  # a session with a call under way is told busy again every few seconds
LONGEST_STATE = 16_000_000

GO_AHEAD = "SELECT pg_advisory_xact_lock(:key) AS locked"
FORGET_IDLE = """
    DELETE FROM replica_session
    WHERE namespace = :namespace AND used_at < now() - make_interval(secs => :idle)
"""
COUNT = """
    SELECT count(*) AS http_sessions, count(*) FILTER (WHERE peer = :peer) AS http_sessions_per_peer
    FROM replica_session WHERE namespace = :namespace
"""
LEAST_NEEDED = """
    DELETE FROM replica_session WHERE name = (
        SELECT name FROM replica_session
        WHERE namespace = :namespace AND busy_until < now() AND (:is_any OR peer = :peer)
        ORDER BY used_at, name LIMIT 1
    ) RETURNING name
"""
OPEN = """
    INSERT INTO replica_session (name, namespace, owner, caller, peer, connection, state)
    VALUES (:name, :namespace, :owner, :caller, :peer, :connection, :state)
"""
FIND = """
    SELECT connection, revision, CASE WHEN revision = :known THEN NULL ELSE state END AS state
    FROM replica_session
    WHERE name = :name AND namespace = :namespace AND owner = :owner
        AND used_at > now() - make_interval(secs => :idle)
"""
LOCK = "SELECT state FROM replica_session WHERE name = :name AND namespace = :namespace FOR UPDATE"
SAVE = """
    UPDATE replica_session SET state = :state, revision = revision + 1
    WHERE name = :name AND namespace = :namespace
"""
END = "DELETE FROM replica_session WHERE name = :name AND namespace = :namespace AND owner = :owner RETURNING name"
BEAT = """
    UPDATE replica_session SET used_at = now(),
        busy_until = CASE WHEN name = ANY(:busy) THEN now() + make_interval(secs => :seconds) ELSE busy_until END
    WHERE namespace = :namespace AND name = ANY(:used)
"""


class SessionState(NamedTuple):
    """What is known of a client for as long as its session lasts."""

    version: str
    client: Mapping[str, Any]
    is_initialized: bool
    workflow: str | None


class SharedSession(NamedTuple):
    """A session as it was when it was last read."""

    name: str
    connection: str
    revision: int
    state: SessionState


class SharedSessions(NamedTuple):
    """The sessions of one project, across replicas; whose they are is part of every question."""

    database: Database
    exchange: ReplicaExchange
    namespace: str
    limits: Limits

    def open(self, opener: SessionCaller, connection: str, state: SessionState) -> SharedSession:
        """Open a session, where need be in the place of one that was unused longest; a Refusal where none gives way."""
        session = SharedSession(os.urandom(16).hex(), connection, 1, state)
        asked = {"namespace": self.namespace, "peer": _digest(opener.peer), "caller": hash_caller(opener.user)}
        with self.database.writing() as transaction:
            key = hashlib.sha256(f"sessions {self.namespace}".encode(errors="surrogatepass")).digest()[:8]
            transaction.fetch_one(GO_AHEAD, {"key": int.from_bytes(key, signed=True)})
            transaction.execute(FORGET_IDLE, {"namespace": self.namespace, "idle": IDLE_SECONDS})
            self._make_room(transaction, asked)
            opened = {"name": session.name, "owner": _digest(opener.owner), "connection": connection}
            transaction.execute(OPEN, {**asked, **opened, "state": _written(state)})
        return session

    def find(self, name: str, owner: str, known: SharedSession | None = None) -> SharedSession | None:
        """A session of this owner; None where there is none, it has ended, or it is another's."""
        wanted = {"name": name, "namespace": self.namespace, "owner": _digest(owner), "idle": IDLE_SECONDS}
        with self.database.reading() as transaction:
            row = transaction.fetch_one(FIND, {**wanted, "known": known.revision if known else 0})
        if row is None:
            return None
        if row["state"] is None:
            return known
        return SharedSession(name, row["connection"], row["revision"], _read(row["state"]))

    def save(self, session: SharedSession, after: SessionState) -> None:
        """Keep what a request changed. What another replica changed meanwhile stays, unless it is the same thing."""
        with self.database.writing() as transaction:
            named = {"name": session.name, "namespace": self.namespace}
            row = transaction.fetch_one(LOCK, named)
            if row is None:
                return
            state = _merged(_read(row["state"]), session.state, after)
            transaction.execute(SAVE, {**named, "state": _written(state)})
            self.exchange.say_within(transaction, self.namespace, ReplicaMessage("session", session.name))

    def end(self, name: str, owner: str) -> bool:
        """End a session everywhere; whether there was one of this owner."""
        with self.database.writing() as transaction:
            ended = transaction.fetch_one(END, {"name": name, "namespace": self.namespace, "owner": _digest(owner)})
            if ended is not None:
                self.exchange.say_within(transaction, self.namespace, ReplicaMessage("ended", name))
        return ended is not None

    def beat(self, used: Collection[str], busy: Collection[str]) -> None:
        """Say which sessions were used just now, and which have a call under way."""
        told = {"used": sorted(used), "busy": sorted(busy), "seconds": BUSY_SECONDS, "namespace": self.namespace}
        with self.database.writing() as transaction:
            transaction.execute(BEAT, told)

    def _make_room(self, transaction: Transaction, asked: Mapping[str, Any]) -> None:
        """End one session of the same peer, or one of all, where there are too many."""
        counts = transaction.fetch_one(COUNT, asked) or {}
        for limit in ("http_sessions_per_peer", "http_sessions"):
            if counts[limit] < getattr(self.limits, limit):
                continue
            leaving = transaction.fetch_one(LEAST_NEEDED, {**asked, "is_any": limit == "http_sessions"})
            if leaving is None:
                raise Refusal(make_session_refusal(limit, counts[limit]))
            self.exchange.say_within(transaction, self.namespace, ReplicaMessage("ended", leaving["name"]))
            return  # one has left, so there is room in all as well


def _merged(kept: SessionState, before: SessionState, after: SessionState) -> SessionState:
    """What is kept, with what changed from before to after."""
    changed = {name: value for name, value in after._asdict().items() if value != getattr(before, name)}
    return kept._replace(**changed)


def _written(state: SessionState) -> str:
    text = json.dumps(state._asdict(), separators=(",", ":"))
    if len(text) > LONGEST_STATE:
        raise Refusal("What is to be kept of this session is too long.")
    return text


def _read(text: str) -> SessionState:
    return SessionState(**json.loads(text))


def hash_caller(user: str | None) -> str:
    """What is kept of a user: enough to know them again, and another thing for nobody."""
    return "" if user is None else _digest(user)


def _digest(name: str) -> str:
    """What is kept of an owner or a peer: enough to know them again."""
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()


FORGET_IDLE_WORKFLOWS = """
    DELETE FROM replica_workflow
    WHERE namespace = :namespace AND used_at < now() - make_interval(secs => :lifetime)
"""
FORGET_OLDEST = """
    DELETE FROM replica_workflow WHERE handle IN (
        SELECT handle FROM (
            SELECT handle, row_number() OVER latest_first AS place, sum(characters) OVER latest_first AS size
            FROM replica_workflow WHERE namespace = :namespace AND caller = :caller
            WINDOW latest_first AS (ORDER BY used_at DESC, handle)
        ) AS kept
        WHERE place >= :most OR size + :characters > :most_characters
    )
"""
START = """
    INSERT INTO replica_workflow (handle, namespace, caller, prompt, arguments, characters)
    VALUES (:handle, :namespace, :caller, :prompt, :arguments, :characters)
"""
FIND_WORKFLOW = """
    UPDATE replica_workflow SET used_at = now()
    WHERE handle = :handle AND namespace = :namespace AND caller = :caller
        AND used_at > now() - make_interval(secs => :lifetime)
    RETURNING prompt, arguments
"""
RESULTS = "SELECT tool, value FROM replica_workflow_result WHERE handle = :handle AND namespace = :namespace"
GROW = """
    UPDATE replica_workflow SET characters = characters + :characters
    WHERE handle = :handle AND namespace = :namespace AND characters + :characters <= :most_characters
    RETURNING handle
"""
KEEP = """
    INSERT INTO replica_workflow_result (handle, namespace, tool, value)
    VALUES (:handle, :namespace, :tool, :value)
    ON CONFLICT (handle, tool) DO UPDATE SET value = excluded.value
"""


class SharedWorkflow(WorkflowContext):
    """A workflow whose results are kept for every replica."""

    store: "SharedWorkflows"

    def keep(self, tool: str, value: Any, characters: int) -> None:
        """Remember what a tool gave back, unless it is very long; the answer itself does not depend on it."""
        super().keep(tool, value, characters)
        if characters <= MAX_RESULT_CHARACTERS:
            with suppress(FieldguideError, TypeError, ValueError, RecursionError):
                self.store.keep(self.session_id, tool, value)


class SharedWorkflows:
    """The live workflows of one project, across replicas."""

    def __init__(self, database: Database, namespace: str) -> None:
        self._database = database
        self._namespace = namespace
        self.prompts_given: Counter[str] = Counter()

    def start(self, prompt_name: str, prompt_args: Mapping[str, Any], user: str | None = None) -> WorkflowContext:
        """Open a workflow for a prompt that is being given out; of one user's, the oldest give way."""
        handle = os.urandom(16).hex()
        size = sum(len(str(value)) for value in prompt_args.values())
        whose = {"namespace": self._namespace, "caller": hash_caller(user)}
        kept = {"handle": handle, "prompt": prompt_name, "arguments": json.dumps(dict(prompt_args))}
        bounds = {"most": MAX_WORKFLOWS, "most_characters": MAX_CHARACTERS, "characters": size}
        with self._database.writing() as transaction:
            transaction.execute(FORGET_IDLE_WORKFLOWS, {"namespace": self._namespace, "lifetime": LIFETIME_SECONDS})
            transaction.execute(FORGET_OLDEST, {**whose, **bounds})
            transaction.execute(START, {**whose, **kept, "characters": size})
        self.prompts_given[prompt_name] += 1
        return self._made(handle, user, prompt_name, dict(prompt_args), {})

    def find(self, handle: str, user: str | None = None) -> WorkflowContext | None:
        """The workflow with this handle, kept alive by being asked for; None when it is unknown, over or another's."""
        named = {"handle": handle, "namespace": self._namespace}
        if not handle.isalnum() or not handle.isascii():
            return None
        with self._database.writing() as transaction:
            row = transaction.fetch_one(
                FIND_WORKFLOW, {**named, "caller": hash_caller(user), "lifetime": LIFETIME_SECONDS}
            )
            if row is None:
                return None
            results = transaction.fetch_all(RESULTS, named)
        earlier = {each["tool"]: json.loads(each["value"]) for each in results}
        return self._made(handle, user, row["prompt"], json.loads(row["arguments"]), earlier)

    def keep(self, handle: str, tool: str, value: Any) -> None:
        """Remember what a tool gave back, while there is room."""
        written = json.dumps(value)
        named = {"handle": handle, "namespace": self._namespace}
        with self._database.writing() as transaction:
            room = {**named, "characters": len(written), "most_characters": MAX_CHARACTERS}
            if transaction.fetch_one(GROW, room) is not None:
                transaction.execute(KEEP, {**named, "tool": tool, "value": written})

    def __len__(self) -> int:
        """How many were given out by this replica."""
        return self.prompts_given.total()

    def _made(
        self, handle: str, user: str | None, prompt: str, arguments: Mapping[str, Any], results: dict[str, Any]
    ) -> WorkflowContext:
        made = SharedWorkflow(handle, user, prompt, arguments, time())
        made.tool_results = results
        made.store = self
        return made
