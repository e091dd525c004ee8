"""The life of an ASGI application inside another: begun and ended by the same task, as its own server would."""

import asyncio
from typing import Any

from starlette.types import ASGIApp, Message

from fieldguide.errors import Failure

END_SECONDS = 5.0


class Lifespan:
    """One application while it lives."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._told: asyncio.Queue[Message] = asyncio.Queue()
        self._begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Let it start what it needs; Failure when it can't."""
        self._told.put_nowait({"type": "lifespan.startup"})
        self._task = asyncio.create_task(self._live())
        await self._begun

    async def end(self) -> None:
        """Let it end what it started; one that takes too long is left."""
        self._told.put_nowait({"type": "lifespan.shutdown"})
        if self._task is not None:
            await asyncio.wait([self._task], timeout=END_SECONDS)
            self._task.cancel()

    async def _live(self) -> None:
        scope: dict[str, Any] = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": {}}
        try:
            await self._app(scope, self._told.get, self._heard)
        finally:
            self._settle(is_well=False)

    async def _heard(self, message: Message) -> None:
        if message["type"].startswith("lifespan.startup."):
            self._settle(is_well=message["type"] == "lifespan.startup.complete")

    def _settle(self, *, is_well: bool) -> None:
        if self._begun.done():
            return
        if is_well:
            self._begun.set_result(None)
        else:
            self._begun.set_exception(Failure("The project could not be started."))
