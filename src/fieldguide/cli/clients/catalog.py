"""Lists the MCP clients, finds them on this machine, and makes the entry that starts this server in each.

A place begins with `{home}`, `{config}` (where this system keeps programs' settings), `{xdg}` (`~/.config`), or a
folder that the client lets people move: `{claude}`, `{claude_folder}`, `{codex}`, `{copilot}`. Of several, the first
that is there counts.
"""

import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from enum import Enum
from importlib import metadata
from typing import Any, NamedTuple, cast
from urllib.parse import unquote, urlsplit

from fieldguide.cli.clients.settings_files import SettingsFile
from fieldguide.wire.clients import COUNTING_TOOLS, REFUSING_NAMES, is_known_client

USER = "user"
PROJECT = "project"
SCOPES = (USER, PROJECT)
NAME = "fieldguide"
PROGRAM = "fieldguide"
SERVE = "serve"
UVX = "uvx"
FOLDERS_OF_UVX = frozenset({"archive-v0", "environments-v2", "builds-v0"})
STORAGE = "{config}/Code/User/globalStorage"
WORKSPACE = "${workspaceFolder}"


class EntryShape(Enum):
    """How a client writes down a server that it starts."""

    PLAIN = "command and args"
    TYPED = "the same, with its type first"
    LOCAL = "the same, as Copilot's command line wants it"
    ONE_LIST = "command and arguments in one list, as opencode wants it"


class McpClient(NamedTuple):
    """One client: its names, its files, and what it must be told.

    `wire` is how it calls itself to a server. `folder` is how a server learns which project is meant: "" where it is
    started in the project's folder, a variable that the client fills in, or None where only a whole path will do.
    `signs` are folders that tell that the client is here (default: the folder of its file). `extra` is what its entry
    has beside the command: that tools are shown to the model from the first turn, where the client would else defer
    them behind a search.
    """

    key: str
    title: str
    wire: str
    user: tuple[str, ...] = ()
    project: tuple[str, ...] = ()
    path: tuple[str, ...] = ("mcpServers",)
    shape: EntryShape = EntryShape.PLAIN
    project_shape: EntryShape | None = None
    folder: str | None = ""
    programs: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    remark: str = ""
    project_remark: str = ""
    extra: Mapping[str, Any] = {}


SHARED_FILE = ".mcp.json"
LOADED_AT_ONCE = {"alwaysLoad": True}

CLIENTS: tuple[McpClient, ...] = (
    # https://code.claude.com/docs/en/mcp, seen with 2.1: servers are started where `claude` is.
    McpClient(
        "claude-code",
        "Claude Code",
        "claude-code",
        user=("{claude}/.claude.json",),
        project=(SHARED_FILE,),
        shape=EntryShape.TYPED,
        programs=("claude",),
        signs=("{home}/.claude",),
        project_remark="Claude Code asks once whether the servers of this project may run.",
        extra=LOADED_AT_ONCE,
    ),
    # https://modelcontextprotocol.io/docs/develop/connect-local-servers; it starts servers in no project.
    McpClient(
        "claude-desktop",
        "Claude Desktop",
        "claude-ai",
        user=("{config}/Claude/claude_desktop_config.json",),
        folder=None,
        remark="Claude Desktop reads it when it is started again.",
    ),
    # https://cursor.com/docs/mcp, https://github.com/getsentry/xcodebuildmcp.com/pull/15 (the variable, for the user)
    McpClient(
        "cursor",
        "Cursor",
        "cursor-vscode",
        user=("{home}/.cursor/mcp.json",),
        project=(".cursor/mcp.json",),
        folder=WORKSPACE,
        programs=("cursor", "cursor-agent"),
    ),
    # https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
    McpClient(
        "vscode",
        "VS Code",
        "Visual Studio Code",
        user=("{config}/Code/User/mcp.json",),
        project=(".vscode/mcp.json",),
        path=("servers",),
        shape=EntryShape.TYPED,
        folder=WORKSPACE,
        programs=("code",),
        remark="VS Code asks once whether you trust the server.",
    ),
    McpClient(
        "vscode-insiders",
        "VS Code Insiders",
        "Visual Studio Code - Insiders",
        user=("{config}/Code - Insiders/User/mcp.json",),
        path=("servers",),
        shape=EntryShape.TYPED,
        folder=WORKSPACE,
        programs=("code-insiders",),
        remark="VS Code asks once whether you trust the server.",
    ),
    # https://developers.openai.com/codex/mcp, seen with 0.166
    McpClient(
        "codex",
        "Codex",
        "codex-mcp-client",
        user=("{codex}/config.toml",),
        project=(".codex/config.toml",),
        path=("mcp_servers",),
        programs=("codex",),
        project_remark="Codex reads a project's own file only in a project that you trust.",
    ),
    # https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md, seen with 0.61
    McpClient(
        "gemini",
        "Gemini CLI",
        "gemini-cli-mcp-client",
        user=("{home}/.gemini/settings.json",),
        project=(".gemini/settings.json",),
        programs=("gemini",),
        remark="Gemini CLI starts servers only in folders that you trust; it asks when it is started in one.",
    ),
    # https://docs.windsurf.com/windsurf/cascade/mcp: one file for all projects, no variable for the folder.
    McpClient(
        "windsurf",
        "Windsurf",
        "windsurf-client",
        user=("{home}/.codeium/windsurf/mcp_config.json",),
        folder=None,
        programs=("windsurf",),
    ),
    # https://zed.dev/docs/ai/mcp; the file may have comments.
    McpClient(
        "zed",
        "Zed",
        "Zed",
        user=("{xdg}/zed/settings.json",),
        project=(".zed/settings.json",),
        path=("context_servers",),
        programs=("zed", "zeditor", "zedit"),
    ),
    # https://opencode.ai/docs/mcp-servers, https://opencode.ai/docs/config (the names of the file)
    McpClient(
        "opencode",
        "opencode",
        "opencode",
        user=("{xdg}/opencode/opencode.json", "{xdg}/opencode/opencode.jsonc"),
        project=("opencode.json", "opencode.jsonc"),
        path=("mcp",),
        shape=EntryShape.ONE_LIST,
        programs=("opencode",),
    ),
    # https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers
    McpClient(
        "copilot",
        "Copilot CLI",
        "github-copilot-developer",
        user=("{copilot}/mcp-config.json",),
        project=(SHARED_FILE,),
        shape=EntryShape.LOCAL,
        project_shape=EntryShape.TYPED,
        programs=("copilot",),
        extra={"deferTools": "never"},
    ),
    # https://docs.cline.bot/mcp/configuring-mcp-servers
    McpClient(
        "cline",
        "Cline",
        "Cline",
        user=(f"{STORAGE}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",),
        folder=None,
        signs=(f"{STORAGE}/saoudrizwan.claude-dev",),
    ),
    # https://docs.roocode.com/features/mcp/using-mcp-in-roo: a server is started in the workspace's folder.
    McpClient(
        "roo",
        "Roo Code",
        "Roo Code",
        user=(f"{STORAGE}/rooveterinaryinc.roo-cline/settings/mcp_settings.json",),
        project=(".roo/mcp.json",),
        signs=(f"{STORAGE}/rooveterinaryinc.roo-cline",),
    ),
    # https://kilo.ai/docs/features/mcp/using-mcp-in-kilo-code
    McpClient(
        "kilo",
        "Kilo Code",
        "Kilo Code",
        user=(f"{STORAGE}/kilocode.kilo-code/settings/mcp_settings.json",),
        project=(".kilocode/mcp.json",),
        signs=(f"{STORAGE}/kilocode.kilo-code",),
    ),
    # https://kiro.dev/docs/mcp/configuration
    McpClient(
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
    McpClient(
        "amazon-q",
        "Amazon Q",
        "Q DEV CLI",
        user=("{home}/.aws/amazonq/mcp.json",),
        project=(".amazonq/mcp.json",),
    ),
    # https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html
    McpClient(
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
    McpClient(
        "lm-studio",
        "LM Studio",
        "LM Studio",
        user=("{home}/.lmstudio/mcp.json",),
        folder=None,
        programs=("lms",),
    ),
    # https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/
    McpClient(
        "qwen",
        "Qwen Code",
        "qwen-code-mcp-client",
        user=("{home}/.qwen/settings.json",),
        project=(".qwen/settings.json",),
        programs=("qwen",),
    ),
    # https://antigravity.google/docs/mcp
    McpClient(
        "antigravity",
        "Antigravity",
        "antigravity-client",
        user=("{home}/.gemini/antigravity/mcp_config.json",),
        folder=None,
        programs=("antigravity",),
    ),
    # https://github.com/charmbracelet/crush#mcps
    McpClient(
        "crush",
        "Crush",
        "crush",
        user=("{xdg}/crush/crush.json",),
        project=("crush.json", ".crush.json"),
        path=("mcp",),
        shape=EntryShape.TYPED,
        programs=("crush",),
    ),
    # https://docs.factory.ai/cli/configuration/mcp
    McpClient(
        "droid",
        "Factory Droid",
        "droid",
        user=("{home}/.factory/mcp.json",),
        project=(".factory/mcp.json",),
        shape=EntryShape.TYPED,
        programs=("droid",),
    ),
)

KEYS = tuple(each.key for each in CLIENTS)


class Machine:
    """A person's home on a system, and the current project."""

    def __init__(self, project: str, environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> None:
        self.project = os.path.realpath(project)
        self.home = environment.get("HOME") or os.path.expanduser("~")
        self._path = environment.get("PATH")
        self._roots = self._known_roots(environment, platform)

    def place(self, client: McpClient, scope: str) -> SettingsFile | None:
        """Where a client keeps its servers; None where it has no file of this scope."""
        if scope == PROJECT:
            paths = [os.path.join(self.project, each) for each in client.project]
            return self._first(paths, confined_to=self.project)
        return self._first([each.format(**self._roots) for each in client.user], confined_to=None)

    def own_file(self, path: str) -> SettingsFile:
        """A file of the person's own, by its place."""
        return SettingsFile(path.format(**self._roots), None, self.home)

    def project_file(self, name: str) -> SettingsFile:
        """A file of the project, by its name there."""
        return SettingsFile(f"{self.project}/{name}", self.project, self.home)

    def found(self, scope: str) -> list[McpClient]:
        """The clients that are here, and have a file of this scope."""
        return [each for each in CLIENTS if self._is_here(each, scope) and self.place(each, scope)]

    def _first(self, paths: list[str], *, confined_to: str | None) -> SettingsFile | None:
        if not paths:
            return None
        there = [*filter(os.path.lexists, paths), paths[0]]
        return SettingsFile(there[0], confined_to, self.home)

    def _is_here(self, client: McpClient, scope: str) -> bool:
        paths = [each.format(**self._roots) for each in (*client.user, *client.signs)]
        paths += [os.path.dirname(path) for path in paths[:1] if not client.signs]
        if scope == PROJECT:
            paths += [os.path.join(self.project, each.split("/")[0]) for each in client.project]
        if any(map(os.path.lexists, paths)):
            return True
        return any(shutil.which(program, path=self._path) for program in client.programs)

    def _known_roots(self, environment: Mapping[str, str], platform: str) -> dict[str, str]:
        def named(variable: str, usual: str) -> str:
            given = environment.get(variable, "")
            return given if os.path.isabs(given) else os.path.join(self.home, *usual.split("/"))

        xdg = named("XDG_CONFIG_HOME", ".config")
        config = {
            "darwin": os.path.join(self.home, "Library", "Application Support"),
            "win32": environment.get("APPDATA") or os.path.join(self.home, "AppData", "Roaming"),
        }
        return {
            "home": self.home,
            "xdg": xdg,
            "config": config.get(platform, xdg),
            "claude": environment.get("CLAUDE_CONFIG_DIR") or self.home,
            "claude_folder": named("CLAUDE_CONFIG_DIR", ".claude"),
            "codex": named("CODEX_HOME", ".codex"),
            "copilot": named("COPILOT_HOME", ".copilot"),
        }


class EntryRequest(NamedTuple):
    """What the person wants of every client: the scope, the words that start the server, whose it is, more flags.

    `shell` are the words that start the program in a terminal. `kept_flags` are those of an entry that is renewed, in
    place of all others.
    """

    scope: str
    project: str
    words: tuple[str, ...]
    user: str | None = None
    flags: tuple[str, ...] = ()
    name: str = NAME
    hooks: tuple[str, ...] = ()
    shell: tuple[str, ...] = (PROGRAM,)
    kept_flags: tuple[str, ...] | None = None


def make_entry(client: McpClient, wish: EntryRequest) -> dict[str, Any]:
    """The entry in the form that the client reads."""
    is_shared = wish.scope == PROJECT and SHARED_FILE in client.project  # one entry for all clients that read the file
    extra = LOADED_AT_ONCE if is_shared else client.extra
    command = wish.words[0]
    flags = _list_flags(client, wish) if wish.kept_flags is None else wish.kept_flags
    arguments = [*wish.words[1:], SERVE, *flags]
    shape = client.project_shape if wish.scope == PROJECT and client.project_shape else client.shape
    if shape is EntryShape.ONE_LIST:
        return {"type": "local", "command": [command, *arguments], "enabled": True, **extra}
    if shape is EntryShape.LOCAL:
        return {"type": "local", "command": command, "args": arguments, "tools": ["*"], **extra}
    if shape is EntryShape.TYPED:
        return {"type": "stdio", "command": command, "args": arguments, **extra}
    return {"command": command, "args": arguments, **extra}


def read_bound_project(entry: Any) -> str | None:
    """The one project that an entry is for; None where it is for whichever it is started in."""
    words = read_command_line(entry)
    if "--project" not in words[:-1]:
        return None
    named = words[words.index("--project") + 1]
    return None if named == "." else named


def starts_fieldguide(entry: Any) -> bool:
    """Whether an entry starts a Fieldguide, whoever wrote it."""
    words = read_command_line(entry)
    if SERVE not in words:
        return False
    programs = [word.replace("\\", "/").rpartition("/")[2] for word in words[: words.index(SERVE)]]
    return any(name.removesuffix(".exe") == PROGRAM for name in programs)


def read_flags(entry: Any) -> tuple[str, ...]:
    """The flags of `serve` in an entry."""
    words = read_command_line(entry)
    return tuple(words[words.index(SERVE) + 1 :]) if SERVE in words else ()


def read_command_line(entry: Any) -> list[str]:
    """The words that an entry starts; none where it starts nothing."""
    if not isinstance(entry, dict):
        return []
    parts = cast("Mapping[str, Any]", entry)
    words: list[Any] = []
    for part in (parts.get("command"), parts.get("args")):
        if isinstance(part, list):
            words += cast("Sequence[Any]", part)
        else:
            words.append(part)
    return [word for word in words if isinstance(word, str)]


def _list_flags(client: McpClient, wish: EntryRequest) -> list[str]:
    """The flags of `serve` for a client; some clients need fewer tools, or names in other spelling."""
    flags: list[str] = []
    folder = wish.project if client.folder is None else client.folder
    if folder:
        flags += ["--project", folder]
    flags += ["--bind-user"] if wish.user is None else ["--user", wish.user]
    flags += wish.flags
    if is_known_client(client.wire, COUNTING_TOOLS) and not {"--profile", "--toolsets"}.intersection(wish.flags):
        flags += ["--profile", "lean"]
    if not is_known_client(client.wire, REFUSING_NAMES) and "--tool-names" not in wish.flags:
        flags += ["--tool-names", "safe"]
    return flags


def find_start_words(*, is_shared: bool) -> list[str]:
    """The words before `serve`: a whole path in the person's own settings, a name in those that others read too.

    A client that was not started from a terminal does not know the person's PATH.
    """
    if came_by_uvx():
        installed = None if is_shared else find_installed_tool()
        if installed:
            return [installed]
        source = ["--from", _find_package()] if find_source() else []
        return [*_find_uvx(is_shared=is_shared), *source, PROGRAM]
    own = os.path.join(sysconfig.get_path("scripts"), PROGRAM)
    named = shutil.which(PROGRAM)
    is_named = named is not None and os.path.realpath(named) == os.path.realpath(own)
    if is_shared and is_named:
        return [PROGRAM]
    if is_named and named is not None:
        return [os.path.abspath(named)]
    if os.access(own, os.X_OK):
        return [own]
    return [sys.executable, "-m", PROGRAM]


def came_by_uvx() -> bool:
    """Whether uv made this environment for one run, and may remove it."""
    return not FOLDERS_OF_UVX.isdisjoint(sys.prefix.split(os.sep))


def find_installed_tool() -> str | None:
    """The program that `uv tool install` or another installer put where programs are; not that of one run of uvx."""
    for folder in (*os.environ.get("PATH", "").split(os.pathsep), os.path.expanduser("~/.local/bin")):
        program = os.path.join(folder, PROGRAM)
        is_program = os.path.isabs(folder) and os.access(program, os.X_OK)
        if is_program and FOLDERS_OF_UVX.isdisjoint(os.path.realpath(program).split(os.sep)):
            return program
    return None


def find_uv() -> str:
    """The program uv, which tells those whom it runs where it is."""
    return shutil.which("uv") or os.environ.get("UV", "uv")


def make_tool_install() -> list[str]:
    """The command that installs the program for good, from where uvx took it."""
    return [find_uv(), "tool", "install", "--compile-bytecode", _find_package()]


def _find_uvx(*, is_shared: bool) -> list[str]:
    whole = shutil.which(UVX)
    if is_shared:
        return [UVX]
    if whole is None and os.path.isabs(os.environ.get("UV", "")):  # uv tells those whom it runs where it is
        return [os.environ["UV"], "tool", "run"]
    return [UVX if whole is None else os.path.abspath(whole)]


def find_checkout() -> str:
    """The folder that an editable installation runs from; empty where it is none."""
    origin = _read_origin()
    is_editable = origin.get("dir_info", {}).get("editable", False)
    return unquote(urlsplit(str(origin.get("url", ""))).path) if is_editable else ""


def _read_origin() -> dict[str, Any]:
    """Where this program was installed from, if not from an index (`direct_url.json`)."""
    try:
        text = metadata.distribution(PROGRAM).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        text = None
    origin: dict[str, Any] = json.loads(text or "{}")
    return origin


def find_source() -> str:
    """The address that Fieldguide was installed from; empty where that was an index."""
    origin = _read_origin()
    url = str(origin.get("url", ""))
    if "vcs_info" not in origin:
        return url
    revision = origin["vcs_info"].get("requested_revision")
    return f"git+{url}@{revision}" if revision else f"git+{url}"


def _find_package() -> str:
    """What uv takes Fieldguide from: a folder by its path, an address, or its name."""
    source = find_source()
    return unquote(urlsplit(source).path) if source.startswith("file:") else source or PROGRAM
