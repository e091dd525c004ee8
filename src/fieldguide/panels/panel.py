"""What a panel is, and the provider of `ui://`: nothing of a page is read before somebody asks for it."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from fieldguide.errors import NotFound, shortened
from fieldguide.spine.callers.access import ACTING_ACCESS
from fieldguide.spine.registry import Registry
from fieldguide.spine.resources import Contents, Resource, ResourceTemplate

SCHEME = "ui"
ADDRESS = f"{SCHEME}://"
MIME_TYPE = "text/html;profile=mcp-app"
NOTHING_FOREIGN: dict[str, list[str]] = {"connectDomains": [], "resourceDomains": []}
META: dict[str, Any] = {"ui": {"csp": NOTHING_FOREIGN, "prefersBorder": True}}


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

    scheme = SCHEME

    def __init__(self, panels: Sequence[Panel], registry: Registry) -> None:
        self._panels = {panel.uri: panel for panel in panels}
        self._registry = registry

    def list(self) -> Sequence[Resource]:
        """Every panel; only clients that show them are told."""
        return [
            Resource(each.uri, each.name, each.title, each.description, MIME_TYPE, meta=META)
            for each in self._panels.values()
        ]

    def templates(self) -> Sequence[ResourceTemplate]:
        """There are none."""
        return []

    def read(self, uri: str) -> Sequence[Contents]:
        """The page of a panel."""
        panel = self._panels.get(uri)
        if panel is None:
            raise NotFound("Resource not found", uri=shortened(uri))
        served = {tool.name for tool in self._registry.all(ACTING_ACCESS.get())}
        return [Contents(uri, MIME_TYPE, panel.page([name for name in panel.calls if name in served]), meta=META)]
