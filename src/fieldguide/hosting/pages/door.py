"""The pages of a service before its MCP: a token signs in, a cookie opens pages, and `/mcp` never looks at it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide.dashboard.site import HEADERS
from fieldguide.dashboard.static_files import StaticFiles
from fieldguide.errors import FieldguideError, StorageFailed
from fieldguide.hosting.open_projects import OpenProjects
from fieldguide.hosting.pages.attempts import Attempts
from fieldguide.hosting.pages.cookies import PageCookies
from fieldguide.hosting.pages.shown import (
    AWAY,
    BUSY,
    FORGED,
    PAGES,
    SIGN_IN,
    SIGN_OUT,
    SO_OFTEN,
    WRONG,
    ServiceSite,
    who,
)
from fieldguide.hosting.pages.signing import Signing
from fieldguide.hosting.pages.visits import MadePages, MakePages, Visit
from fieldguide.limits import Limits
from fieldguide.server.web.bodies import BoundedBodies
from fieldguide.server.web.endpoint import PATH
from fieldguide.spine.callers.principal import NOTHING, Principal
from fieldguide.teams.projects.picture import Picture
from fieldguide.teams.projects.project import HostedProject

STATIC = "/static/"
LOOKS = ("GET", "HEAD")
TOKEN_FIELD = "token"  # noqa: S105  the name of a field
MOST_FORM_BYTES = 16_384
MOST_FIELDS = 8

Answer = Response | Callable[[Receive, Send], Awaitable[None]]


class Hosted(NamedTuple):
    """What the pages need of the service behind them: its registry, its open projects, its address, a page's maker."""

    picture: Callable[[], Awaitable[Picture]]
    projects: OpenProjects
    origin: str
    make_pages: MakePages
    secret: bytes
    tell: Callable[[HostedProject, str], None]


class ServicePages:
    """An ASGI application before another: it answers what people look at, and passes everything else on."""

    def __init__(self, app: ASGIApp, hosted: Hosted, signing: Signing, cookies: PageCookies, limits: Limits) -> None:
        self._app = app
        self._hosted = hosted
        self._signing = signing
        self._cookies = cookies
        self._attempts = Attempts()
        self._static = StaticFiles()
        self._site = ServiceSite(self._static)
        self._made = MadePages(hosted.make_pages)
        self._pages = BoundedBodies(self._answer, limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a page, or pass the request on."""
        is_page = scope["type"] == "http" and _is_page(scope["path"])
        await (self._pages if is_page else self._app)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            found = await self._found(Request(scope, receive))
        except StorageFailed:
            found = self._site.sorry(AWAY, 503)
        if isinstance(found, Response):
            await found(scope, receive, send)
        else:
            await found(receive, send)

    async def _found(self, request: Request) -> Answer:
        path = request.scope["path"]
        if path.startswith(STATIC):
            return await self._file(request)
        if path == SIGN_IN:
            return await self._sign_in(request)
        if path == SIGN_OUT:
            return self._sign_out(request)
        principal = await self._signed_in(request)
        if principal is None:
            return self._site.way_in()
        if path == "/":
            return await self._list(principal) if request.method in LOOKS else self._site.not_here(principal.user)
        return await self._project(request, principal)

    async def _file(self, request: Request) -> Response:
        request.scope["path_params"] = {"name": request.scope["path"].removeprefix(STATIC)}
        return await self._static.send(request)

    async def _sign_in(self, request: Request) -> Response:
        """A cookie for a good token; the same sentence for every other."""
        if request.method != "POST":
            return RedirectResponse("/", 303, headers=HEADERS)
        if not _is_own_form(request):
            return self._site.way_in(FORGED, 403)
        client = request.client.host if request.client else ""
        if not self._attempts.may_try(client):
            return self._site.way_in(SO_OFTEN, 429)
        token = await _token_in(request)
        if await self._signing.principal(token) is None:
            self._attempts.failed(client)
            return self._site.way_in(WRONG)
        return RedirectResponse("/", 303, headers={**HEADERS, "set-cookie": self._cookies.given(token)})

    def _sign_out(self, request: Request) -> Response:
        if request.method != "POST" or not _is_own_form(request):
            return self._site.way_in(FORGED, 403)
        return RedirectResponse("/", 303, headers={**HEADERS, "set-cookie": self._cookies.taken()})

    async def _signed_in(self, request: Request) -> Principal | None:
        """Whose cookie it is, if its token is still good; a token in a header opens no page."""
        token = self._cookies.token([value for name, value in request.headers.raw if name == b"cookie"])
        return None if token is None else await self._signing.principal(token)

    async def _list(self, principal: Principal) -> Response:
        picture = await self._hosted.picture()
        names = [each.name for each in picture.projects.values() if picture.admitted(each.name, principal.user)]
        return self._site.projects(principal.user, sorted(names))

    async def _project(self, request: Request, principal: Principal) -> Answer:
        """A page of a project, for those who may see it; for all others nothing is there."""
        _, _, name, *rest = request.scope["path"].split("/", 3)
        admitted = (await self._hosted.picture()).admitted(name, principal.user)
        if admitted is None:
            return self._site.not_here(principal.user)
        project, access = admitted
        place = f"{PAGES}/{project.name}"
        if not rest:
            return RedirectResponse(f"{place}/", 303, headers=HEADERS)
        read = principal.limited(access)._replace(writable=NOTHING)
        url = f"{self._hosted.origin}{PATH}/{project.name}"
        visit = Visit(project.name, place, url, read, self._hosted.secret, who(principal.user))
        return await self._opened(project, visit, {**request.scope, "path": f"/{rest[0]}", "root_path": ""})

    async def _opened(self, project: HostedProject, visit: Visit, scope: Scope) -> Answer:
        try:
            opened = await self._hosted.projects.get(project)
        except FieldguideError as error:
            self._hosted.tell(project, error.message)
            return self._site.sorry(BUSY, 503)
        if opened is None:
            return self._site.sorry(BUSY, 503)
        found = opened

        async def shown(receive: Receive, send: Send) -> None:
            pages = await asyncio.to_thread(self._made.get, found.app, visit)
            with found.used():
                await pages(scope, receive, send)

        return shown


def _is_page(path: str) -> bool:
    return path in ("/", SIGN_IN, SIGN_OUT, PAGES) or path.startswith((f"{PAGES}/", STATIC))


def _is_own_form(request: Request) -> bool:
    """Whether a form may be from a page of ours; a browser says of one from elsewhere where it came from."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_form = kind == "application/x-www-form-urlencoded"
    return is_form and request.headers.get("sec-fetch-site", "same-origin") == "same-origin"


async def _token_in(request: Request) -> str:
    """What was put into the form; nothing where it can't be read."""
    body = await request.body()
    if len(body) > MOST_FORM_BYTES:
        return ""
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=MOST_FIELDS)
    except ValueError:
        return ""
    return fields.get(TOKEN_FIELD, [""])[0].strip()
