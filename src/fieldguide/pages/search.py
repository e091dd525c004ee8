"""The search page: one search over everything, with highlighted results."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.pages.components import Html, render_badge, render_empty_state, render_notice, render_source_link
from fieldguide.pages.site import PageSite
from fieldguide.spine.tool import Answer
from fieldguide.text import regex as re
from fieldguide.text.display import escape_html, escape_html_lines, format_count
from fieldguide.text.windows import read_numbered_hits
from fieldguide.text.words import STOP_WORDS, strip_ending

TOOL = "guide_search"
KINDS = ("code", "test", "document", "decision", "pattern", "finding", "task", "spec")
MOST_HITS = 20
LONGEST_QUERY = 500
MOST_WORDS = 12
SHORTEST_WORD = 3
WORD = re.compile(r"\w+")
PATH = "/search"
MOST_LINES = 8
LONGEST_LINE = 240
AGAIN_SECONDS = 3
Words = re.Pattern[str] | None
ASK = "Ask for anything that the project knows: code, tests, documents, decisions, patterns, findings and tasks."


class PageHit(NamedTuple):
    """One thing that was found: its lines that matter, where they stand, what they are and why they are told."""

    path: str
    start: int
    end: int
    kind: str
    why: str
    symbol: str
    stale: str
    lines: tuple[tuple[int, str], ...]
    unsure: bool = False


class PageResults(NamedTuple):
    """What a search gave: the hits, how far the index is while it is made, and what to do where nothing fits."""

    hits: tuple[PageHit, ...]
    indexing: tuple[int, int] | None
    hint: str
    fits: bool = True


async def search_project(site: PageSite, request: Request, query: str, kinds: Sequence[str]) -> PageResults:
    """Ask as a client would ask."""
    given = {"query": query[:LONGEST_QUERY], "limit": MOST_HITS, "kinds": [*kinds] or None}
    return read_answer(await site.call_while_awaited(request, TOOL, given))


def read_answer(answer: Answer) -> PageResults:
    """The hits of an answer: their places stand in its value, their lines in its text."""
    items: list[dict[str, Any]] = answer.value["items"]
    shown = read_numbered_hits(answer.text, len(items))
    standing = answer.value.get("indexing")
    hits = tuple(_read_hit(item, lines) for item, lines in zip(items, shown, strict=True))
    indexing = (int(standing["done"]), int(standing["total"])) if standing else None
    return PageResults(hits, indexing, str(answer.value.get("hint", "")), "fit" not in answer.value)


def _read_hit(item: dict[str, Any], lines: tuple[tuple[int, str], ...]) -> PageHit:
    kind, why, symbol, stale = (str(item.get(name, "")) for name in ("kind", "why", "symbol", "stale"))
    start, end = (lines[0][0], lines[-1][0]) if lines else (int(item["start"]), int(item["end"]))
    return PageHit(str(item["path"]), start, end, kind, why, symbol, stale, lines, bool(item.get("unsure")))


def compile_highlighter(query: str) -> re.Pattern[str] | None:
    """What finds the words of a question in a text, in whichever form they stand there."""
    words = [word for word in WORD.findall(query.lower()) if len(word) >= SHORTEST_WORD and word not in STOP_WORDS]
    stems = dict.fromkeys(map(strip_ending, words[:MOST_WORDS]))
    return re.compile(rf"(?i:{'|'.join(map(re.escape, stems))})[a-z]*") if stems else None


def highlight(text: str, words: re.Pattern[str] | None) -> str:
    """A text as HTML with those words marked."""
    if words is None:
        return escape_html_lines(text)
    parts: list[str] = []
    at = 0
    for found in words.finditer(text):
        parts += [escape_html_lines(text[at : found.start()]), f"<mark>{escape_html_lines(found.group())}</mark>"]
        at = found.end()
    return "".join([*parts, escape_html_lines(text[at:])])


def routes(site: PageSite) -> list[Route]:
    """The page at `/search?q=…`, and the same as a fragment for the script."""
    if not site.serves(TOOL):
        return []
    site.add_section("Search", PATH)

    async def show(request: Request) -> Response:
        query = request.query_params.get("q", "").strip()
        kinds = [kind for kind in request.query_params.getlist("kind") if kind in KINDS]
        found = await search_project(site, request, query, kinds) if query else None
        results = f'<p class="quiet">{ASK}</p>' if found is None else _results(query, found)
        if site.wants_fragment(request):
            return site.fragment(Html(results))
        main = f"<h1 class=unseen>Search</h1>{render_search_box(query, kinds)}{render_results_place(results)}"
        return site.page(request, query or "Search", Html(main), at=PATH)

    return [site.route(PATH, show)]


def render_search_box(query: str = "", kinds: Sequence[str] | None = ()) -> str:
    """The form: a box, and a chip for each kind. It works by itself; the script asks while somebody types."""
    focus = "" if query else " autofocus"
    return (
        f'<form class="stack" action="{PATH}" method="get" role="search" data-search>'
        '<div class="search"><label class="unseen" for="q">Search the project</label>'
        f'<input type="search" id="q" name="q" value="{escape_html(query)}" '
        f'maxlength="{LONGEST_QUERY}" autocomplete="off"'
        f' spellcheck="false" placeholder="Search the project, or ask it something"{focus}'
        ' aria-keyshortcuts="/" aria-controls="results"><button class="main">Search</button></div>'
        f"{'' if kinds is None else _kind_chips(kinds)}</form>"
    )


def render_results_place(results_html: str = "", *, else_html: str = "") -> str:
    """Where results go; `else_html` is what stands there as long as nothing is looked for."""
    beside = f'<div data-else class="parts">{else_html}</div>' if else_html else ""
    return (
        '<p class="unseen" role="status" aria-live="polite" id="found"></p>'
        f'<div id="results" class="stack">{results_html}</div>{beside}'
    )


def _kind_chips(chosen: Sequence[str]) -> str:
    chips = "".join(
        f'<label class="chip"><input type="checkbox" class="unseen" name="kind" value="{kind}"'
        f"{' checked' if kind in chosen else ''}>{kind}</label>"
        for kind in KINDS
    )
    return f'<fieldset><legend class="unseen">Only these kinds</legend><div class="chips">{chips}</div></fieldset>'


def _results(query: str, found: PageResults) -> str:
    said = f"{format_count(len(found.hits), 'result')} for {query}" if found.hits else f"Nothing found for {query}"
    again = f' data-again="{AGAIN_SECONDS}"' if found.indexing else ""
    parts = [f'<p class="quiet small" data-said="{escape_html(said)}"{again}>{escape_html(said)}</p>']
    if found.indexing is not None:
        done, total = found.indexing
        so_far = f"{done:,} of {format_count(total, 'file')} are in the index so far. More may be found in a moment."
        bar = f'<progress value="{done}" max="{total}" aria-label="Indexed"></progress>'
        parts.append(render_notice(f"<p>{so_far}</p>{bar}"))
    if found.hits:
        if not found.fits:
            parts.append(render_notice(f"<p>Nothing fits well; these are the nearest. {escape_html(found.hint)}</p>"))
        words = compile_highlighter(query)
        parts.append(f'<ol class="list results">{"".join(_render_hit(hit, words) for hit in found.hits)}</ol>')
    else:
        parts.append(render_empty_state("Nothing fits", escape_html(found.hint)))
    return "".join(parts)


def _render_hit(hit: PageHit, words: Words) -> str:
    """One result: what it is, where it stands, its lines that matter; the whole head is the link to them."""
    symbol = f'<strong class="symbol">{highlight(hit.symbol, words)}</strong> ' if hit.symbol else ""
    place = render_source_link(hit.path, hit.start, hit.end)
    lines = "".join(_line(number, line, words) for number, line in hit.lines[:MOST_LINES])
    snippet = f'<pre class="snippet"><code>{lines}</code></pre>' if lines else ""
    stale = f'<p class="small">{render_badge("stale", "fair")} {escape_html(hit.stale)}</p>' if hit.stale else ""
    unsure = render_badge("unsure", "fair") if hit.unsure else ""
    return (
        f'<li class="hit"><div class="row">{render_badge(hit.kind, "accent")}{unsure}{symbol}{place}</div>{snippet}'
        f'<p class="quiet small">{escape_html(hit.why)}</p>{stale}</li>'
    )


def _line(number: int, line: str, words: Words) -> str:
    shown = highlight(line[:LONGEST_LINE], words) + ("…" if len(line) > LONGEST_LINE else "")
    return f'<span class="line" data-n="{number}">{shown}\n</span>'
