"""The page of a file at its cited lines."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import MARKED_UP_SUFFIXES, is_extracted
from fieldguide.files.project_files import LARGEST_BYTES
from fieldguide.pages.components import Html, build_address, render_badge, render_notice, render_pager
from fieldguide.pages.markdown import can_be_rendered, render_document
from fieldguide.pages.site import PageSite
from fieldguide.prose.readers import extract_cited_text
from fieldguide.text import regex as re
from fieldguide.text.citation import read_citation
from fieldguide.text.display import escape_html, escape_html_lines, format_count
from fieldguide.text.errors import InvalidArguments, NotFound, Unreadable
from fieldguide.text.secrets import mask_secret_values_of_file
from fieldguide.text.windows import decode_document, decode_readable, split_lines

TOOL = "guide_open"
FIRST_LOOK_TOKENS = 2_000
MOST_TOKENS = 50_000
WIDE = (b"\xff\xfe", b"\xfe\xff")
PATH = "/source"
PAGE_LINES = 2_000
LONGEST_LINE = 2_000
LARGEST_RENDERED = 500_000
LONGEST_GIVEN = 4_000
LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
ENDINGS = tuple(f"{name}{suffix}" for name in ("", "/index", "/README") for suffix in MARKED_UP_SUFFIXES)
TOO_LARGE = "This document is too large to be rendered: here are its lines."


class OpenedText(NamedTuple):
    """A text that may be shown: its path, what it is, all of it, and the lines that were asked for.

    `said` is what became of lines that were cited, `warnings` what a reader should know of the text.
    """

    path: str
    kind: str
    text: str
    is_file: bool
    cited: tuple[int, int] | None = None
    said: str = ""
    warnings: tuple[str, ...] = ()
    citation: str = ""


async def open_text(site: PageSite, request: Request, given: str) -> OpenedText:
    """What a path or a citation names; the refusals of `guide_open` where it may not be read."""
    answer = await site.call(request, TOOL, {"citation": given, "budget": FIRST_LOOK_TOKENS})
    items: list[dict[str, Any]] = answer.value["items"]
    if not items:
        raise NotFound("Not here any more", details=" ".join(each["said"] for each in answer.value.get("gone", ())))
    item = items[0]
    path = str(item["path"])
    is_file = "://" not in path and await run_in_threadpool(site.served.folder.status, path) is not None
    if is_file:
        text = await run_in_threadpool(_file_text, site.served.folder, path)
    else:
        whole = await site.call(request, TOOL, {"citation": path, "budget": MOST_TOKENS})
        text = str(whole.value["items"][0]["text"])
    return OpenedText(
        path=path,
        kind=str(item["kind"]),
        text=mask_secret_values_of_file(path, text),
        is_file=is_file,
        cited=_cited(given, path, item),
        said=str(item["why"]) if "status" in item else "",
        warnings=tuple(answer.value.get("warnings", ())),
        citation=str(item["citation"]),
    )


def _cited(given: str, path: str, item: dict[str, Any]) -> tuple[int, int] | None:
    """The lines that were asked for, where they stand now."""
    named = read_citation(given)
    if named is None or given == path:
        return None
    start = int(item["start"])
    return start, start + named.end_line - named.start_line


def _file_text(folder: ConfinedFolder, path: str) -> str:
    """The text of a file, with the lines that citations of it count."""
    content = folder.read(path, limit_bytes=LARGEST_BYTES)
    if is_extracted(path):
        return extract_cited_text(path, content)
    return decode_readable(content) if content.startswith(WIDE) else decode_document(content)


def routes(site: PageSite) -> list[Route]:
    """The page at `/source?path=…&line=3-9`, or `?citation=…`."""
    if not site.serves(TOOL):
        return []

    async def show(request: Request) -> Response:
        given = request.query_params.get("citation") or request.query_params.get("path") or ""
        if not given.strip() or "\n" in given or len(given) > LONGEST_GIVEN:
            raise InvalidArguments("Say which file: /source?path=README.md")
        opened = await _open(site, request, given)
        asked = LINES.fullmatch(request.query_params.get("line", ""))
        if asked is not None:
            first = max(int(asked.group(1)), 1)
            opened = opened._replace(cited=(first, max(first, int(asked.group(2) or first))))
        wants_plain = request.query_params.get("view") == "plain"
        at_page = request.query_params.get("page", "")
        main = await run_in_threadpool(_main, opened, wants_plain=wants_plain, at_page=at_page)
        return site.page(request, opened.path, main)

    return [site.route(PATH, show)]


async def _open(site: PageSite, request: Request, given: str) -> OpenedText:
    """The text at a path or citation; a link of a documentation site may leave out the ending or name a folder."""

    def find_page() -> str | None:
        for ending in ENDINGS:
            path = f"{given.rstrip('/')}{ending}"
            if site.served.folder.status(path):
                return path
        return None

    try:
        return await open_text(site, request, given)
    except (NotFound, Unreadable):
        page = await run_in_threadpool(find_page)
        if page is None:
            raise
    return await open_text(site, request, page)


def _main(opened: OpenedText, *, wants_plain: bool, at_page: str) -> Html:
    lines = split_lines(opened.text)
    is_document = can_be_rendered(opened.path) or not opened.is_file
    is_small = len(opened.text) <= LARGEST_RENDERED
    is_rendered = is_document and is_small and not wants_plain
    said = [opened.said, *opened.warnings, TOO_LARGE if is_document and not is_small else ""]
    return Html(
        _head(opened, len(lines), is_rendered=is_rendered, has_two_views=is_document and is_small)
        + "".join(render_notice(f"<p>{escape_html(each)}</p>", "fair") for each in filter(None, said))
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
        folder = ""
        slash = ""
        name = opened.path
    where = f'<p class="quiet"><code>{escape_html(folder + slash)}</code></p>' if folder else ""
    facts = [render_badge(opened.kind), format_count(lines, "line")]
    if opened.cited:
        first, last = opened.cited
        facts.append(f"line {first:,}" if first == last else f"lines {first:,} to {last:,}")
    told = "".join(f"<span>{each}</span>" for each in facts)
    return (
        f'<div class="heading">{where}<h1>{escape_html(name)}</h1><div class="row quiet small">{told}'
        f"{_switch(opened, is_rendered=is_rendered) if has_two_views else ''}{_copy(opened)}</div></div>"
    )


def _copy(opened: OpenedText) -> str:
    """A button that copies the citation, as an agent takes it."""
    shown = f"{opened.path}#L{opened.cited[0]}-L{opened.cited[1]}" if opened.cited else opened.path
    return (
        f'<span class="citation"><code>{escape_html(shown)}</code> '
        '<button type="button" class="plain" data-copy hidden>Copy citation</button></span>'
    )


def _switch(opened: OpenedText, *, is_rendered: bool) -> str:
    """Rendered or plain: the same lines."""
    lines = f"{opened.cited[0]}-{opened.cited[1]}" if opened.cited else ""
    anchor = f"#L{opened.cited[0]}" if opened.cited else ""
    here = ' aria-current="true"'
    rendered, plain = (build_address(PATH, path=opened.path, line=lines, view=view) + anchor for view in ("", "plain"))
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
    way = render_pager(PATH, at=at, total=len(lines), size=PAGE_LINES, path=opened.path, view="plain")
    label = escape_html(f"The lines of {opened.path}")
    return f'{way}<pre class="source" tabindex="0" role="region" aria-label="{label}"><code>{shown}</code></pre>{way}'


def _lines(lines: list[str], first: int, cited: tuple[int, int] | None) -> Iterator[str]:
    for number, line in enumerate(lines, first):
        said = line.rstrip("\r\n")
        shown = escape_html_lines(said[:LONGEST_LINE].replace("\n", " "))
        if len(said) > LONGEST_LINE:
            shown += f'<i class="quiet">… {len(said) - LONGEST_LINE:,} more characters</i>'
        is_cited = cited is not None and cited[0] <= number <= cited[1]
        yield f'<span class="line{" cited" if is_cited else ""}" id="L{number}" data-n="{number}">{shown}\n</span>'
