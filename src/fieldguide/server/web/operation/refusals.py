"""The requests that were refused: counted by status, and told to the audit log where somebody wanted in.

It stands before everything else, so it sees what any layer refuses. It never looks at what was shown as a token.
"""

from collections import Counter
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldguide.spine.oversight.audit import LONGEST_USER, AuditLog, AuditRecord, told_name

TOLD = (401, 403, 404)
FIRST_ERROR = 400
LONGEST_PATH = 100


class Refusals:
    """What was refused in one process."""

    def __init__(self, audit: AuditLog | None = None) -> None:
        self.counts: Counter[int] = Counter()
        self._audit = audit

    def before(self, app: ASGIApp) -> ASGIApp:
        """An application before another: it sees the status of every response."""

        async def watched(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return

            async def seen(message: Message) -> None:
                if message["type"] == "http.response.start" and message["status"] >= FIRST_ERROR:
                    self._refused(scope, message["status"])
                await send(message)

            await app(scope, receive, seen)

        return watched

    def _refused(self, scope: Scope, status: int) -> None:
        self.counts[status] += 1
        if self._audit is None or status not in TOLD:
            return
        client = (scope.get("state") or {}).get("asked_from") or scope.get("client")
        self._audit.note(
            AuditRecord(
                project="",
                user=told_name(_user(scope), LONGEST_USER),
                action=f"HTTP {told_name(scope['method'], 16)}",
                name=told_name(scope["path"], LONGEST_PATH),
                effect="refused",
                outcome=str(status),
                connection="" if client is None else f"from {client[0]}",
            )
        )


def _user(scope: Scope) -> str:
    """Whose request it was, if it had shown that before it was refused."""
    state: dict[str, Any] = scope.get("state") or {}
    return str(state.get("asked_by", ""))
