"""From an address to a project: `/mcp/NAME`, for those who may see it; for all others nothing is there."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide.errors import FieldguideError
from fieldguide.hosting.open_project import OpenProject
from fieldguide.hosting.open_projects import OpenProjects
from fieldguide.server.web.endpoint import PATH
from fieldguide.server.web.principals import NOT_HERE, caller_of
from fieldguide.server.web.refusal import refusal
from fieldguide.spine.callers.access import Access
from fieldguide.spine.callers.principal import Principal
from fieldguide.teams.projects.picture import Picture, RegistryView
from fieldguide.teams.projects.project import HostedProject

ALL_AT_WORK = "As many projects as may be open at once are all at work. Try again in a moment."
CANT_OPEN = "This project can't be opened just now; the log of the service says why. Try again in a moment."
AGAIN = {"retry-after": "5"}


class ProjectRoutes:
    """An ASGI application behind `Principals`: it hands each request to the project that it names."""

    def __init__(
        self,
        view: RegistryView,
        projects: OpenProjects,
        *,
        living: Callable[[], AbstractAsyncContextManager[None]],
        tell: Callable[[HostedProject, str], None],
    ) -> None:
        self._view = view
        self._projects = projects
        self._living = living
        self._tell = tell

    async def access_for(self, principal: Principal, name: str) -> Access | None:
        """What a principal may do in the project of this name; None: there is none for them."""
        found = (await current(self._view)).admitted(name, principal.user)
        return None if found is None else found[1]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or begin and end with the server."""
        if scope["type"] == "lifespan":
            await _live(self._living, receive, send)
        elif scope["type"] == "http":
            project = await self._project(scope)
            if project is None:
                await refusal(404, NOT_HERE)(scope, receive, send)
            else:
                await (await self._opened(project))(scope, receive, send)

    async def _project(self, scope: Scope) -> HostedProject | None:
        """The project that a request names, looked up again: it may have been taken out since its caller came in."""
        principal, name = caller_of(scope).principal, scope["path"].removeprefix(f"{PATH}/")
        if principal is None or name == scope["path"]:
            return None
        found = (await current(self._view)).admitted(name, principal.user)
        return None if found is None else found[0]

    async def _opened(self, project: HostedProject) -> ASGIApp:
        """What answers for a project: itself, or why it can't."""
        try:
            found: OpenProject | None = await self._projects.get(project)
        except (FieldguideError, OSError) as error:
            self._tell(project, str(error))
            return refusal(503, CANT_OPEN, AGAIN)
        return refusal(503, ALL_AT_WORK, AGAIN) if found is None else found.answer


async def current(view: RegistryView) -> Picture:
    """The registry as it is now; a look at the database is made on another thread."""
    picture = view.at_hand()
    return await asyncio.to_thread(view.current) if picture is None else picture


async def _live(living: Callable[[], AbstractAsyncContextManager[None]], receive: Receive, send: Send) -> None:
    """Speak the lifespan protocol over a context manager."""
    await receive()
    async with _told(living, send):
        await receive()
    await send({"type": "lifespan.shutdown.complete"})


@asynccontextmanager
async def _told(living: Callable[[], AbstractAsyncContextManager[None]], send: Send) -> AsyncGenerator[None]:
    async with contextlib.AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(living())
        except FieldguideError as error:
            await send({"type": "lifespan.startup.failed", "message": error.message})
            raise
        await send({"type": "lifespan.startup.complete"})
        yield
