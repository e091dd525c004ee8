"""The two eras of the protocol, told apart request by request, so that both live on one connection.

A request whose `_meta` names a protocol version is of the new era and carries all it needs with it; any other belongs
to the era of the handshake. Real clients probe with `server/discover` and then send `initialize` on the same pipe.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from fieldguide.errors import shortened
from fieldguide.server.jsonrpc import INVALID_PARAMS, UNSUPPORTED_VERSION, RpcError

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"
CACHE_MS = 60_000


class Envelope(NamedTuple):
    """What a request of the new era says about its sender."""

    version: str
    client: Mapping[str, Any]
    capabilities: Mapping[str, Any]
    log_level: str | None


def envelope_of(params: Mapping[str, Any]) -> Envelope | None:
    """The envelope of a request of the new era; None for one of the handshake era."""
    meta = params.get("_meta")
    if meta is None:
        return None
    if not isinstance(meta, Mapping) or VERSION_KEY not in meta:
        return None
    meta = cast("Mapping[str, Any]", meta)
    if CAPABILITIES_KEY not in meta:
        raise RpcError(INVALID_PARAMS, f"params._meta is missing {CAPABILITIES_KEY}, which every request carries.")
    version = meta[VERSION_KEY]
    if not isinstance(version, str):
        raise RpcError(INVALID_PARAMS, f"{VERSION_KEY} must be a string.")
    if version not in MODERN_VERSIONS:
        supported = {"supported": list(MODERN_VERSIONS), "requested": shortened(version)}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", supported)
    client, capabilities = meta.get(CLIENT_INFO_KEY), meta[CAPABILITIES_KEY]
    level = meta.get(LOG_LEVEL_KEY)
    return Envelope(version, _object(client), _object(capabilities), level if isinstance(level, str) else None)


def negotiate(asked: Any) -> str:
    """The version of a handshake: the one that was asked for if we know it, else our newest."""
    return asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def stamped(result: dict[str, Any], server_info: Mapping[str, Any]) -> dict[str, Any]:
    """A result with what the new era wants on each: its type, and who answered."""
    meta = {**result.get("_meta", {}), SERVER_INFO_KEY: server_info}
    return {"resultType": "complete", **result, "_meta": meta}


def cacheable(result: dict[str, Any], *, is_modern: bool) -> dict[str, Any]:
    """A list or a document with the hint how long it stays fresh, where the era knows such hints."""
    return {**result, "ttlMs": CACHE_MS, "cacheScope": "private"} if is_modern else result


def _object(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
