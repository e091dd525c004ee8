"""A file at the lines that are cited: rendered where it is a document, else line by line."""

from collections.abc import Iterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide import linear_regex as re
from fieldguide.confinement import ConfinedFolder
from fieldguide.dashboard.components import badge, counted, notice, pager
from fieldguide.dashboard.opening import TOOL, OpenedText, open_text
from fieldguide.dashboard.page_text import address, as_html, lines_as_html
from fieldguide.dashboard.rendering.documents import can_be_rendered, render_document
from fieldguide.dashboard.site import Site
from fieldguide.document_formats.lines import split_lines
from fieldguide.errors import InvalidArguments, NotFound, Unreadable

PATH = "/source"
PAGE_LINES = 2_000
LONGEST_LINE = 2_000
LARGEST_RENDERED = 500_000
LONGEST_GIVEN = 4_000
LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
ENDINGS = (".md", ".mdx", ".rst", ".adoc", "/index.md", "/README.md", "/index.rst", "/README.rst")
TOO_LARGE = "This document is too large to be rendered: here are its lines."


def routes(site: Site) -> list[Route]:
    """The page at `/source?path=…&line=3-9`, or `?citation=…`."""
    if not site.serves(TOOL):
        return []

    async def show(request: Request) -> Response:
        opened = await _opened(site, request, _given(request))
        asked = _asked_lines(request.query_params.get("line", ""))
        opened = opened if asked is None else opened._replace(cited=asked)
        wants_plain = request.query_params.get("view") == "plain"
        at_page = request.query_params.get("page", "")
        main = await run_in_threadpool(_main, opened, wants_plain=wants_plain, at_page=at_page)
        return site.page(request, opened.path, main)

    return [site.route(PATH, show)]


async def _opened(site: Site, request: Request, given: str) -> OpenedText:
    """What was asked for; else what a link of a documentation site means by it: a page without its ending, a folder."""
    try:
        return await open_text(site, request, given)
    except (NotFound, Unreadable):
        meant = await run_in_threadpool(_meant, site.served.folder, given.rstrip("/"))
        if meant is None:
            raise
    return await open_text(site, request, meant)


def _meant(folder: ConfinedFolder, given: str) -> str | None:
    """The first page that a path without an ending may stand for."""
    return next((path for ending in ENDINGS if folder.status(path := f"{given}{ending}")), None)


def _given(request: Request) -> str:
    given = request.query_params.get("citation") or request.query_params.get("path") or ""
    if not given.strip() or "\n" in given or len(given) > LONGEST_GIVEN:
        raise InvalidArguments("Say which file: /source?path=README.md")
    return given


def _asked_lines(text: str) -> tuple[int, int] | None:
    """The lines of `line=3-9`; None where it says none."""
    found = LINES.fullmatch(text)
    if found is None:
        return None
    first = max(int(found.group(1)), 1)
    return first, max(first, int(found.group(2) or first))


def _main(opened: OpenedText, *, wants_plain: bool, at_page: str) -> str:
    lines = split_lines(opened.text)
    is_document = can_be_rendered(opened.path) or not opened.is_file
    is_small = len(opened.text) <= LARGEST_RENDERED
    is_rendered = is_document and is_small and not wants_plain
    said = [opened.said, *opened.warnings, TOO_LARGE if is_document and not is_small else ""]
    return (
        _head(opened, len(lines), is_rendered=is_rendered, has_two_views=is_document and is_small)
        + "".join(notice(f"<p>{as_html(each)}</p>", "fair") for each in filter(None, said))
        + (_rendered(opened) if is_rendered else _plain(opened, lines, at_page))
    )


def _rendered(opened: OpenedText) -> str:
    name = opened.path if can_be_rendered(opened.path) else "text.md"
    shown = render_document(name, opened.text, is_of_project=opened.is_file, cited=opened.cited)
    return f'<article class="prose" dir="auto">{shown}</article>'


def _head(opened: OpenedText, lines: int, *, is_rendered: bool, has_two_views: bool) -> str:
    """The name of the file, where it lies, and how else it can be looked at."""
    folder, slash, name = opened.path.rpartition("/")
    if not opened.is_file:
        folder, slash, name = "", "", opened.path
    where = f'<p class="quiet"><code>{as_html(folder + slash)}</code></p>' if folder else ""
    facts = [badge(opened.kind), counted(lines, "line")]
    if opened.cited:
        first, last = opened.cited
        facts.append(f"line {first:,}" if first == last else f"lines {first:,} to {last:,}")
    told = "".join(f"<span>{each}</span>" for each in facts)
    return (
        f'<div class="heading">{where}<h1>{as_html(name)}</h1><div class="row quiet small">{told}'
        f"{_switch(opened, is_rendered=is_rendered) if has_two_views else ''}{_copy(opened)}</div></div>"
    )


def _copy(opened: OpenedText) -> str:
    """A button that copies the citation, as an agent takes it."""
    shown = f"{opened.path}#L{opened.cited[0]}-L{opened.cited[1]}" if opened.cited else opened.path
    return (
        f'<span class="citation"><code>{as_html(shown)}</code> '
        '<button type="button" class="plain" data-copy hidden>Copy citation</button></span>'
    )


def _switch(opened: OpenedText, *, is_rendered: bool) -> str:
    """Rendered or plain: the same lines."""
    lines = f"{opened.cited[0]}-{opened.cited[1]}" if opened.cited else ""
    anchor = f"#L{opened.cited[0]}" if opened.cited else ""
    here = ' aria-current="true"'
    rendered, plain = (address(PATH, path=opened.path, line=lines, view=view) + anchor for view in ("", "plain"))
    return (
        f'<span class="chips"><a class="chip" href="{rendered}"{here if is_rendered else ""}>Rendered</a>'
        f'<a class="chip" href="{plain}"{"" if is_rendered else here}>Plain</a></span>'
    )


def _plain(opened: OpenedText, lines: list[str], at_page: str) -> str:
    """Numbered lines, a page of them; the one with what is cited comes first."""
    start = opened.cited[0] if opened.cited else 1
    last = max(1, -(-len(lines) // PAGE_LINES))
    at = min(int(at_page) if at_page.isdecimal() and len(at_page) < 8 else (start - 1) // PAGE_LINES + 1, last)
    at = max(at, 1)
    first = (at - 1) * PAGE_LINES
    shown = "".join(_lines(lines[first : first + PAGE_LINES], first + 1, opened.cited))
    way = pager(PATH, at=at, total=len(lines), size=PAGE_LINES, path=opened.path, view="plain")
    label = as_html(f"The lines of {opened.path}")
    return f'{way}<pre class="source" tabindex="0" role="region" aria-label="{label}"><code>{shown}</code></pre>{way}'


def _lines(lines: list[str], first: int, cited: tuple[int, int] | None) -> Iterator[str]:
    for number, line in enumerate(lines, first):
        said = line.rstrip("\r\n")
        shown = lines_as_html(said[:LONGEST_LINE].replace("\n", " "))
        if len(said) > LONGEST_LINE:
            shown += f'<i class="quiet">… {len(said) - LONGEST_LINE:,} more characters</i>'
        is_cited = cited is not None and cited[0] <= number <= cited[1]
        yield f'<span class="line{" cited" if is_cited else ""}" id="L{number}" data-n="{number}">{shown}\n</span>'
