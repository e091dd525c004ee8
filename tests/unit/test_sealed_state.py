"""The state of a question to a client: it comes back unchanged, in time and to the same call, or not at all."""

from typing import Any

import pytest

from fieldguide.spine.tool import InputRequired
from fieldguide.text.cancellation import Cancellation
from fieldguide.wire.jsonrpc import RpcError
from fieldguide.wire.protocol import Connection, Request, RequestEnvelope
from fieldguide.wire.sealed_state import SealedState
from tests.fakes import FakeClock

QUESTION = {"who": {"method": "elicitation/create", "params": {}}}


def request(name="t", user=None, **params):
    outlet: Any = None  # nobody is spoken to
    connection = Connection(user=user)
    envelope = RequestEnvelope("2026-07-28", {}, {"elicitation": {}}, None)
    asked = {"name": name, **params}
    return Request(1, "tools/call", asked, connection, outlet, envelope, Cancellation(), is_modern=True)


def given_out(sealed, **more):
    return sealed.asking(InputRequired(QUESTION, "step 2"), request(**more))["requestState"]


def test_a_state_comes_back_as_it_was():
    sealed = SealedState()

    state = given_out(sealed)

    assert sealed.opened(request(requestState=state)) == ({}, "step 2")


@pytest.mark.parametrize("wrong", ["", "zz", "00" * 40, 5, None])
def test_a_made_up_state_is_refused(wrong):
    sealed = SealedState()
    state = given_out(sealed)

    for each in (wrong if wrong is not None else state[:-2] + "00", state[2:]):
        with pytest.raises(RpcError):
            sealed.opened(request(requestState=each))


@pytest.mark.parametrize("other", [{"name": "another tool"}, {"user": "bob"}])
def test_a_state_belongs_to_its_tool_and_its_user(other):
    sealed = SealedState()
    state = given_out(sealed)

    with pytest.raises(RpcError, match="belongs to another call"):
        sealed.opened(request(**{"requestState": state, **other}))


def test_a_state_is_too_old_after_ten_minutes():
    clock = FakeClock()
    sealed = SealedState(clock)
    state = given_out(sealed)

    clock.advance(600)
    assert sealed.opened(request(requestState=state))[1] == "step 2"
    clock.advance(2)
    with pytest.raises(RpcError, match="too old"):
        sealed.opened(request(requestState=state))
