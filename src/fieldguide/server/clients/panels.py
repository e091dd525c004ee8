"""Which clients show panels: those that say so, by the extension `io.modelcontextprotocol/ui` (MCP Apps, SEP-1865)."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from fieldguide.panels.panel import MIME_TYPE, Panel

EXTENSION = "io.modelcontextprotocol/ui"


def extensions(panels: Sequence[Panel]) -> dict[str, Any]:
    """What a server with these panels declares."""
    return {EXTENSION: {"mimeTypes": [MIME_TYPE]}} if panels else {}


def shows_panels(capabilities: Mapping[str, Any]) -> bool:
    """Whether a client says that it shows pages of our kind."""
    shown = _member(_member(capabilities.get("extensions"), EXTENSION), "mimeTypes")
    return isinstance(shown, list) and MIME_TYPE in shown


def _member(value: Any, name: str) -> Any:
    """A member of what may be no object at all."""
    return cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None
