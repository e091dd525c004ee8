"""The state of one connected client and of one request, in both eras; and what a client is shown.

A request whose `_meta` names a protocol version is of the new era and carries everything it needs; any other is of the
handshake era. Real clients probe with `server/discover` and then send `initialize` on the same pipe.
"""

import os
import string
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple, Protocol, cast

from fieldguide.settings.consents import Access, is_allowed
from fieldguide.settings.folders import find_login_name
from fieldguide.spine.resources import PANEL_MIME_TYPE, Panel
from fieldguide.spine.tool import INVALID_PARAMS, Tool, compact_json
from fieldguide.spine.toolset import Registry, Toolset, make_safe_name
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Refusal, shorten
from fieldguide.wire.jsonrpc import METHOD_NOT_FOUND, UNSUPPORTED_VERSION, RequestId, RpcError

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"
CACHE_MS = 60_000
CAPABILITIES = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class RequestEnvelope(NamedTuple):
    """What a request of the new era says about its sender."""

    version: str
    client: Mapping[str, Any]
    capabilities: Mapping[str, Any]
    log_level: str | None


def read_envelope(params: Mapping[str, Any]) -> RequestEnvelope | None:
    """The envelope of a request of the new era; None for one of the handshake era."""
    meta = params.get("_meta")
    if not isinstance(meta, Mapping) or VERSION_KEY not in meta:
        return None
    meta = cast("Mapping[str, Any]", meta)
    if CAPABILITIES_KEY not in meta:
        raise RpcError(INVALID_PARAMS, f"params._meta is missing {CAPABILITIES_KEY}, which every request carries.")
    version = meta[VERSION_KEY]
    if not isinstance(version, str):
        raise RpcError(INVALID_PARAMS, f"{VERSION_KEY} must be a string.")
    if version not in MODERN_VERSIONS:
        supported = {"supported": list(MODERN_VERSIONS), "requested": shorten(version)}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", supported)
    level = meta.get(LOG_LEVEL_KEY)
    return RequestEnvelope(
        version=version,
        client=read_object(meta.get(CLIENT_INFO_KEY)),
        capabilities=read_object(meta[CAPABILITIES_KEY]),
        log_level=level if isinstance(level, str) else None,
    )


def negotiate_version(asked: Any) -> str:
    """The version of a handshake: the one that was asked for if we know it, else our newest."""
    return asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def stamp_result(result: dict[str, Any], server_info: Mapping[str, Any]) -> dict[str, Any]:
    """A result with what the new era wants on each: its type, and who answered."""
    meta = {**result.get("_meta", {}), SERVER_INFO_KEY: server_info}
    return {"resultType": "complete", **result, "_meta": meta}


def add_cache_hint(result: dict[str, Any], *, is_modern: bool) -> dict[str, Any]:
    """A list or a document with the hint how long it stays fresh, where the era knows such hints."""
    return {**result, "ttlMs": CACHE_MS, "cacheScope": "private"} if is_modern else result


def read_object(value: Any) -> Mapping[str, Any]:
    """A JSON object as it is, and an empty one for any other value."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def make_session_refusal(limit: str, count: int) -> str:
    """The sentence for a client whose session can't be opened."""
    return (
        f"There are {count} sessions already, and each has a call under way. End one, or raise the limit {limit}: "
        f"FIELDGUIDE_LIMIT_{limit.upper()}."
    )


class Outlet(Protocol):
    """The way to the client of a request, for the thread that answers it."""

    def notify(self, method: str, params: Mapping[str, Any], cancellation: Cancellation) -> None:
        """Send a notification; Cancelled if that is given up."""
        ...

    def request(self, method: str, params: Mapping[str, Any], cancellation: Cancellation) -> dict[str, Any]:
        """Send a request and wait for its result; RpcError when the client answers with an error or can't be asked."""
        ...


class NoClient:
    """The outlet of a request that has no client behind it."""

    def notify(self, method: str, params: Mapping[str, Any], cancellation: Cancellation) -> None:
        """Nobody listens."""

    def request(self, method: str, params: Mapping[str, Any], cancellation: Cancellation) -> dict[str, Any]:
        """Nobody can answer."""
        raise RpcError(METHOD_NOT_FOUND, "there is nobody to ask")


class Connection:
    """The state of one client for as long as it is connected.

    `access` is what its principal may do here, by its latest request; None on the person's own machine. `owner` is the
    principal that opened it: for any other it does not exist. It `is_passing` when it was made for one request, as over
    HTTP in the new era, where a client is not known again.
    """

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002
        user: str | None = None,
        access: Access | None = None,
        owner: tuple[str, str] | None = None,
        capabilities: Mapping[str, Any] | None = None,
        is_initialized: bool = False,
    ) -> None:
        self.id = id or os.urandom(8).hex()
        self.user = user
        self.access = access
        self.owner = owner
        self.version = HANDSHAKE_VERSIONS[-1]
        self.client: Mapping[str, Any] = {}
        self.capabilities: Mapping[str, Any] = capabilities or {}
        self.is_initialized = is_initialized
        self.log_level = "info"
        self.workflow: str | None = None
        self.subscriptions: set[str] = set()
        self.is_passing = False


class Request(NamedTuple):
    """One request: its method and params, the connection it came on, and the era it belongs to.

    `access` is what its sender may do: that of its own token, which may differ from the one before it. `cancellation`
    gives it up, and `refusal` is why no call can run now.
    """

    id: RequestId
    method: str
    params: Mapping[str, Any]
    connection: Connection
    outlet: Outlet
    envelope: RequestEnvelope | None
    cancellation: Cancellation
    access: Access | None = None
    refusal: Refusal | None = None

    @property
    def is_modern(self) -> bool:
        """Whether the request is of the new era."""
        return self.envelope is not None

    @property
    def version(self) -> str:
        """The protocol version that the request speaks."""
        return self.envelope.version if self.envelope else self.connection.version

    @property
    def client_name(self) -> str | None:
        """What the client calls itself."""
        name = (self.envelope.client if self.envelope else self.connection.client).get("name")
        return name if isinstance(name, str) else None

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What the client says it can do."""
        return self.envelope.capabilities if self.envelope else self.connection.capabilities

    @property
    def meta(self) -> Mapping[str, Any]:
        """The `_meta` of the request, empty where there is none."""
        return read_object(self.params.get("_meta"))

    def can_ask(self, method: str) -> bool:
        """Whether the client declares that it answers this method."""
        return CAPABILITIES[method] in self.capabilities

    def wants_log(self, level: str) -> bool:
        """Whether the client wants a log message of this level: set once in the handshake era, per request since."""
        wanted = self.envelope.log_level if self.envelope else self.connection.log_level
        return wanted in LEVELS and LEVELS.index(level) >= LEVELS.index(wanted)


LONGEST_USER = 255
EXTENSION = "io.modelcontextprotocol/ui"
LEAN = "lean"
FULL = "full"
AUTO = "auto"
THE_DOOR = "guide"


def write_instructions(
    toolsets: Sequence[Toolset],
    registry: Registry,
    user: str | None,
    count: Callable[[], str],
    access: Access | None = None,
) -> str:
    """A few sentences for the model behind a client; they name only tools that are served, and that it may call.

    `count` tells what the index holds in numbers; it is left out for those who may not see everything.
    """
    toolsets = [each for each in toolsets if is_allowed(access, each.name)]
    user = user if access is None else access.user
    known = "; ".join(each.about for each in toolsets if each.about) or "what its toolsets tell"
    sentences = [f"Fieldguide knows this project: {known}."]
    counted = count() if access is None else ""
    if counted:
        sentences.append(f"Indexed: {counted}.")
    served = {tool.name for tool in registry.all(access)}
    routes = "; ".join(way for each in toolsets for tool, way in each.routes.items() if tool in served)
    if routes:
        sentences.append(f"{routes[0].upper()}{routes[1:]}.")
    sentences.append("Cite what it tells you. For exact strings use rg.")
    takes_user = any(tool.user_argument for each in toolsets for tool in each.tools)
    person = (user or find_login_name()) if takes_user else None
    if person is not None:
        whose = "Every call is made for the user_id" if user else "Where a tool takes a user_id, the person's own is"
        sentences.append(f"{whose} {compact_json(person[:LONGEST_USER])}.")
    return " ".join(sentences)


REFUSING_NAMES = (
    "claude",
    "anthropic",
    "codex",
    "openai",
    "chatgpt",
    "copilot",
    "vscode",
    "cursor",
    "windsurf",
    "cline",
    "opencode",
    "goose",
    "gemini",
    "jetbrains",
    "visual studio code",
    "=roo",
    "=roo code",
    "=zed",
    "=continue",
)
"""Those whose model's API takes only letters, digits, `_` and `-` in a tool's name."""

COUNTING_TOOLS = ("cursor", "windsurf", "antigravity")
"""Those that take only so many tools from all servers together, and leave the others out or refuse the server."""

CODING_CLIENTS = (
    *COUNTING_TOOLS,
    "claude code",
    "codex",
    "copilot",
    "visual studio code",
    "vscode",
    "code oss",
    "vscodium",
    "cline",
    "opencode",
    "goose",
    "gemini cli",
    "crush",
    "jetbrains",
    "=roo",
    "=roo code",
    "=zed",
    "=continue",
)
"""Those whose model works on code: they have their own tools for files, and pay for every tool in every turn."""

READING_VALUES = ("claude code", "codex", "copilot", "visual studio code", "code oss", "vscodium")
"""Those that hand the model an answer's value in place of its text, or both of them."""

DEFERRING_TOOLS = ("claude code",)
"""Those that hide tools behind a search, unless their server asks for them to be loaded at once."""

IN_A_WORD = frozenset(string.ascii_lowercase + string.digits)


def is_known_client(client: str | None, known: tuple[str, ...]) -> bool:
    """Whether words of the client's name begin like a known name; one with `=` before it is the whole name."""
    words = "".join(each if each in IN_A_WORD else " " for each in (client or "").casefold()).split()
    name = f" {' '.join(words)}"
    return any(f" {each}" in name if each[0] != "=" else f" {each[1:]}" == name for each in known)


def spell_tool_name(name: str, *, mode: str, client: str | None) -> str:
    """A tool's name as this client is shown it, in the mode `auto`, `literal` or `safe`."""
    if mode == "safe" or (mode == "auto" and is_known_client(client, REFUSING_NAMES)):
        return make_safe_name(name)
    return name


def declare_extensions(panels: Sequence[Panel]) -> dict[str, Any]:
    """What a server with these panels declares."""
    return {EXTENSION: {"mimeTypes": [PANEL_MIME_TYPE]}} if panels else {}


def shows_panels(capabilities: Mapping[str, Any]) -> bool:
    """Whether a client says that it shows pages of our kind."""
    extension = read_object(read_object(capabilities.get("extensions")).get(EXTENSION))
    shown = extension.get("mimeTypes")
    return isinstance(shown, list) and PANEL_MIME_TYPE in shown


NO_TOOLS: frozenset[str] = frozenset()


class ToolProfile(NamedTuple):
    """The choice for a server: its mode, and the names of the tools that the lean list has; none: every tool.

    `idle` are those of them that have nothing to serve in this project.
    """

    mode: str = FULL
    front: frozenset[str] = frozenset()
    idle: Callable[[], Set[str]] = lambda: NO_TOOLS

    def listed(self, tools: Sequence[Tool], client: str | None) -> Sequence[Tool]:
        """The tools that this client is shown."""
        is_lean = self.mode == LEAN or (self.mode == AUTO and is_known_client(client, CODING_CLIENTS))
        if not is_lean or not self.front:
            return tools
        idle = self.idle()
        return [tool for tool in tools if tool.name in self.front and tool.name not in idle]


def choose_profile(
    mode: str, toolsets: Iterable[Toolset], *, are_chosen: bool, has_code: Callable[[], bool] = lambda: True
) -> ToolProfile:
    """The profile over these toolsets: the front has what each of them puts there.

    Without the guide there is no front door, and nothing is left out. Nor is it by itself where the person has chosen
    the toolsets: they want those. Without code, tools over code are not among them.
    """
    served = tuple(toolsets)
    shown = [name for each in served for name in each.front]
    has_door = any(each.name == THE_DOOR for each in served)
    of_code = frozenset(name for each in served for name in each.of_code)
    return ToolProfile(
        FULL if mode == AUTO and are_chosen else mode,
        frozenset(shown if has_door else ()),
        lambda: NO_TOOLS if has_code() else of_code,
    )
