"""The home page: search box, state of the index, stale places and how to connect."""

from collections.abc import Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.pages.client_setup import render_clients, render_install_lines
from fieldguide.pages.components import (
    build_address,
    format_count,
    render_badge,
    render_notice,
    render_source_link,
    render_table,
)
from fieldguide.pages.search import PATH as SEARCH
from fieldguide.pages.search import TOOL, render_results_place, render_search_box
from fieldguide.pages.site import IndexedShelf, IndexOverview, PageSite
from fieldguide.settings.consents import TRUST
from fieldguide.text.citation import StalePlace
from fieldguide.text.display import escape_html

PATH = "/"
MOST_STALE = 8
MOST_QUESTIONS = 3
REFRESH_SECONDS = 3
LEAD = "A field guide to this project, for the agents that work on it and for you."


def routes(site: PageSite) -> list[Route]:
    """The page at `/`; as a fragment, the part that changes while the project is indexed."""
    site.add_section("Home", PATH)

    async def show(request: Request) -> Response:
        indexed = await run_in_threadpool(site.facts.indexed)
        if site.wants_fragment(request):
            return site.fragment(_indexed(site, indexed))
        show_token = site.facts.token_to_show
        token = None if show_token is None else show_token(site.cookies(request))
        below = "".join(
            (
                f'<section data-refresh="{REFRESH_SECONDS}" data-from="{PATH}">{_indexed(site, indexed)}</section>',
                _waiting(await run_in_threadpool(site.facts.waiting)),
                _connect(site, token),
                _stale(await run_in_threadpool(site.facts.stale)),
            )
        )
        questions = await run_in_threadpool(site.facts.questions)
        return site.page(request, "Home", _main(site, questions, below), at=PATH)

    return [site.route(PATH, show)]


def _main(site: PageSite, questions: Sequence[str], below: str) -> str:
    head = (
        f'<div class="heading"><h1><bdi>{escape_html(site.served.project)}</bdi></h1><p class="lead">{LEAD}</p></div>'
    )
    if not site.serves(TOOL):
        return f'{head}<div class="parts">{below}</div>'
    asked = "".join(
        f'<li><a class="chip" href="{build_address(SEARCH, q=question)}">{escape_html(question)}</a></li>'
        for question in questions[:MOST_QUESTIONS]
    )
    suggested = f'<ul class="chips questions" aria-label="Questions to begin with">{asked}</ul>'
    box = f'<div class="stack">{render_search_box(kinds=None)}{suggested}</div>'
    return f"{head}{box}{render_results_place(else_html=below)}"


def _indexed(site: PageSite, indexed: IndexOverview) -> str:
    """What is in the index; the script asks again as long as it grows."""
    if indexed.problem:
        return f"<h2>What is indexed</h2>{render_notice(f'<p>{escape_html(indexed.problem)}</p>', 'bad')}"
    is_busy = indexed.is_at_work or indexed.standing is not None
    state = render_badge("indexing", "fair") if is_busy else render_badge("up to date", "good")
    paths = {section.path for section in site.sections}
    shelves = "".join(_shelf(shelf, is_linked=shelf.path in paths) for shelf in indexed.shelves)
    lacks = render_notice(f"<p>{escape_html(indexed.lacks)}</p>", "fair") if indexed.lacks else ""
    settled = "" if is_busy else "<span data-settled></span>"
    return (
        f'<div class="row part"><h2>What is indexed</h2>{state}</div>{_progress(indexed)}'
        f'<ul class="figures">{shelves}</ul>{lacks}{settled}'
    )


def _progress(indexed: IndexOverview) -> str:
    if indexed.standing is None:
        return ""
    done, total = indexed.standing
    said = f"{done:,} of {format_count(total, 'file')} so far; you can search already."
    return f'<p class="small quiet">{said}</p><progress value="{done}" max="{total}" aria-label="{said}"></progress>'


def _shelf(shelf: IndexedShelf, *, is_linked: bool) -> str:
    said = f"<b>{shelf.number:,}</b> <span>{escape_html(shelf.one if shelf.number == 1 else shelf.many)}</span>"
    return f'<li><a href="{shelf.path}">{said}</a></li>' if is_linked else f"<li><div>{said}</div></li>"


def _connect(site: PageSite, token: str | None) -> str:
    """How to connect, as long as nobody has, and whenever the token is to be shown."""
    counted_calls = sum(int(each["calls"]) for each in site.facts.health()["tools"].values())
    is_shown = token is not None and token != site.placeholder
    if counted_calls > site.calls_made and not is_shown:
        return ""
    once = " The token stands here this once." if is_shown else ""
    return (
        '<section class="card"><h2>Connect an agent</h2>'
        '<p class="quiet">Nobody has called this server yet. In the folder of your project:</p>'
        f"{render_install_lines()}<details><summary>Over HTTP, to this running server.{once}</summary>"
        f'<div class="stack">{render_clients(site, token)}</div></details></section>'
    )


def _waiting(sentences: Sequence[str]) -> str:
    if not sentences:
        return ""
    items = "".join(f"<li>{escape_html(sentence)}</li>" for sentence in sentences)
    way_out = f'<p class="quiet">{escape_html(TRUST)}</p>'
    return f'<section class="notice fair"><h2>Not obeyed</h2><ul>{items}</ul>{way_out}</section>'


def _stale(places: Sequence[StalePlace]) -> str:
    """A small table of what no longer holds."""
    if not places:
        return ""
    rows = (
        f'<tr><th scope="row">{render_source_link(each.document, each.line or None)}</th>'
        f"<td>{render_badge(each.state, 'fair')}</td><td>{escape_html(each.told().partition(': ')[2])}</td></tr>"
        for each in places[:MOST_STALE]
    )
    more = f'<p class="quiet small">And {len(places) - MOST_STALE:,} more.</p>' if len(places) > MOST_STALE else ""
    head = '<div><h2>Stale</h2><p class="quiet">Written about the code, and no longer so.</p></div>'
    return f'<section class="stack">{head}{render_table(("Where", "State", "Why"), rows)}{more}</section>'
