"""Answers and errors as they go out, where no wire of a test reaches them."""

from fieldguide.spine.tool import Answer
from fieldguide.text.errors import Failure, InvalidArguments, NotFound
from fieldguide.wire.tools import encode_answer, make_method_error


def test_an_answer_that_is_an_error_says_so():
    assert encode_answer(Answer("no", is_error=True), version="2025-11-25", is_modern=False)["isError"] is True
    assert "isError" not in encode_answer(Answer("yes"), version="2025-11-25", is_modern=False)


def test_a_method_of_a_toolset_tells_a_failure_a_refusal_and_wrong_arguments_apart():
    errors = (Failure("It broke."), NotFound("It is not there."), InvalidArguments("It is wrong."))

    told = [(error.code, error.message) for error in map(make_method_error, errors)]

    assert told == [(-32603, "It broke."), (1001, "It is not there."), (-32602, "It is wrong.")]
