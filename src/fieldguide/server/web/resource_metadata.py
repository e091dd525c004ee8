"""What a client without a token is told of this service (RFC 9728): its address, who issues tokens, which scopes."""

from collections.abc import Collection
from typing import Any

from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from fieldguide.server.web.endpoint import PATH
from fieldguide.server.web.refusal import refusal
from fieldguide.spine.callers.principal import SCOPES

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
        self._audience = audience or f"{origin}{PATH}"

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
            return refusal(405, "Metadata is read by GET.", {"allow": "GET, HEAD"})
        if path not in ("", "/", _resource_path(path)):
            return refusal(404, "There is no such address here.")
        return JSONResponse(self._described(path), headers=FROM_ANYWHERE)

    def _described(self, path: str) -> dict[str, Any]:
        told: dict[str, Any] = {"resource": f"{self._origin}{path.rstrip('/') or PATH}"}
        told |= {"authorization_servers": self._issuers} if self._issuers else {}
        return {
            **told,
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
            "resource_name": "Fieldguide",
        }


def _resource_path(path: str) -> str:
    """The path of the resource that an address belongs to: `/mcp`, or `/mcp/NAME` for any NAME that is plain."""
    _, mcp, name, *_ = [*path.split("/", 3), "", "", ""]
    whole = f"{PATH}/{name}"
    if f"/{mcp}" != PATH or not name or len(whole) > LONGEST_PATH or not set(whole) <= IN_A_PATH:
        return PATH
    return whole
