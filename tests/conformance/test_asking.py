"""What the conformance suite leaves open when a tool or prompt asks its client: the other era, cancelling, forgery."""

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Cancelled
from fieldguide.wire.clients import RequestChannel
from fieldguide.wire.http_sessions import LoopOutlet
from fieldguide.wire.protocol import Connection, Request
from tests.conformance.run import FIXTURES
from tests.raw_client import RawClient

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}
REMEMBERING = "test_input_required_result_request_state"


@pytest.fixture
def client(project):
    with RawClient(
        project.root, "--toolsets", "conformance", extra_environment={"PYTHONPATH": str(FIXTURES)}
    ) as connected:
        yield connected


def test_a_tool_that_asks_by_being_called_again_is_refused_in_the_handshake_era(client):
    client.initialize()

    result = client.call(REMEMBERING)

    assert result["isError"] is True
    assert "only since 2026-07-28" in result["content"][0]["text"]
    assert "resultType" not in result


def test_a_prompt_that_asks_is_refused_in_the_handshake_era(client):
    client.initialize()

    error = client.request("prompts/get", name="test_input_required_result_prompt")["error"]

    assert error["code"] == -32602
    assert "only since 2026-07-28" in error["message"]


def test_a_client_that_can_not_be_asked_is_told_which_capability_is_missing(client):
    error = client.request("tools/call", name="test_missing_capability", _meta=ENVELOPE)["error"]

    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": {"sampling": {}}})


@pytest.mark.parametrize("answers", [[], 7, {"confirm": 7}, {"confirm": None}])
def test_answers_that_are_no_objects_are_refused(client, answers):
    error = client.request("tools/call", name=REMEMBERING, inputResponses=answers, _meta=ENVELOPE)["error"]

    assert error["code"] == -32602


def test_the_state_of_one_tool_is_refused_by_another_and_by_a_prompt(client):
    asked = client.request("tools/call", name=REMEMBERING, _meta=ENVELOPE)["result"]
    carried = {"inputResponses": {"confirm": {"action": "accept"}}, "requestState": asked["requestState"]}

    other = "test_input_required_result_tampered_state"
    refused = client.request("tools/call", name=other, **carried, _meta=ENVELOPE)["error"]
    prompt = client.request("prompts/get", name="test_input_required_result_prompt", **carried, _meta=ENVELOPE)["error"]
    taken = client.request("tools/call", name=REMEMBERING, **carried, _meta=ENVELOPE)["result"]

    assert (refused["code"], prompt["code"]) == (-32602, -32602)
    assert taken["content"][0]["text"] == "state-ok, answered: confirm"


class SilentClient:
    """A client that takes a question and never answers."""

    def __init__(self) -> None:
        self.was_asked = asyncio.Event()

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Nobody looks."""

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Never an answer."""
        self.was_asked.set()
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        return await answer


@pytest.mark.anyio
async def test_cancelling_frees_the_thread_of_a_tool_that_waits_for_an_answer():
    client, outcome = SilentClient(), list[BaseException]()
    outlet = LoopOutlet(client, asyncio.get_running_loop())
    connection = Connection(capabilities={"elicitation": {}})
    request = Request(1, "tools/call", {}, connection, outlet, connection, Cancellation())
    channel = RequestChannel(request, {})

    def ask() -> None:
        try:
            channel.ask("who", "elicitation/create", {})
        except Cancelled as error:
            outcome.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    await client.was_asked.wait()
    request.cancellation.set()
    await asyncio.to_thread(thread.join, 10)

    assert [type(error) for error in outcome] == [Cancelled]
