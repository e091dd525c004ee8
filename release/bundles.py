"""What clients and the registry read: `server.json`, the bundle for Claude Desktop, the plugin for Claude Code.

Bundle and plugin carry the wheel itself, so that they work before and without a package index of ours; what the wheel
depends on, uv fetches.
"""

import json
from pathlib import Path
from typing import Any

from release.archive import write_zip
from release.facts import ROOT, Facts

SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
MANIFEST_VERSION = "0.4"  # the first with servers that uv runs
PLATFORMS = ["darwin", "linux"]  # docs/guides/connect.md says why not Windows
SKILL = "skills/fieldguide/SKILL.md"
SHORT = "A field guide to a project: search, decisions, patterns, tasks, code, with citations that open."
PROGRAM = """\
\"\"\"What Claude Desktop starts: the command line of Fieldguide.\"\"\"

from fieldguide.cli.main import main

raise SystemExit(main())
"""


def server_json(facts: Facts) -> dict[str, Any]:
    """The entry in the registry of MCP servers."""
    entry: dict[str, Any] = {
        "$schema": SERVER_SCHEMA,
        "name": facts.registry_name,
        "title": "Fieldguide",
        "description": SHORT,
        "version": facts.version,
        "packages": [
            {
                "registryType": "pypi",
                "registryBaseUrl": "https://pypi.org",
                "identifier": facts.name,
                "version": facts.version,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "packageArguments": [
                    {"type": "positional", "value": "serve"},
                    {
                        "type": "named",
                        "name": "--project",
                        "description": "The project's folder.",
                        "format": "filepath",
                        "isRequired": True,
                    },
                ],
            }
        ],
    }
    if facts.repository:
        entry["repository"] = {"url": facts.repository, "source": "github"}
    return entry


def manifest(facts: Facts) -> dict[str, Any]:
    """What Claude Desktop shows of the bundle, asks the person for, and starts."""
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": facts.name,
        "display_name": "Fieldguide",
        "version": facts.version,
        "description": SHORT,
        "author": {"name": facts.author},
        "license": facts.license,
        "keywords": facts.keywords,
        "server": {
            "type": "uv",
            "entry_point": "server/main.py",
            "mcp_config": {
                "command": "uv",
                "args": [
                    *("run", "--directory", "${__dirname}", "server/main.py"),
                    *("serve", "--project", "${user_config.project}"),
                ],
            },
        },
        "tools_generated": True,
        "user_config": {
            "project": {
                "type": "directory",
                "title": "Project",
                "description": "The folder of the project that Fieldguide is to guide through.",
                "required": True,
            }
        },
        "compatibility": {"platforms": PLATFORMS, "runtimes": {"python": facts.requires_python}},
    }


def bundle_project(facts: Facts) -> str:
    """The `pyproject.toml` inside the bundle: it depends on the wheel beside it."""
    return (
        f'[project]\nname = "{facts.name}-bundle"\nversion = "{facts.version}"\n'
        f'requires-python = "{facts.requires_python}"\ndependencies = ["{facts.name}"]\n\n'
        f'[tool.uv]\npackage = false\n\n[tool.uv.sources]\n{facts.name} = {{ path = "server/{facts.wheel}" }}\n'
    )


def write_bundle(facts: Facts, folder: Path) -> Path:
    """Write the `.mcpb` beside the wheel."""
    path = folder / f"{facts.name}-{facts.version}.mcpb"
    files = {
        "manifest.json": _json(manifest(facts)),
        "pyproject.toml": bundle_project(facts).encode(),
        "server/main.py": PROGRAM.encode(),
        f"server/{facts.wheel}": (folder / facts.wheel).read_bytes(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    write_zip(path, files)
    return path


def plugin_files(facts: Facts) -> dict[str, bytes]:
    """The plugin for Claude Code, without the wheel; the folder is a marketplace of one plugin at the same time."""
    about = {"name": facts.name, "version": facts.version, "description": SHORT, "author": {"name": facts.author}}
    plugin = {**about, "license": facts.license, "keywords": facts.keywords}
    if facts.repository:
        plugin["repository"] = facts.repository
    marketplace = {
        "name": facts.name,
        "owner": {"name": facts.author},
        "metadata": {"description": SHORT},
        "plugins": [{"name": facts.name, "source": "./", "description": SHORT}],
    }
    wheel = f"${{CLAUDE_PLUGIN_ROOT}}/{facts.wheel}"
    server = {"command": "uvx", "args": ["--from", wheel, facts.name, "serve"]}
    return {
        ".claude-plugin/plugin.json": _json(plugin),
        ".claude-plugin/marketplace.json": _json(marketplace),
        ".mcp.json": _json({"mcpServers": {facts.name: server}}),
        SKILL: (ROOT / "release" / "plugin" / SKILL).read_bytes(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
    }


def write_plugin(facts: Facts, folder: Path) -> Path:
    """Write the plugin's folder beside the wheel."""
    path = folder / "claude-plugin"
    for name, content in {**plugin_files(facts), facts.wheel: (folder / facts.wheel).read_bytes()}.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def write_server_json(facts: Facts, folder: Path) -> Path:
    """Write the registry's entry."""
    path = folder / "server.json"
    path.write_bytes(_json(server_json(facts)))
    return path


def _json(value: dict[str, Any]) -> bytes:
    return f"{json.dumps(value, indent=2, ensure_ascii=False)}\n".encode()
