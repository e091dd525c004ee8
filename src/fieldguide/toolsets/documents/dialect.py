"""How the document tools tell their errors: a sentence; what is not there is an answer, with names that are alike."""

from fieldguide.errors import FieldguideError, NotFound
from fieldguide.spine.answers.near_names import said
from fieldguide.spine.contract import Answer
from fieldguide.spine.dialect import Failing, error_text


def tell(error: FieldguideError, failing: Failing) -> Answer:
    """The sentence; what is not there counts as no error."""
    if not isinstance(error, NotFound):
        return error_text(f"Error: {error.message}")
    more = filter(None, [said(error.details.get("suggestions", ()))])
    return Answer(text=error.message, blocks=tuple({"type": "text", "text": text} for text in (error.message, *more)))
