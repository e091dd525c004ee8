"""The spelling of tool names that a client is shown.

The APIs behind the big clients take only letters, digits, `_` and `-` in a tool's name, and one other name breaks every
request of such a client, not just ours. `tools/call` takes both spellings from everybody.
"""

from fieldguide.server.clients.known import REFUSING_NAMES, is_one_of
from fieldguide.spine.registry import safe_name


def shown_name(name: str, *, mode: str, client: str | None) -> str:
    """A tool's name as this client is shown it, in the mode `auto`, `literal` or `safe`."""
    if mode == "safe" or (mode == "auto" and is_one_of(client, REFUSING_NAMES)):
        return safe_name(name)
    return name
