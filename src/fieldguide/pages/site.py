"""The context of every page: the served project, tool calls, form protection, responses and static files."""

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from math import ceil
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from fieldguide import __version__
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.pages.components import Html, PageFrame, SiteSection, prefix_addresses, render_heading, render_page
from fieldguide.settings.access import Access
from fieldguide.spine.executor import Executor
from fieldguide.spine.questions import QuestionLog
from fieldguide.spine.tool import PAGE, Answer, Call, Tool
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.citation import StalePlace
from fieldguide.text.display import escape_html
from fieldguide.text.errors import (
    AccessDenied,
    Cancelled,
    CircuitOpen,
    FieldguideError,
    InvalidArguments,
    NotFound,
    PathEscape,
    RateLimited,
    Refusal,
    ToolNotFound,
    ToolTimeout,
    Unreadable,
)


class IndexedShelf(NamedTuple):
    """One part of the index: what stands there, how many, and the page that shows it."""

    one: str
    many: str
    number: int
    path: str = ""


class IndexOverview(NamedTuple):
    """Every part, whether one of them is being brought up to date, and how far the first pass is.

    `lacks` says what could not be taken in.
    """

    shelves: tuple[IndexedShelf, ...] = ()
    is_at_work: bool = False
    standing: tuple[int, int] | None = None
    lacks: str = ""
    problem: str = ""


HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with `no-referrer` a browser sends `Origin: null` with our own forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
CSRF_FIELD = "csrf"
FRAGMENT_HEADER = "x-fragment"
FORM_TYPE = "application/x-www-form-urlencoded"
MOST_FIELDS = 200
LARGEST_FORM_BYTES = 2 << 20
STATUSES: tuple[tuple[type[FieldguideError], int], ...] = (
    (NotFound, 404),
    (ToolNotFound, 404),
    (InvalidArguments, 400),
    (AccessDenied, 403),
    (PathEscape, 403),
    (Unreadable, 403),
    (RateLimited, 429),
    (CircuitOpen, 503),
    (ToolTimeout, 504),
    (Refusal, 400),
)
TITLES = {404: "Not found", 403: "Not allowed", 500: "Something broke", 504: "That took too long"}
DEFERRED_SECONDS = 0.15  # what a page waits for a slow part, which a script loads else
MOST_DEFERRED = 20
FORGED = "This form was not sent by this page, or the server has restarted since. Reload the page and send it again."

Handler = Callable[[Request], Awaitable[Response]]


TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
STATIC_HEADERS = {
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
HASH_CHARACTERS = 12
STYLE = "style.css"


class StaticFile(NamedTuple):
    """What is sent, and as what."""

    content: bytes
    media_type: str


class StaticFiles:
    """Every file of the folder `static`, read once."""

    def __init__(self) -> None:
        self._addresses: dict[str, str] = {}
        self._files: dict[str, StaticFile] = {}
        for found in files("fieldguide.pages").joinpath("static").iterdir():
            stem, _, suffix = found.name.rpartition(".")
            if suffix in TYPES:
                content = found.read_bytes()
                if found.name == STYLE:  # one file for all styles, so that a browser asks once
                    content = b"\n".join((content, _read("static", "views.css")))
                hashed = f"{stem}.{hashlib.sha256(content).hexdigest()[:HASH_CHARACTERS]}.{suffix}"
                self._addresses[found.name] = f"/static/{hashed}"
                self._files[hashed] = StaticFile(content, TYPES[suffix])

    def address(self, name: str) -> str:
        """Where a file of this name is served."""
        return self._addresses[name]

    def routes(self) -> list[Route]:
        """The one route of them all."""
        return [Route("/static/{name}", self.send)]

    async def send(self, request: Request) -> Response:
        """A file, for as long as a browser likes to keep it."""
        found = self._files.get(request.path_params["name"])
        if found is None:
            return Response("There is no such file.", 404, headers={"cache-control": "no-store"})
        return Response(found.content, headers=STATIC_HEADERS, media_type=found.media_type)


def _read(*path: str) -> bytes:
    return files("fieldguide.pages").joinpath(*path).read_bytes()


class ServedPage(NamedTuple):
    """What is served, and to whom: where it is, the project, its tools, whose page it is.

    `token_place` is where the token is found again; None where none is asked for. The server is bound to `user`. In a
    service, `access` is what this user may do, `place` what the project's addresses begin with, `who` is HTML about who
    looks.
    """

    url: str
    project: str
    folder: ConfinedFolder
    tools: Sequence[Tool]
    token_place: str | None = None
    user: str | None = None
    is_read_only: bool = False
    access: Access | None = None
    place: str = ""
    who: str = ""


class PageFacts(NamedTuple):
    """What the page tells that no tool does. Each may take a while: a view asks for it on a thread.

    `stale` is what is written about the code and no longer holds, `indexed` what the index holds. `visitor` is what a
    browser's cookie is known by (empty where none is asked for). `shows` has what toolsets show and no tool gives, as
    `toolset.name`. `questions_log` is what agents asked; None where it is not kept, or not one person's.
    """

    health: Callable[[], Mapping[str, Any]]
    stale: Callable[[], Sequence[StalePlace]] = tuple
    indexed: Callable[[], IndexOverview] = IndexOverview
    visitor: Callable[[list[bytes]], bytes] = lambda cookies: b""
    token_to_show: Callable[[list[bytes]], str] | None = None
    shows: Mapping[str, Callable[..., Any]] = {}
    questions_log: QuestionLog | None = None


class AnyPathConvertor(PathConvertor):
    """The rest of a path, also where it has line ends: starlette's own `path` does not match those."""

    key = "any_path"
    regex = "(?s:.*)"


class PageSite:
    """The frame that views are hung into: `site.route` for a path, `site.add_section` for the navigation."""

    placeholder = "YOUR_TOKEN"

    def __init__(self, served: ServedPage, facts: PageFacts, executor: Executor) -> None:
        self.served = served
        self.facts = facts
        self.static = StaticFiles()
        self.sections: list[SiteSection] = []
        self.calls_made = 0
        self._deferred: dict[str, asyncio.Future[str]] = {}
        register_url_convertor(AnyPathConvertor.key, AnyPathConvertor())
        self._executor = executor
        self._secret = secrets.token_bytes(32)
        self._tools = frozenset(tool.name for tool in served.tools)
        self._frame = PageFrame(
            project=served.project,
            version=__version__,
            style=self.static.address("style.css"),
            icon=self.static.address("leaf.svg"),
            script=self.static.address("page.js"),
            place=served.place,
            who=served.who,
        )

    def add_section(self, title: str, path: str) -> None:
        """Name a part of the site in the navigation, after those that are there."""
        self.sections.append(SiteSection(title, path))

    def serves(self, *tools: str) -> bool:
        """Whether all of these tools can be called; `--read-only` and `--toolsets` leave some out."""
        return self._tools.issuperset(tools)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """The answer of a tool, called as a client would call it; a Refusal or a Failure when there is none."""
        given = {name: value for name, value in arguments.items() if value is not None}
        call = Call(tool, given, Cancellation(), user=self.served.user, connection=PAGE, access=self.served.access)
        self.calls_made += 1
        executor = self._executor
        async with executor.place(call.access) as busy:
            call.cancellation.since = monotonic()  # the wait for a place has a limit of its own
            call = call._replace(refusal=busy)
            return await executor.workers.run(partial(executor.execute, call), call.cancellation)

    async def ask(self, name: str, *given: Any) -> Any:
        """What a toolset shows and no tool gives, asked for on a thread."""
        return await run_in_threadpool(self.facts.shows[name], *given)

    def has(self, *names: str) -> bool:
        """Whether the toolsets that are served show all of this."""
        return self.facts.shows.keys() >= {*names}

    async def call_while_awaited(self, request: Request, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """The same for a question that its asker may drop, as who types on does: the call then ends early."""
        calling = asyncio.ensure_future(self.call(tool, arguments))
        leaving = asyncio.ensure_future(_wait_for_disconnect(request))
        try:
            await asyncio.wait({calling, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not calling.done():
                raise Cancelled("Nobody waits for this any more.")
            return calling.result()
        finally:
            leaving.cancel()
            calling.cancel()

    async def deferred(self, request: Request, part: str, here: str, make: Callable[[], Awaitable[str]]) -> str:
        """A slow part of the page at `here`, an address with its query: its HTML if it is ready soon.

        Else a place that the script fills from `?part=…`, and a link for those who have none; both get what was begun.
        """
        task = self._deferred.pop(here, None) or asyncio.ensure_future(make())
        if request.query_params.get("part") == part:
            return await task
        await asyncio.wait({task}, timeout=DEFERRED_SECONDS)
        if task.done():
            return task.result()
        task.add_done_callback(_ignore_error)
        self._deferred[here] = task
        while len(self._deferred) > MOST_DEFERRED:
            self._deferred.pop(next(iter(self._deferred)))
        address = f"{here}{'&amp;' if '?' in here else '?'}part={part}"
        return f'<div data-load="{address}" aria-busy="true"><p><a href="{address}">Show the rest</a></p></div>'

    def route(self, path: str, handler: Handler, methods: Sequence[str] = ("GET",)) -> Route:
        """A route whose refusals become pages too."""

        async def answered(request: Request) -> Response:
            try:
                return await handler(request)
            except FieldguideError as error:
                return self.refused(request, error)

        return Route(path.replace(":path}", f":{AnyPathConvertor.key}}}"), answered, methods=[*methods])

    def page(self, title: str, main: Html, *, at: str = "", status: int = 200) -> Response:
        """A whole page around `main`; `at` is the section's path."""
        whole = render_page(self._frame, self.sections, title=title, main=main.markup, at=at)
        return HTMLResponse(whole, status, headers=HEADERS)

    def fragment(self, content: Html, status: int = 200) -> Response:
        """A part of a page, for the script that asked for it."""
        return HTMLResponse(prefix_addresses(content.markup, self.served.place), status, headers=HEADERS)

    def wants_fragment(self, request: Request) -> bool:
        """Whether the script asks, for the part of the page that changes."""
        return FRAGMENT_HEADER in request.headers

    def see_other(self, path: str) -> Response:
        """On to another page of ours, after a form was taken."""
        return RedirectResponse(f"{self.served.place}{path}", 303, headers=HEADERS)

    def refused(self, request: Request, error: FieldguideError) -> Response:
        """A refusal or a failure as a page, or as a sentence for the script."""
        status = next((code for kind, code in STATUSES if isinstance(error, kind)), 500)
        details = error.details.get("details") or error.details.get("hint", "")
        said = f"<p>{escape_html(error.message)}</p>" + (
            f'<p class="quiet">{escape_html(str(details))}</p>' if details else ""
        )
        if self.wants_fragment(request):
            return _retried(self.fragment(Html(f'<div class="notice bad" role="alert">{said}</div>'), status), error)
        title = TITLES.get(status, "That did not work")
        back = '<p><a href="/">Back to the first page</a></p>'
        content = f'{render_heading(title)}<div class="notice bad">{said}</div>{back}'
        return _retried(self.page(title, Html(content), status=status), error)

    def csrf(self, request: Request) -> str:
        """The hidden field that a form of ours carries: only who was sent this page by us knows it."""
        return f'<input type="hidden" name="{CSRF_FIELD}" value="{self._csrf_token(request)}">'

    async def checked_form(self, request: Request) -> dict[str, str]:
        """The fields of a form that this page sent; AccessDenied for any other, before it is looked at further."""
        if not is_own_form(request):
            raise AccessDenied(FORGED)
        body = await request.body()
        if len(body) > LARGEST_FORM_BYTES:
            raise InvalidArguments(f"A form has at most {LARGEST_FORM_BYTES >> 20} MiB.")
        try:
            parsed = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
        except ValueError as error:
            raise InvalidArguments("This form can't be read.") from error
        fields = {name: values[0] for name, values in parsed.items()}
        if not hmac.compare_digest(fields.pop(CSRF_FIELD, "").encode(), self._csrf_token(request).encode()):
            raise AccessDenied(FORGED)
        return fields

    def cookies(self, request: Request) -> list[bytes]:
        """The `Cookie` headers of a request as they came."""
        return [value for name, value in request.headers.raw if name == b"cookie"]

    def _csrf_token(self, request: Request) -> str:
        visitor = self.facts.visitor(self.cookies(request))
        return hmac.new(self._secret, visitor, hashlib.sha256).hexdigest()


def _ignore_error(task: "asyncio.Future[str]") -> None:
    """Look at the error of a part that perhaps nobody comes for; whoever does gets it."""
    if not task.cancelled():
        task.exception()


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def is_own_form(request: Request) -> bool:
    """Whether a form may be from a page of ours; a browser marks one that comes from elsewhere."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == FORM_TYPE and request.headers.get("sec-fetch-site", "same-origin") == "same-origin"


def _retried(response: Response, error: FieldguideError) -> Response:
    """The response, with the time after which another try makes sense, where the error knows it."""
    seconds = error.details.get("retry_after_seconds")
    if seconds is not None:
        response.headers["Retry-After"] = str(ceil(seconds))
    return response
