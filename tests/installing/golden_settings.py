"""Settings files as people really have them, one or more for each client: other servers, comments, odd forms."""

from pathlib import Path
from typing import NamedTuple


class Golden(NamedTuple):
    """A file of a client, and what is in it."""

    client: str
    scope: str
    path: str
    text: str

    def variants(self) -> dict[str, bytes]:
        """The same file as other editors leave it."""
        plain = self.text.encode()
        return {
            "plain": plain,
            "BOM and CRLF": b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n"),
            "no final newline": plain.rstrip(b"\n"),
        }


FILES = Path(__file__).parent.parent / "golden" / "clients"
CLAUDE_STATE = (FILES / "claude_state.json").read_text("utf-8")
DESKTOP = (FILES / "claude_desktop.json").read_text("utf-8")
CURSOR = (FILES / "cursor.json").read_text("utf-8")
VSCODE = (FILES / "vscode.jsonc").read_text("utf-8")
CODEX = (FILES / "codex.toml").read_text("utf-8")
CODEX_DOTTED = (FILES / "codex_dotted.toml").read_text("utf-8")
GEMINI = (FILES / "gemini.json").read_text("utf-8")
OPENCODE = (FILES / "opencode.json").read_text("utf-8")
SERVERS = (FILES / "servers.json").read_text("utf-8")

CODE = "~/.config/Code/User"

GOLDENS = (
    Golden("claude-code", "user", "~/.claude.json", CLAUDE_STATE),
    Golden("claude-code", "project", ".mcp.json", SERVERS),
    Golden("claude-desktop", "user", "~/.config/Claude/claude_desktop_config.json", DESKTOP),
    Golden("cursor", "user", "~/.cursor/mcp.json", CURSOR),
    Golden("cursor", "project", ".cursor/mcp.json", CURSOR),
    Golden("vscode", "user", f"{CODE}/mcp.json", VSCODE),
    Golden("vscode", "project", ".vscode/mcp.json", VSCODE),
    Golden("codex", "user", "~/.codex/config.toml", CODEX),
    Golden("codex", "project", ".codex/config.toml", CODEX_DOTTED),
    Golden("gemini", "user", "~/.gemini/settings.json", GEMINI),
    Golden("gemini", "project", ".gemini/settings.json", '{"ui": {"theme": "Atom One"}}\n'),
    Golden("opencode", "user", "~/.config/opencode/opencode.json", OPENCODE),
    Golden("opencode", "project", "opencode.jsonc", '{\n  // ours\n  "mcp": {\n    // none yet\n  },\n}\n'),
    Golden("copilot", "user", "~/.copilot/mcp-config.json", SERVERS),
    Golden("copilot", "project", ".mcp.json", SERVERS),
)

ODD_JSON = (
    "",
    "\n",
    "  \n\t\n",
    "{}",
    "{}\n",
    " { } \n",
    "{\n}\n",
    "{\n\n\n}",
    "// nothing yet\n",
    "// nothing yet",
    "/* a */ {} /* b */\n",
    '{"a":1}',
    '{"a":1,}',
    '{ "a": 1 }',
    '{"a": [1, [2, [3, {}]]], "b": "}{"}',
    '{ "a": 1,\n  "b": 2 }',
    '{"mcpServers":{}}',
    '{"mcpServers": { /* soon */ }}\n',
    '{\n  "mcpServers": {\n    "a": {} // here\n    // and there\n  } // end\n}\n',
    '{\n"mcpServers": {\n"a": {}\n}\n}\n',
    '{\n        "mcpServers": {\n                "a": {}\n        }\n}\n',
    '{"mcpServers": {"a": {},},}',
    '{\n  "a": "https://x/y", /* , */\n  "b": "\\"\\\\",\n}\n',
    '{"mcp\\u0053ervers": {"a": {}}}\n',
)

ODD_TOML = (
    "", "\n", "# only a remark", "# only a remark\n", "a = 1", "a = 1\n\n\n", "\t[a]\n\tb = 1\n", "[mcp_servers]\n",
    "[mcp_servers]\na.command = 'x'\n",
    '["mcp_servers"."a.b"]\n"command" = "x"\n', "a = '''\n[b]''''\n", 'a = """x\\""" # """\n',
    "a = [[1, 2], [{b = ']'}, 'c#']] # d\n[e]\n", "[a] # b\nc = {d = [1, {e = 2}], 'f' = \"g\"}\n",
    "[[a]]\n[a.b]\nc = 1\n[[a]]\n",
)  # fmt: skip
