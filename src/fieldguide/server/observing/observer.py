"""Follows the requests of a server: methods other than calls go to the audit log, and all of them to a tracer."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import Any, Protocol

from fieldguide.server.connection import Request
from fieldguide.server.jsonrpc import RpcError
from fieldguide.spine.oversight.audit import LONGEST_USER, AuditRecord, told_name
from fieldguide.spine.oversight.oversight import Oversight

Handler = Callable[[Request], Awaitable[dict[str, Any]]]
READING = ("resources/read", "prompts/get", "resources/subscribe", "subscriptions/listen")
"""Methods that give something of the project away; lists and completions tell only names that calls need."""


class Span(Protocol):
    """What is told of one request while it runs."""

    def answered(self, result: dict[str, Any]) -> None:
        """Note how it was answered."""
        ...


class Tracer(Protocol):
    """Makes a span for each request."""

    def span(self, request: Request) -> AbstractContextManager[Span | None]:
        """The span of a request, for as long as the block runs."""
        ...


class Observer:
    """Runs the handler of each request, and tells of it."""

    def __init__(self, oversight: Oversight | None, tracer: Tracer | None) -> None:
        self._oversight = oversight
        self._tracer = tracer

    async def follow(self, request: Request, handler: Handler) -> dict[str, Any]:
        """The result of a request; RpcError when there is none."""
        started = perf_counter()
        try:
            with self._span(request) as span:
                result = await handler(request)
                if span is not None:
                    span.answered(result)
        except BaseException as error:
            self._note(request, started, type(error).__name__ if not isinstance(error, RpcError) else str(error.code))
            raise
        self._note(request, started, "ok")
        return result

    def _span(self, request: Request) -> AbstractContextManager[Span | None]:
        return nullcontext() if self._tracer is None else self._tracer.span(request)

    def _note(self, request: Request, started: float, outcome: str) -> None:
        oversight = self._oversight
        if oversight is None or oversight.audit is None or request.method not in READING:
            return
        user = request.access.user if request.access is not None else request.connection.user
        oversight.audit.note(
            AuditRecord(
                project=oversight.project,
                user=told_name(user or "", LONGEST_USER),
                action=request.method,
                name=_target(request),
                effect="read",
                outcome=outcome,
                request=told_name(str(request.id)),
                connection=request.connection.id,
                milliseconds=round((perf_counter() - started) * 1000),
            )
        )


def _target(request: Request) -> str:
    """The prompt that was asked for, or of a resource its scheme: an address may hold more than is ours to keep."""
    name: Any = request.params.get("name") or str(request.params.get("uri", "")).partition(":")[0]
    return told_name(str(name))
