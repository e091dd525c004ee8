"""Registry entry, bundle and plugin: they fit their schemas, name what is there, and are the same bytes each time."""

import json
import zipfile

import jsonschema_rs

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
