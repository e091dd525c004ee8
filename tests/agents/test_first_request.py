"""What real agents send to their model after `fieldguide install`, with an empty home, and after `uninstall`."""

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from fieldguide.cli.clients.additions import HOOK_FORMATS, OPENCODE_HOOKS
from tests.agents.desks import Desk
from tests.agents.pretended_model import SAID, PretendedModel, RecordedRequest, ScriptedCall
from tests.servers import FIELDGUIDE

ASKED = "Where are invoices paid?"
SECTION = "The MCP server `fieldguide` knows"
MAP = "1. invoices.py ("
SESSION = "Fieldguide has this project indexed: 2 python files of code"
RULE = """\
---
title: Output
prose: false
rules:
  - id: no-print
    message: Output goes through the logger.
    languages: [python]
    forbid-call: [print]
---
# Output
"""
PRINTING = "print(1)\n"
BEFORE_EDIT = "letters.py: owners @shop/letters (CODEOWNERS#L1)"
AFTER_EDIT = "letters.py#L1 breaks the rule output/no-print"


class Agent(NamedTuple):
    """A client: its name in the catalog, how it is asked, and what it must be told to reach the pretended model."""

    key: str
    ask: tuple[str, ...]
    prepare: Callable[[Desk, str], None]
    edit: Callable[[str], ScriptedCall]


def prepare_claude(desk: Desk, address: str) -> None:
    desk.environment |= {
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def prepare_codex(desk: Desk, address: str) -> None:
    settings = desk.home / ".codex" / "config.toml"
    settings.parent.mkdir()
    settings.write_text(
        'model = "pretended"\nmodel_provider = "pretended"\n\n[model_providers.pretended]\nname = "pretended"\n'
        f'base_url = "{address}/v1"\nwire_api = "responses"\nenv_key = "PRETENDED_KEY"\n'
    )
    desk.environment["PRETENDED_KEY"] = "dummy"


def use_own_model_of_codex(desk: Desk) -> None:
    """Name a model whose tools Codex knows; it is asked over loopback all the same."""
    settings = desk.home / ".codex" / "config.toml"
    settings.write_text(settings.read_text().replace('model = "pretended"', 'model = "gpt-6-sol"'))


def prepare_opencode(desk: Desk, address: str) -> None:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{address}/v1", "apiKey": "dummy"},
        "models": {"pretended": {"name": "pretended"}},
    }
    told = {"provider": {"pretended": provider}, "model": "pretended/pretended", "small_model": "pretended/pretended"}
    desk.environment |= {
        "OPENCODE_CONFIG_CONTENT": json.dumps(told),
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
    }


def prepare_gemini(desk: Desk, address: str) -> None:
    settings = desk.home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}\n')
    desk.environment |= {"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_API_KEY": "dummy"}


def prepare_copilot(desk: Desk, address: str) -> None:
    desk.environment |= {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_BASE_URL": f"{address}/v1",
        "COPILOT_PROVIDER_API_KEY": "dummy",
        "COPILOT_MODEL": "gpt-5.1",
    }


def write_with(tool: str, path: str, content: str) -> Callable[[str], ScriptedCall]:
    """A call that writes a file, with these names for the tool and its arguments."""
    return lambda file: ScriptedCall(tool, {path: file, content: PRINTING})


def patch(file: str) -> ScriptedCall:
    """The same as Codex does it, in a script of JavaScript."""
    text = f"*** Begin Patch\n*** Add File: {file}\n+{PRINTING}*** End Patch\n"
    return ScriptedCall("functionsexec", {}, f"text(await tools.apply_patch({json.dumps(text)}))")


TRUSTED_HOOKS = "--dangerously-bypass-hook-trust"  # what a person says when Codex asks
AGENTS = (
    Agent(
        "claude-code",
        ("claude", "--permission-mode", "acceptEdits", "-p"),
        prepare_claude,
        write_with("Write", "file_path", "content"),
    ),
    Agent(
        "codex",
        ("codex", "exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", TRUSTED_HOOKS),
        prepare_codex,
        patch,
    ),
    Agent(
        "gemini",
        ("gemini", "-m", "gemini-2.5-pro", "--approval-mode", "auto_edit", "-p"),
        prepare_gemini,
        write_with("write_file", "file_path", "content"),
    ),
    Agent(
        "copilot", ("copilot", "--allow-all-tools", "-p"), prepare_copilot, write_with("create", "path", "file_text")
    ),
    Agent("opencode", ("opencode", "run"), prepare_opencode, write_with("write", "filePath", "content")),
)


@pytest.fixture
def model() -> Iterator[PretendedModel]:
    with PretendedModel() as started:
        yield started


@pytest.fixture
def desk(tmp_path) -> Desk:
    made = Desk(tmp_path)
    rules = made.project / "mcp" / "resources" / "patterns"
    rules.mkdir(parents=True)
    (rules / "output.md").write_text(RULE)
    (made.project / "CODEOWNERS").write_text("letters.py @shop/letters\n")
    (made.project / "invoices.py").write_text('def pay_invoice(number):\n    """Pays."""\n    return number\n')
    (made.project / "prices.py").write_text("def round_price(value):\n    return round(value, 2)\n")
    made.run(FIELDGUIDE, "index")
    return made


@pytest.fixture(params=AGENTS, ids=lambda agent: agent.key)
def agent(request, desk, model) -> Agent:
    chosen: Agent = request.param
    chosen.prepare(desk, model.address)
    return chosen


def asks(desk: Desk, agent: Agent, model: PretendedModel, prompt: str) -> list[RecordedRequest]:
    """The requests of one conversation that begins with this prompt."""
    model.requests.clear()
    assert SAID in desk.run(*agent.ask, prompt)
    return model.asked()


def test_the_first_request_has_our_tools_the_section_the_session_and_the_map(desk, agent, model):
    desk.install("--client", agent.key)

    first, second = asks(desk, agent, model, ASKED)[:2]

    named = {name: tool for name, tool in first.tools.items() if "guide_" in name}
    assert {name[name.rindex("guide_") :] for name in named} >= {"guide_brief", "guide_search"}
    assert '"query"' in json.dumps(named[first.tool or ""])
    assert SECTION in first.text
    assert MAP in first.text
    assert SESSION in first.text
    assert "def pay_invoice(number)" in second.text


def test_continue_gets_no_map(desk, agent, model):
    desk.install("--client", agent.key)

    first = asks(desk, agent, model, "continue")[0]

    assert MAP not in first.text
    assert SESSION in first.text
    assert SECTION in first.text


def test_an_edit_is_told_what_governs_the_file_and_what_it_broke(desk, agent, model):
    desk.install("--client", agent.key)
    if agent.key == "codex":
        use_own_model_of_codex(desk)
    model.asks_for = agent.edit(str(desk.project / "letters.py"))

    first, second = asks(desk, agent, model, "continue")[:2]

    assert (desk.project / "letters.py").read_text() == PRINTING
    hooks = HOOK_FORMATS[agent.key].events if agent.key in HOOK_FORMATS else OPENCODE_HOOKS
    assert (BEFORE_EDIT in second.text) == ("before-edit" in hooks)
    assert (AFTER_EDIT in second.text) == ("after-edit" in hooks)
    assert BEFORE_EDIT not in first.text


def test_nothing_is_left_after_uninstall(desk, agent, model):
    before = sorted(desk.home.rglob("*"))
    desk.install("--client", agent.key)
    desk.run(FIELDGUIDE, "install", "--remove", "--yes")
    assert sorted(desk.home.rglob("*")) == before

    first = asks(desk, agent, model, ASKED)[0]

    assert "guide_" not in first.text
    assert SECTION not in first.text
    assert MAP not in first.text
    assert SESSION not in first.text


def test_models_of_codex_get_the_map_the_session_and_the_section_and_find_our_tools(desk, model):
    """Codex defers the tools of every MCP server for its own models, and we found no setting for that."""
    codex = AGENTS[1]
    codex.prepare(desk, model.address)
    desk.install("--client", codex.key)
    use_own_model_of_codex(desk)

    first = asks(desk, codex, model, ASKED)[0]

    assert first.tool is None
    assert "- mcp__fieldguide: Fieldguide knows this project" in first.text
    assert all(each in first.text for each in (MAP, SESSION, SECTION))


def test_without_the_hooks_and_the_section_only_the_tools_are_there(desk, agent, model):
    desk.install("--client", agent.key, "--without", "hooks,section")

    first = asks(desk, agent, model, ASKED)[0]

    assert first.tool is not None
    assert SECTION not in first.text
    assert MAP not in first.text


def test_claude_code_loads_our_tools_also_from_an_entry_that_a_person_wrote(desk, model):
    prepare_claude(desk, model.address)
    desk.run("claude", "mcp", "add", "--scope", "user", "fieldguide", "--", FIELDGUIDE, "serve")
    # Without our entry's switch the first request does not wait for servers.
    model.asks_for = ScriptedCall("Bash", {"command": "sleep 5"})

    assert SAID in desk.run("claude", "--allowedTools", "Bash(sleep:*)", "-p", ASKED)

    assert model.asked()[-1].tool is not None


def test_a_sub_agent_of_claude_code_has_our_tools_too(desk, model):
    prepare_claude(desk, model.address)
    inner_prompt = {"subagent_type": "fieldguide", "description": "a question", "prompt": "Who pays invoices?"}
    model.asks_for = ScriptedCall("Agent", inner_prompt)
    desk.install("--client", "claude-code")

    assert SAID in desk.run("claude", "-p", ASKED)

    inner = [each for each in model.asked() if "Agent" not in each.tools]
    assert inner[0].tool is not None
    assert "def pay_invoice(number)" in inner[1].text
