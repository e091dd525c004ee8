"""Seals the state of a call that asks its client something, and opens it when the answers come back.

What the tool must remember in between travels with the client, so it is sealed: nobody can change it, bring it to
another tool, or use it after ten minutes. It can be read; a secret does not belong there.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from time import time
from typing import Any, cast

from fieldguide.spine.tool import INVALID_PARAMS, InputRequired
from fieldguide.text.errors import Refusal, shorten
from fieldguide.wire.jsonrpc import MISSING_CAPABILITY, RpcError
from fieldguide.wire.protocol import CAPABILITIES, Request

LIFETIME_SECONDS = 600.0
SealingKeys = Callable[[], Sequence[bytes]]
"""Gives the key that seals, and after it the others that open; those of a database are read."""


class SealedState:
    """Seals and opens the state, with a key of this process or with those that all replicas have."""

    def __init__(self, clock: Callable[[], float] = time, keys: SealingKeys | None = None) -> None:
        own_key = os.urandom(32)
        self._keys: SealingKeys = keys or (lambda: (own_key,))
        self._clock = clock

    def asking(self, required: InputRequired, request: Request) -> dict[str, Any]:
        """The result that asks the client; an error when it has not declared that it can be asked this."""
        if not request.is_modern:
            raise Refusal("This asks its client in a way that the protocol knows only since 2026-07-28.")
        missing: dict[str, dict[str, Any]] = {
            CAPABILITIES[asked["method"]]: {}
            for asked in required.requests.values()
            if not request.can_ask(asked["method"])
        }
        if missing:
            data = {"requiredCapabilities": missing}
            raise RpcError(MISSING_CAPABILITY, "Missing required client capability", data)
        result: dict[str, Any] = {"resultType": "input_required", "inputRequests": dict(required.requests)}
        if required.state is not None:
            content = json.dumps([int(self._clock()), *_belonging(request), required.state]).encode()
            result["requestState"] = (_seal(self._keys()[0], content) + content).hex()
        return result

    def opened(self, request: Request) -> tuple[Mapping[str, Any], str | None]:
        """The client's answers and the state that came back with them."""
        given = request.params.get("inputResponses")
        sealed = request.params.get("requestState")
        answers: Any = {} if given is None else given
        if not isinstance(answers, Mapping):
            raise RpcError(INVALID_PARAMS, 'Invalid params: "inputResponses" must be an object.')
        answers = cast("Mapping[str, Any]", answers)
        wrong = [key for key, answer in answers.items() if not isinstance(answer, Mapping)]
        if wrong:
            raise RpcError(INVALID_PARAMS, f"Invalid params: the answer to {shorten(wrong[0])!r} must be an object.")
        return answers, None if sealed is None else self._opened(sealed, request)

    def _opened(self, sealed: Any, request: Request) -> str:
        from hmac import compare_digest  # with hashlib 3 ms of a start that hardly ever needs them

        keys = self._keys()
        try:
            raw = bytes.fromhex(sealed)
        except (TypeError, ValueError):
            raw = b""
        seal = raw[:32]
        content = raw[32:]
        if True not in [compare_digest(seal, _seal(key, content)) for key in keys]:
            raise RpcError(INVALID_PARAMS, "Invalid requestState: it is not what this server gave out.")
        sealed_at, *belonging, state = json.loads(content)
        if belonging != _belonging(request):
            raise RpcError(INVALID_PARAMS, "Invalid requestState: it belongs to another call.")
        if self._clock() - sealed_at > LIFETIME_SECONDS:
            raise RpcError(INVALID_PARAMS, "Invalid requestState: it is too old; call again from the beginning.")
        return str(state)


def _seal(key: bytes, content: bytes) -> bytes:
    from hmac import digest

    return digest(key, content, "sha256")


def _belonging(request: Request) -> list[Any]:
    return [request.method, request.params.get("name"), request.connection.user]
