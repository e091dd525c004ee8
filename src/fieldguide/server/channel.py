"""What a running tool can say to its client, from its worker thread, in both eras."""

import asyncio
from collections.abc import Coroutine, Mapping
from concurrent.futures import CancelledError, Future
from typing import Any

from fieldguide.errors import Cancelled, InputNeeded, Refusal, shortened
from fieldguide.server.connection import CAPABILITIES, LEVELS, Request
from fieldguide.server.jsonrpc import RpcError
from fieldguide.spine.cancellation import Cancellation


class RequestChannel:
    """The channel of one request; each word waits until it is on its way, so that nothing overtakes the answer."""

    def __init__(self, request: Request, cancellation: Cancellation, inputs: Mapping[str, Any]) -> None:
        self._request = request
        self._cancellation = cancellation
        self._inputs = inputs
        self._loop = request.connection.loop or asyncio.get_running_loop()

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the work is, if the client gave a token for it."""
        token = self._request.meta.get("progressToken")
        if not isinstance(token, str | int) or isinstance(token, bool):
            return
        params: dict[str, Any] = {"progressToken": token, "progress": done}
        params |= {} if total is None else {"total": total}
        params |= {} if message is None else {"message": message}
        self._wait_for(self._request.outlet.notify("notifications/progress", params))

    def log(self, level: str, data: Any, logger: str | None = None) -> None:
        """Send a log message, if the client wants messages of this level."""
        if level not in LEVELS:
            raise ValueError(f"{level!r} is no log level; the levels are {', '.join(LEVELS)}")
        if not self._request.wants_log(level):
            return
        params: dict[str, Any] = {"level": level, "data": data}
        params |= {} if logger is None else {"logger": logger}
        self._wait_for(self._request.outlet.notify("notifications/message", params))

    def can_ask(self, method: str) -> bool:
        """Whether the client says that it can be asked this."""
        return self._request.can_ask(method)

    def ask(self, key: str, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Ask the client; in the new era by ending this call with the question, to be called again with its answer."""
        if self._request.is_modern:
            if key not in self._inputs:
                raise InputNeeded(key, {"method": method, "params": dict(params)})
            return dict(self._inputs[key])
        if not self.can_ask(method):
            capability = CAPABILITIES[method]
            raise Refusal(f"This client can't be asked: it does not declare the capability {capability!r}.")
        return self._wait_for(self._request.outlet.request(method, params)) or {}

    def _wait_for(self, words: "Coroutine[Any, Any, Any]") -> Any:
        waiting = asyncio.run_coroutine_threadsafe(words, self._loop)
        try:
            with self._cancellation.stopping(lambda: _cancel(waiting)):
                return waiting.result()
        except CancelledError:
            raise Cancelled("The call was cancelled.") from None
        except RpcError as error:
            raise Refusal(f"The client answered with an error: {shortened(error.message)}") from error


def _cancel(waiting: Future[Any]) -> None:
    waiting.cancel()
