"""The projects that are open: each opened when it is first asked for, and closed when nobody asks any more."""

import asyncio
from collections.abc import Awaitable, Callable, Container
from time import monotonic

from fieldguide.app import App
from fieldguide.hosting.open_project import OpenProject
from fieldguide.limits import Limits
from fieldguide.server.web.operation.operation import Operation
from fieldguide.teams.projects.project import HostedProject

OpenApp = Callable[[HostedProject], Awaitable[App]]


class OpenProjects:
    """Gives whoever asks an open project; on one event loop."""

    def __init__(
        self,
        open_app: OpenApp,
        limits: Limits,
        *,
        clock: Callable[[], float] = monotonic,
        operation: Operation | None = None,
    ) -> None:
        self._open_app = open_app
        self._operation = operation
        self._limits = limits
        self._clock = clock
        self._open: dict[str, OpenProject] = {}
        self._opening: dict[str, asyncio.Task[OpenProject]] = {}
        self._closing: set[asyncio.Task[None]] = set()

    async def get(self, project: HostedProject) -> OpenProject | None:
        """The project, opened if need be; None while as many as there may be are all at work."""
        found = self._open.get(project.id)
        if found is not None:
            return found
        opening = self._opening.get(project.id)
        if opening is None:
            if not self._make_room():
                return None
            opening = self._opening[project.id] = asyncio.create_task(self._opened(project))
            opening.add_done_callback(lambda task: self._settled(project, task))
        return await asyncio.shield(opening)  # whoever leaves does not take it from the others who wait

    def all(self) -> list[OpenProject]:
        """Those that are open now."""
        return list(self._open.values())

    def close_idle(self) -> None:
        """Close those that nobody has asked for long enough."""
        since = self._clock() - self._limits.project_idle_seconds
        for each in self.all():
            if not each.requests and each.used_at < since:
                self._close(each)

    def close_others(self, kept: Container[str]) -> None:
        """Close those that the registry no longer has, whatever they are at."""
        for each in self.all():
            if each.project.id not in kept:
                self._close(each)

    async def close(self) -> None:
        """Close all of them."""
        await asyncio.gather(*self._opening.values(), return_exceptions=True)
        for each in self.all():
            self._close(each)
        await asyncio.gather(*self._closing, return_exceptions=True)

    async def _opened(self, project: HostedProject) -> OpenProject:
        made = OpenProject(project, await self._open_app(project), self._operation)
        try:
            await made.begin()
        except BaseException:
            self._close(made)
            raise
        self._open[project.id] = made
        return made

    def _settled(self, project: HostedProject, task: "asyncio.Task[OpenProject]") -> None:
        self._opening.pop(project.id, None)
        if not task.cancelled():
            task.exception()  # whoever wanted it may be gone: nobody else asks how it ended

    def _make_room(self) -> bool:
        """Close the one that was unused longest, where there are as many as there may be; whether there is room."""
        if len(self._open) + len(self._opening) < self._limits.open_projects:
            return True
        idle = [each for each in self.all() if not each.requests]
        if not idle:
            return False
        self._close(min(idle, key=lambda each: each.used_at))
        return True

    def _close(self, project: OpenProject) -> None:
        self._open.pop(project.project.id, None)
        task = asyncio.create_task(project.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
