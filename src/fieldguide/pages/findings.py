"""The page on which people review findings."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.files.file_system import find_login_name
from fieldguide.knowledge.findings.finding import (
    ARCHIVED,
    CONFIRMED,
    OPEN,
    STATES,
    TYPES,
    Finding,
    FindingQuery,
    ReviewedFinding,
)
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
from fieldguide.spine.tool import ANONYMOUS
from fieldguide.text.citation import read_citation
from fieldguide.text.display import escape_html, escape_html_lines
from fieldguide.text.errors import InvalidArguments

PATH = "/findings"
SHOWN = ("context.findings", "context.stale_findings", "context.finding_counts", "context.review")
STALE = "stale"
LEAD = (
    "What earlier work found out about this project. Confirm what still holds, and archive what agents no longer need."
)
NONE = "Agents record findings while they work. You can add one with <code>fieldguide findings add</code>."
ACTIONS = {
    OPEN: ((CONFIRMED, "Confirm"), (ARCHIVED, "Archive")),
    CONFIRMED: ((ARCHIVED, "Archive"), (OPEN, "Review again")),
    ARCHIVED: ((OPEN, "Restore"),),
}
TONES = {"rule": "accent", "decision": "accent", "issue": "fair", "pattern": "plain"}
WORDS = {OPEN: "to review", CONFIRMED: "confirmed", ARCHIVED: "archived", STALE: "stale"}
SOURCES = {"guide_record": "recorded by an agent"}
DAYS = ((365, "year"), (30, "month"), (7, "week"), (1, "day"))


class FindingFilter(NamedTuple):
    """Which findings somebody wants to see."""

    review: str
    type: str
    words: str
    page: int

    @property
    def query(self) -> dict[str, Any]:
        """What an address has of it, but for the page."""
        return {"review": self.review, "type": self.type, "q": self.words}


def routes(site: PageSite) -> list[Route]:
    """The list, and its review, where the context toolset is served."""
    if not site.has(*SHOWN):
        return []
    site.add_section("Findings", PATH)

    async def show(request: Request) -> Response:
        asked = FindingFilter(
            read_choice(request, "review", (*STATES, STALE), OPEN),
            read_choice(request, "type", TYPES),
            read_filter_words(request),
            read_page_number(request),
        )
        counts: dict[str, int] = await site.ask("context.finding_counts")
        found, total = await _found(site, asked)
        hidden = "" if site.served.is_read_only else site.csrf(request)
        return site.page(request, "Findings", _main(found, total, counts, asked, hidden), at=PATH)

    async def review(request: Request) -> Response:
        form = await site.checked_form(request)
        state = request.path_params["state"]
        if state not in STATES:
            raise InvalidArguments(f"A finding is {', '.join(STATES)}.")
        user = site.served.user or find_login_name() or ANONYMOUS
        await site.ask("context.review", request.path_params["id"], state, user)
        back = form.get("back", "")  # of the list that the form was sent from; a path of ours, whatever it says
        return site.see_other(f"{PATH}?{back}" if back.isascii() and back.isprintable() else PATH)

    reviewed = [] if site.served.is_read_only else [site.route(f"{PATH}/{{id}}/{{state}}", review, ("POST",))]
    return [site.route(PATH, show), *reviewed]


async def _found(site: PageSite, asked: FindingFilter) -> tuple[Sequence[ReviewedFinding], int]:
    """The findings of a page, and how many there are."""
    if asked.review != STALE:
        offset = (asked.page - 1) * PAGE_ROWS
        wanted = FindingQuery(asked.review, asked.type, asked.words, PAGE_ROWS, offset)
        found: tuple[list[ReviewedFinding], int] = await site.ask("context.findings", wanted)
        return found
    every: list[ReviewedFinding] = await site.ask("context.stale_findings")
    words = asked.words.casefold()
    fitting: list[ReviewedFinding] = []
    for each in every:
        text = f"{each.discovery.content} {each.discovery.module or ''}".casefold()
        if asked.type in ("", each.discovery.type) and words in text:
            fitting.append(each)
    return select_rows(fitting, asked.page)[0], len(fitting)


def _main(
    found: Sequence[ReviewedFinding], total: int, counts: Mapping[str, int], asked: FindingFilter, hidden: str
) -> Html:
    if not sum(counts.values()):
        return Html(render_heading("Findings") + render_empty_state("No findings yet", NONE))
    items = "".join(_item(each, can_review=bool(hidden)) for each in found)
    listed = f'<ul class="list findings">{items}</ul>' if items else _nothing(asked)
    return Html(
        render_heading("Findings", escape_html(LEAD))
        + _tools(counts, asked, _form(asked, hidden) if hidden else "")
        + listed
        + render_pager(PATH, at=asked.page, total=total, **asked.query)
    )


def _tools(counts: Mapping[str, int], asked: FindingFilter, form: str) -> str:
    states = [
        *((each, f"{WORDS[each].capitalize()} {counts[each]:,}") for each in STATES),
        (STALE, WORDS[STALE].capitalize()),
    ]
    types = [("", "All kinds"), *((each, f"{each.capitalize()}s") for each in TYPES)]
    return (
        '<div class="tools">'
        + render_chips("Which are shown", PATH, "review", states, asked.review, type=asked.type, q=asked.words)
        + render_filter_form(PATH, asked.words, "Filter findings", review=asked.review, type=asked.type)
        + render_chips("Which kind", PATH, "type", types, asked.type, review=asked.review, q=asked.words)
        + f"{form}</div>"
    )


def _form(asked: FindingFilter, hidden: str) -> str:
    """The one form that all buttons of the list send."""
    back = urlencode({name: value for name, value in asked.query.items() if value})
    place = f'<input type="hidden" name="back" value="{escape_html(back)}">'
    return f'<form id="reviewer" method="post">{hidden}{place}</form>'


def _nothing(asked: FindingFilter) -> str:
    if asked.review == OPEN and not asked.words and not asked.type:
        return render_empty_state("Everything is reviewed", "Every finding was confirmed or archived.")
    return render_empty_state("Nothing here", f'<a href="{PATH}">Show what is to be reviewed</a>.')


def _item(finding: ReviewedFinding, *, can_review: bool) -> str:
    each = finding.discovery
    module = f' <span class="quiet">in <code>{escape_html(each.module)}</code></span>' if each.module else ""
    stale = render_badge("stale", "bad") if finding.is_stale else ""
    content = escape_html_lines(each.content).replace("\n", "<br>")
    seen = (
        render_badge(f"{each.review} {each.reviewed_at[:10]} by {each.reviewed_by}", "good") if each.reviewed_at else ""
    )
    return (
        f'<li id="finding-{escape_html(each.id)}"><p>{render_badge(each.type, TONES[each.type])}{module} {stale} '
        f'{seen if each.review != OPEN else ""}</p><p class="said">{content}</p>{_stale(finding)}'
        f'<p class="small quiet">{_about(each)}{_places(finding)}</p>{_buttons(each) if can_review else ""}</li>'
    )


def _about(discovery: Finding) -> str:
    """When it was found out, and how we know."""
    moment = discovery.created_at.astimezone(UTC)
    evidence: Mapping[str, Any] = discovery.evidence
    how = [str(evidence["author"])] if evidence.get("author") else []
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


def _places(finding: ReviewedFinding) -> str:
    links = ""
    for place in finding.places:
        cited = read_citation(place)
        if cited is None:
            links += f" · {render_source_link(place)}"
        else:
            links += f" · {render_source_link(cited.path, cited.start_line, cited.end_line)}"
    return links


def _stale(finding: ReviewedFinding) -> str:
    """What of it no longer holds, in one line each."""
    items = "".join(f"<li>{escape_html(each.told())}</li>" for each in finding.stale[:5])
    return f'<ul class="small stale">{items}</ul>' if items and finding.is_stale else ""


def _buttons(discovery: Finding) -> str:
    name = escape_html(" ".join(discovery.content.split())[:80])
    buttons = "".join(
        f'<button form="reviewer" formaction="{PATH}/{escape_html(discovery.id)}/{state}" aria-label="{word}: {name}">'
        f"{word}</button>"
        for state, word in ACTIONS.get(discovery.review, ACTIONS[OPEN])
    )
    return f'<p class="actions">{buttons}</p>'
