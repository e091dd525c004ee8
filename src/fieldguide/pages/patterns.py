"""The pages of patterns and their rules."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.knowledge.decisions.lineage import quote_name
from fieldguide.pages.components import (
    Html,
    read_page_number,
    render_badge,
    render_empty_state,
    render_heading,
    render_pager,
    render_source_link,
    select_rows,
)
from fieldguide.pages.site import PageSite
from fieldguide.text.display import escape_html, format_count
from fieldguide.text.errors import NotFound

TONES = {"error": "bad", "warning": "fair"}
MOST = 200
ADVICE = "No program can check this part; people and agents read it."
Rule = Mapping[str, Any]
PATH = "/patterns"
SHOWN = "architecture.patterns"
LEAD = "How code is written here, with the rules that can be checked."
NONE = (
    "A pattern is a document in <code>mcp/resources/patterns/</code> that says how code is to be written. "
    "<code>fieldguide patterns add error-handling</code> brings one of ours."
)
Pattern = Mapping[str, Any]


def render_rules(pattern: Mapping[str, Any]) -> str:
    """All that a pattern asks for."""
    declared = [rule for rule in pattern["rules"] if rule["is_declared"]]
    read = [rule for rule in pattern["rules"] if not rule["is_declared"]]
    return "".join(
        (
            _problems(pattern),
            _rules("Rules that it declares", declared, pattern),
            _rules("Rules read from its text", read, pattern),
            _advice(pattern),
        )
    )


def _rules(title: str, rules: Sequence[Rule], pattern: Mapping[str, Any]) -> str:
    if not rules:
        return ""
    items = "".join(_rule(rule, pattern["path"]) for rule in rules[:MOST])
    return f'<section class="stack"><h2>{title}</h2><ul class="list rules">{items}</ul></section>'


def _rule(rule: Rule, path: str) -> str:
    fix = f"<p>Instead: {escape_html(rule['fix'])}</p>" if rule["fix"] else ""
    cited = render_source_link(path, rule["line"], label=f"line {rule['line']}")
    return (
        f"<li><p>{render_badge(rule['severity'], TONES[rule['severity']])} <code>{escape_html(rule['id'])}</code></p>"
        f'<p class="title">{escape_html(rule["message"])}</p>{fix}'
        f'<p class="quiet small">{cited}</p></li>'
    )


def _advice(pattern: Mapping[str, Any]) -> str:
    items = "".join(
        f"<li><p>{escape_html(' '.join(each['text'].split()))}</p>"
        f'<p class="small">{render_source_link(pattern["path"], each["document_line"])}</p></li>'
        for each in pattern["advice"][:MOST]
    )
    about = f'<p class="quiet">{ADVICE}</p>'
    return f'<section class="stack"><h2>Advice</h2>{about}<ul class="list">{items}</ul></section>' if items else ""


def _problems(pattern: Mapping[str, Any]) -> str:
    items = "".join(
        f"<li>{escape_html(each['message'])} {render_source_link(pattern['path'], each['document_line'])}</li>"
        for each in pattern["problems"][:MOST]
    )
    return f'<div class="notice bad"><p>Some of it can\'t be read:</p><ul>{items}</ul></div>' if items else ""


def routes(site: PageSite) -> list[Route]:
    """The list, and a page for each pattern, where the architecture toolset is served."""
    if not site.has(SHOWN):
        return []
    site.add_section("Patterns", PATH)

    async def show_all(request: Request) -> Response:
        patterns: list[Pattern] = await site.ask(SHOWN)
        return site.page("Patterns", _list(patterns, read_page_number(request)), at=PATH)

    async def show_one(request: Request) -> Response:
        patterns: list[Pattern] = await site.ask(SHOWN)
        name = request.path_params["name"]
        pattern = next((each for each in patterns if each["name"] == name), None)
        if pattern is None:
            raise NotFound(f"There is no pattern {name!r} here. It may have been renamed or removed.")
        return site.page(pattern["title"], _one(pattern), at=PATH)

    return [site.route(PATH, show_all), site.route(f"{PATH}/{{name:path}}", show_one)]


def _list(patterns: Sequence[Pattern], page: int) -> Html:
    if not patterns:
        return Html(render_heading("Patterns") + render_empty_state("No patterns yet", NONE))
    rows, at = select_rows(patterns, page)
    cards = "".join(map(_card, rows))
    pages = render_pager(PATH, at=at, total=len(patterns))
    return Html(render_heading("Patterns", escape_html(LEAD)) + f'<div class="grid">{cards}</div>{pages}')


def _card(pattern: Pattern) -> str:
    title = (
        f'<a href="{PATH}/{escape_html(quote_name(pattern["name"]))}"><bdi>{escape_html(pattern["title"])}</bdi></a>'
    )
    declared = sum(rule["is_declared"] for rule in pattern["rules"])
    read = len(pattern["rules"]) - declared
    said = [format_count(declared, "rule declared", "rules declared")] if declared else []
    said += [format_count(read, "rule read from its text", "rules read from its text")] if read else []
    said += [format_count(len(pattern["advice"]), "piece of advice", "pieces of advice")] if pattern["advice"] else []
    wrong = render_badge(format_count(len(pattern["problems"]), "rule can't be read", "rules can't be read"), "bad")
    body = f"<p>{escape_html(', '.join(said) or 'Nothing in it can be checked.')}</p>"
    foot = render_source_link(pattern["path"]) + (wrong if pattern["problems"] else "")
    return f'<article class="card"><h2>{title}</h2>{body}<div class="foot">{foot}</div></article>'


def _one(pattern: Pattern) -> Html:
    return Html(
        f'<p class="back"><a href="{PATH}">All patterns</a></p>'
        + render_heading(pattern["title"], render_source_link(pattern["path"]))
        + render_rules(pattern)
    )
