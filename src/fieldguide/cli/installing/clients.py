"""The clients that keep their MCP servers in a known file: one entry each, with where the facts come from.

A place begins with `{home}`, `{config}` (where this system keeps programs' settings), `{xdg}` (`~/.config`), or a
folder that the client lets people move: `{claude}`, `{codex}`, `{copilot}`. Of several, the first that is there counts.
"""

from enum import Enum
from typing import NamedTuple

STORAGE = "{config}/Code/User/globalStorage"
WORKSPACE = "${workspaceFolder}"


class Shape(Enum):
    """How a client writes down a server that it starts."""

    PLAIN = "command and args"
    TYPED = "the same, with its type first"
    LOCAL = "the same, as Copilot's command line wants it"
    ONE_LIST = "command and arguments in one list, as opencode wants it"


class Client(NamedTuple):
    """One client: its names, its files, and what it must be told.

    `wire` is how it calls itself to a server. `folder` is how a server learns which project is meant: "" where it is
    started in the project's folder, a variable that the client fills in, or None where only a whole path will do.
    """

    key: str
    title: str
    wire: str
    user: tuple[str, ...] = ()
    project: tuple[str, ...] = ()
    path: tuple[str, ...] = ("mcpServers",)
    shape: Shape = Shape.PLAIN
    project_shape: Shape | None = None
    folder: str | None = ""
    programs: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    remark: str = ""
    project_remark: str = ""


CLIENTS: tuple[Client, ...] = (
    # https://code.claude.com/docs/en/mcp, seen with 2.1: servers are started where `claude` is.
    Client(
        "claude-code",
        "Claude Code",
        "claude-code",
        user=("{claude}/.claude.json",),
        project=(".mcp.json",),
        shape=Shape.TYPED,
        programs=("claude",),
        signs=("{home}/.claude",),
        project_remark="Claude Code asks once whether the servers of this project may run.",
    ),
    # https://modelcontextprotocol.io/docs/develop/connect-local-servers; it starts servers in no project.
    Client(
        "claude-desktop",
        "Claude Desktop",
        "claude-ai",
        user=("{config}/Claude/claude_desktop_config.json",),
        folder=None,
        signs=("{config}/Claude",),
        remark="Claude Desktop reads it when it is started again.",
    ),
    # https://cursor.com/docs/mcp, https://github.com/getsentry/xcodebuildmcp.com/pull/15 (the variable, for the user)
    Client(
        "cursor",
        "Cursor",
        "cursor-vscode",
        user=("{home}/.cursor/mcp.json",),
        project=(".cursor/mcp.json",),
        folder=WORKSPACE,
        programs=("cursor", "cursor-agent"),
        signs=("{home}/.cursor",),
    ),
    # https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
    Client(
        "vscode",
        "VS Code",
        "Visual Studio Code",
        user=("{config}/Code/User/mcp.json",),
        project=(".vscode/mcp.json",),
        path=("servers",),
        shape=Shape.TYPED,
        folder=WORKSPACE,
        programs=("code",),
        signs=("{config}/Code/User",),
        remark="VS Code asks once whether you trust the server.",
    ),
    Client(
        "vscode-insiders",
        "VS Code Insiders",
        "Visual Studio Code - Insiders",
        user=("{config}/Code - Insiders/User/mcp.json",),
        path=("servers",),
        shape=Shape.TYPED,
        folder=WORKSPACE,
        programs=("code-insiders",),
        signs=("{config}/Code - Insiders/User",),
        remark="VS Code asks once whether you trust the server.",
    ),
    # https://developers.openai.com/codex/mcp, seen with 0.166
    Client(
        "codex",
        "Codex",
        "codex-mcp-client",
        user=("{codex}/config.toml",),
        project=(".codex/config.toml",),
        path=("mcp_servers",),
        programs=("codex",),
        signs=("{codex}",),
        project_remark="Codex reads a project's own file only in a project that you trust.",
    ),
    # https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md, seen with 0.61
    Client(
        "gemini",
        "Gemini CLI",
        "gemini-cli-mcp-client",
        user=("{home}/.gemini/settings.json",),
        project=(".gemini/settings.json",),
        programs=("gemini",),
        signs=("{home}/.gemini",),
        remark="Gemini CLI starts servers only in folders that you trust; it asks when it is started in one.",
    ),
    # https://docs.windsurf.com/windsurf/cascade/mcp: one file for all projects, no variable for the folder.
    Client(
        "windsurf",
        "Windsurf",
        "windsurf-client",
        user=("{home}/.codeium/windsurf/mcp_config.json",),
        folder=None,
        programs=("windsurf",),
        signs=("{home}/.codeium/windsurf",),
    ),
    # https://zed.dev/docs/ai/mcp; the file may have comments.
    Client(
        "zed",
        "Zed",
        "Zed",
        user=("{xdg}/zed/settings.json",),
        project=(".zed/settings.json",),
        path=("context_servers",),
        programs=("zed", "zeditor", "zedit"),
        signs=("{xdg}/zed",),
    ),
    # https://opencode.ai/docs/mcp-servers, https://opencode.ai/docs/config (the names of the file)
    Client(
        "opencode",
        "opencode",
        "opencode",
        user=("{xdg}/opencode/opencode.json", "{xdg}/opencode/opencode.jsonc"),
        project=("opencode.json", "opencode.jsonc"),
        path=("mcp",),
        shape=Shape.ONE_LIST,
        programs=("opencode",),
        signs=("{xdg}/opencode",),
    ),
    # https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers
    Client(
        "copilot",
        "Copilot CLI",
        "github-copilot-developer",
        user=("{copilot}/mcp-config.json",),
        project=(".mcp.json",),
        shape=Shape.LOCAL,
        project_shape=Shape.TYPED,
        programs=("copilot",),
        signs=("{copilot}",),
    ),
    # https://docs.cline.bot/mcp/configuring-mcp-servers
    Client(
        "cline",
        "Cline",
        "Cline",
        user=(f"{STORAGE}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",),
        folder=None,
        signs=(f"{STORAGE}/saoudrizwan.claude-dev",),
    ),
    # https://docs.roocode.com/features/mcp/using-mcp-in-roo: a server is started in the workspace's folder.
    Client(
        "roo",
        "Roo Code",
        "Roo Code",
        user=(f"{STORAGE}/rooveterinaryinc.roo-cline/settings/mcp_settings.json",),
        project=(".roo/mcp.json",),
        signs=(f"{STORAGE}/rooveterinaryinc.roo-cline",),
    ),
    # https://kilo.ai/docs/features/mcp/using-mcp-in-kilo-code
    Client(
        "kilo",
        "Kilo Code",
        "Kilo Code",
        user=(f"{STORAGE}/kilocode.kilo-code/settings/mcp_settings.json",),
        project=(".kilocode/mcp.json",),
        signs=(f"{STORAGE}/kilocode.kilo-code",),
    ),
    # https://kiro.dev/docs/mcp/configuration
    Client(
        "kiro",
        "Kiro",
        "Kiro",
        user=("{home}/.kiro/settings/mcp.json",),
        project=(".kiro/settings/mcp.json",),
        folder=None,
        programs=("kiro", "kiro-cli"),
        signs=("{home}/.kiro",),
    ),
    # https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/command-line-mcp-configuration.html
    Client(
        "amazon-q",
        "Amazon Q",
        "Q DEV CLI",
        user=("{home}/.aws/amazonq/mcp.json",),
        project=(".amazonq/mcp.json",),
        signs=("{home}/.aws/amazonq",),
    ),
    # https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html
    Client(
        "junie",
        "Junie",
        "junie",
        user=("{home}/.junie/mcp/mcp.json",),
        project=(".junie/mcp/mcp.json",),
        folder=None,
        programs=("junie",),
        signs=("{home}/.junie",),
    ),
    # https://lmstudio.ai/docs/app/mcp: a chat with no project.
    Client(
        "lm-studio",
        "LM Studio",
        "LM Studio",
        user=("{home}/.lmstudio/mcp.json",),
        folder=None,
        programs=("lms",),
        signs=("{home}/.lmstudio",),
    ),
    # https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/
    Client(
        "qwen",
        "Qwen Code",
        "qwen-code-mcp-client",
        user=("{home}/.qwen/settings.json",),
        project=(".qwen/settings.json",),
        programs=("qwen",),
        signs=("{home}/.qwen",),
    ),
    # https://antigravity.google/docs/mcp
    Client(
        "antigravity",
        "Antigravity",
        "antigravity-client",
        user=("{home}/.gemini/antigravity/mcp_config.json",),
        folder=None,
        programs=("antigravity",),
        signs=("{home}/.gemini/antigravity",),
    ),
    # https://github.com/charmbracelet/crush#mcps
    Client(
        "crush",
        "Crush",
        "crush",
        user=("{xdg}/crush/crush.json",),
        project=("crush.json", ".crush.json"),
        path=("mcp",),
        shape=Shape.TYPED,
        programs=("crush",),
        signs=("{xdg}/crush",),
    ),
    # https://docs.factory.ai/cli/configuration/mcp
    Client(
        "droid",
        "Factory Droid",
        "droid",
        user=("{home}/.factory/mcp.json",),
        project=(".factory/mcp.json",),
        shape=Shape.TYPED,
        programs=("droid",),
        signs=("{home}/.factory",),
    ),
)

KEYS = tuple(each.key for each in CLIENTS)
