"""`server.json`: the entry in the registry of MCP servers."""

import json
from pathlib import Path
from typing import Any

from release.facts import Facts

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
DESCRIPTION = "A field guide to a project: search, decisions, patterns, tasks, code, with citations that open."


def server_json(facts: Facts) -> dict[str, Any]:
    """Returns the entry."""
    project = {
        "type": "named",
        "name": "--project",
        "description": "The project's folder.",
        "format": "filepath",
        "isRequired": True,
    }
    package = {
        "registryType": "pypi",
        "registryBaseUrl": "https://pypi.org",
        "identifier": facts.name,
        "version": facts.version,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "serve"}, project],
    }
    entry: dict[str, Any] = {
        "$schema": SCHEMA,
        "name": facts.registry_name,
        "title": "Fieldguide",
        "description": DESCRIPTION,
        "version": facts.version,
        "packages": [package],
    }
    if facts.repository:
        entry["repository"] = {"url": facts.repository, "source": "github"}
    return entry


def write_entry(facts: Facts, folder: Path) -> Path:
    """Writes the entry into a folder and returns its path."""
    path = folder / "server.json"
    path.write_text(f"{json.dumps(server_json(facts), indent=2)}\n", encoding="utf-8")
    return path
