"""What a caller may not see is not there: lists, calls, resources, prompts, completions, methods and instructions."""

import asyncio
import json

import pytest

from fieldguide.app import build_app
from fieldguide.settings.access import Access
from fieldguide.settings.config import Settings
from fieldguide.wire.jsonrpc import RpcError
from fieldguide.wire.protocol import Connection
from tests.clients import payload
from tests.identity.service import client_of

pytestmark = pytest.mark.anyio
HIDDEN = {"architecture": "check-adr-alignment", "tasks": "list_tasks", "directive": "directive/files.list"}


class Asking:
    """Asks an app in process, with whichever rights."""

    def __init__(self, root) -> None:
        self.app = build_app(Settings(project=str(root)), write_journal=lambda lines: None)

    async def __call__(self, method, access=None, **params):
        """The result of a request, or its error, as it goes over the wire."""
        connection = Connection(user=None if access is None else access.user)
        try:
            return await asyncio.to_thread(self.app.answer, method, params, connection, access)
        except RpcError as error:
            return error.described()


@pytest.fixture(scope="module")
def asking(served_project):
    return Asking(served_project.root)


def without(*toolsets):
    """The rights of somebody who may see all but these."""
    names = ("architecture", "context", "directive", "documents", "guide", "tasks")
    return Access("ann", frozenset(name for name in names if name not in toolsets))


@pytest.mark.parametrize("toolset", sorted(HIDDEN))
async def test_a_tool_of_a_hidden_toolset_answers_like_no_tool(asking, toolset):
    access, tool = without(toolset), HIDDEN[toolset]

    listed = {each["name"] for each in (await asking("tools/list", access))["tools"]}
    hidden = await asking("tools/call", access, name=tool, arguments={})
    none = await asking("tools/call", access, name=tool[::-1], arguments={})

    assert tool in {each["name"] for each in (await asking("tools/list"))["tools"]}
    assert tool not in listed
    assert json.dumps(hidden).replace(tool, "x") == json.dumps(none).replace(tool[::-1], "x")


async def test_what_a_hidden_toolset_serves_is_not_there(asking):
    access = without("architecture")

    everything = [each["uri"] for each in (await asking("resources/list"))["resources"]]
    theirs = [uri for uri in everything if uri.startswith("architecture://")]
    seen = [each["uri"] for each in (await asking("resources/list", access))["resources"]]
    templates = [
        each["uriTemplate"] for each in (await asking("resources/templates/list", access))["resourceTemplates"]
    ]
    read = await asking("resources/read", access, uri=theirs[0])
    nowhere = await asking("resources/read", access, uri="nowhere://x")
    prompts = {each["name"] for each in (await asking("prompts/list", access))["prompts"]}
    completed = await asking(
        "completion/complete",
        access,
        ref={"type": "ref/resource", "uri": "architecture://decisions/{id}"},
        argument={"name": "id", "value": ""},
    )

    assert theirs
    assert set(seen) == set(everything) - set(theirs)
    assert not [each for each in templates if each.startswith("architecture://")]
    assert json.dumps(read).replace(theirs[0], "x") == json.dumps(nowhere).replace("nowhere://x", "x")
    assert prompts <= {each["name"] for each in (await asking("prompts/list"))["prompts"]}
    assert completed["completion"]["values"] == []


async def test_a_method_of_a_hidden_toolset_answers_like_no_method(asking):
    access = without("directive")

    known = await asking("directive.files.list")
    hidden = await asking("directive.files.list", access)
    none = await asking("directive/none", access)

    assert "error" not in known
    assert "code" not in known
    assert json.dumps(hidden).replace("directive.files.list", "x") == json.dumps(none).replace("directive/none", "x")


async def test_instructions_tell_of_what_the_caller_sees_and_for_whom(asking):
    handshake = {"protocolVersion": "2025-11-25", "clientInfo": {"name": "t"}, "capabilities": {}}

    whole = (await asking("initialize", **handshake))["instructions"]
    some = (await asking("initialize", without("architecture", "guide"), **handshake))["instructions"]

    assert "decisions" in whole
    assert "decisions" not in some
    assert 'user_id "ann"' in some


async def test_a_tool_that_asks_others_finds_only_those_of_its_caller(asking):
    asked = {"name": "guide_search", "arguments": {"query": "lamps"}}

    whole = json.dumps(await asking("tools/call", **asked))
    some = json.dumps(await asking("tools/call", without("architecture", "documents"), **asked))

    assert "0001-lamps" in whole
    assert "0001-lamps" not in some


async def test_performance_tells_a_principal_of_its_own_calls_only(asking):
    ann, bob = Access("ann"), Access("bob")
    await asking("tools/call", ann, name="list_tasks", arguments={})

    theirs, mine = await asking("server/performance", bob), await asking("server/performance", ann)

    assert theirs["tool_metrics"]["invocations_by_name"] == {}
    assert mine["tool_metrics"]["invocations_by_name"]["list_tasks"] >= 1


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_token_that_may_only_read_neither_sees_nor_calls_what_writes(service, mode):
    reader, writer = service.token(f"kai-{mode}", "read"), service.token(f"kai-{mode}")

    async with client_of(service.url, reader, mode=mode) as client:
        seen = {tool.name for tool in (await client.list_tools()).tools}
        refused = await client.call_tool("add_task", {"title": "Not to be"})
        mine = await client.call_tool("list_tasks", {})
    async with client_of(service.url, writer, mode=mode) as client:
        all_tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert {"add_task", "delete_task"} <= all_tools.keys() - seen
    assert "list_tasks" in seen
    assert refused.is_error
    assert "you may only read here" in str(refused.content[0])
    assert payload(mine) == []


def test_the_handle_of_a_prompt_is_its_principals_own(service):
    ann, bob = service.token("lea"), service.token("max")
    session, other = service.session(ann), service.session(bob)
    prompts = service.call(ann, session, "prompts/list")["result"]["prompts"]
    filled = {argument["name"]: "lamps" for argument in prompts[0]["arguments"] if argument["required"]}
    given = service.call(ann, session, "prompts/get", name=prompts[0]["name"], arguments=filled)
    handle = given["result"]["_meta"]["fieldguide/workflow"]
    call = {"name": "list_tasks", "arguments": {}}

    mine = service.call(ann, session, "tools/call", **call, _meta={"fieldguide/workflow": handle})
    theirs = service.call(bob, other, "tools/call", **call, _meta={"fieldguide/workflow": handle})
    none = service.call(bob, other, "tools/call", **call, _meta={"fieldguide/workflow": "0" * 32})

    assert "result" in mine
    assert theirs == none
