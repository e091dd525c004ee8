"""Registry entry, bundle and plugin: they fit their schemas, name what is there, and are the same bytes each time."""

import json
import zipfile

import jsonschema_rs
import pytest

from release import bundles
from release.archive import write_zip
from tests.proves import proves
from tests.release_schemas import MANIFEST, MARKETPLACE, MCP_JSON, PLUGIN, SERVER_JSON


def issues(schema, value):
    return [each.message for each in jsonschema_rs.validator_for(schema).iter_errors(value)]


@proves("Z-95")
def test_the_registry_entry_fits_its_schema(dist, facts):
    entry = json.loads((dist / "server.json").read_text(encoding="utf-8"))

    assert issues(SERVER_JSON, entry) == []
    assert issues(SERVER_JSON, entry | {"name": "no-slash"}) != []
    [package] = entry["packages"]
    assert (package["identifier"], package["version"]) == (facts.name, facts.version)


@proves("Z-95")
def test_the_bundle_fits_its_schema_and_holds_what_it_names(dist, facts):
    with zipfile.ZipFile(dist / f"{facts.name}-{facts.version}.mcpb") as archive:
        manifest = json.loads(archive.read("manifest.json"))
        names = set(archive.namelist())
        project = archive.read("pyproject.toml").decode()

    assert issues(MANIFEST, manifest) == []
    assert issues(MANIFEST, manifest | {"unknown": 1}) != []
    assert manifest["server"]["entry_point"] in names
    assert f"server/{facts.wheel}" in names
    assert f'path = "server/{facts.wheel}"' in project


@proves("Z-95")
def test_the_plugin_fits_its_schemas_and_starts_the_wheel_beside_it(dist, facts):
    folder = dist / "claude-plugin"
    plugin, marketplace, servers = (
        json.loads((folder / name).read_text(encoding="utf-8"))
        for name in (".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", ".mcp.json")
    )

    assert issues(PLUGIN, plugin) == issues(MARKETPLACE, marketplace) == issues(MCP_JSON, servers) == []
    [wheel] = [each for each in servers["mcpServers"]["fieldguide"]["args"] if each.endswith(".whl")]
    assert (folder / wheel.removeprefix("${CLAUDE_PLUGIN_ROOT}/")).is_file()
    skill = (folder / bundles.SKILL).read_text(encoding="utf-8")
    assert skill.startswith("---\nname: fieldguide\ndescription: ")


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


@proves("Z-95")
def test_the_plugin_of_codex_names_files_that_are_there(dist, facts):
    marketplace = read_json(dist / "codex-plugin" / ".agents" / "plugins" / "marketplace.json")
    [listed] = marketplace["plugins"]
    folder = dist / "codex-plugin" / listed["source"]["path"]
    plugin = read_json(folder / ".codex-plugin" / "plugin.json")

    own = {key: value for key, value in plugin.items() if key not in ("skills", "mcpServers", "hooks")}
    assert issues(PLUGIN, own) == []
    assert all((folder / plugin[part]).exists() for part in ("skills", "mcpServers", "hooks"))
    assert issues(MCP_JSON, read_json(folder / plugin["mcpServers"])) == []
    assert (folder / bundles.SKILL).is_file()


@proves("Z-95")
def test_the_extension_of_gemini_starts_the_wheel_beside_it(dist, facts):
    folder = dist / "gemini-extension"
    manifest = read_json(folder / "gemini-extension.json")

    [wheel] = [each for each in manifest["mcpServers"][facts.name]["args"] if each.endswith(".whl")]
    assert (folder / wheel.removeprefix("${extensionPath}/")).is_file()
    assert "guide_brief" in (folder / manifest["contextFileName"]).read_text(encoding="utf-8")
    assert manifest["version"] == facts.version


@proves("Z-95")
@pytest.mark.parametrize(
    ("hooks", "client", "event"),
    [
        ("claude-plugin/hooks/hooks.json", "claude-code", "UserPromptSubmit"),
        ("codex-plugin/plugins/fieldguide/hooks/hooks.json", "codex", "UserPromptSubmit"),
        ("gemini-extension/hooks/hooks.json", "gemini", "BeforeAgent"),
    ],
)
def test_plugins_have_the_usual_hooks_and_never_block_a_prompt(dist, hooks, client, event):
    events = read_json(dist / hooks)["hooks"]

    commands = [hook["command"] for items in events.values() for item in items for hook in item["hooks"]]
    assert f"hook prompt --client {client}" in events[event][0]["hooks"][0]["command"]
    assert all(command.startswith("uvx ") and command.endswith(" || true") for command in commands)
    assert not any("before-search" in command for command in commands)


@proves("Z-95")
def test_the_entry_for_vs_code_serves_the_open_folder(dist, facts):
    entry = read_json(dist / "vscode-mcp.json")["servers"][facts.name]

    assert entry == {
        "type": "stdio", "command": "uvx", "args": [facts.name, "serve", "--project", "${workspaceFolder}"]
    }  # fmt: skip


@proves("Z-93")
def test_a_bundle_is_the_same_bytes_each_time(dist, facts, tmp_path):
    (tmp_path / facts.wheel).write_bytes((dist / facts.wheel).read_bytes())

    again = bundles.write_bundle(facts, tmp_path)

    assert again.read_bytes() == (dist / again.name).read_bytes()


def test_the_order_in_which_files_come_does_not_matter(tmp_path):
    files = {"b.txt": b"2", "a/c.txt": b"1"}

    write_zip(tmp_path / "one.zip", files)
    write_zip(tmp_path / "two.zip", dict(reversed(files.items())))

    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
