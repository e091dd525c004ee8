"""What the formats of others demand, as far as we use them; each names its source.

Formulated anew from the sources: `mcpb validate` and `claude plugin validate --strict` were run on the same files.
"""

from typing import Any

TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}
PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {"name": TEXT, "email": TEXT, "url": TEXT},
    "required": ["name"],
    "additionalProperties": False,
}


def record(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """An object with these properties and no others."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


# https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json
ARGUMENT = {
    "type": "object",
    "properties": {
        "type": {"enum": ["positional", "named"]},
        "format": {"enum": ["string", "number", "boolean", "filepath"]},
        "isRequired": {"type": "boolean"},
    },
    "required": ["type"],
    "if": {"properties": {"type": {"const": "named"}}},
    "then": {"required": ["name"]},
    "else": {"anyOf": [{"required": ["value"]}, {"required": ["valueHint"]}]},
}
PACKAGE = {
    "type": "object",
    "properties": {
        "registryType": {"enum": ["npm", "pypi", "oci", "nuget", "mcpb"]},
        "registryBaseUrl": {"type": "string", "pattern": "^https://"},
        "identifier": TEXT,
        "version": {**TEXT, "not": {"const": "latest"}},
        "transport": {"type": "object", "properties": {"type": {"const": "stdio"}}, "required": ["type"]},
        "packageArguments": {"type": "array", "items": ARGUMENT},
    },
    "required": ["registryType", "identifier", "transport"],
}
SERVER_JSON = {
    "type": "object",
    "properties": {
        "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
        "name": {
            "type": "string",
            "minLength": 3,
            "maxLength": 200,
            "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$",
        },
        "title": {**TEXT, "maxLength": 100},
        "description": {**TEXT, "maxLength": 100},
        "version": {**TEXT, "maxLength": 255},
        "packages": {"type": "array", "items": PACKAGE},
        "repository": {"type": "object", "required": ["url", "source"]},
    },
    "required": ["name", "description", "version"],
}

# npm: @anthropic-ai/mcpb 2.1.2, mcpb-manifest-v0.4.schema.json
MANIFEST = record(
    {
        "manifest_version": {"const": "0.4"},
        "name": TEXT,
        "display_name": TEXT,
        "version": TEXT,
        "description": TEXT,
        "author": PERSON,
        "license": TEXT,
        "keywords": TEXTS,
        "server": record(
            {
                "type": {"enum": ["python", "node", "binary", "uv"]},
                "entry_point": TEXT,
                "mcp_config": record({"command": TEXT, "args": TEXTS, "env": {"type": "object"}}, "command"),
            },
            *("type", "entry_point", "mcp_config"),
        ),
        "tools_generated": {"type": "boolean"},
        "user_config": {
            "type": "object",
            "additionalProperties": record(
                {
                    "type": {"enum": ["string", "number", "boolean", "directory", "file"]},
                    "title": TEXT,
                    "description": TEXT,
                    "required": {"type": "boolean"},
                },
                *("type", "title", "description"),
            ),
        },
        "compatibility": record(
            {
                "platforms": {"type": "array", "items": {"enum": ["darwin", "win32", "linux"]}},
                "runtimes": record({"python": TEXT, "node": TEXT}),
            }
        ),
    },
    *("manifest_version", "name", "version", "description", "author", "server"),
)

# npm: @anthropic-ai/claude-code 2.1.197, `claude plugin validate --strict`
PLUGIN_NAME = {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]*$"}
PLUGIN = record(
    {
        "name": PLUGIN_NAME,
        "version": TEXT,
        "description": TEXT,
        "author": PERSON,
        "license": TEXT,
        "keywords": TEXTS,
        "repository": TEXT,
    },
    *("name", "version", "description", "author"),
)
MARKETPLACE = record(
    {
        "name": PLUGIN_NAME,
        "owner": PERSON,
        "metadata": record({"description": TEXT}),
        "plugins": {
            "type": "array",
            "minItems": 1,
            "items": record(
                {"name": PLUGIN_NAME, "source": {"type": "string", "pattern": "^\\./"}, "description": TEXT},
                *("name", "source"),
            ),
        },
    },
    *("name", "owner", "plugins"),
)
# `alwaysLoad`: https://code.claude.com/docs/en/mcp, seen to work with 2.1.326
MCP_SERVER = record({"command": TEXT, "args": TEXTS, "alwaysLoad": {"type": "boolean"}}, "command")
MCP_JSON = record({"mcpServers": {"type": "object", "additionalProperties": MCP_SERVER}}, "mcpServers")
