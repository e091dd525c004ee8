"""Resources and panels that clients list, read and watch, and the bus that announces changes to them."""

import builtins
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from fieldguide.settings.access import ACTING, Access, is_allowed
from fieldguide.text.errors import DuplicateTool, InvalidArguments, NotFound, shorten

if TYPE_CHECKING:
    from fieldguide.spine.executor import Registry

ChangeKind = Literal["tools", "prompts", "resources", "resource", "anything"]
PANEL_SCHEME = "ui"
PANEL_ADDRESS = f"{PANEL_SCHEME}://"
PANEL_MIME_TYPE = "text/html;profile=mcp-app"
NOTHING_FOREIGN: dict[str, list[str]] = {"connectDomains": [], "resourceDomains": []}
PANEL_META: dict[str, Any] = {"ui": {"csp": NOTHING_FOREIGN, "prefersBorder": True}}


class ChangeNotice(NamedTuple):
    """What changed: one of the lists, the resource at a URI, or anything, where news may have been missed.

    `toolset` is whose list it is, and `user` the only one who sees the change, where it is one person's.
    """

    kind: ChangeKind
    uri: str = ""
    toolset: str = ""
    user: str | None = None


class ChangeBus:
    """Calls every listener with each change, in the thread that announces it."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[ChangeNotice], None]] = []
        self._lock = threading.Lock()

    def announce(self, change: ChangeNotice) -> None:
        """Tell every listener."""
        with self._lock:
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener(change)

    @contextmanager
    def listening(self, listener: Callable[[ChangeNotice], None]) -> Generator[None]:
        """Call a listener with every change while the block runs."""
        with self._lock:
            self._listeners.append(listener)
        try:
            yield
        finally:
            with self._lock:
                self._listeners.remove(listener)


class ToolsetChangeBus(ChangeBus):
    """The bus as one toolset has it: whatever it announces is known to be its own."""

    def __init__(self, bus: ChangeBus, toolset: str) -> None:
        super().__init__()
        self._bus = bus
        self._toolset = toolset

    def announce(self, change: ChangeNotice) -> None:
        """Tell every listener of the bus, here and beyond."""
        self._bus.announce(change._replace(toolset=self._toolset))

    @contextmanager
    def listening(self, listener: Callable[[ChangeNotice], None]) -> Generator[None]:
        """Call a listener with every change on the bus while the block runs."""
        with self._bus.listening(listener):
            yield


class Resource(NamedTuple):
    """One entry of the resource list, as it goes over the wire but for `None`s."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    annotations: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] | None = None


class ResourceTemplate(NamedTuple):
    """A family of resources: a URI with places to fill."""

    uri_template: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None


class ResourceContents(NamedTuple):
    """What a resource holds: a text, or bytes in base64; and what else a reader should be told."""

    uri: str
    mime_type: str | None = None
    text: str | None = None
    blob: str | None = None
    meta: Mapping[str, Any] | None = None


class ResourceProvider(Protocol):
    """Where the resources of one URI scheme come from; its methods run on worker threads."""

    @property
    def scheme(self) -> str:
        """The scheme of every URI it answers for, without `://`."""
        ...

    def list(self) -> Sequence[Resource]:
        """Every resource that can be listed, in a stable order."""
        ...

    def templates(self) -> Sequence[ResourceTemplate]:
        """The families of resources that can't be listed one by one."""
        ...

    def read(self, uri: str) -> Sequence[ResourceContents]:
        """What the resource holds; a Refusal when there is none."""
        ...


class Resources:
    """The providers by scheme.

    `owners` says which toolset a scheme belongs to, or a single URI where several toolsets share its scheme.
    """

    def __init__(self, providers: Iterable[ResourceProvider] = (), owners: Mapping[str, str] | None = None) -> None:
        self._providers: dict[str, ResourceProvider] = {}
        self._owners = owners or {}
        for provider in providers:
            if provider.scheme in self._providers:
                raise DuplicateTool(f"Two toolsets serve resources under {provider.scheme}://.")
            self._providers[provider.scheme] = provider

    def list(self, access: Access | None = None) -> "builtins.list[Resource]":
        """Every resource that the caller may see, sorted by URI."""
        found = [resource for provider in self._seen(access) for resource in provider.list()]
        return sorted((each for each in found if self.shows(each.uri, access)), key=lambda each: each.uri)

    def templates(self, access: Access | None = None) -> "builtins.list[ResourceTemplate]":
        """Every template that the caller may see, sorted by its text."""
        found = [template for provider in self._seen(access) for template in provider.templates()]
        return sorted(found, key=lambda template: template.uri_template)

    def read(self, uri: str, access: Access | None = None) -> Sequence[ResourceContents]:
        """What the resource at a URI holds; one that is not the caller's to see is answered like none."""
        scheme = _scheme(uri)
        provider = self._providers.get(scheme)
        if provider is None or not self._allows(scheme, access):
            raise InvalidArguments("Invalid resource URI", uri=uri)
        return provider.read(uri if self.shows(uri, access) else f"{scheme}://")

    def shows(self, uri: str, access: Access | None) -> bool:
        """Whether the caller may see what is at a URI."""
        return self._allows(uri if uri in self._owners else _scheme(uri), access)

    def _allows(self, place: str, access: Access | None) -> bool:
        owner = self._owners.get(place)
        return owner is None or is_allowed(access, owner)

    def _seen(self, access: Access | None) -> "builtins.list[ResourceProvider]":
        return [each for scheme, each in self._providers.items() if self._allows(scheme, access)]


def _scheme(uri: str) -> str:
    return uri.partition("://")[0]


class Panel(NamedTuple):
    """A page about a tool's answers.

    `calls` names the tools that it may call, and `page` makes the HTML, given those of them that are served. It is a
    whole page: its host lets it load nothing.
    """

    uri: str
    name: str
    title: str
    description: str
    page: Callable[[Sequence[str]], str]
    calls: tuple[str, ...] = ()


class Panels:
    """The panels of all toolsets as resources."""

    scheme = PANEL_SCHEME

    def __init__(self, panels: Sequence[Panel], registry: "Registry") -> None:
        self._panels = {panel.uri: panel for panel in panels}
        self._registry = registry

    def list(self) -> Sequence[Resource]:
        """Every panel; only clients that show them are told."""
        return [
            Resource(each.uri, each.name, each.title, each.description, PANEL_MIME_TYPE, meta=PANEL_META)
            for each in self._panels.values()
        ]

    def templates(self) -> Sequence[ResourceTemplate]:
        """There are none."""
        return []

    def read(self, uri: str) -> Sequence[ResourceContents]:
        """The page of a panel."""
        panel = self._panels.get(uri)
        if panel is None:
            raise NotFound("Resource not found", uri=shorten(uri))
        served = {tool.name for tool in self._registry.all(ACTING.get().access)}
        page = panel.page([name for name in panel.calls if name in served])
        return [ResourceContents(uri, PANEL_MIME_TYPE, page, meta=PANEL_META)]
