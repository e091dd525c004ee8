"""Plugins and extension from `make dist`, installed by the clients' own commands: what reaches the model."""

import json
import os
from pathlib import Path

import pytest

from release.__main__ import add_bundles, build_packages
from release.facts import ROOT, read_facts
from tests.agents.desks import Desk
from tests.agents.pretended_model import PretendedModel
from tests.agents.test_first_request import AGENTS, ASKED, MAP, SESSION, Agent, asks
from tests.servers import FIELDGUIDE

UV = ROOT / ".venv-uv" / "bin"
COMMANDS = {
    "claude-code": (
        ("claude", "plugin", "validate", "{dist}/claude-plugin"),
        ("claude", "plugin", "marketplace", "add", "{dist}/claude-plugin"),
        ("claude", "plugin", "install", "fieldguide@fieldguide"),
    ),
    "codex": (
        ("codex", "plugin", "marketplace", "add", "{dist}/codex-plugin"),
        ("codex", "plugin", "add", "fieldguide@fieldguide"),
    ),
    "gemini": (("gemini", "extensions", "install", "--consent", "{dist}/gemini-extension"),),
}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build_packages(folder)
    add_bundles(read_facts(), folder)
    return folder


@pytest.fixture
def model():
    with PretendedModel() as started:
        yield started


@pytest.fixture
def desk(tmp_path) -> Desk:
    made = Desk(tmp_path)
    made.environment["PATH"] = os.pathsep.join([str(UV), made.environment["PATH"]])
    (made.project / "invoices.py").write_text('def pay_invoice(number):\n    """Pays."""\n    return number\n')
    (made.project / "prices.py").write_text("def round_price(value):\n    return round(value, 2)\n")
    made.run(FIELDGUIDE, "index")
    return made


def fetch_before_a_hook_has_to(desk: Desk, dist: Path, client: str) -> None:
    """Run the package once as the client will: what uv fetches and unpacks would use up a hook's time.

    Clients start servers with few variables, so where uv looks is in its file then.
    """
    wheels = [*desk.home.rglob("*.whl"), *dist.glob("claude-plugin/*.whl")]  # Claude Code reads it where it is
    package = ["fieldguide"] if client == "codex" else ["--from", str(wheels[0]), "fieldguide"]
    settings = desk.home / ".config" / "uv" / "uv.toml"
    settings.parent.mkdir(parents=True)
    links = f"find-links = [{json.dumps(str(dist))}]\n"  # the folder stands for the package index
    settings.write_text(links)
    desk.run("uvx", *package, "--version")
    settings.write_text(f"{links}offline = true\n")


@pytest.mark.parametrize("agent", [each for each in AGENTS if each.key in COMMANDS], ids=lambda agent: agent.key)
def test_an_installed_package_brings_session_map_skill_and_tools(dist, desk, agent: Agent, model):
    agent.prepare(desk, model.address)
    for words in COMMANDS[agent.key]:
        desk.run(*(word.format(dist=dist) for word in words))
    fetch_before_a_hook_has_to(desk, dist, agent.key)
    # a plugin or extension can't allow its own tools, and nobody is there to be asked
    if agent.key == "claude-code":
        agent = agent._replace(ask=("claude", "--allowedTools", "mcp__plugin_fieldguide_fieldguide", *agent.ask[1:]))
    if agent.key == "gemini":
        agent = agent._replace(ask=tuple("yolo" if word == "auto_edit" else word for word in agent.ask))

    first, *later = asks(desk, agent, model, ASKED)

    assert MAP in first.text
    assert SESSION in first.text
    assert "Ask the project's field guide" in first.text
    if agent.key == "codex":  # it starts a plugin's server, and shows its tools to the model when they are asked for
        return
    named = {name[name.rindex("guide_") :] for name in first.tools if "guide_" in name}
    assert named >= {"guide_brief", "guide_search"}
    assert '"query"' in json.dumps(first.tools[first.tool or ""])
    assert "def pay_invoice(number)" in later[0].text
