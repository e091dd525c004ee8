"""The front door: how many tools a client is shown, what it costs, and what is told beside the text."""

import json
from pathlib import Path
from typing import Any

import pytest

from fieldguide.app import build_app
from fieldguide.settings.config import Settings
from fieldguide.text.tokens import count_exact_tokens
from tests.clients import connected, http_client, payload
from tests.raw_client import RawClient
from tests.servers import http_server, run

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "tools.json").read_text(encoding="utf-8"))
SPECIFIED = {tool["name"] for tool in GOLDEN}
FRONT = {f"guide_{name}" for name in ("brief", "search", "open", "governs", "symbol", "flow", "record")}
FULL_TOKENS, LEAN_TOKENS = 5_000, 1_000


@pytest.fixture
def project(project):
    """A project with code: one without has fewer tools in its lean list, once it is indexed."""
    project.write("src/door.py", "def open_door():\n    return True\n")
    return project


def listed(client: RawClient) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = client.request("tools/list")["result"]["tools"]
    return tools


def names(tools: list[dict[str, Any]]) -> set[str]:
    return {tool["name"] for tool in tools}


def is_lean(tools: list[dict[str, Any]]) -> bool:
    return names(tools) == FRONT


def cost(listed: Any) -> int:
    """The most that a list may cost: as the official client holds it, with its empty fields, and by a rule of thumb."""
    sent = listed.model_dump_json(by_alias=True, exclude_none=True)
    return max(count_exact_tokens(listed.model_dump_json(by_alias=True)), len(sent) // 4)


@pytest.mark.anyio
async def test_the_full_list_is_the_literal_one_and_costs_at_most_5000_tokens(project):
    async with connected(project.root, "--profile", "full") as client:
        listed = await client.list_tools()

    assert {tool.name for tool in listed.tools} >= SPECIFIED  # word for word: test_descriptors.py
    assert cost(listed) <= FULL_TOKENS


@pytest.mark.anyio
async def test_the_lean_list_has_seven_tools_of_the_guide_and_costs_at_most_1000_tokens(project):
    async with connected(project.root, "--profile", "lean") as client:
        listed = await client.list_tools()

    assert {tool.name for tool in listed.tools} == FRONT
    assert cost(listed) <= LEAN_TOKENS


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.anyio
async def test_a_tool_that_is_not_listed_can_be_called_over_both_wires(project, mode):
    project.add_directive()
    call = ("directive/file.get", {"path": "agent_context.md"})

    async with connected(project.root, "--profile", "lean", mode=mode) as client:
        shown = {tool.name for tool in (await client.list_tools()).tools}
        over_stdio = payload(await client.call_tool(*call))
    with http_server(project.root, "--profile", "lean") as url:
        async with http_client(url, mode=mode) as client:
            shown_over_http = {tool.name for tool in (await client.list_tools()).tools}
            over_http = payload(await client.call_tool(*call))

    assert shown == shown_over_http
    assert "directive/file.get" not in shown
    assert over_stdio == over_http == {"path": "agent_context.md", "content": "# Context\n"}


def test_a_tool_that_is_not_listed_keeps_its_limits_and_its_words(project):
    with RawClient(project.root, "--profile", "lean", with_test_toolsets=True).ready() as client:
        rare = [client.call("rare").get("isError", False) for _ in range(4)]
        wrong = client.call("limited")

    assert rare == [False, False, False, True]
    assert "missing required argument: text" in wrong["content"][0]["text"]


def test_coding_clients_get_the_lean_list(project):
    lean = {
        "cursor-vscode",
        "claude-code",
        "codex-mcp-client",
        "Visual Studio Code",
        "opencode",
    }
    full = {"tests", "mcp-inspector", "claude-ai", "precursor"}
    with RawClient(project.root) as client:
        for name in sorted(lean | full):
            client.initialize(client=name)
            assert is_lean(listed(client)) is (name in lean), name


def test_claude_code_alone_is_asked_to_load_the_front_at_once(project):
    with RawClient(project.root, "--profile", "full") as client:
        for name in ("claude-code", "codex-mcp-client", "claude-ai"):
            client.initialize(client=name)
            loaded = {tool["name"] for tool in listed(client) if "anthropic/alwaysLoad" in tool.get("_meta", {})}
            assert loaded == (FRONT if name == "claude-code" else set())


@pytest.mark.parametrize(
    ("flags", "client_name", "expected"),
    [
        (("--profile", "full"), "cursor-vscode", {"list_tasks", "read_file", "guide_record"}),
        (("--toolsets", "tasks,guide"), "cursor-vscode", {"list_tasks", "guide_record"}),
        (("--toolsets", "tasks", "--profile", "lean"), "tests", {"list_tasks", "add_task"}),
        (("--toolsets", "tasks,guide", "--profile=lean"), "tests", FRONT),
    ],
)
def test_what_the_person_has_chosen_counts_and_without_the_guide_all_is_listed(project, flags, client_name, expected):
    with RawClient(project.root, *flags) as client:
        client.initialize(client=client_name)

        shown = names(listed(client))

    assert shown >= expected
    assert ("list_tasks" in shown) == ("list_tasks" in expected)


def test_the_profile_is_the_persons_to_choose(project, tmp_path):
    (tmp_path / "fieldguide").mkdir()

    def shown(*flags: str, **environment: str) -> bool:
        done = run("call", "--json", "--project", project.root, *flags, XDG_CONFIG_HOME=str(tmp_path), **environment)
        return is_lean(json.loads(done.stdout))

    project.write("fieldguide.toml", 'profile = "lean"\n')
    by_project = shown()
    (tmp_path / "fieldguide" / "config.toml").write_text('profile = "lean"\n')
    wrong = run("call", "--project", project.root, code=2, FIELDGUIDE_PROFILE="thin")

    assert not by_project
    assert shown()
    assert not shown(FIELDGUIDE_PROFILE="full")
    assert shown("--profile", "lean", FIELDGUIDE_PROFILE="full")
    assert "the profiles are auto, lean, full, not 'thin'" in wrong.stderr


@pytest.mark.parametrize(
    ("name", "mode", "has_value"),
    [
        ("claude-code", "auto", False),
        ("Code - OSS", "legacy", False),
        ("claude-ai", "auto", True),
        ("tests", "legacy", True),
    ],
)
@pytest.mark.anyio
async def test_the_value_is_left_out_where_the_model_would_not_see_the_text(project, mode, name, has_value):
    async with connected(project.root, mode=mode, with_test_toolsets=True, name=name) as client:
        story: Any = await client.call_tool("story", {})
        echoed = await client.call_tool("echo", {"a": 1})

    assert story.content[0].text == "The whole story."
    assert story.structured_content == ({"short": True} if has_value else None)
    assert echoed.structured_content == {"arguments": {"a": 1}, "user": None}


def test_every_tool_of_the_guide_that_shows_lines_says_so(project):
    app = build_app(Settings(project=str(project.root)), write_journal=lambda lines: None)
    [guide] = [each for each in app.toolsets if each.name == "guide"]

    silent = [tool.name for tool in guide.tools if not tool.wording.text_says_more]

    assert silent == ["guide_record"]


@pytest.mark.parametrize("flags", [(), ("--read-only",), ("--toolsets", "guide"), ("--toolsets", "tasks,documents")])
def test_the_instructions_route_in_few_words_and_name_only_what_is_served(project, flags):
    with RawClient(project.root, *flags) as client:
        said = client.initialize()["instructions"]
        tools = listed(client)

    named = {word.strip(".,;:") for word in said.split() if word.startswith("guide_")}
    assert len(said.split()) < 120
    assert named == {name for name in names(tools) if name.startswith("guide_")}
    assert ("user_id" in said) == any("user_id" in tool["inputSchema"]["properties"] for tool in tools)
