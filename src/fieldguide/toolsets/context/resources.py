"""The four `context://` resources: what the project is, one module, the session that runs, and the latest ones."""

from collections.abc import Callable, Iterator, Sequence

from fieldguide.errors import FieldguideError, Refusal
from fieldguide.spine.resources import Contents, Resource, ResourceTemplate
from fieldguide.toolset import Services

MARKDOWN = "text/markdown"
OVERVIEW = "context://project/overview"
CURRENT = "context://session/current"
RECENT = "context://sessions/recent"
MODULE = "context://module/"


class ContextResources:
    """The provider of `context://`; what it tells is imported when something is read."""

    scheme = "context"

    def __init__(self, services: Services, settle: Callable[[], None]) -> None:
        self._services = services
        self._settle = settle

    def list(self) -> Sequence[Resource]:
        """What can be read right now: the project and its modules, the latest sessions, and the one that runs."""
        from fieldguide.toolsets.context import pages

        self._settle()
        try:
            is_running = pages.has_session(self._services)
        except FieldguideError:  # the database is away, and with it all that we tell
            return []
        current = [Resource(CURRENT, "current-session", title="Current Session", mime_type=MARKDOWN)]
        return [
            *self._of_project(),
            *(current if is_running else ()),
            Resource(RECENT, "recent-sessions", title="Recent Sessions", mime_type=MARKDOWN),
        ]

    def _of_project(self) -> Iterator[Resource]:
        """The overview, and one for each module of the project's model; nothing where that can't be read."""
        from urllib.parse import quote

        from fieldguide.toolsets.context.project_model import read_model

        try:
            modules = read_model(self._services.project).modules
        except Refusal:
            return
        yield Resource(OVERVIEW, "overview", title="Project Overview", mime_type=MARKDOWN)
        for name in modules:
            yield Resource(f"{MODULE}{quote(name, safe='')}", f"module-{name}", mime_type=MARKDOWN)

    def templates(self) -> Sequence[ResourceTemplate]:
        """A module by its name, and sessions by how many."""
        return [
            ResourceTemplate(f"{MODULE}{{name}}", "module", title="Module", mime_type=MARKDOWN),
            ResourceTemplate(f"{RECENT}{{?limit}}", "recent-sessions", title="Recent Sessions", mime_type=MARKDOWN),
        ]

    def read(self, uri: str) -> Sequence[Contents]:
        """The text of a resource."""
        from fieldguide.toolsets.context import pages

        self._settle()
        address, _, query = uri.partition("?")
        if address == OVERVIEW:
            text = pages.overview(self._services)
        elif address == CURRENT:
            text = pages.current_session(self._services)
        elif address == RECENT:
            text = pages.recent_sessions(self._services, query)
        elif address.startswith(MODULE):
            text = pages.module(self._services, address.removeprefix(MODULE))
        else:
            raise Refusal(f"Unknown resource: {uri}", uri=uri)
        return [Contents(uri, MARKDOWN, text)]
