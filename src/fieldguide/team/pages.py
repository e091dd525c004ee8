"""Serves the pages of a service to people who have signed in."""

import asyncio
import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from time import monotonic, time
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide import __version__
from fieldguide.pages.components import PageFrame, SiteSection, render_empty_state, render_heading, render_page
from fieldguide.pages.site import HEADERS, StaticFiles, is_own_form
from fieldguide.settings.access import NOTHING, READ, Access, Principal
from fieldguide.settings.limits import Limits
from fieldguide.settings.service import MCP_PATH
from fieldguide.storage.database import Database
from fieldguide.team.registry import HostedProject, RegistrySnapshot
from fieldguide.team.service import OpenProjects
from fieldguide.text.display import escape_html
from fieldguide.text.errors import FieldguideError, StorageFailed
from fieldguide.wire.authentication import BearerVerifier, to_principal
from fieldguide.wire.http_guard import read_body, replay_body

if TYPE_CHECKING:
    from fieldguide.app import App

MOST_FAILURES = 10
MOST_FAILURES_OF_ALL = 300
WINDOW_SECONDS = 60.0
MOST_CLIENTS = 10_000
EVERYBODY = ""
NAME = "fieldguide_page"
SECURE_NAME = "__Host-fieldguide_page"
LIFE_SECONDS = 12 * 3600
NONCE_BYTES = 12
MOST_TOKEN_BYTES = 2_700
"""A browser keeps cookies of up to 4,096 bytes."""
PURPOSE = b"fieldguide: who is signed in at the pages of a service"
KEY_BYTES = 32
READ_KEY = "SELECT secret FROM page_key WHERE one = 1"
MAKE = "INSERT INTO page_key (one, secret) VALUES (1, :secret) ON CONFLICT (one) DO NOTHING"
PAGES = "/p"
SIGN_IN = "/signin"
SIGN_OUT = "/signout"
LEAD = "Your token opens the projects that you may see. It is the one that your agents show."
WRONG = "This token opens nothing here: it is unknown, revoked, past its end, or meant for another service."
SO_OFTEN = "Somebody at your address has tried too often. Wait for a minute, then try again."
FORGED = "This form was not sent by this page. Load the page again, then send it."
AWAY = "The service can't look up who you are just now. Try again in a moment."
BUSY = "This project can't be opened just now. Try again in a moment."
NO_PROJECT = "Whoever runs this service grants them: <code>fieldguide team projects grant</code>."
NOT_HERE = "There is no such page here, or it is not yours to see."
MOST_KEPT = 64
STATIC = "/static/"
LOOKS = ("GET", "HEAD")
TOKEN_FIELD = "token"  # noqa: S105  the name of a field
MOST_FORM_BYTES = 16_384
MOST_FIELDS = 8

Answer = Response | Callable[[Receive, Send], Awaitable[None]]


class SignInAttempts:
    """The failures of the last minute, of each address and of all together."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._failures: dict[str, deque[float]] = {}

    def may_try(self, client: str) -> bool:
        """Whether this address has not failed too often, nor all of them together."""
        return self._recent(client) < MOST_FAILURES and self._recent(EVERYBODY) < MOST_FAILURES_OF_ALL

    def failed(self, client: str) -> None:
        """Count a failure; the address that was counted first is forgotten where there are too many."""
        for each in (client, EVERYBODY):
            self._failures.setdefault(each, deque(maxlen=MOST_FAILURES_OF_ALL)).append(self._clock())
        while len(self._failures) > MOST_CLIENTS:
            del self._failures[next(each for each in self._failures if each != EVERYBODY)]

    def _recent(self, client: str) -> int:
        times = self._failures.get(client)
        if times is None:
            return 0
        while times and times[0] <= self._clock() - WINDOW_SECONDS:
            times.popleft()
        if not times:
            del self._failures[client]
        return len(times)


class PageCookies:
    """Gives and reads the cookies of one service, by a key that is kept in its database."""

    def __init__(self, key: bytes, *, is_secure: bool, clock: Callable[[], float] = time) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._seal = AESGCM(hmac.digest(key, PURPOSE, "sha256"))
        self._clock = clock
        self._name = SECURE_NAME if is_secure else NAME
        self._flags = f"Path=/; HttpOnly; SameSite=Strict{'; Secure' if is_secure else ''}"

    def given(self, token: str) -> str:
        """The `Set-Cookie` for whoever has shown this token."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        said = f"{int(self._clock()) + LIFE_SECONDS} {token}".encode()
        value = urlsafe_b64encode(nonce + self._seal.encrypt(nonce, said, PURPOSE)).decode().rstrip("=")
        return f"{self._name}={value}; Max-Age={LIFE_SECONDS}; {self._flags}"

    def taken(self) -> str:
        """The `Set-Cookie` that ends it."""
        return f"{self._name}=; Max-Age=0; {self._flags}"

    def token(self, cookies: Iterable[bytes]) -> str | None:
        """The token in these `Cookie` headers; None where no cookie of ours is alive."""
        from cryptography.exceptions import InvalidTag

        values: list[str] = []
        for header in cookies:
            for pair in header.decode("latin-1").split(";"):
                name, _, value = pair.strip().partition("=")
                if name == self._name:
                    values.append(value)
        if len(values) != 1:
            return None
        try:
            sealed = urlsafe_b64decode(values[0] + "=" * (-len(values[0]) % 4))
            said = self._seal.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], PURPOSE).decode()
        except (InvalidTag, ValueError):
            return None
        until, _, token = said.partition(" ")
        return token if int(until) > self._clock() else None


class SignIn:
    """Tells who may sign in; `audiences` are those that a token may be meant for, where it says."""

    def __init__(self, verifier: BearerVerifier, audiences: Collection[str], clock: Callable[[], float] = time) -> None:
        self._verifier = verifier
        self._audiences = frozenset(audiences)
        self._clock = clock

    async def principal(self, token: str) -> Principal | None:
        """Who shows this token; None where it is not good, or not for reading, or not for this service."""
        if not token.isascii() or not token.isprintable() or not 0 < len(token) <= MOST_TOKEN_BYTES:
            return None
        verified = await self._verifier.verify_token(token)
        if verified is None or not verified.subject or READ not in verified.scopes:
            return None
        return to_principal(verified, self._audiences, self._clock())


def read_page_key(database: Database) -> bytes:
    """The key; of several servers that make one at once, the first counts for all."""
    with database.reading() as transaction:
        row = transaction.fetch_one(READ_KEY, {})
    if row is None:
        with database.writing() as transaction:
            transaction.execute(MAKE, {"secret": secrets.token_hex(KEY_BYTES)})
            row = transaction.fetch_one(READ_KEY, {})
    return bytes.fromhex(str(row["secret"])) if row is not None else b""


class ServiceSite:
    """The frame of the pages that belong to no project."""

    def __init__(self, static: StaticFiles) -> None:
        self._frame = PageFrame(
            project="All projects",
            version=__version__,
            style=static.address("style.css"),
            icon=static.address("leaf.svg"),
            script=static.address("page.js"),
        )

    def way_in(self, said: str = "", status: int = 401) -> Response:
        """The form that a token is put into, with what was wrong before."""
        told = f'<div class="notice bad" role="alert"><p>{escape_html(said)}</p></div>' if said else ""
        form = (
            f'<form class="card stack" method="post" action="{SIGN_IN}"><label for="token">Your token</label>'
            '<input id="token" name="token" type="password" required autocomplete="current-password">'
            "<div><button>Sign in</button></div></form>"
        )
        return self._page("Sign in", f"{render_heading('Sign in', LEAD)}{told}{form}", status=status)

    def projects(self, user: str, names: Sequence[str]) -> Response:
        """The projects that somebody may see."""
        items = "".join(
            f'<li><a class="card" href="{PAGES}/{escape_html(name)}/"><h2>{escape_html(name)}</h2></a></li>'
            for name in names
        )
        shown = (
            f'<ul class="grid list">{items}</ul>'
            if names
            else render_empty_state("No project is yours yet", NO_PROJECT)
        )
        return self._page("Your projects", f"{render_heading('Your projects')}{shown}", who=render_user(user))

    def not_here(self, user: str) -> Response:
        """The same for what is not there and for what is not theirs."""
        back = '<p><a href="/">Your projects</a></p>'
        return self._page(
            "Not found", f"{render_heading('Not found')}<p>{NOT_HERE}</p>{back}", status=404, who=render_user(user)
        )

    def sorry(self, sentence: str, status: int) -> Response:
        """A sentence about what can't be done just now."""
        return self._page("Not now", f"{render_heading('Not now')}<p>{escape_html(sentence)}</p>", status=status)

    def _page(self, title: str, main: str, *, status: int = 200, who: str = "") -> Response:
        sections = [SiteSection("Your projects", "/")] if who else []
        whole = render_page(self._frame._replace(who=who), sections, title=title, main=main, at="/")
        return HTMLResponse(whole, status, headers=HEADERS)


def render_user(user: str) -> str:
    """Who is signed in, the way to their projects, and the way out."""
    return (
        f'<form class="who stack small" method="post" action="{SIGN_OUT}"><p><bdi>{escape_html(user)}</bdi></p>'
        '<p><a href="/">Your projects</a></p><div><button class="plain">Sign out</button></div></form>'
    )


class PageVisit(NamedTuple):
    """Who looks at which project: `place` is what its addresses begin with, `who` is HTML about the user.

    `url` is where agents find the project.
    """

    project: str
    place: str
    url: str
    access: Access
    who: str


MakePages = Callable[["App", PageVisit], ASGIApp]


class PageCache:
    """The pages of the latest visits; a project that was closed and opened again has new ones."""

    def __init__(self, make: MakePages) -> None:
        self._make = make
        self._made: dict[PageVisit, tuple[App, ASGIApp]] = {}

    def get(self, app: "App", visit: PageVisit) -> ASGIApp:
        """The pages of this project for this visitor."""
        kept = self._made.pop(visit, None)
        found = kept if kept is not None and kept[0] is app else (app, self._make(app, visit))
        self._made[visit] = found
        while len(self._made) > MOST_KEPT:
            del self._made[next(iter(self._made))]
        return found[1]


class HostedPages(NamedTuple):
    """What the pages need of the service behind them: its registry, its open projects, its address, a page's maker."""

    picture: Callable[[], Awaitable[RegistrySnapshot]]
    projects: OpenProjects
    origin: str
    make_pages: MakePages
    tell: Callable[[HostedProject, str], None]


class ServicePages:
    """An ASGI application before another: it answers what people look at, and passes everything else on."""

    def __init__(
        self, app: ASGIApp, hosted: HostedPages, signing: SignIn, cookies: PageCookies, limits: Limits
    ) -> None:
        self._app = app
        self._hosted = hosted
        self._signing = signing
        self._cookies = cookies
        self._attempts = SignInAttempts()
        self._static = StaticFiles()
        self._site = ServiceSite(self._static)
        self._made = PageCache(hosted.make_pages)
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a page, or pass the request on."""
        path: str = scope.get("path", "")
        is_page = path in ("/", SIGN_IN, SIGN_OUT, PAGES) or path.startswith((f"{PAGES}/", STATIC))
        if not is_page or scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = await read_body(self._limits, scope, receive, send)
        if body is not None:
            await self._answer(scope, replay_body(body, receive), send)

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
            request.scope["path_params"] = {"name": path.removeprefix(STATIC)}
            return await self._static.send(request)
        if path == SIGN_IN:
            return await self._sign_in(request)
        if path == SIGN_OUT:
            if request.method != "POST" or not is_own_form(request):
                return self._site.way_in(FORGED, 403)
            return RedirectResponse("/", 303, headers={**HEADERS, "set-cookie": self._cookies.taken()})
        token = self._cookies.token([value for name, value in request.headers.raw if name == b"cookie"])
        principal = None if token is None else await self._signing.principal(token)
        if principal is None:
            return self._site.way_in()
        if path != "/":
            return await self._project(request, principal)
        if request.method not in LOOKS:
            return self._site.not_here(principal.user)
        picture = await self._hosted.picture()
        names = [each.name for each in picture.projects.values() if picture.admitted(each.name, principal.user)]
        return self._site.projects(principal.user, sorted(names))

    async def _sign_in(self, request: Request) -> Response:
        """A cookie for a good token; the same sentence for every other."""
        if request.method != "POST":
            return RedirectResponse("/", 303, headers=HEADERS)
        if not is_own_form(request):
            return self._site.way_in(FORGED, 403)
        client = request.client.host if request.client else ""
        if not self._attempts.may_try(client):
            return self._site.way_in(SO_OFTEN, 429)
        token = await _token_in(request)
        if await self._signing.principal(token) is None:
            self._attempts.failed(client)
            return self._site.way_in(WRONG)
        return RedirectResponse("/", 303, headers={**HEADERS, "set-cookie": self._cookies.given(token)})

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
        url = f"{self._hosted.origin}{MCP_PATH}/{project.name}"
        visit = PageVisit(project.name, place, url, read, render_user(principal.user))
        return await self._opened(project, visit, {**request.scope, "path": f"/{rest[0]}", "root_path": ""})

    async def _opened(self, project: HostedProject, visit: PageVisit, scope: Scope) -> Answer:
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
