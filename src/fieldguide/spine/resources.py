"""Resources: texts that a client can list, read and watch, each under a URI of a scheme that one provider owns."""

import builtins
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from fieldguide.errors import DuplicateTool, InvalidArguments


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


class Contents(NamedTuple):
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

    def read(self, uri: str) -> Sequence[Contents]:
        """What the resource holds; a Refusal when there is none."""
        ...


class Resources:
    """The providers by scheme."""

    def __init__(self, providers: Iterable[ResourceProvider] = ()) -> None:
        self._providers: dict[str, ResourceProvider] = {}
        for provider in providers:
            if provider.scheme in self._providers:
                raise DuplicateTool(f"Two toolsets serve resources under {provider.scheme}://.")
            self._providers[provider.scheme] = provider

    def list(self) -> "builtins.list[Resource]":
        """Every resource of every provider, sorted by URI."""
        found = [resource for provider in self._providers.values() for resource in provider.list()]
        return sorted(found, key=lambda resource: resource.uri)

    def templates(self) -> "builtins.list[ResourceTemplate]":
        """Every template of every provider, sorted by its text."""
        found = [template for provider in self._providers.values() for template in provider.templates()]
        return sorted(found, key=lambda template: template.uri_template)

    def read(self, uri: str) -> Sequence[Contents]:
        """What the resource at a URI holds."""
        provider = self._providers.get(uri.partition("://")[0])
        if provider is None:
            raise InvalidArguments("Invalid resource URI", uri=uri)
        return provider.read(uri)
