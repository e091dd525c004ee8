"""The page that answers a question: one search over everything."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.code.symbols.lookup import Symbol
from fieldguide.pages.components import (
    Html,
    build_code_address,
    render_badge,
    render_empty_state,
    render_notice,
    render_source_link,
)
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
HOME = "/"
DEFINITIONS = "guide.definitions"
MOST_SYMBOLS = 3
SYMBOL_QUESTION = re.compile(
    r"(?i:what (?:is|are|does) |where is |who (?:uses|calls) |which code (?:uses|calls) )?`?(?P<name>[^\W\d][\w.:#]+)`?"
    r"(?i:,? and who (?:uses|calls) it| do| defined| used)?\??"
)

MOST_LINES = 8
LONGEST_LINE = 240
AGAIN_SECONDS = 3
Words = re.Pattern[str] | None
ASK = "Search code, tests, documents, decisions, patterns, findings and tasks."


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
    has_symbols = site.has(DEFINITIONS)

    async def show(request: Request) -> Response:
        query = request.query_params.get("q", "").strip()
        name = read_symbol_name(query)
        symbols: list[Symbol] = await site.ask(DEFINITIONS, name) if name and has_symbols else []
        if symbols and name != query and not site.wants_fragment(request):
            return site.see_other(_address_of(symbols[0], is_escaped=False))
        kinds = [kind for kind in request.query_params.getlist("kind") if kind in KINDS]
        results = f'<p class="quiet">{ASK}</p>'
        if query:
            given = {"query": query[:LONGEST_QUERY], "limit": MOST_HITS, "kinds": kinds or None}
            answer = await site.call_while_awaited(request, TOOL, given)
            named = [] if kinds else symbols[:MOST_SYMBOLS]
            results = _results(query, answer, named)
        if site.wants_fragment(request):
            return site.fragment(Html(results))
        main = f"<h1 class=unseen>Search</h1>{render_search_box(query, kinds)}{render_results_place(results)}"
        return site.page(query or "Search", Html(main), at=HOME)

    return [site.route(PATH, show)]


def read_symbol_name(query: str) -> str:
    """The name that a question such as `What is X, and who uses it?` asks for; also where it is the whole question."""
    found = SYMBOL_QUESTION.fullmatch(query)
    return found.group("name") if found else ""


def _address_of(symbol: Symbol, *, is_escaped: bool = True) -> str:
    return build_code_address(symbol.path, symbol=symbol.qualified, line=str(symbol.line), is_escaped=is_escaped)


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


def _results(query: str, answer: Answer, symbols: Sequence[Symbol]) -> str:
    """What was found: the places are in the answer's value, their lines in its text."""
    value: Mapping[str, Any] = answer.value
    shown = {(each.path, each.line) for each in symbols}
    words = compile_highlighter(query)
    hits: list[str] = []
    items: list[Mapping[str, Any]] = value["items"]
    for item, lines in zip(items, read_numbered_hits(answer.text, len(items)), strict=True):
        start = lines[0][0] if lines else int(item["start"])
        if (item["path"], start) not in shown:
            hits.append(_render_hit(item, lines, words))
    number = len(hits) + len(symbols)
    said = f"{format_count(number, 'result')} for {query}" if number else f"Nothing found for {query}"
    indexing: Mapping[str, Any] | None = value.get("indexing")
    again = f' data-again="{AGAIN_SECONDS}"' if indexing else ""
    parts = [f'<p class="quiet small" data-said="{escape_html(said)}"{again}>{escape_html(said)}</p>']
    if indexing:
        done = int(indexing["done"])
        total = int(indexing["total"])
        so_far = f"{done:,} of {format_count(total, 'file')} are in the index so far. More may be found in a moment."
        bar = f'<progress value="{done}" max="{total}" aria-label="Indexed"></progress>'
        parts.append(render_notice(f"<p>{so_far}</p>{bar}"))
    hint = escape_html(str(value.get("hint", "")))
    named = "".join(map(_render_symbol, symbols))
    if number:
        if "fit" in value and not named:
            parts.append(render_notice(f"<p>No good match; these are the closest. {hint}</p>"))
        parts.append(f'<ol class="list results">{named}{"".join(hits)}</ol>')
    else:
        parts.append(render_empty_state("Nothing found", hint))
    return "".join(parts)


def _render_symbol(symbol: Symbol) -> str:
    """A definition of the name that was asked for: it leads to who uses it."""
    doc = f'<p class="quiet small">{escape_html(symbol.doc.partition(chr(10))[0])}</p>' if symbol.doc else ""
    return (
        f'<li class="hit"><div class="row">{render_badge(symbol.kind, "accent")}<a class="cite" '
        f'href="{_address_of(symbol)}"><strong class="symbol">{escape_html(symbol.qualified)}</strong></a>'
        f'<span class="quiet">{escape_html(symbol.path)}:{symbol.line}</span></div>{doc}'
        '<p class="quiet small">Shows who uses it and what it calls.</p></li>'
    )


def _render_hit(item: Mapping[str, Any], lines: Sequence[tuple[int, str]], words: Words) -> str:
    """One result: what it is, where it stands, its lines that matter; the whole head is the link to them."""
    start, end = (lines[0][0], lines[-1][0]) if lines else (int(item["start"]), int(item["end"]))
    place = render_source_link(str(item["path"]), start, end)
    symbol = ""
    if item.get("symbol"):
        symbol = f'<strong class="symbol">{highlight(str(item["symbol"]), words)}</strong> '
    unsure = render_badge("unsure", "fair") if item.get("unsure") else ""
    snippet = "".join(_line(number, line, words) for number, line in lines[:MOST_LINES])
    if snippet:
        snippet = f'<pre class="snippet"><code>{snippet}</code></pre>'
    stale = ""
    if item.get("stale"):
        stale = f'<p class="small">{render_badge("stale", "fair")} {escape_html(str(item["stale"]))}</p>'
    return (
        f'<li class="hit"><div class="row">{render_badge(str(item["kind"]), "accent")}{unsure}{symbol}{place}</div>'
        f'{snippet}<p class="quiet small">{escape_html(str(item.get("why", "")))}</p>{stale}</li>'
    )


def _line(number: int, line: str, words: Words) -> str:
    shown = highlight(line[:LONGEST_LINE], words) + ("…" if len(line) > LONGEST_LINE else "")
    return f'<span class="line" data-n="{number}">{shown}\n</span>'
