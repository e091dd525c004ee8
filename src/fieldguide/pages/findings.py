"""The page of findings: a list to filter, from which wrong ones are removed."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.knowledge.findings.finding import TYPES, CitedFinding, Finding, FindingQuery
from fieldguide.pages.components import (
    PAGE_ROWS,
    Html,
    read_choice,
    read_filter_words,
    read_page_number,
    render_badge,
    render_chips,
    render_empty_state,
    render_filter_form,
    render_heading,
    render_pager,
    render_source_link,
    select_rows,
)
from fieldguide.pages.site import PageSite
from fieldguide.text.citation import read_citation
from fieldguide.text.display import escape_html, escape_html_lines

PATH = "/findings"
SHOWN = ("context.findings", "context.stale_findings", "context.remove_finding")
STALE = "stale"
LEAD = "What earlier work found out about this project. Remove what is wrong: agents no longer get it then."
NONE = "Agents record findings while they work. You can add one with <code>fieldguide findings add</code>."
TONES = {"rule": "accent", "decision": "accent", "issue": "fair", "pattern": "plain"}
SOURCES = {"guide_record": "recorded by an agent"}
DAYS = ((365, "year"), (30, "month"), (7, "week"), (1, "day"))


class FindingFilter(NamedTuple):
    """Which findings somebody wants to see."""

    state: str
    type: str
    words: str
    page: int

    @property
    def query(self) -> dict[str, Any]:
        """What an address has of it, but for the page."""
        return {"state": self.state, "type": self.type, "q": self.words}


def routes(site: PageSite) -> list[Route]:
    """The list, where the context toolset is served, and the removal of a finding."""
    if not site.has(*SHOWN):
        return []
    site.add_section("Findings", PATH)

    async def show(request: Request) -> Response:
        asked = FindingFilter(
            read_choice(request, "state", (STALE,)),
            read_choice(request, "type", TYPES),
            read_filter_words(request),
            read_page_number(request),
        )
        found, total = await _found(site, asked)
        hidden = "" if site.served.is_read_only else site.csrf(request)
        return site.page("Findings", _main(found, total, asked, hidden), at=PATH)

    async def remove(request: Request) -> Response:
        form = await site.checked_form(request)
        await site.ask("context.remove_finding", request.path_params["id"])
        back = form.get("back", "")  # of the list that the form was sent from; a path of ours, whatever it says
        return site.see_other(f"{PATH}?{back}" if back.isascii() and back.isprintable() else PATH)

    removal = [] if site.served.is_read_only else [site.route(f"{PATH}/{{id}}/remove", remove, ("POST",))]
    return [site.route(PATH, show), *removal]


async def _found(site: PageSite, asked: FindingFilter) -> tuple[Sequence[CitedFinding], int]:
    """The findings of a page, and how many there are."""
    if asked.state != STALE:
        offset = (asked.page - 1) * PAGE_ROWS
        wanted = FindingQuery(asked.type, asked.words, PAGE_ROWS, offset)
        found: tuple[list[CitedFinding], int] = await site.ask("context.findings", wanted)
        return found
    every: list[CitedFinding] = await site.ask("context.stale_findings")
    words = asked.words.casefold()
    fitting: list[CitedFinding] = []
    for each in every:
        text = f"{each.finding.content} {each.finding.module or ''}".casefold()
        if asked.type in ("", each.finding.type) and words in text:
            fitting.append(each)
    return select_rows(fitting, asked.page)[0], len(fitting)


def _main(found: Sequence[CitedFinding], total: int, asked: FindingFilter, hidden: str) -> Html:
    if not total and not any(asked.query.values()):
        return Html(render_heading("Findings") + render_empty_state("No findings yet", NONE))
    items = "".join(_item(each, can_remove=bool(hidden)) for each in found)
    empty = render_empty_state("Nothing here", f'<a href="{PATH}">Show all findings</a>.')
    listed = f'<ul class="list findings">{items}</ul>' if items else empty
    return Html(
        render_heading("Findings", escape_html(LEAD))
        + _tools(asked, _form(asked, hidden) if hidden else "")
        + listed
        + render_pager(PATH, at=asked.page, total=total, **asked.query)
    )


def _tools(asked: FindingFilter, form: str) -> str:
    states = [("", "All"), (STALE, STALE.capitalize())]
    types = [("", "All kinds"), *((each, f"{each.capitalize()}s") for each in TYPES)]
    return (
        '<div class="tools">'
        + render_chips("Which are shown", PATH, "state", states, asked.state, type=asked.type, q=asked.words)
        + render_filter_form(PATH, asked.words, "Filter findings", state=asked.state, type=asked.type)
        + render_chips("Which kind", PATH, "type", types, asked.type, state=asked.state, q=asked.words)
        + f"{form}</div>"
    )


def _form(asked: FindingFilter, hidden: str) -> str:
    """The one form that all buttons of the list send."""
    back = urlencode({name: value for name, value in asked.query.items() if value})
    place = f'<input type="hidden" name="back" value="{escape_html(back)}">'
    return f'<form id="remover" method="post">{hidden}{place}</form>'


def _item(cited: CitedFinding, *, can_remove: bool) -> str:
    each = cited.finding
    module = f' <span class="quiet">in <code>{escape_html(each.module)}</code></span>' if each.module else ""
    stale = render_badge("stale", "bad") if cited.stale else ""
    content = escape_html_lines(each.content).replace("\n", "<br>")
    return (
        f'<li id="finding-{escape_html(each.id)}"><p>{render_badge(each.type, TONES[each.type])}{module} {stale}'
        f'</p><p class="said">{content}</p>{_stale(cited)}'
        f'<p class="small quiet">{_about(each)}{_places(cited)}</p>{_button(each) if can_remove else ""}</li>'
    )


def _about(discovery: Finding) -> str:
    """When it was found out, and how we know."""
    moment = discovery.created_at.astimezone(UTC)
    evidence: Mapping[str, Any] = discovery.evidence
    how: list[str] = []
    source = str(evidence.get("extractedFrom") or "")
    if source:
        how.append(SOURCES.get(source, source))
    if evidence.get("commit"):
        how.append(f"commit {str(evidence['commit'])[:10]}")
    time = f'<time datetime="{discovery.date}" title="{discovery.date}">{format_age(moment, datetime.now(UTC))}</time>'
    return ", ".join([time, *map(escape_html, how)])


def format_age(moment: datetime, now: datetime) -> str:
    """How long ago something was, in its largest unit."""
    days = max((now - moment).days, 0)
    for size, unit in DAYS:
        if days >= size:
            return f"{days // size} {unit}{'' if days // size == 1 else 's'} ago"
    return "today"


def _places(cited: CitedFinding) -> str:
    links = ""
    for place in cited.places:
        citation = read_citation(place)
        if citation is None:
            links += f" · {render_source_link(place)}"
        else:
            links += f" · {render_source_link(citation.path, citation.start_line, citation.end_line)}"
    return links


def _stale(cited: CitedFinding) -> str:
    """What of it no longer holds, in one line each."""
    items = "".join(f"<li>{escape_html(each.told())}</li>" for each in cited.stale[:5])
    return f'<ul class="small stale">{items}</ul>' if items else ""


def _button(finding: Finding) -> str:
    name = escape_html(" ".join(finding.content.split())[:80])
    action = f"{PATH}/{escape_html(finding.id)}/remove"
    return (
        f'<p class="actions"><button form="remover" formaction="{action}" aria-label="Remove: {name}">'
        "Remove</button></p>"
    )
