"""Authenticates HTTP requests by bearer token, and publishes the OAuth metadata of the service.

The application behind it finds the principal and its rights in the request's scope (`read_caller`). A token that was
revoked or has expired is refused from the next request on, also in an open session.
"""

from collections.abc import Awaitable, Callable, Collection
from time import time
from typing import Any, NamedTuple, Protocol

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide.settings.access import METRICS, NOTHING, READ, SCOPES, Access, Principal
from fieldguide.settings.service import MCP_PATH
from fieldguide.text.errors import StorageFailed
from fieldguide.wire.http_guard import Caller, make_refusal

WELL_KNOWN = "/.well-known/oauth-protected-resource"
LONGEST_PATH = 300
IN_A_PATH = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
FROM_ANYWHERE = {"access-control-allow-origin": "*", "cache-control": "max-age=3600"}
LOOKS = ("GET", "HEAD")


class ProtectedResource:
    """This service as OAuth sees it: `origin` is its public address without a path.

    Whether a project exists does not show: every name has metadata, and all of them the same but for the name.
    """

    def __init__(self, origin: str, *, issuers: Collection[str] = (), audience: str | None = None) -> None:
        self._origin = origin
        self._issuers = list(issuers)
        self._audience = audience or f"{origin}{MCP_PATH}"

    def audiences(self, path: str) -> frozenset[str]:
        """Whom a token may name that is shown at this path: the service, or exactly what is asked for."""
        return frozenset({self._audience, f"{self._origin}{_resource_path(path)}"})

    def metadata_url(self, path: str) -> str:
        """Where the metadata of the resource at this path is."""
        return f"{self._origin}{WELL_KNOWN}{_resource_path(path)}"

    def is_metadata(self, path: str) -> bool:
        """Whether this is an address of metadata."""
        return path == WELL_KNOWN or path.startswith(f"{WELL_KNOWN}/")

    def answer(self, scope: Scope) -> Response:
        """The metadata that is asked for."""
        path: str = scope["path"].removeprefix(WELL_KNOWN)
        if scope["method"] not in LOOKS:
            return make_refusal(405, "Metadata is read by GET.", {"allow": "GET, HEAD"})
        if path not in ("", "/", _resource_path(path)):
            return make_refusal(404, "There is no such address here.")
        return JSONResponse(self._metadata(path), headers=FROM_ANYWHERE)

    def _metadata(self, path: str) -> dict[str, Any]:
        metadata: dict[str, Any] = {"resource": f"{self._origin}{path.rstrip('/') or MCP_PATH}"}
        if self._issuers:
            metadata["authorization_servers"] = self._issuers
        metadata["scopes_supported"] = list(SCOPES)
        metadata["bearer_methods_supported"] = ["header"]
        metadata["resource_name"] = "Fieldguide"
        return metadata


def _resource_path(path: str) -> str:
    """The path of the resource that an address belongs to: `/mcp`, or `/mcp/NAME` for any NAME that is plain."""
    _, mcp, name, *_ = [*path.split("/", 3), "", "", ""]
    whole = f"{MCP_PATH}/{name}"
    if f"/{mcp}" != MCP_PATH or not name or len(whole) > LONGEST_PATH or not set(whole) <= IN_A_PATH:
        return MCP_PATH
    return whole


MOST_TOKEN_BYTES = 8192
METRICS_PATH = "/metrics"
OPEN_PATHS = frozenset({"/healthz", "/readyz"})
UNASKED = "This service asks each request for a token: send the header `Authorization: Bearer TOKEN`."
INVALID = "This token is not valid here: it is unknown, revoked, past its end, or meant for another service."
NO_SCOPE = "This token does not have the scope `read`, without which nothing is told."
NO_METRICS = "This token does not have the scope `metrics`."
NOT_HERE = "There is no such address here."
CANT_TELL = "The service can't look up who you are just now. Try again in a moment."

AccessLookup = Callable[[Principal, str], Awaitable[Access | None]]
"""The rights of a principal in the project of this name; None where it does not exist, or not for them."""


class VerifiedToken(NamedTuple):
    """What a good token says.

    `subject` is the user, `claims["iss"]` who vouches for them, `claims["aud"]`, where it is there, whom it is for.
    """

    client_id: str
    scopes: list[str]
    subject: str | None
    claims: dict[str, Any]
    expires_at: int | None = None


class BearerVerifier(Protocol):
    """What tells good tokens from others."""

    async def verify_token(self, token: str) -> VerifiedToken | None:
        """What a good token says; None for any other."""
        ...


def vouch_for(principal: Principal, audiences: list[str] | None = None) -> VerifiedToken:
    """What a verifier says of a good token; without audiences it is for this service alone."""
    ends = None if principal.expires_at is None else int(principal.expires_at)
    claims = {"iss": principal.issuer, **({} if audiences is None else {"aud": audiences})}
    return VerifiedToken(principal.token, sorted(principal.scopes), principal.user, claims, ends)


def to_principal(token: VerifiedToken, audiences: frozenset[str], now: float) -> Principal | None:
    """The principal of a verified token, if it has not expired and is meant for one of these audiences."""
    named: list[str] | None = token.claims.get("aud")
    is_ours = named is None or not audiences.isdisjoint(named)
    is_over = token.expires_at is not None and token.expires_at <= now
    if not token.subject or not is_ours or is_over:
        return None
    issuer = str(token.claims.get("iss") or "")
    return Principal(token.subject, frozenset(token.scopes), issuer, token.expires_at, token.client_id)


class Principals:
    """An ASGI application before another: it passes on only requests of known principals for what is theirs to see.

    An address `/mcp/NAME` belongs to the project NAME, and `/mcp` to the project "". A project that does not exist and
    one that is not the principal's answer the same, whatever is asked below them.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        verifier: BearerVerifier,
        access_for: AccessLookup,
        resource: ProtectedResource,
        clock: Callable[[], float] = time,
    ) -> None:
        self._app = app
        self._verifier = verifier
        self._access_for = access_for
        self._resource = resource
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its caller, or refuse it."""
        path: str = scope.get("path", "")
        if scope["type"] != "http" or path in OPEN_PATHS:
            await self._app(scope, receive, send)
        elif self._resource.is_metadata(path):
            await self._resource.answer(scope)(scope, receive, send)
        else:
            try:
                admitted = await self._admit(scope)
            except StorageFailed:
                admitted = make_refusal(503, CANT_TELL, {"retry-after": "5"})
            if isinstance(admitted, Response):
                await admitted(scope, receive, send)
            else:
                await self._serve(admitted, scope, receive, send)

    async def _admit(self, scope: Scope) -> "_Admitted | Response":
        """The caller and its rights, or the response that refuses the request."""
        path: str = scope["path"]
        shown = [value for name, value in scope["headers"] if name == b"authorization"]
        if not shown:
            return self._challenge(401, UNASKED, path)
        token = _read_bearer(shown)
        verified = None if token is None else await self._verifier.verify_token(token)
        principal = None
        if verified is not None:
            principal = to_principal(verified, self._resource.audiences(path), self._clock())
        if principal is None:
            return self._challenge(401, INVALID, path, error="invalid_token")
        if path == METRICS_PATH:
            if METRICS not in principal.scopes:
                return self._challenge(403, NO_METRICS, path, error="insufficient_scope")
            return _Admitted(principal, Access(principal.user, NOTHING, NOTHING))
        if READ not in principal.scopes:
            return self._challenge(403, NO_SCOPE, path, error="insufficient_scope")
        project = find_project_name(path)
        access = None if project is None else await self._access_for(principal, project)
        return make_refusal(404, NOT_HERE) if access is None else _Admitted(principal, principal.limited(access))

    def _challenge(self, status: int, sentence: str, path: str, error: str | None = None) -> Response:
        reason = f'error="{error}", ' if error else ""
        metadata = f'resource_metadata="{self._resource.metadata_url(path)}"'
        challenge = f'Bearer realm="fieldguide", {reason}scope="read write", {metadata}'
        return make_refusal(status, sentence, {"www-authenticate": challenge})

    async def _serve(self, admitted: "_Admitted", scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an admitted request on."""
        before: dict[str, Any] = scope.get("state", {})
        state = {**before, "principal": admitted.principal, "caller": Caller(*admitted)}
        await self._app({**scope, "state": state}, receive, send)


class _Admitted(NamedTuple):
    principal: Principal
    access: Access


def find_project_name(path: str) -> str | None:
    """The name of the project that an address belongs to, as it stands there; None where it belongs to none."""
    if path == MCP_PATH:
        return ""
    name = path.removeprefix(f"{MCP_PATH}/").partition("/")[0] if path.startswith(f"{MCP_PATH}/") else ""
    return name or None


def _read_bearer(shown: list[bytes]) -> str | None:
    """The token of the one `Authorization` header; None where there are several, or it is no bearer token."""
    scheme, _, token = shown[0].partition(b" ")
    if len(shown) != 1 or scheme.lower() != b"bearer" or not 0 < len(token) <= MOST_TOKEN_BYTES:
        return None
    return token.decode("ascii") if token.isascii() else None
