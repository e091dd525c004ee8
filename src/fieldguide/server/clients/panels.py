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
    declared: Any = capabilities.get("extensions")
    settings: Any = declared.get(EXTENSION) if isinstance(declared, Mapping) else None
    shown: Any = cast("Mapping[str, Any]", settings).get("mimeTypes") if isinstance(settings, Mapping) else None
    return isinstance(shown, list) and MIME_TYPE in shown
