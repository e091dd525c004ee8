"""What a running tool can say to its client, from its worker thread, in both eras."""

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any

from fieldguide.errors import InputNeeded, Refusal
from fieldguide.server.connection import LEVELS, Request
from fieldguide.server.jsonrpc import RpcError
from fieldguide.spine.cancellation import Cancellation

CAPABILITIES = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}


class RequestChannel:
    """The channel of one request; each word waits until it is on its way, so that nothing overtakes the answer."""

    def __init__(self, request: Request, cancellation: Cancellation, inputs: Mapping[str, Any]) -> None:
        self._request = request
        self._cancellation = cancellation
        self._inputs = inputs
        self._loop = asyncio.get_running_loop()

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

    def ask(self, key: str, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Ask the client; in the new era by ending this call with the question, to be called again with its answer."""
        capability = CAPABILITIES[method]
        if capability not in self._request.capabilities:
            raise Refusal(f"This client can't be asked: it does not declare the capability {capability!r}.")
        if not self._request.is_modern:
            return self._wait_for(self._request.outlet.request(method, params)) or {}
        if key not in self._inputs:
            raise InputNeeded(key, {"method": method, "params": dict(params)})
        return dict(self._inputs[key])

    def _wait_for(self, words: "Coroutine[Any, Any, Any]") -> Any:
        if self._cancellation.is_set:
            words.close()
            self._cancellation.check()
        try:
            return asyncio.run_coroutine_threadsafe(words, self._loop).result()
        except RpcError as error:
            raise Refusal(f"The client answered with an error: {error.message}") from error
