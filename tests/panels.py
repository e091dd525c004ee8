"""What a client that shows panels says, and the parts that tests of panels share."""

from typing import Any

EXTENSION = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
SHOWS_PANELS: dict[str, Any] = {"extensions": {EXTENSION: {"mimeTypes": [MIME_TYPE]}}}
BOARD, PICTURE = "ui://fieldguide/tasks", "ui://fieldguide/decisions"
PANEL_OF = {
    "add_task": BOARD,
    "list_tasks": BOARD,
    "complete_task": BOARD,
    "delete_task": BOARD,
    "update_task": BOARD,
    "search-architecture": PICTURE,
    "check-adr-alignment": PICTURE,
}
