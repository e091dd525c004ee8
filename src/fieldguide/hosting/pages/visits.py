"""One user's look at one project: what its pages must know, and the pages that were made for it before."""

from collections.abc import Callable
from typing import NamedTuple

from starlette.types import ASGIApp

from fieldguide.app import App
from fieldguide.spine.callers.access import Access

MOST_KEPT = 64


class Visit(NamedTuple):
    """Who looks at which project: `place` is what its addresses begin with, `who` is HTML about the user.

    `url` is where agents find the project. Forms are trusted by `secret`.
    """

    project: str
    place: str
    url: str
    access: Access
    secret: bytes
    who: str


MakePages = Callable[[App, Visit], ASGIApp]


class MadePages:
    """The pages of the latest visits; a project that was closed and opened again has new ones."""

    def __init__(self, make: MakePages) -> None:
        self._make = make
        self._made: dict[Visit, tuple[App, ASGIApp]] = {}

    def get(self, app: App, visit: Visit) -> ASGIApp:
        """The pages of this project for this visitor."""
        kept = self._made.pop(visit, None)
        found = kept if kept is not None and kept[0] is app else (app, self._make(app, visit))
        self._made[visit] = found
        while len(self._made) > MOST_KEPT:
            del self._made[next(iter(self._made))]
        return found[1]
