"""The server's instructions: what is known here, which tool to begin with, and for whom."""

from collections.abc import Sequence

from fieldguide.places import login_name
from fieldguide.spine.callers.access import Access, allows
from fieldguide.spine.contract import compact_json
from fieldguide.spine.registry import Registry
from fieldguide.toolset import Toolset

LONGEST_USER = 255


def instructions(
    toolsets: Sequence[Toolset], registry: Registry, user: str | None, access: Access | None = None
) -> str:
    """A few sentences for the model behind a client; they name only tools that are served, and that it may call."""
    toolsets = [each for each in toolsets if allows(access, each.name)]
    user = user if access is None else access.user
    known = "; ".join(each.about for each in toolsets if each.about) or "what its toolsets tell"
    said = [f"Fieldguide knows this project: {known}.", *_routes(toolsets, registry, access)]
    said.append("Ask it before you guess, and cite what it tells you.")
    return " ".join([*said, *_person(toolsets, user)])


def _routes(toolsets: Sequence[Toolset], registry: Registry, access: Access | None) -> list[str]:
    served = {tool.name for tool in registry.all(access)}
    found = [way for each in toolsets for tool, way in each.routes.items() if tool in served]
    said = "; ".join(found)
    return [f"{said[0].upper()}{said[1:]}."] if said else []


def _person(toolsets: Sequence[Toolset], user: str | None) -> list[str]:
    """Whose calls these are, where a tool wants to know."""
    takes_user = any(tool.user_argument for each in toolsets for tool in each.tools)
    person = (user or login_name()) if takes_user else None
    if person is None:
        return []
    whose = "Every call is made for the user_id" if user else "Where a tool takes a user_id, the person's own is"
    return [f"{whose} {compact_json(person[:LONGEST_USER])}."]
