"""What the service itself shows to people: the way in, their projects, and that something is not here."""

from collections.abc import Sequence

from starlette.responses import HTMLResponse, Response

from fieldguide import __version__
from fieldguide.dashboard.components import empty_state, heading
from fieldguide.dashboard.layout import Frame, Section, whole_page
from fieldguide.dashboard.page_text import as_html
from fieldguide.dashboard.site import HEADERS
from fieldguide.dashboard.static_files import StaticFiles

PAGES = "/p"
SIGN_IN, SIGN_OUT = "/signin", "/signout"
LEAD = "Your token opens the projects that you may see. It is the one that your agents show."
WRONG = "This token opens nothing here: it is unknown, revoked, past its end, or meant for another service."
SO_OFTEN = "Somebody at your address has tried too often. Wait for a minute, then try again."
FORGED = "This form was not sent by this page. Load the page again, then send it."
AWAY = "The service can't look up who you are just now. Try again in a moment."
BUSY = "This project can't be opened just now. Try again in a moment."
NO_PROJECT = "Whoever runs this service grants them: <code>fieldguide projects grant</code>."
NOT_HERE = "There is no such page here, or it is not yours to see."


class ServiceSite:
    """The frame of the pages that belong to no project."""

    def __init__(self, static: StaticFiles) -> None:
        self._frame = Frame(
            project="All projects",
            version=__version__,
            style=static.address("style.css"),
            icon=static.address("leaf.svg"),
            script=static.address("page.js"),
        )

    def way_in(self, said: str = "", status: int = 401) -> Response:
        """The form that a token is put into, with what was wrong before."""
        told = f'<div class="notice bad" role="alert"><p>{as_html(said)}</p></div>' if said else ""
        form = (
            f'<form class="card stack" method="post" action="{SIGN_IN}"><label for="token">Your token</label>'
            '<input id="token" name="token" type="password" required autocomplete="current-password">'
            "<div><button>Sign in</button></div></form>"
        )
        return self._page("Sign in", f"{heading('Sign in', LEAD)}{told}{form}", status=status)

    def projects(self, user: str, names: Sequence[str]) -> Response:
        """The projects that somebody may see."""
        items = "".join(
            f'<li><a class="card" href="{PAGES}/{as_html(name)}/"><h2>{as_html(name)}</h2></a></li>' for name in names
        )
        shown = f'<ul class="grid list">{items}</ul>' if names else empty_state("No project is yours yet", NO_PROJECT)
        return self._page("Your projects", f"{heading('Your projects')}{shown}", who=who(user))

    def not_here(self, user: str) -> Response:
        """The same for what is not there and for what is not theirs."""
        back = '<p><a href="/">Your projects</a></p>'
        return self._page("Not here", f"{heading('Not here')}<p>{NOT_HERE}</p>{back}", status=404, who=who(user))

    def sorry(self, sentence: str, status: int) -> Response:
        """A sentence about what can't be done just now."""
        return self._page("Not now", f"{heading('Not now')}<p>{as_html(sentence)}</p>", status=status)

    def _page(self, title: str, main: str, *, status: int = 200, who: str = "") -> Response:
        sections = [Section("Your projects", "/")] if who else []
        whole = whole_page(self._frame._replace(who=who), sections, title=title, main=main, at="/")
        return HTMLResponse(whole, status, headers=HEADERS)


def who(user: str) -> str:
    """Who is signed in, the way to their projects, and the way out."""
    return (
        f'<form class="who stack small" method="post" action="{SIGN_OUT}"><p><bdi>{as_html(user)}</bdi></p>'
        '<p><a href="/">Your projects</a></p><div><button class="plain">Sign out</button></div></form>'
    )
