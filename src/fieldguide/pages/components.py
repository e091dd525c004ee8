"""HTML components that several pages share: frame, headings, badges, tables, pagers and filters."""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar
from urllib.parse import quote, urlencode

from starlette.requests import Request

from fieldguide.text.display import escape_html, escape_html_lines

PAGE_ROWS = 50
"""How many rows a list shows at once."""
CODE = "/code"
ATTRIBUTES = ("href", "src", "action", "formaction", "data-from", "data-load")
LONGEST_WORDS = 200
LAST_PAGE = 1_000_000
T = TypeVar("T")


def build_address(at: str, /, **query: object) -> str:
    """An address of ours for an attribute: the query is quoted, what is None or empty is left out."""
    return html.escape(_join_query(at, query))


def build_code_address(path: str, *, is_escaped: bool = True, **query: str) -> str:
    """The address of a file or folder in the code view, for an attribute; `symbol` and `line` are of its query."""
    at = f"{CODE}/{quote(path, errors='surrogatepass')}" if path else CODE
    whole = _join_query(at, query)
    return html.escape(whole) if is_escaped else whole


def _join_query(at: str, query: Mapping[str, object]) -> str:
    given = {name: str(value) for name, value in query.items() if value is not None and value != ""}
    return f"{at}?{urlencode(given, errors='surrogatepass')}" if given else at


class Html(NamedTuple):
    """HTML that may be sent as it is: whoever makes it vouches that `escape_html` escaped every text in it."""

    markup: str


def render_heading(title: str, lead_html: str = "") -> str:
    """The title of a page, and a sentence below it."""
    lead = f'<p class="lead">{lead_html}</p>' if lead_html else ""
    return f'<div class="heading"><h1>{escape_html(title)}</h1>{lead}</div>'


def render_badge(text: str, tone: str = "plain") -> str:
    """A word about a thing; the tone is plain, good, fair, bad or accent."""
    return f'<span class="badge {tone}">{escape_html(text)}</span>'


def render_empty_state(title: str, advice_html: str) -> str:
    """What stands where nothing is: why, and what to do about it."""
    return f'<div class="empty"><h2>{escape_html(title)}</h2><p>{advice_html}</p></div>'


def render_notice(text_html: str, tone: str = "plain") -> str:
    """A sentence in a box of its own."""
    return f'<div class="notice {tone}" role="status">{text_html}</div>'


def render_table(
    heads: Sequence[str], rows_html: Iterable[str], *, caption: str = "", numbers: Sequence[int] = ()
) -> str:
    """A table that scrolls in a box of its own; `numbers` are the columns that are aligned right."""
    columns = "".join(
        f'<th scope="col"{" class=number" if place in numbers else ""}>{escape_html(head)}</th>'
        for place, head in enumerate(heads)
    )
    said = f"<caption>{escape_html(caption)}</caption>" if caption else ""
    label = escape_html(caption or ", ".join(heads))
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}"><table>{said}<thead><tr>{columns}</tr>'
        f"</thead><tbody>{''.join(rows_html)}</tbody></table></div>"
    )


def render_code_block(text: str, *, can_be_copied: bool = False) -> str:
    """Some lines as they are, with a button that copies them where there is script."""
    button = '<button type="button" class="copy" data-copy hidden>Copy</button>' if can_be_copied else ""
    return f'<div class="code"><pre tabindex="0"><code>{escape_html_lines(text.rstrip())}</code></pre>{button}</div>'


def render_source_link(path: str, start: int | None = None, end: int | None = None, *, label: str = "") -> str:
    """A link to the lines of a file, as `path:3`."""
    lines = "" if start is None else str(start)
    if start is not None and end not in (None, start):
        lines = f"{start}-{end}"
    shown = label or (f"{path}:{start}" if start else path)
    anchor = f"#L{start}" if start else ""
    scheme, mark, rest = path.partition("://")
    address = build_code_address(path, line=lines)
    if mark and scheme == "task":
        address = build_address(f"/tasks/{quote(rest)}")
        shown = f"task {rest}"
        anchor = ""
    elif mark:
        address = build_address("/source", path=path, line=lines)
        shown = label or scheme  # what follows is an id, which says nothing to a person
    return f'<a class="cite" href="{address}{anchor}">{escape_html(shown)}</a>'


def render_file_link(path: str, line: int | None = None) -> str:
    """A file as a link by its name, with its folder below."""
    folder, _, name = path.rpartition("/")
    link = render_source_link(path, line, label=f"{name}:{line}" if line else name)
    return f'{link}<span class="where">{escape_html(folder)}</span>' if folder else link


def render_group(title: str, items_html: Sequence[str], *, most: int, is_open: bool = True) -> str:
    """A list below a title that folds; those after the first `most` are folded once more. Nothing without items."""
    if not items_html:
        return ""
    rows = [f"<li>{each}</li>" for each in items_html]
    more = ""
    if len(rows) > most:
        rest = "".join(rows[most:])
        more = (
            f'<details class="more"><summary>{len(rows) - most:,} more</summary><ul role="list">{rest}</ul></details>'
        )
    opened = " open" if is_open else ""
    return (
        f'<details class="group"{opened}><summary><h2>{escape_html(title)}</h2> '
        f'<span class="count">{len(rows):,}</span></summary><ul role="list">{"".join(rows[:most])}</ul>{more}</details>'
    )


def render_pager(path: str, /, *, at: int, total: int, size: int = PAGE_ROWS, **query: object) -> str:
    """The ways to the pages before and after; nothing where there is one page."""
    if total <= size:
        return ""
    before = build_address(path, **query, page=at - 1) if at > 1 else ""
    after = build_address(path, **query, page=at + 1) if at * size < total else ""
    said = f"{(at - 1) * size + 1:,} to {min(at * size, total):,} of {total:,}"
    return render_steps("Pages", said, ("Previous", before), ("Next", after))


def render_steps(label: str, said: str, before: tuple[str, str], after: tuple[str, str]) -> str:
    """The ways to what is before and after, each a word and an address; a word alone where there is nothing."""
    ways: list[str] = []
    for rel, (word, address) in (("prev", before), ("next", after)):
        ways.append(f'<a rel="{rel}" href="{address}">{word}</a>' if address else f"<span>{word}</span>")
    return f'<nav class="pager" aria-label="{label}">{ways[0]}<span>{said}</span>{ways[1]}</nav>'


def prefix_addresses(content: str, place: str) -> str:
    """The same HTML with its own addresses below a place, such as `/p/shop`; what a text says is escaped, and stays."""
    if not place:
        return content
    for name in ATTRIBUTES:
        content = content.replace(f' {name}="/', f' {name}="{place}/')
    return content


FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="{icon}" type="image/svg+xml">
<link rel="stylesheet" href="{style}">
<script src="{script}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header class="site">
<a class="brand" href="{place}/"><img src="{icon}" alt="" width="28" height="28"><span>Fieldguide</span></a>
<p class="project" title="The project that is served"><bdi>{project}</bdi></p>
<nav aria-label="Sections"><ul>{sections}</ul></nav>
<p class="version">version {version}</p>{who}
</header>
<main id="main" tabindex="-1">
{main}
</main>
</body>
</html>
"""


class SiteSection(NamedTuple):
    """A part of the site that the navigation names."""

    title: str
    path: str


class PageFrame(NamedTuple):
    """What is the same on every page: `place` is what its addresses begin with, `who` is HTML about who looks."""

    project: str
    version: str
    style: str
    icon: str
    script: str
    place: str = ""
    who: str = ""


def render_page(frame: PageFrame, sections: Sequence[SiteSection], *, title: str, main: str, at: str) -> str:
    """The HTML of a page: `main` is HTML already, `title` is text, `at` is the path of its section."""
    links = ""
    for section in sections:
        here = ' aria-current="page"' if section.path == at else ""
        links += f'<li><a href="{frame.place}{section.path}"{here}>{escape_html(section.title)}</a></li>'
    return FRAME.format(
        title=escape_html(f"{title} · {frame.project} · Fieldguide"),
        icon=frame.icon,
        style=frame.style,
        script=frame.script,
        project=escape_html(frame.project),
        version=escape_html(frame.version),
        sections=links,
        main=prefix_addresses(main, frame.place),
        place=frame.place,
        who=frame.who,
    )


def read_filter_words(request: Request) -> str:
    """The words that a list is filtered by."""
    return " ".join(request.query_params.get("q", "")[:LONGEST_WORDS].split())


def read_page_number(request: Request, name: str = "page") -> int:
    """The page that is asked for, from 1 on."""
    said = request.query_params.get(name, "1")
    return max(1, min(int(said), LAST_PAGE)) if said.isascii() and said.isdecimal() and len(said) < 8 else 1


def read_choice(request: Request, name: str, among: Iterable[str], default: str = "") -> str:
    """One of some values, else the default."""
    said = request.query_params.get(name, default)
    return said if said in {*among} else default


def select_rows(rows: Sequence[T], page: int) -> tuple[Sequence[T], int]:
    """The rows of a page, and which page that is: the last one where there are not so many."""
    at = min(page, max(1, -(-len(rows) // PAGE_ROWS)))
    return rows[(at - 1) * PAGE_ROWS : at * PAGE_ROWS], at


def render_chips(label: str, path: str, name: str, values: Iterable[tuple[str, str]], now: str, **query: object) -> str:
    """Links to the same list with another choice; each has its value and the words for it."""
    links = "".join(
        f'<a class="chip" href="{build_address(path, **{**query, name: value})}"'
        f"{' aria-current=true' if value == now else ''}>{escape_html(text)}</a>"
        for value, text in values
    )
    return f'<nav class="chips" aria-label="{escape_html(label)}">{links}</nav>'


def render_filter_form(path: str, words: str, label: str, **kept: object) -> str:
    """A box to filter a list by words; what else is chosen stays."""
    hidden = "".join(
        f'<input type="hidden" name="{escape_html(name)}" value="{escape_html(str(value))}">'
        for name, value in kept.items()
        if value
    )
    return (
        f'<form class="filter row" method="get" action="{path}" role="search">{hidden}'
        f'<label class="unseen" for="filter">{escape_html(label)}</label>'
        f'<input id="filter" type="search" name="q" value="{escape_html(words)}" placeholder="{escape_html(label)}" '
        f'autocomplete="off"><button>Filter</button></form>'
    )
