"""The patterns of the project with their rules, and a box for each to check code against it."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.dashboard.components import badge, card, counted, empty_state, heading, pager, source_link
from fieldguide.dashboard.page_text import as_html
from fieldguide.dashboard.site import Site
from fieldguide.dashboard.views.asked import page_of, rows_at
from fieldguide.dashboard.views.patterns.checking import Tried, box_html, tried_html
from fieldguide.dashboard.views.patterns.rules import rules_html
from fieldguide.errors import FieldguideError, NotFound
from fieldguide.picturing.decisions import address

PATH = "/patterns"
SHOWN = "architecture.patterns"
TOOL = "validate-against-pattern"
LEAD = "How code is written here, with the rules that a machine can check. Paste code into a pattern to try it."
NONE = (
    "A pattern is a document in <code>mcp/resources/patterns/</code> that says how code is to be written. "
    "<code>fieldguide patterns add error-handling</code> brings one of ours, "
    "<code>fieldguide patterns new NAME</code> begins your own."
)
Pattern = Mapping[str, Any]


def routes(site: Site) -> list[Route]:
    """The list, and a page for each pattern, where the architecture toolset is served."""
    if not site.has(SHOWN) or not site.serves(TOOL):
        return []
    site.add_section("Patterns", PATH)

    async def show_all(request: Request) -> Response:
        patterns: list[Pattern] = await site.ask(SHOWN)
        return site.page(request, "Patterns", _list(patterns, page_of(request)), at=PATH)

    async def found(request: Request) -> Pattern:
        patterns: list[Pattern] = await site.ask(SHOWN)
        name = request.path_params["name"]
        pattern = next((each for each in patterns if each["name"] == name), None)
        if pattern is None:
            raise NotFound(f"There is no pattern {name!r} here. It may have been renamed or removed.")
        return pattern

    async def show_one(request: Request) -> Response:
        pattern = await found(request)
        return site.page(request, pattern["title"], _one(pattern, Tried(), site.csrf(request)), at=PATH)

    async def check(request: Request) -> Response:
        form = await site.checked_form(request)
        pattern = await found(request)
        tried = Tried(form.get("code", "").replace("\r\n", "\n"), form.get("language", ""))
        try:
            given = {"pattern_name": pattern["name"], "code": tried.code, "language": tried.language or None}
            answer = await site.call(request, TOOL, given)
            tried, status = tried._replace(report=answer.value), 200
        except FieldguideError as error:
            tried, status = tried._replace(error=error.message), 400
        main = _one(pattern, tried, site.csrf(request))
        return site.page(request, pattern["title"], main, at=PATH, status=status)

    one = f"{PATH}/{{name:path}}"
    return [site.route(PATH, show_all), site.route(one, show_one), site.route(one, check, ("POST",))]


def _list(patterns: Sequence[Pattern], page: int) -> str:
    if not patterns:
        return heading("Patterns") + empty_state("No patterns yet", NONE)
    rows, at = rows_at(patterns, page)
    cards = "".join(map(_card, rows))
    pages = pager(PATH, at=at, total=len(patterns))
    return heading("Patterns", as_html(LEAD)) + f'<div class="grid">{cards}</div>{pages}'


def _card(pattern: Pattern) -> str:
    title = f'<a href="{PATH}/{as_html(address(pattern["name"]))}"><bdi>{as_html(pattern["title"])}</bdi></a>'
    declared = sum(rule["is_declared"] for rule in pattern["rules"])
    read = len(pattern["rules"]) - declared
    said = [counted(declared, "rule declared", "rules declared")] if declared else []
    said += [counted(read, "rule read from its text", "rules read from its text")] if read else []
    said += [counted(len(pattern["advice"]), "piece of advice", "pieces of advice")] if pattern["advice"] else []
    wrong = badge(counted(len(pattern["problems"]), "rule can't be read", "rules can't be read"), "bad")
    body = f"<p>{as_html(', '.join(said) or 'Nothing in it can be checked.')}</p>"
    foot = source_link(pattern["path"]) + (wrong if pattern["problems"] else "")
    return card(title, body, foot_html=foot, tag="article")


def _one(pattern: Pattern, tried: Tried, csrf: str) -> str:
    here = f"{PATH}/{address(pattern['name'])}"
    return "".join(
        (
            f'<p class="back"><a href="{PATH}">All patterns</a></p>',
            heading(pattern["title"], source_link(pattern["path"])),
            tried_html(pattern, tried),
            box_html(here, pattern, tried, csrf),
            rules_html(pattern),
        )
    )
