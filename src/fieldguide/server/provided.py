"""The resources of all toolsets, each known to be its toolset's."""

from collections.abc import Sequence

from fieldguide.panels.panel import Panel, Panels
from fieldguide.spine.registry import Registry
from fieldguide.spine.resources import ResourceProvider, Resources
from fieldguide.toolset import Toolset


def panels_of(toolsets: Sequence[Toolset]) -> tuple[Panel, ...]:
    """The pages beside the answers of all toolsets."""
    return tuple(panel for each in toolsets for panel in each.panels)


def provided(toolsets: Sequence[Toolset], registry: Registry) -> Resources:
    """Where resources come from: the toolsets, and the pages beside their answers."""
    panels = panels_of(toolsets)
    providers: list[ResourceProvider] = [provider for each in toolsets for provider in each.resources]
    owners = {provider.scheme: each.name for each in toolsets for provider in each.resources}
    owners |= {panel.uri: each.name for each in toolsets for panel in each.panels}
    return Resources([*providers, *([Panels(panels, registry)] if panels else [])], owners)
