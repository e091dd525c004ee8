"""Keeps the workflows of guided prompts in the database for all replicas."""

import json
import os
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from time import time
from typing import Any

from fieldguide.spine.workflow import (
    LIFETIME_SECONDS,
    MAX_CHARACTERS,
    MAX_RESULT_CHARACTERS,
    MAX_WORKFLOWS,
    WorkflowContext,
)
from fieldguide.storage.database import Database
from fieldguide.team.replicas.sessions import hash_caller
from fieldguide.text.errors import FieldguideError

FORGET_IDLE = """
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
FIND = """
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

    is_remote = True

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
            transaction.execute(FORGET_IDLE, {"namespace": self._namespace, "lifetime": LIFETIME_SECONDS})
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
            row = transaction.fetch_one(FIND, {**named, "caller": hash_caller(user), "lifetime": LIFETIME_SECONDS})
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
        now = time()
        made = SharedWorkflow(
            session_id=handle,
            user=user,
            prompt_name=prompt,
            prompt_args=arguments,
            created_at=now,
            last_accessed_at=now,
            tool_results=results,
        )
        made.store = self
        return made
