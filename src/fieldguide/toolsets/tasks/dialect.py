"""How the task tools tell their errors: JSON, and one sentence of the tool's own for every failure of ours."""

from fieldguide.errors import Failure, FieldguideError
from fieldguide.spine.contract import Answer, compact_json
from fieldguide.spine.dialect import Failing, error_text


def tell(error: FieldguideError, failing: Failing) -> Answer:
    """The message with its details; of a failure only the sentence that the specification prints."""
    if isinstance(error, Failure) and failing.tool.wording.failure_message:
        named = {"task_id": failing.arguments["task_id"]} if "task_id" in failing.arguments else {}
        return error_text(compact_json({"error": failing.tool.wording.failure_message, **named}))
    return error_text(compact_json({"error": error.message, **error.details}))
