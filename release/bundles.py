"""Packages for clients and the registry, from one description.

`server.json` for the registry, a bundle for Claude Desktop, plugins for Claude Code and Codex, an extension for Gemini
CLI and an entry for VS Code. Where the client lets it, a package carries the wheel itself, so that it works before and
without a package index of ours; what the wheel depends on, uv fetches. Hooks and sub-agent are those that `install`
writes.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fieldguide.cli.clients.additions import HOOK_FORMATS, USUAL_HOOKS, make_claude_agent, make_section
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


def claude_plugin(facts: Facts) -> dict[str, bytes]:
    """The plugin for Claude Code; the folder is a marketplace of one plugin at the same time."""
    words = run_wheel("${CLAUDE_PLUGIN_ROOT}", facts)
    marketplace = {
        "name": facts.name,
        "owner": {"name": facts.author},
        "metadata": {"description": SHORT},
        "plugins": [{"name": facts.name, "source": "./", "description": SHORT}],
    }
    return {
        ".claude-plugin/plugin.json": _json(about(facts)),
        ".claude-plugin/marketplace.json": _json(marketplace),
        ".mcp.json": _json({"mcpServers": {facts.name: {**serve(words), "alwaysLoad": True}}}),
        "hooks/hooks.json": _json(hooks("claude-code", words)),
        "agents/fieldguide.md": make_claude_agent(f"plugin_{facts.name}_{facts.name}", SHORT).encode(),
        SKILL: read_skill(),
    }


def codex_plugin(facts: Facts) -> dict[str, bytes]:
    """The plugin for Codex: a marketplace of one plugin, which Codex wants in a folder of its own.

    It starts the published package: Codex 0.169 fills in no variable in `.mcp.json`, and the format that has one
    (agent-plugins.org) starts servers in the plugin's folder, where they can't know the project.
    """
    listed = {
        "name": facts.name,
        "source": {"source": "local", "path": f"./plugins/{facts.name}"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": "Productivity",
    }
    words = ["uvx", facts.name]
    plugin = {**about(facts), "skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json"}
    inside = {
        ".codex-plugin/plugin.json": _json(plugin),
        ".mcp.json": _json({"mcpServers": {facts.name: serve(words)}}),
        "hooks/hooks.json": _json(hooks("codex", words)),
        SKILL: read_skill(),
    }
    marketplace = _json({"name": facts.name, "interface": {"displayName": "Fieldguide"}, "plugins": [listed]})
    placed = {f"plugins/{facts.name}/{name}": content for name, content in inside.items()}
    return {".agents/plugins/marketplace.json": marketplace, **placed}


def gemini_extension(facts: Facts) -> dict[str, bytes]:
    """The extension for Gemini CLI, with the section of facts that `install` writes."""
    words = run_wheel("${extensionPath}", facts)
    section = make_section(["uvx", facts.name]).splitlines()[1:-1]  # without the marks by which `uninstall` finds it
    manifest = {
        "name": facts.name,
        "version": facts.version,
        "description": SHORT,
        "mcpServers": {facts.name: serve(words)},
        "contextFileName": "GEMINI.md",
    }
    return {
        "gemini-extension.json": _json(manifest),
        "GEMINI.md": "\n".join([*section, ""]).encode(),
        "hooks/hooks.json": _json(hooks("gemini", words)),
        SKILL: read_skill(),
    }


def vscode_entry(facts: Facts) -> dict[str, Any]:
    """The `mcp.json` of VS Code, for one project or for the person."""
    args = [facts.name, "serve", "--project", "${workspaceFolder}"]
    return {"servers": {facts.name: {"type": "stdio", "command": "uvx", "args": args}}}


def about(facts: Facts) -> dict[str, Any]:
    """What a plugin says of itself."""
    described: dict[str, Any] = {
        "name": facts.name,
        "version": facts.version,
        "description": SHORT,
        "author": {"name": facts.author},
        "license": facts.license,
        "keywords": facts.keywords,
    }
    if facts.repository:
        described["repository"] = facts.repository
    return described


def run_wheel(root: str, facts: Facts) -> list[str]:
    """The words that start the wheel in a plugin's folder, which the client fills in for `root`."""
    return ["uvx", "--from", f"{root}/{facts.wheel}", facts.name]


def serve(words: list[str]) -> dict[str, Any]:
    """The entry of a server that a client starts in the project's folder."""
    return {"command": words[0], "args": [*words[1:], "serve"]}


def hooks(client: str, words: list[str]) -> dict[str, Any]:
    """The hooks that `install` gives a client by default."""
    form = HOOK_FORMATS[client]
    events: dict[str, list[Any]] = {}
    for hook in USUAL_HOOKS:
        if hook in form.events:
            (_, event), item = form.make(client, hook, words)
            events.setdefault(event, []).append(item)
    return {"hooks": events}


def read_skill() -> bytes:
    """The skill, the same in every plugin."""
    return (ROOT / "release" / "plugin" / SKILL).read_bytes()


def write_plugins(facts: Facts, folder: Path) -> list[Path]:
    """Write the folders of plugins and extension beside the wheel."""
    carried = {facts.wheel: (folder / facts.wheel).read_bytes(), "LICENSE": (ROOT / "LICENSE").read_bytes()}
    return [
        _write_files(folder / "claude-plugin", {**claude_plugin(facts), **carried}),
        _write_files(folder / "codex-plugin", codex_plugin(facts)),
        _write_files(folder / "gemini-extension", {**gemini_extension(facts), **carried}),
    ]


def write_entries(facts: Facts, folder: Path) -> list[Path]:
    """Write the registry's entry and the one for VS Code."""
    entries = {"server.json": _json(server_json(facts)), "vscode-mcp.json": _json(vscode_entry(facts))}
    _write_files(folder, entries)
    return [folder / name for name in entries]


def _write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def _json(value: dict[str, Any]) -> bytes:
    return f"{json.dumps(value, indent=2, ensure_ascii=False)}\n".encode()
