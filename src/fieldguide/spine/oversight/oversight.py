"""Looks after each call of a server for many: a place to run, a day's quota, a line in the audit log."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from time import perf_counter
from typing import NamedTuple

from fieldguide.errors import AccessDenied, FieldguideError, StorageFailed, ToolNotFound
from fieldguide.spine.contract import Answer, Call
from fieldguide.spine.journal import UNKNOWN_TOOL, Entry
from fieldguide.spine.oversight.audit import LONGEST_USER, AuditLog, AuditRecord, told_arguments, told_name
from fieldguide.spine.oversight.call_bounds import CallBounds, Place
from fieldguide.spine.oversight.quotas import Quotas
from fieldguide.spine.workers import Workers

Run = Callable[[Call, Entry], Awaitable[Answer]]
REFUSED = (ToolNotFound, AccessDenied)
NOT_RECORDED = "This was done, but the audit log could not be written; look before you try again."


class Oversight(NamedTuple):
    """What is looked after in one project; whatever is None is not. `project` is the name under which it is."""

    project: str
    bounds: CallBounds | None = None
    quotas: Quotas | None = None
    audit: AuditLog | None = None

    async def seen(self, call: Call, entry: Entry, run: Run, workers: Workers) -> Answer:
        """The answer of a call that has a place to run; what it changed is in the audit log before it is answered."""
        started = perf_counter()
        try:
            async with self._place(call):
                answer = await run(call, entry)
        except BaseException as error:
            await self._record(call, entry, started, error, workers)
            raise
        await self._record(call, entry, started, None, workers)
        return answer

    def spend(self, call: Call) -> None:
        """Count a call for its user's day and its project's, on the thread of the call; QuotaSpent beyond them."""
        if self.quotas is not None and call.access is not None:
            self.quotas.spend(call.access.user, self.project)

    def _place(self, call: Call) -> AbstractAsyncContextManager[None]:
        if self.bounds is None:
            return nullcontext()
        return self.bounds.place(Place(self.project, None if call.access is None else call.access.user))

    async def _record(
        self, call: Call, entry: Entry, started: float, error: BaseException | None, workers: Workers
    ) -> None:
        if self.audit is None:
            return
        self.audit.note(self._told(call, entry, started, error))
        if not entry.writes or isinstance(error, asyncio.CancelledError):  # nobody waits for an answer to that one
            return
        try:
            await workers.run(self.audit.flush)
        except StorageFailed as failed:
            raise StorageFailed(NOT_RECORDED) from failed

    def _told(self, call: Call, entry: Entry, started: float, error: BaseException | None) -> AuditRecord:
        user = call.access.user if call.access is not None else entry.user
        return AuditRecord(
            project=self.project,
            user=told_name(user or "", LONGEST_USER),
            action="tools/call",
            name=told_name(call.tool) if entry.tool == UNKNOWN_TOOL else entry.tool,
            effect="refused" if isinstance(error, REFUSED) else "write" if entry.writes else "read",
            outcome="ok" if error is None else _kind(error),
            request=told_name(str(call.request_id)),
            connection=call.connection or "",
            arguments=told_arguments(call.arguments),
            milliseconds=round((perf_counter() - started) * 1000),
        )


def _kind(error: BaseException) -> str:
    if isinstance(error, FieldguideError):
        return type(error).__name__
    return "Cancelled" if isinstance(error, asyncio.CancelledError) else "Failure"
