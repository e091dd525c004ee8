"""The page of what agents asked in this project, what they were given, and what of it they used."""

from collections.abc import Iterator, Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.pages.components import (
    Html,
    render_empty_state,
    render_heading,
    render_source_link,
    render_table,
)
from fieldguide.pages.site import PageSite
from fieldguide.spine.usage import OPENS, UsageLog, UsageRow, UsageSummary, read_place
from fieldguide.text.display import escape_html

PATH = "/usage"
LEAD = "What agents asked in this project, what they were given, and which of it they then opened or edited."
MOST_QUESTIONS = 20
MOST_PLACES = 8
HOOK_HEADS = ("Event", "Asked", "Answered", "Tokens")
TOOL_HEADS = ("Tool", "Calls", "Tokens, about")
CLIENT_HEADS = ("Client", "Calls")
QUESTION_HEADS = ("Day", "From", "Question", "Places")
NOTHING = "Hooks and calls of agents are counted from now on."
LOCAL = (
    "All of this is in one file on this machine, which only you can read, and it is sent nowhere. "
    "<code>keep = false</code> under <code>[usage]</code> in your settings counts nothing."
)
ESTIMATE = (
    "The tokens of reading saved are an estimate: the whole files of the given lines have {whole:,} tokens, the lines "
    "themselves {given:,}, and the difference is saved if an agent reads the lines in place of the file. "
    "A file counts once a day, as it is now."
)


def routes(site: PageSite) -> list[Route]:
    """The view and the form that clears it, where usage is counted; a service of many people counts none."""
    log = site.facts.usage
    if log is None:
        return []
    site.add_section("Usage", PATH)

    async def show(request: Request) -> Response:
        rows, summary = await run_in_threadpool(_read, log)
        hidden = "" if site.served.is_read_only else site.csrf(request)
        return site.page(request, "Usage", render_usage(rows, summary, hidden), at=PATH)

    async def clear(request: Request) -> Response:
        await site.checked_form(request)
        await run_in_threadpool(log.clear)
        return site.see_other(PATH)

    shown = [site.route(PATH, show)]
    return shown if site.served.is_read_only else [*shown, site.route(f"{PATH}/clear", clear, ("POST",))]


def _read(log: UsageLog) -> tuple[list[UsageRow], UsageSummary]:
    rows = log.read()
    return rows, log.summarize(rows)


def render_usage(rows: Sequence[UsageRow], summary: UsageSummary, hidden: str) -> Html:
    """The whole view; `hidden` is the protection of the form, and empty where there is none."""
    heading = render_heading("Usage", LEAD)
    if not rows:
        return Html(f'{heading}{render_empty_state("Nothing is counted yet", NOTHING)}<p class="quiet">{LOCAL}</p>')
    form = ""
    if hidden:
        button = '<button class="bad">Clear it</button>'
        form = f'<form class="row" method="post" action="{PATH}/clear">{hidden}{button}</form>'
    estimate = ESTIMATE.format(whole=summary.whole_file_tokens, given=summary.given_tokens)
    return Html(
        f'{heading}<div class="stack">{_render_figures(summary)}<p class="quiet small">{estimate}</p>'
        f"{_render_hooks(summary)}{_render_tools(summary)}{_render_clients(summary)}{_render_questions(rows)}"
        f'<p class="quiet">Counted since {escape_html(summary.since)}. {LOCAL}</p>{form}</div>'
    )


def _render_figures(summary: UsageSummary) -> str:
    sent = sum(summary.hook_tokens.values()) + sum(summary.call_tokens.values())
    figures = (
        (summary.given_files, "files given"),
        (summary.given_then_opened, "of them then opened"),
        (summary.given_then_edited, f"of them then edited, of {summary.edited_files:,} edited files"),
        (sent, "tokens sent"),
        (summary.whole_file_tokens - summary.given_tokens, "tokens of reading saved, an estimate"),
    )
    items = "".join(f"<li><div><b>{number:,}</b> <span>{said}</span></div></li>" for number, said in figures)
    return f'<ul class="figures">{items}</ul>'


def _render_hooks(summary: UsageSummary) -> str:
    if not summary.asked:
        return ""
    rows = [
        _render_row(event, asked, summary.answered.get(event, 0), summary.hook_tokens.get(event, 0))
        for event, asked in summary.asked.items()
    ]
    return f"<h2>Hooks</h2>{render_table(HOOK_HEADS, rows, numbers=(1, 2, 3))}"


def _render_tools(summary: UsageSummary) -> str:
    if not summary.calls:
        return ""
    rows = [_render_row(tool, calls, summary.call_tokens.get(tool, 0)) for tool, calls in summary.calls.items()]
    return f"<h2>Tools</h2>{render_table(TOOL_HEADS, rows, numbers=(1, 2))}"


def _render_clients(summary: UsageSummary) -> str:
    if not summary.clients:
        return ""
    rows = [_render_row(client, calls) for client, calls in summary.clients.items()]
    return f"<h2>Clients</h2>{render_table(CLIENT_HEADS, rows, numbers=(1,))}"


def _render_row(name: str, *numbers: int) -> str:
    cells = "".join(f'<td class="number">{number:,}</td>' for number in numbers)
    return f'<tr><th scope="row"><code>{escape_html(name)}</code></th>{cells}</tr>'


def _render_questions(rows: Sequence[UsageRow]) -> str:
    """The latest questions, newest first; what was only opened is none."""
    asked = [row for row in rows if row.asked and row.tool not in OPENS][-MOST_QUESTIONS:]
    if not asked:
        return ""
    rendered = [_render_question(row) for row in reversed(asked)]
    return f"<h2>Latest questions</h2>{render_table(QUESTION_HEADS, rendered)}"


def _render_question(row: UsageRow) -> str:
    origin = " ".join(filter(None, (row.client, row.tool or row.event)))
    places = "<br>".join(_render_places(row.given)) or '<span class="quiet">nothing</span>'
    return (
        f"<tr><td>{escape_html(row.day)}</td><td>{escape_html(origin)}</td><td>{escape_html(row.asked)}</td>"
        f"<td>{places}</td></tr>"
    )


def _render_places(given: Sequence[str]) -> Iterator[str]:
    for place in given[:MOST_PLACES]:
        path, start, end = read_place(place)
        yield render_source_link(path, start or None, end or None)
    if len(given) > MOST_PLACES:
        yield f'<span class="quiet">and {len(given) - MOST_PLACES:,} more</span>'
