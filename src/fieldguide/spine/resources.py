"""Resources that clients list and read, and the bus that announces changed lists."""

import builtins
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, Protocol

from fieldguide.settings.access import Access, is_allowed
from fieldguide.text.errors import DuplicateTool, InvalidArguments

ChangedList = Literal["prompts", "resources"]


class ChangeBus:
    """Calls every listener when a list has changed, in the thread that announces it."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[ChangedList], None]] = []
        self._lock = threading.Lock()

    def announce(self, changed: ChangedList) -> None:
        """Call every listener."""
        with self._lock:
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener(changed)

    @contextmanager
    def listening(self, listener: Callable[[ChangedList], None]) -> Generator[None]:
        """Call a listener with every change while the block runs."""
        with self._lock:
            self._listeners.append(listener)
        try:
            yield
        finally:
            with self._lock:
                self._listeners.remove(listener)


class Resource(NamedTuple):
    """One entry of the resource list, as it goes over the wire but for `None`s."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    annotations: Mapping[str, Any] | None = None


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
    """The providers by scheme; `owners` says which toolset a scheme belongs to."""

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
        return sorted(found, key=lambda each: each.uri)

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
        return provider.read(uri)

    def _allows(self, scheme: str, access: Access | None) -> bool:
        owner = self._owners.get(scheme)
        return owner is None or is_allowed(access, owner)

    def _seen(self, access: Access | None) -> "builtins.list[ResourceProvider]":
        return [each for scheme, each in self._providers.items() if self._allows(scheme, access)]


def _scheme(uri: str) -> str:
    return uri.partition("://")[0]
