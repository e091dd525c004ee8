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
from glob import glob
from importlib import metadata
from typing import Any, NamedTuple, cast
from urllib.parse import unquote, urlsplit

from fieldguide.cli.clients.settings_files import SettingsFile

USER = "user"
PROJECT = "project"
SCOPES = (USER, PROJECT)
NAME = "fieldguide"
PROGRAM = "fieldguide"
SERVE = "serve"
UVX = "uvx"
FOLDERS_OF_UVX = frozenset({"archive-v0", "environments-v2", "builds-v0"})
WORKSPACE = "${workspaceFolder}"


class EntryShape(Enum):
    """How a client writes down a server that it starts."""

    PLAIN = "command and args"
    TYPED = "the same, with its type first"
    LOCAL = "the same, as Copilot's command line wants it"
    ONE_LIST = "command and arguments in one list, as opencode wants it"


class McpClient(NamedTuple):
    """One client: its names, its files, and what it must be told.

    `folder` is how a server learns which project is meant: "" where it is started in the project's folder, a variable
    that the client fills in, or None where only a whole path will do. `signs` are folders that tell that the client is
    here (default: the folder of its file). `extra` is what its entry has beside the command: that tools are shown to
    the model from the first turn, where the client would else defer them behind a search.
    """

    key: str
    title: str
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
        user=("{config}/Claude/claude_desktop_config.json",),
        folder=None,
        remark="Claude Desktop reads it when it is started again.",
    ),
    # https://cursor.com/docs/mcp, https://github.com/getsentry/xcodebuildmcp.com/pull/15 (the variable, for the user)
    McpClient(
        "cursor",
        "Cursor",
        user=("{home}/.cursor/mcp.json",),
        project=(".cursor/mcp.json",),
        folder=WORKSPACE,
        programs=("cursor", "cursor-agent"),
    ),
    # https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
    McpClient(
        "vscode",
        "VS Code",
        user=("{config}/Code/User/mcp.json",),
        project=(".vscode/mcp.json",),
        path=("servers",),
        shape=EntryShape.TYPED,
        folder=WORKSPACE,
        programs=("code",),
        remark="VS Code asks once whether you trust the server.",
    ),
    # https://developers.openai.com/codex/mcp, seen with 0.166
    McpClient(
        "codex",
        "Codex",
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
        user=("{home}/.gemini/settings.json",),
        project=(".gemini/settings.json",),
        programs=("gemini",),
        remark="Gemini CLI starts servers only in folders that you trust; it asks when it is started in one.",
    ),
    # https://opencode.ai/docs/mcp-servers, https://opencode.ai/docs/config (the names of the file)
    McpClient(
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
        user=("{copilot}/mcp-config.json",),
        project=(SHARED_FILE,),
        shape=EntryShape.LOCAL,
        project_shape=EntryShape.TYPED,
        programs=("copilot",),
        extra={"deferTools": "never"},
    ),
)
OTHER = McpClient("other", "Any other client", folder=None)
"""Most clients read this entry; it can only be printed."""

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

    `shell` are the words that start the program in a terminal.
    """

    scope: str
    project: str
    words: tuple[str, ...]
    user: str | None = None
    flags: tuple[str, ...] = ()
    name: str = NAME
    shell: tuple[str, ...] = (PROGRAM,)


def make_entry(client: McpClient, wish: EntryRequest) -> dict[str, Any]:
    """The entry in the form that the client reads."""
    is_shared = wish.scope == PROJECT and SHARED_FILE in client.project  # one entry for all clients that read the file
    extra = LOADED_AT_ONCE if is_shared else client.extra
    command = wish.words[0]
    arguments = [*wish.words[1:], SERVE, *_list_flags(client, wish)]
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
    """The flags of `serve` for a client; one that is not known may take only letters, digits, _ and - in names."""
    flags: list[str] = []
    folder = wish.project if client.folder is None else client.folder
    if folder:
        flags += ["--project", folder]
    flags += ["--bind-user"] if wish.user is None else ["--user", wish.user]
    flags += wish.flags
    if client is OTHER and "--tool-names" not in wish.flags:
        flags += ["--tool-names", "safe"]
    return flags


def find_start_words(*, is_shared: bool) -> list[str]:
    """The words before `serve`: a whole path in the person's own settings, a name in those that others read too.

    A client that was not started from a terminal does not know the person's PATH.
    """
    if came_by_uvx():
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


def make_tool_install() -> str:
    """The command that installs the program for good, from where uvx took it; empty where that was an index."""
    return f"uv tool install --compile-bytecode {_find_package()}" if find_source() else ""


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


def make_extra_install(extra: str) -> str:
    """The command that adds an extra to this installation, by what made it and from where it came."""
    checkout = find_checkout()
    source = find_source()
    if not source:
        return f"install '{PROGRAM}[{extra}]' from where you installed {PROGRAM}"
    wanted = f"--editable '{checkout}[{extra}]'" if checkout else f"'{PROGRAM}[{extra}] @ {source}'"
    if came_by_uvx():
        return f"uvx --from {wanted} {PROGRAM}"
    if os.path.isfile(os.path.join(sys.prefix, "uv-receipt.toml")):
        return f"uv tool install --force {wanted}"
    if os.path.isfile(os.path.join(sys.prefix, "pipx_metadata.json")):
        return f"pipx install --force {wanted}"
    if glob(os.path.join(sys.prefix, "lib", "python*", "site-packages", "pip")):
        return f"{sys.prefix}/bin/python -m pip install {wanted}"
    return f"uv pip install --python {sys.prefix} {wanted}"
