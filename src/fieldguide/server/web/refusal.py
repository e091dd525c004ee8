"""What an HTTP client is told when a request goes no further: a JSON-RPC error with one sentence."""

from starlette.responses import JSONResponse, Response

from fieldguide.server.jsonrpc import INVALID_REQUEST

NO_STORE = {"cache-control": "no-store"}


def refusal(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    """A response with this status; it answers no request in particular, so its id is null."""
    error = {"code": INVALID_REQUEST, "message": sentence}
    told = {"jsonrpc": "2.0", "id": None, "error": error}
    return JSONResponse(told, status_code=status, headers={**NO_STORE, **(headers or {})})
