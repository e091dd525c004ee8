"""The pages of decisions: the list and one record."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.git.log import HistoryCommit
from fieldguide.knowledge.decisions.lineage import (
    STANDINGS,
    DatedDecision,
    NamedRecord,
    build_decisions,
    describe_status,
    index_by_name,
)
from fieldguide.knowledge.decisions.record import DecisionRecord, RecordPassage
from fieldguide.pages.components import (
    Html,
    read_choice,
    read_filter_words,
    read_page_number,
    render_badge,
    render_chips,
    render_empty_state,
    render_filter_form,
    render_heading,
    render_notice,
    render_pager,
    render_source_link,
    select_rows,
)
from fieldguide.pages.markdown import render_document
from fieldguide.pages.site import PageSite
from fieldguide.text.display import escape_html, escape_html_lines
from fieldguide.text.errors import NotFound
from fieldguide.text.windows import cut_between_words

TIES = (
    ("supersedes", "supersedes"),
    ("superseded_by", "superseded by"),
    ("amends", "amends"),
    ("amended_by", "amended by"),
)
"""The fields of a decision that name others, and the words for them."""
TONES = {"in force": "good", "proposed": "fair", "rejected": "bad", "retired": "plain"}
LEAD = "The decisions of this project and their status. Agents see them before they propose the opposite."
LONGEST_PASSAGE = 400
MOST = 60
SHORT_ID = 10
PATH = "/decisions"
SHOWN = "architecture.decisions"
HISTORY = "architecture.decision_history"
LARGEST_BYTES = 1 << 20
AGAIN_SECONDS = 2
READING = "There are many decisions here, and they are still being read. This page reloads by itself."
NONE = (
    "A decision is a document that says what was decided and why. Put one into <code>docs/decisions/</code> (or "
    "<code>docs/adr/</code>), as <code>0001-use-postgresql.md</code>, with a status and a date. It then appears here, "
    "and agents see it before they propose the opposite."
)


class DecisionFilter(NamedTuple):
    """What a person wants to see of the decisions."""

    standing: str = ""
    words: str = ""
    page: int = 1

    @property
    def query(self) -> dict[str, Any]:
        """What an address has of it, but for the page."""
        return {"status": self.standing, "q": self.words}


def render_list(decisions: Sequence[DatedDecision], bodies: Mapping[str, str], asked: DecisionFilter) -> str:
    """The decisions that are wanted, newest first."""
    known = index_by_name(decisions)
    found = [*reversed(filter_decisions(decisions, bodies, asked))]
    rows, at = select_rows(found, asked.page)
    items = "".join(_render_item(each, known) for each in rows)
    listed = f'<ol class="list decisions" role="list">{items}</ol>' if items else render_no_match()
    return render_list_head(decisions, asked) + listed + render_pager(PATH, at=at, total=len(found), **asked.query)


def render_list_head(decisions: Sequence[DatedDecision], asked: DecisionFilter) -> str:
    """The title and the filters."""
    counts = Counter(each.standing for each in decisions)
    choices = [
        ("", f"All {len(decisions):,}"),
        *((each, f"{each.capitalize()} {counts[each]:,}") for each in STANDINGS if counts[each]),
    ]
    return (
        render_heading("Decisions", escape_html(LEAD))
        + '<div class="tools">'
        + render_filter_form(PATH, asked.words, "Filter by words", status=asked.standing)
        + render_chips("Which are shown", PATH, "status", choices, asked.standing, q=asked.words)
        + "</div>"
    )


def filter_decisions(
    decisions: Sequence[DatedDecision], bodies: Mapping[str, str], asked: DecisionFilter
) -> list[DatedDecision]:
    """The decisions of a standing that have all of some words, in their title or their text."""
    words = asked.words.casefold().split()
    of_standing = [each for each in decisions if asked.standing in ("", each.standing)]
    if not words:
        return of_standing
    found: list[DatedDecision] = []
    for each in of_standing:
        text = f"{name_decision(each)} {each.status} {bodies.get(each.name, '')}".casefold()
        if all(word in text for word in words):
            found.append(each)
    return found


def render_no_match() -> str:
    """What stands where a filter leaves nothing."""
    again = f'<a href="{PATH}">Show all of them</a>'
    return render_empty_state("No decision matches", f"{again} or try other words.")


def name_decision(decision: DatedDecision) -> str:
    """A decision's number and title."""
    return f"{decision.label} {decision.title}" if decision.label else decision.title


def link_decision(decision: DatedDecision) -> str:
    """A decision's number and title, as a link."""
    return f'<a href="{escape_html(decision.href)}">{escape_html(name_decision(decision))}</a>'


def render_standing(decision: DatedDecision) -> str:
    """How a decision stands, in the words of the record."""
    return render_badge(describe_status(decision), TONES[decision.standing])


def _render_item(decision: DatedDecision, known: Mapping[str, DatedDecision]) -> str:
    day = f'<time datetime="{decision.day}">{decision.day}</time>' if decision.day else "<span>no date</span>"
    number = f'<span class="number">{escape_html(decision.label)}</span>'
    title = f'<a class="title" href="{escape_html(decision.href)}"><bdi>{escape_html(decision.title)}</bdi></a>'
    return (
        f'<li>{number}<div class="what">{title}{_ties_line(decision, known)}</div>{render_standing(decision)}{day}</li>'
    )


def _ties_line(decision: DatedDecision, known: Mapping[str, DatedDecision]) -> str:
    """The ties of a decision in a small line."""
    parts: list[str] = []
    for field, tie in TIES:
        names: Sequence[str] = getattr(decision, field)
        if names:
            links = ", ".join(link_decision(known[name]) for name in names if name in known)
            parts.append(f"{tie} {links}")
    return f'<p class="small quiet">{"; ".join(parts)}</p>' if parts else ""


def render_record(
    recorded: NamedRecord, decisions: Sequence[DatedDecision], commits: Sequence[HistoryCommit], text: str
) -> str:
    """The page of a record: its document `text`, the facts above it, and what was read from it beside."""
    known = index_by_name(decisions)
    decision = known[recorded.name]
    record = recorded.record
    beside = "".join(
        (
            _said("Question", record.question, record.path),
            _options(record),
            _said("Answer", record.answer, record.path),
            _history(record, commits),
        )
    )
    shown = render_document(record.path, _leave_title_out(text, record.title))
    return (
        f'<p class="back"><a href="/decisions">All decisions</a></p>{render_heading(name_decision(decision))}'
        f'{_facts(recorded, decision, known)}<div class="beside record wide"><article class="prose" dir="auto">{shown}'
        f'</article><aside class="read-from-it" aria-label="Read from this record">{beside}</aside></div>'
        f"{_neighbours(decision, decisions)}"
    )


def _leave_title_out(text: str, title: str) -> str:
    """The text of a record without its first heading, where the page has that already; its lines keep their numbers."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.startswith("# "):
            if title in line:
                lines[number] = ""
            break
    return "\n".join(lines)


def _facts(recorded: NamedRecord, decision: DatedDecision, known: Mapping[str, DatedDecision]) -> str:
    record = recorded.record
    status = record.status_text
    told = f" {_line(record.path, status.first_line)}" if status else ""
    rows = [
        ("Status", render_standing(decision) + told),
        ("Date", escape_html(str(decision.day)) if decision.day else "none"),
        ("File", render_source_link(record.path)),
    ]
    for field, tie in TIES:
        names = [name for name in getattr(decision, field) if name in known]
        if names:
            rows.append((tie.capitalize(), "<br>".join(link_decision(known[name]) for name in names)))
    return f'<dl class="facts">{"".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)}</dl>'


def _said(title: str, passage: RecordPassage | None, path: str) -> str:
    """What a record says about something, as a quote with its lines."""
    if passage is None or not passage.text.strip():
        return ""
    shown = cut_between_words(passage.text.strip(), LONGEST_PASSAGE)
    cited = _line(path, passage.first_line, passage.last_line)
    return (
        f'<section class="stack said"><h2>{title}</h2><blockquote>{escape_html_lines(shown)}</blockquote>'
        f'<p class="small">{cited}</p></section>'
    )


def _line(path: str, first: int, last: int | None = None) -> str:
    """A link to lines of the record, by their numbers alone."""
    label = f"line {first}" if last in (None, first) else f"lines {first} to {last}"
    return render_source_link(path, first, last, label=label)


def _options(record: DecisionRecord) -> str:
    """What was considered: what was chosen first, then what was turned down and why, then the rest."""
    taken = {each.text for each in record.chosen}
    dropped = {each.text for each in record.rejected}
    rest = [each for each in record.considered if each.text not in taken | dropped]
    groups = (
        ("chosen", "good", record.chosen),
        ("turned down", "plain", record.rejected),
        ("considered", "plain", rest),
    )
    items = ""
    for word, tone, options in groups:
        for option in options[:MOST]:
            why = f'<p class="quiet">{escape_html(option.reason)}</p>' if option.reason else ""
            items += (
                f'<li><p><span class="badge {tone}">{word}</span> '
                f'<span class="title">{escape_html(option.text)}</span></p>{why}'
                f'<p class="small">{_line(record.path, option.line)}</p></li>'
            )
    if not items:
        return ""
    return f'<section class="stack"><h2>Options</h2><ul class="list options">{items}</ul></section>'


def _history(record: DecisionRecord, commits: Sequence[HistoryCommit]) -> str:
    """What the record says of its status, and the commits that changed it."""
    items = ""
    if record.status_text and record.status_text.text.strip():
        lines = escape_html_lines(record.status_text.text.strip()[:LONGEST_PASSAGE])
        items = f"<li><span>Now</span><span>{lines}</span></li>"
    for change in commits:
        day = datetime.fromtimestamp(change.seconds, UTC).date()
        items += (
            f'<li><time datetime="{day}">{day}</time><span>{escape_html(change.subject)} '
            f'<span class="quiet">{escape_html(change.author)}, '
            f"<code>{escape_html(change.id[:SHORT_ID])}</code></span></span></li>"
        )
    return f'<section class="stack"><h2>History</h2><ol class="changes">{items}</ol></section>' if items else ""


def _neighbours(decision: DatedDecision, decisions: Sequence[DatedDecision]) -> str:
    """The ways to the decisions before and after."""
    at = next(place for place, each in enumerate(decisions) if each.name == decision.name)
    before = f"<span>Earlier: {link_decision(decisions[at - 1])}</span>" if at else "<span></span>"
    after = f"<span>Later: {link_decision(decisions[at + 1])}</span>" if at + 1 < len(decisions) else "<span></span>"
    return f'<nav class="neighbours" aria-label="Other decisions">{before}{after}</nav>'


def routes(site: PageSite) -> list[Route]:
    """The list and the page of each decision, where the architecture toolset is served."""
    if not site.has(SHOWN, HISTORY):
        return []
    site.add_section("Decisions", PATH)
    cabinet = DecisionCache(site)

    async def show_all(request: Request) -> Response:
        drawer = await cabinet.drawer()
        if drawer is None:
            return _waiting(site)
        return site.page("Decisions", await _main(drawer, request), at=PATH)

    async def show_one(request: Request) -> Response:
        drawer = await cabinet.drawer()
        if drawer is None:
            return _waiting(site)
        name = request.path_params["name"]
        found = next((each for each in drawer.recorded if each.name == name), None)
        if found is None:
            raise NotFound(f"There is no decision {name!r} here. It may have been renamed or removed.")
        commits = await site.ask(HISTORY, found.record.path)
        main = await run_in_threadpool(_one, site, found, drawer, commits)
        return site.page(found.record.title, main, at=PATH)

    return [site.route(PATH, show_all), site.route(f"{PATH}/{{name:path}}", show_one)]


class TiedDecisions(NamedTuple):
    """All decisions as they were read, and tied together."""

    recorded: Sequence[NamedRecord]
    decisions: Sequence[DatedDecision]


class DecisionCache:
    """The decisions; they are tied together again only when one of them has changed."""

    def __init__(self, site: PageSite) -> None:
        self._site = site
        self._drawer = TiedDecisions((), ())

    async def drawer(self) -> TiedDecisions | None:
        """What there is now; None while it is still read."""
        recorded: list[NamedRecord] | None = await self._site.ask(SHOWN)
        if recorded is not None and recorded != self._drawer.recorded:
            tied = await run_in_threadpool(partial(build_decisions, recorded, page=f"{PATH}/"))
            self._drawer = TiedDecisions(recorded, tied)
        return None if recorded is None else self._drawer


def _waiting(site: PageSite) -> Response:
    """A page that asks again by itself, with or without script."""
    main = Html(render_heading("Decisions") + render_notice(f"<p>{READING}</p>"))
    response = site.page("Decisions", main, at=PATH)
    response.headers["refresh"] = str(AGAIN_SECONDS)
    return response


async def _main(drawer: TiedDecisions, request: Request) -> Html:
    if not drawer.recorded:
        return Html(render_heading("Decisions") + render_empty_state("No decisions were found", NONE))
    asked = DecisionFilter(
        standing=read_choice(request, "status", STANDINGS),
        words=read_filter_words(request),
        page=read_page_number(request),
    )
    bodies = {each.name: each.record.body.text for each in drawer.recorded} if asked.words else {}
    return Html(await run_in_threadpool(render_list, drawer.decisions, bodies, asked))


def _one(site: PageSite, found: NamedRecord, drawer: TiedDecisions, commits: Sequence[HistoryCommit]) -> Html:
    """The page of a record, with its text as it is in its file now."""
    content = site.served.folder.read(found.record.path, limit_bytes=LARGEST_BYTES)
    return Html(render_record(found, drawer.decisions, commits, content.decode("utf-8", errors="replace")))
