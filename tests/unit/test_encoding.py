"""Answers as they go out, where no wire of a test reaches them."""

from fieldguide.spine.tool import Answer
from fieldguide.wire.tools import encode_answer


def test_an_answer_that_is_an_error_says_so():
    assert encode_answer(Answer("no", is_error=True), version="2025-11-25", is_modern=False)["isError"] is True
    assert "isError" not in encode_answer(Answer("yes"), version="2025-11-25", is_modern=False)
