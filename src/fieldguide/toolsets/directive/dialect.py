"""How the directive tools tell their errors: plain sentences, for unknown names too."""

from fieldguide.errors import FieldguideError, InvalidArguments, ToolNotFound
from fieldguide.spine.answers.near_names import said
from fieldguide.spine.contract import Answer
from fieldguide.spine.dialect import Failing, error_text


def tell(error: FieldguideError, failing: Failing) -> Answer:
    """The sentence, with the tool's name where its arguments were wrong."""
    if isinstance(error, InvalidArguments):
        return error_text(f"Invalid arguments for {failing.tool.name}: {error.message}")
    return error_text(error.message)


def tell_unknown(error: ToolNotFound) -> Answer:
    """The sentence; names that are near come in a text of their own."""
    told = error_text(error.message)
    near = said(error.details.get("didYouMean", ()))
    return told._replace(blocks=tuple({"type": "text", "text": text} for text in (told.text, near))) if near else told
