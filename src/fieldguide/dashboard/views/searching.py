"""Search as you type, across everything: the box, the kinds, and what was found."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide import linear_regex as re
from fieldguide.dashboard.components import badge, counted, empty_state, notice, source_link
from fieldguide.dashboard.page_text import as_html
from fieldguide.dashboard.searching import KINDS, LONGEST_QUERY, TOOL, Found, Hit, highlighted, highlighter, search
from fieldguide.dashboard.site import Site

PATH = "/search"
MOST_LINES, LONGEST_LINE = 8, 240
AGAIN_SECONDS = 3
Words = re.Pattern[str] | None
ASK = "Ask for anything that the project knows: code, tests, documents, decisions, patterns, findings and tasks."


def routes(site: Site) -> list[Route]:
    """The page at `/search?q=…`, and the same as a fragment for the script."""
    if not site.serves(TOOL):
        return []
    site.add_section("Search", PATH)

    async def show(request: Request) -> Response:
        query = request.query_params.get("q", "").strip()
        kinds = [kind for kind in request.query_params.getlist("kind") if kind in KINDS]
        found = await search(site, request, query, kinds) if query else None
        results = f'<p class="quiet">{ASK}</p>' if found is None else _results(query, found)
        if site.wants_fragment(request):
            return site.fragment(results)
        main = f"<h1 class=unseen>Search</h1>{search_box(query, kinds)}{results_place(results)}"
        return site.page(request, query or "Search", main, at=PATH)

    return [site.route(PATH, show)]


def search_box(query: str = "", kinds: Sequence[str] | None = ()) -> str:
    """The form: a box, and a chip for each kind. It works by itself; the script asks while somebody types."""
    focus = "" if query else " autofocus"
    return (
        f'<form class="stack" action="{PATH}" method="get" role="search" data-search>'
        '<div class="search"><label class="unseen" for="q">Search the project</label>'
        f'<input type="search" id="q" name="q" value="{as_html(query)}" maxlength="{LONGEST_QUERY}" autocomplete="off"'
        f' spellcheck="false" placeholder="Search the project, or ask it something"{focus}'
        ' aria-keyshortcuts="/" aria-controls="results"><button class="main">Search</button></div>'
        f"{'' if kinds is None else _chips(kinds)}</form>"
    )


def results_place(results_html: str = "", *, else_html: str = "") -> str:
    """Where results go; `else_html` is what stands there as long as nothing is looked for."""
    beside = f'<div data-else class="parts">{else_html}</div>' if else_html else ""
    return (
        '<p class="unseen" role="status" aria-live="polite" id="found"></p>'
        f'<div id="results" class="stack">{results_html}</div>{beside}'
    )


def _chips(kinds: Sequence[str]) -> str:
    chips = "".join(_chip(kind, is_chosen=kind in kinds) for kind in KINDS)
    return f'<fieldset><legend class="unseen">Only these kinds</legend><div class="chips">{chips}</div></fieldset>'


def _chip(kind: str, *, is_chosen: bool) -> str:
    checked = " checked" if is_chosen else ""
    return (
        f'<label class="chip"><input type="checkbox" class="unseen" name="kind" value="{kind}"{checked}>{kind}</label>'
    )


def _results(query: str, found: Found) -> str:
    said = f"{counted(len(found.hits), 'result')} for {query}" if found.hits else f"Nothing found for {query}"
    again = f' data-again="{AGAIN_SECONDS}"' if found.indexing else ""
    parts = [f'<p class="quiet small" data-said="{as_html(said)}"{again}>{as_html(said)}</p>', _indexing(found)]
    if found.hits:
        words = highlighter(query)
        parts.append(f'<ol class="list results">{"".join(_hit(hit, words) for hit in found.hits)}</ol>')
    else:
        parts.append(empty_state("Nothing fits", as_html(found.hint)))
    return "".join(parts)


def _indexing(found: Found) -> str:
    if found.indexing is None:
        return ""
    done, total = found.indexing
    said = f"{done:,} of {counted(total, 'file')} are in the index so far. More may be found in a moment."
    return notice(f'<p>{said}</p><progress value="{done}" max="{total}" aria-label="Indexed"></progress>')


def _hit(hit: Hit, words: Words) -> str:
    """One result: what it is, where it stands, its lines that matter; the whole head is the link to them."""
    symbol = f'<strong class="symbol">{highlighted(hit.symbol, words)}</strong> ' if hit.symbol else ""
    place = source_link(hit.path, hit.start, hit.end)
    lines = "".join(_line(number, line, words) for number, line in hit.lines[:MOST_LINES])
    snippet = f'<pre class="snippet"><code>{lines}</code></pre>' if lines else ""
    stale = f'<p class="small">{badge("stale", "fair")} {as_html(hit.stale)}</p>' if hit.stale else ""
    return (
        f'<li class="hit"><div class="row">{badge(hit.kind, "accent")}{symbol}{place}</div>{snippet}'
        f'<p class="quiet small">{as_html(hit.why)}</p>{stale}</li>'
    )


def _line(number: int, line: str, words: Words) -> str:
    shown = highlighted(line[:LONGEST_LINE], words) + ("…" if len(line) > LONGEST_LINE else "")
    return f'<span class="line" data-n="{number}">{shown}\n</span>'
