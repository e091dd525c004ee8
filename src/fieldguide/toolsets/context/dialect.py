"""How the context tools answer for a name that no tool has; their other errors are told plainly."""

from fieldguide.errors import ToolNotFound
from fieldguide.spine.contract import Answer, compact_json
from fieldguide.spine.dialect import error_text


def tell_unknown(error: ToolNotFound) -> Answer:
    """The words that the specification prints."""
    name, near = error.details["tool"], error.details.get("didYouMean")
    told = {"error": f"Unknown tool: {name}", "tool": name, **({"didYouMean": near} if near else {})}
    return error_text(compact_json(told))
