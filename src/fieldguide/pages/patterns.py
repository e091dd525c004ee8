"""The pages of patterns: their rules and a box to check code against them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.code.parsing import GRAMMARS
from fieldguide.knowledge.decisions.lineage import quote_name
from fieldguide.pages.components import (
    Html,
    read_page_number,
    render_badge,
    render_code_block,
    render_empty_state,
    render_heading,
    render_pager,
    render_source_link,
    select_rows,
)
from fieldguide.pages.site import PageSite
from fieldguide.text.display import escape_html, format_count
from fieldguide.text.errors import FieldguideError, NotFound

TONES = {"error": "bad", "warning": "fair"}
MOST_LINES = 400
BESIDE = 3
"""Of long code, so many lines around each finding are shown."""
MOST = 200
ADVICE = "No program can check this part; people and agents read it."
Rule = Mapping[str, Any]
PATH = "/patterns"
SHOWN = "architecture.patterns"
TOOL = "validate-against-pattern"
LEAD = "How code is written here, with the rules that can be checked. Paste code into a pattern to try it."
NONE = (
    "A pattern is a document in <code>mcp/resources/patterns/</code> that says how code is to be written. "
    "<code>fieldguide patterns add error-handling</code> brings one of ours, "
    "<code>fieldguide patterns new NAME</code> begins your own."
)
Pattern = Mapping[str, Any]


class TriedCode(NamedTuple):
    """What was pasted, and what came of it."""

    code: str = ""
    language: str = ""
    report: Mapping[str, Any] | None = None
    error: str = ""


def render_box(here: str, pattern: Mapping[str, Any], tried: TriedCode, csrf: str) -> str:
    """The form to paste code into."""
    languages = ""
    for name in ("", *sorted(GRAMMARS)):
        selected = " selected" if name == tried.language else ""
        languages += f'<option value="{escape_html(name)}"{selected}>{escape_html(name or "as it looks")}</option>'
    code = tried.code.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\0", "")
    return (
        '<section class="stack" id="try"><h2>Try it</h2>'
        f'<form class="stack" method="post" action="{escape_html(here)}#result">'
        f'{csrf}<div class="field"><label for="code">Code to check</label><textarea id="code" class="code" name="code" '
        f'spellcheck="false" autocapitalize="off" autocomplete="off" rows="12" required '
        f'placeholder="Paste some code">\n{code}</textarea></div><div class="row">'
        f'<div class="field"><label for="language">Language</label><select id="language" name="language">{languages}'
        f'</select></div><button class="main check">Check it</button></div></form></section>'
    )


def render_tried(pattern: Mapping[str, Any], tried: TriedCode) -> str:
    """What was found in the code that was pasted; nothing where none was."""
    if tried.error:
        return f'<div id="result" class="notice bad" role="alert"><p>{escape_html(tried.error)}</p></div>'
    if tried.report is None:
        return ""
    report = tried.report
    found = tried.report["violations"]
    items = "".join(_violation(each, pattern["path"]) for each in found)
    listed = f'<ol class="list violations">{items}</ol>{_listing(tried.code, found)}' if found else ""
    return (
        f'<section id="result" class="stack"><h2>What was found</h2>{_verdict(report)}{listed}'
        f"{_more('What to do', report['suggestions'])}{_more('Not checked', report['not_checked'])}</section>"
    )


def _verdict(report: Mapping[str, Any]) -> str:
    checked = format_count(report["checked"], "rule")
    if report["compliant"]:
        return f'<div class="notice good" role="status"><p>Nothing breaks this pattern. {checked} checked.</p></div>'
    number = len(report["violations"])
    if not number:
        return (
            '<div class="notice fair" role="status"><p>No rule of this pattern could be checked on this code.</p></div>'
        )
    said = format_count(number, "place breaks", "places break")
    return f'<div class="notice bad" role="status"><p>{said} this pattern. {checked} checked.</p></div>'


def _violation(each: Mapping[str, Any], path: str) -> str:
    line = int(each["line"])
    return (
        f'<li><p><a class="cite" href="#code-{line}">line {line}</a> '
        f"{render_badge(each['severity'], TONES[each['severity']])} "
        f"<code>{escape_html(each['rule'])}</code></p><p>{escape_html(each['description'])}</p>"
        f'<p class="small">{render_source_link(path, int(each["document_line"]) or None)}</p></li>'
    )


def _listing(code: str, found: Sequence[Mapping[str, Any]]) -> str:
    """The code with numbers, the lines that break a rule marked; of long code, what is around them."""
    lines = code.removesuffix("\n").split("\n")
    broken = {int(each["line"]) for each in found}
    rows = "".join(_line(number, lines, broken) for number in _shown(len(lines), broken))
    return (
        '<div class="code" role="region" tabindex="0" aria-label="The code, with the lines that break a rule marked">'
        f'<pre><code class="numbered">{rows}</code></pre></div>'
    )


def _shown(length: int, broken: set[int]) -> Iterator[int]:
    """The numbers of the lines to show; 0 for a gap."""
    if length <= MOST_LINES:
        yield from range(1, length + 1)
        return
    near = sorted({near for line in broken for near in range(line - BESIDE, line + BESIDE + 1) if 1 <= near <= length})
    last = 0
    for number in near[:MOST_LINES]:
        if number != last + 1:
            yield 0
        yield number
        last = number


def _line(number: int, lines: Sequence[str], broken: set[int]) -> str:
    if not number:
        return '<span class="line" data-line="">…</span>'
    text = escape_html(lines[number - 1].replace("\t", "    "))
    kind, text = ("line broken", f"<mark>{text or ' '}</mark>") if number in broken else ("line", text)
    return f'<span class="{kind}" id="code-{number}" data-line="{number}">{text}</span>'


def _more(title: str, sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{escape_html(each)}</li>" for each in sentences)
    return f"<h3>{title}</h3><ul>{items}</ul>" if items else ""


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
            _examples(pattern),
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
        f'<p class="quiet small">Checked: {_worded(rule["checked"])}. {cited}</p></li>'
    )


def _worded(text: str) -> str:
    """A sentence with what stands between backticks as code."""
    pieces = text.split("`")
    return "".join(
        f"<code>{escape_html(each)}</code>" if at % 2 else escape_html(each) for at, each in enumerate(pieces)
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


def _examples(pattern: Mapping[str, Any]) -> str:
    items = ""
    for example in pattern["examples"]:
        rules = ", ".join(f"<code>{escape_html(each)}</code>" for each in example["rules"])
        about = f' <span class="quiet">for</span> {rules}' if rules else ""
        items += (
            f'<div class="stack example"><p>{render_badge(example["verdict"], example["verdict"])}{about} '
            f"{render_source_link(pattern['path'], example['line'])}</p>{render_code_block(example['code'])}</div>"
        )
    return f'<section class="stack"><h2>Examples</h2><div class="stack">{items}</div></section>' if items else ""


def routes(site: PageSite) -> list[Route]:
    """The list, and a page for each pattern, where the architecture toolset is served."""
    if not site.has(SHOWN) or not site.serves(TOOL):
        return []
    site.add_section("Patterns", PATH)

    async def show_all(request: Request) -> Response:
        patterns: list[Pattern] = await site.ask(SHOWN)
        return site.page(request, "Patterns", _list(patterns, read_page_number(request)), at=PATH)

    async def found(request: Request) -> Pattern:
        patterns: list[Pattern] = await site.ask(SHOWN)
        name = request.path_params["name"]
        pattern = next((each for each in patterns if each["name"] == name), None)
        if pattern is None:
            raise NotFound(f"There is no pattern {name!r} here. It may have been renamed or removed.")
        return pattern

    async def show_one(request: Request) -> Response:
        pattern = await found(request)
        return site.page(request, pattern["title"], _one(pattern, TriedCode(), site.csrf(request)), at=PATH)

    async def check(request: Request) -> Response:
        form = await site.checked_form(request)
        pattern = await found(request)
        tried = TriedCode(form.get("code", "").replace("\r\n", "\n"), form.get("language", ""))
        try:
            given = {"pattern_name": pattern["name"], "code": tried.code, "language": tried.language or None}
            answer = await site.call(request, TOOL, given)
            tried = tried._replace(report=answer.value)
            status = 200
        except FieldguideError as error:
            tried = tried._replace(error=error.message)
            status = 400
        main = _one(pattern, tried, site.csrf(request))
        return site.page(request, pattern["title"], main, at=PATH, status=status)

    one = f"{PATH}/{{name:path}}"
    return [site.route(PATH, show_all), site.route(one, show_one), site.route(one, check, ("POST",))]


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


def _one(pattern: Pattern, tried: TriedCode, csrf: str) -> Html:
    here = f"{PATH}/{quote_name(pattern['name'])}"
    return Html(
        "".join(
            (
                f'<p class="back"><a href="{PATH}">All patterns</a></p>',
                render_heading(pattern["title"], render_source_link(pattern["path"])),
                render_tried(pattern, tried),
                render_box(here, pattern, tried, csrf),
                render_rules(pattern),
            )
        )
    )
