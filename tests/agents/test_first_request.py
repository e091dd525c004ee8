"""What real agents send to their model after `fieldguide install`, with an empty home, and after `uninstall`."""

import json
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from fieldguide.cli.main import COMMANDS
from tests.agents.desks import Desk
from tests.agents.pretended_model import SAID, PretendedModel, RecordedRequest
from tests.servers import FIELDGUIDE

ASKED = "Where are invoices paid?"
SECTION = "The MCP server `fieldguide` knows"
MAP = "pay_invoice"
STAND_IN_MAP = "Likely places: invoices.py:1-3 pay_invoice"
STAND_IN = f"""#!{sys.executable}
import json, sys
given = json.load(sys.stdin)
if sys.argv[2] == "prompt" and not given["prompt"].strip('"').endswith("continue"):
    told = {{"additionalContext": {STAND_IN_MAP!r}}}
    event = given.get("hook_event_name")
    print(json.dumps({{"hookSpecificOutput": {{"hookEventName": event, **told}}}} if event else told))
"""


class Agent(NamedTuple):
    """A client: its name in the catalog, how it is asked, and what it must be told to reach the pretended model."""

    key: str
    ask: tuple[str, ...]
    prepare: Callable[[Desk, str], None]
    hook_file: str


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


TRUSTED_HOOKS = "--dangerously-bypass-hook-trust"  # what a person says when Codex asks
AGENTS = (
    Agent("claude-code", ("claude", "-p"), prepare_claude, ".claude/settings.json"),
    Agent("codex", ("codex", "exec", "--skip-git-repo-check", TRUSTED_HOOKS), prepare_codex, ".codex/hooks.json"),
    Agent("gemini", ("gemini", "-m", "gemini-2.5-pro", "-p"), prepare_gemini, ".gemini/settings.json"),
    Agent("copilot", ("copilot", "--allow-all-tools", "-p"), prepare_copilot, ".copilot/hooks/fieldguide.json"),
    Agent("opencode", ("opencode", "run"), prepare_opencode, ".config/opencode/plugin/fieldguide.js"),
)


@pytest.fixture
def model() -> Iterator[PretendedModel]:
    with PretendedModel() as started:
        yield started


@pytest.fixture
def desk(tmp_path) -> Desk:
    made = Desk(tmp_path)
    (made.project / "invoices.py").write_text('def pay_invoice(number):\n    """Pays."""\n    return number\n')
    return made


@pytest.fixture(params=AGENTS, ids=lambda agent: agent.key)
def agent(request, desk, model) -> Agent:
    chosen: Agent = request.param
    chosen.prepare(desk, model.address)
    return chosen


def use_stand_in(desk: Desk, agent: Agent) -> None:
    """Let hooks start a program of the same interface, as long as there is no `fieldguide hook`."""
    if "hook" in COMMANDS:
        return
    program = desk.home.parent / "stand-in" / "fieldguide"
    program.parent.mkdir()
    program.write_text(STAND_IN)
    program.chmod(0o755)
    file = desk.home / agent.hook_file
    text = file.read_text().replace(f"{FIELDGUIDE} hook", f"{program} hook")
    file.write_text(text.replace(f"const program = {json.dumps([FIELDGUIDE])}", f"const program = {[str(program)]}"))


def asks(desk: Desk, agent: Agent, model: PretendedModel, prompt: str) -> list[RecordedRequest]:
    """The requests of one conversation that begins with this prompt."""
    model.requests.clear()
    assert SAID in desk.run(*agent.ask, prompt)
    return model.asked()


def test_the_first_request_has_our_tools_the_section_and_the_map(desk, agent, model):
    desk.install("--client", agent.key)
    use_stand_in(desk, agent)

    first, second = asks(desk, agent, model, ASKED)[:2]

    named = {name: tool for name, tool in first.tools.items() if "guide_" in name}
    assert {name[name.rindex("guide_") :] for name in named} >= {"guide_brief", "guide_search"}
    assert '"query"' in json.dumps(named[first.tool or ""])
    assert SECTION in first.text
    assert MAP in first.text
    assert "def pay_invoice(number)" in second.text


def test_continue_gets_no_map(desk, agent, model):
    desk.install("--client", agent.key)
    use_stand_in(desk, agent)

    first = asks(desk, agent, model, "continue")[0]

    assert MAP not in first.text
    assert SECTION in first.text


def test_nothing_is_left_after_uninstall(desk, agent, model):
    before = sorted(desk.home.rglob("*"))
    desk.install("--client", agent.key)
    desk.run(FIELDGUIDE, "uninstall", "--yes")
    assert sorted(desk.home.rglob("*")) == before

    first = asks(desk, agent, model, ASKED)[0]

    assert "guide_" not in first.text
    assert SECTION not in first.text
    assert MAP not in first.text


def test_without_the_hooks_and_the_section_only_the_tools_are_there(desk, agent, model):
    desk.install("--client", agent.key, "--without", "hooks,section")

    first = asks(desk, agent, model, ASKED)[0]

    assert first.tool is not None
    assert SECTION not in first.text
    assert MAP not in first.text


def test_claude_code_loads_our_tools_also_from_an_entry_that_a_person_wrote(desk, model):
    prepare_claude(desk, model.address)
    desk.run("claude", "mcp", "add", "--scope", "user", "fieldguide", "--", FIELDGUIDE, "serve")

    assert SAID in desk.run("claude", "-p", ASKED)

    assert model.asked()[0].tool is not None


def test_a_sub_agent_of_claude_code_has_our_tools_too(desk, model):
    prepare_claude(desk, model.address)
    model.sub_agent = "fieldguide"
    desk.install("--client", "claude-code")

    assert SAID in desk.run("claude", "-p", ASKED)

    inner = [each for each in model.asked() if "Agent" not in each.tools]
    assert inner[0].tool is not None
    assert "def pay_invoice(number)" in inner[1].text
