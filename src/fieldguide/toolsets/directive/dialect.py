"""How the directive tools tell their errors: plain sentences, for unknown names too."""

from fieldguide.errors import FieldguideError, InvalidArguments, ToolNotFound
from fieldguide.spine.contract import Answer
from fieldguide.spine.dialect import Failing, error_text


def tell(error: FieldguideError, failing: Failing) -> Answer:
    """The sentence, with the tool's name where its arguments were wrong."""
    if isinstance(error, InvalidArguments):
        return error_text(f"Invalid arguments for {failing.tool.name}: {error.message}")
    return error_text(error.message)


def tell_unknown(error: ToolNotFound) -> Answer:
    """The sentence."""
    return error_text(error.message)
