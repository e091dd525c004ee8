"""Whether a server can do its work: `/readyz` asks the database, the index and the model, at most once a second.

Anybody may ask, so the answer names the parts and nothing of what is in them, and a crowd that asks costs one look.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fieldguide.server.web.refusal import NO_STORE

Look = Callable[[], object]
FRESH_SECONDS = 1.0
LONGEST_SECONDS = 5.0
OK, FAILED, DRAINING = "ok", "failed", "draining"


class Probes:
    """The looks by the names of the parts; each raises where its part is not well. They run on a thread, in order.

    `run` runs a plain function on a thread. A look that hangs is not begun again before it has ended.
    """

    def __init__(
        self,
        looks: Mapping[str, Look],
        run: Callable[[Callable[[], None]], Awaitable[None]],
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._looks = looks
        self._run = run
        self._clock = clock
        self._seen_at = -FRESH_SECONDS
        self._found: dict[str, str] = {}
        self._looking: asyncio.Future[None] | None = None
        self.is_draining = False

    async def answer(self, request: Request) -> Response:
        """`/readyz`: 200 where every part is well, else 503; while the server ends, 503 at once."""
        parts = {} if self.is_draining else await self.parts()
        is_ready = not self.is_draining and all(found == OK for found in parts.values())
        told: dict[str, Any] = {"status": "ready" if is_ready else DRAINING if self.is_draining else "not ready"}
        status = 200 if is_ready else 503
        return JSONResponse({**told, "parts": parts} if parts else told, status, headers=NO_STORE)

    async def parts(self) -> dict[str, str]:
        """How each part was found, a moment ago or now."""
        if self._clock() - self._seen_at >= FRESH_SECONDS and self._looking is None:
            self._looking = asyncio.ensure_future(self._run(self._look))
            self._looking.add_done_callback(self._ended)
        if self._looking is not None:
            await asyncio.wait([self._looking], timeout=LONGEST_SECONDS)
        return {name: self._found.get(name, FAILED) for name in self._looks}

    def _look(self) -> None:
        found: dict[str, str] = {}
        for name, look in self._looks.items():
            self._found = {**self._found, name: FAILED}  # while it hangs
            try:
                look()
                found[name] = OK
            except Exception:  # noqa: BLE001  whatever it is, the part is not well; the journal tells of causes
                found[name] = FAILED
            self._found = {**self._found, **found}

    def _ended(self, looking: "asyncio.Future[None]") -> None:
        self._looking, self._seen_at = None, self._clock()
        if not looking.cancelled():
            looking.exception()
