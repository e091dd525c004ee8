"""The code view: a file with its outline, or one symbol between those who call it and what it calls.

The path is in the address: `/code/src/shop.py`, `/code/src/shop.py?symbol=Shop.sell`. A document is shown rendered.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.code.highlighting import COMMENT, CONSTANT, KEYWORD, NAME, NUMBER, STRING, TYPE, tokenize_lines
from fieldguide.code.imports.graph import Edge, FolderMap
from fieldguide.code.symbols.calls import CallEdge
from fieldguide.code.symbols.facts import CALLABLE, COMMAND, MODULE, ROUTE, TYPES
from fieldguide.code.symbols.lookup import Symbol
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import MARKED_UP_SUFFIXES, is_extracted, is_test, language_of
from fieldguide.files.project_files import LARGEST_BYTES
from fieldguide.git.log import HistoryCommit
from fieldguide.pages.components import (
    CODE,
    Html,
    build_code_address,
    render_badge,
    render_file_link,
    render_group,
    render_notice,
    render_pager,
    render_source_link,
)
from fieldguide.pages.map import SHOWN, render_trail, show_folder, show_top
from fieldguide.pages.markdown import can_be_rendered, render_document
from fieldguide.pages.site import PageSite
from fieldguide.prose.readers import extract_cited_text
from fieldguide.text import regex as re
from fieldguide.text.citation import read_citation
from fieldguide.text.display import escape_html, escape_html_lines, format_count
from fieldguide.text.errors import FieldguideError, InvalidArguments, NotFound, Unreadable
from fieldguide.text.secrets import mask_secret_values_of_file
from fieldguide.text.windows import decode_document, decode_readable, split_lines

TOOL = "guide_open"
SYMBOL_TOOL = "guide_symbol"
GOVERNS_TOOL = "guide_governs"
FIRST_LOOK_TOKENS = 2_000
MOST_TOKENS = 50_000
USES_TOKENS = 12_000
WIDE = (b"\xff\xfe", b"\xfe\xff")
PATH = CODE
CITED_PATH = "/source"
PAGE_LINES = 1_000
MOST_SYMBOL_LINES = 400
LONGEST_LINE = 2_000
LARGEST_RENDERED = 500_000
LONGEST_GIVEN = 4_000
LONGEST_USE = 100
MOST_LISTED = 400
MOST_SHOWN_USES = 12
MOST_ABOVE = 40
ABOVE = ("@", "#", "//", "/*", "*", "--", "[", '"""')
LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
ENDINGS = tuple(f"{name}{suffix}" for name in ("", "/index", "/README") for suffix in MARKED_UP_SUFFIXES)
TOO_LARGE = "This document is too large to be rendered: here are its lines."
OUTLINED = TYPES | CALLABLE | {ROUTE, COMMAND, MODULE}
CLASSES = {COMMENT: "c", STRING: "s", NUMBER: "n", CONSTANT: "n", KEYWORD: "k", TYPE: "t", NAME: "t"}
USES = (
    ("calls", "Called by"),
    ("overrides", "Overrides"),
    ("inherits", "Inherited by"),
    ("writes", "Written by"),
    ("reads", "Read by"),
    ("types", "Used as a type by"),
    ("imports", "Imported by"),
)
TESTS = "tests"
MENTIONS = ("documents", "configuration")


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


class LineMark(NamedTuple):
    """A part of a line that has a colour, or that is a link."""

    start: int
    end: int
    colour: str = ""
    href: str = ""


async def open_text(site: PageSite, given: str) -> OpenedText:
    """What a path or a citation names; the refusals of `guide_open` where it may not be read."""
    answer = await site.call(TOOL, {"citation": given, "budget": FIRST_LOOK_TOKENS})
    items: list[dict[str, Any]] = answer.value["items"]
    if not items:
        raise NotFound("Not here any more", details=" ".join(each["said"] for each in answer.value.get("gone", ())))
    item = items[0]
    path = str(item["path"])
    is_file = "://" not in path and await run_in_threadpool(site.served.folder.status, path) is not None
    if is_file:
        text = await run_in_threadpool(_file_text, site.served.folder, path)
    else:
        whole = await site.call(TOOL, {"citation": path, "budget": MOST_TOKENS})
        text = str(whole.value["items"][0]["text"])
    return OpenedText(
        path=path,
        kind=str(item["kind"]),
        text=mask_secret_values_of_file(path, text),
        is_file=is_file,
        cited=_cited(given, path, item),
        said=str(item["why"]) if "status" in item else "",
        warnings=tuple(answer.value.get("warnings", ())),
    )


def _cited(given: str, path: str, item: dict[str, Any]) -> tuple[int, int] | None:
    """The lines that were asked for, where they are now."""
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
    """A file or symbol by its path, and what a citation names."""
    if not site.serves(TOOL):
        return []
    view = CodeView(site)
    shown = [site.route(CITED_PATH, view.show_cited), site.route(f"{PATH}/{{path:path}}", view.show)]
    if site.has(SHOWN):
        site.add_section("Code", PATH)
        shown.append(site.route(PATH, partial(show_top, site)))
    return shown


class CodeView:
    """The handlers, over one site."""

    def __init__(self, site: PageSite) -> None:
        self._site = site
        self._has_symbols = site.has("guide.outline", "guide.calls", "guide.imports", "guide.commits")

    async def show_cited(self, request: Request) -> Response:
        """What `?citation=…` or `?path=…` names: a file at its own address, anything else here."""
        given = request.query_params.get("citation") or request.query_params.get("path") or ""
        if not given.strip() or "\n" in given or len(given) > LONGEST_GIVEN:
            raise InvalidArguments(f"Say which file: {PATH}/README.md")
        opened = await self._open(given)
        if not opened.is_file:
            main = await run_in_threadpool(_render_text, opened)
            return self._site.page(opened.kind.capitalize(), main, at=PATH)
        lines = request.query_params.get("line") or (f"{opened.cited[0]}-{opened.cited[1]}" if opened.cited else "")
        view = request.query_params.get("view", "")
        address = build_code_address(opened.path, line=lines, view=view, is_escaped=False)
        return self._site.see_other(f"{address}#L{lines.partition('-')[0]}" if lines else address)

    async def show(self, request: Request) -> Response:
        """A file, or one symbol of it."""
        path = str(request.path_params["path"]).rstrip("/")
        if not path.strip() or len(path) > LONGEST_GIVEN:
            raise InvalidArguments(f"Say which file: {PATH}/README.md")
        is_file = await run_in_threadpool(self._site.served.folder.status, path) is not None
        if not is_file and self._site.has(SHOWN):
            found: FolderMap | None = await self._site.ask(SHOWN, path)
            if found is not None:
                return show_folder(self._site, path, found)
        opened = await self._open(path)
        asked = LINES.fullmatch(request.query_params.get("line", ""))
        if asked is not None:
            first = max(int(asked.group(1)), 1)
            opened = opened._replace(cited=(first, max(first, int(asked.group(2) or first))))
        name = request.query_params.get("symbol", "")
        is_document = can_be_rendered(opened.path)
        has_code = self._has_symbols and not is_document
        outline, symbol = await self._find_symbol(opened, name) if has_code else ([], None)
        if name and symbol is None:
            opened = opened._replace(said=f"{name} is not defined in this file.")
        if symbol is not None:
            return await self._show_symbol(request, opened, symbol, outline)
        return await self._show_file(request, opened, outline, is_document=is_document)

    async def _open(self, given: str) -> OpenedText:
        """The text at a path or citation; a link of a documentation site may leave out the ending or name a folder."""

        def find_page() -> str | None:
            for ending in ENDINGS:
                path = f"{given.rstrip('/')}{ending}"
                if self._site.served.folder.status(path):
                    return path
            return None

        try:
            return await open_text(self._site, given)
        except (NotFound, Unreadable):
            page = await run_in_threadpool(find_page)
            if page is None:
                raise
        return await open_text(self._site, page)

    async def _show_file(
        self, request: Request, opened: OpenedText, outline: list[Symbol], *, is_document: bool
    ) -> Response:
        site = self._site
        wants_plain = request.query_params.get("view") == "plain"
        is_small = len(opened.text) <= LARGEST_RENDERED
        if is_document and is_small and not wants_plain:
            document = await run_in_threadpool(_render_document, site, opened)
            return site.page(opened.path, document, at=PATH)
        here = build_code_address(opened.path, view="plain" if is_document else "")
        beside = await site.deferred(request, "related", here, lambda: self._relate(opened.path))
        if site.wants_fragment(request):
            return site.fragment(Html(beside))
        lines = split_lines(opened.text)
        at = _choose_page(opened, len(lines), request.query_params.get("page", ""))
        first = (at - 1) * PAGE_LINES
        named = [each for each in outline if first < each.line <= first + PAGE_LINES]
        marks = mark_definitions(lines, named)
        source = await run_in_threadpool(
            render_source, opened, lines, (first + 1, min(first + PAGE_LINES, len(lines))), marks
        )
        view = "plain" if is_document else ""
        pager = render_pager(build_code_address(opened.path), at=at, total=len(lines), size=PAGE_LINES, view=view)
        said = [opened.said, *opened.warnings, TOO_LARGE if is_document and not is_small else ""]
        left = f"{_render_outline(outline)}{beside}"
        has_two = is_document and is_small
        main = (
            f"{_render_head(site, opened, facts=[format_count(len(lines), 'line')], has_two_views=has_two)}"
            f'{_render_said(said)}<div class="panes"><aside class="left" aria-label="About this file">{left}</aside>'
            f'<div class="middle">{pager}{source}{pager}</div></div>'
        )
        return site.page(opened.path, Html(main), at=PATH)

    async def _show_symbol(
        self, request: Request, opened: OpenedText, symbol: Symbol, outline: list[Symbol]
    ) -> Response:
        site = self._site
        here = build_code_address(opened.path, symbol=symbol.qualified, line=str(symbol.line))
        beside = await site.deferred(request, "uses", here, lambda: self._find_uses(symbol))
        if site.wants_fragment(request):
            return site.fragment(Html(beside))
        calls: list[tuple[Symbol, CallEdge]] = await site.ask("guide.calls", symbol)
        lines = split_lines(opened.text)
        first = _find_first_line(lines, symbol)
        last = min(max(symbol.end_line, symbol.line), len(lines), first + MOST_SYMBOL_LINES - 1)
        inside = [each for each in outline if symbol.line < each.line <= last and each.end_line <= symbol.end_line]
        marks = mark_definitions(lines, inside)
        for line, found in mark_calls(lines, calls).items():
            marks.setdefault(line, []).extend(found)
        source = await run_in_threadpool(render_source, opened, lines, (first, last), marks)
        whole = f'<a href="{build_code_address(opened.path, line=str(symbol.line))}#L{symbol.line}">Whole file</a>'
        facts = [render_badge(symbol.kind, "accent"), f"lines {symbol.line:,} to {symbol.end_line:,}", whole]
        alike = [each for each in outline if each.qualified == symbol.qualified and each.line != symbol.line]
        facts += [f'also at <a href="{_address(each)}">line {each.line:,}</a>' for each in alike[:3]]
        cut = ""
        if last < symbol.end_line:
            rest = build_code_address(opened.path, line=str(last + 1))
            cut = f'<p class="quiet">{symbol.end_line - last:,} more lines: <a href="{rest}#L{last + 1}">go on</a></p>'
        head = _render_head(site, opened, facts=facts, symbol=symbol)
        main = (
            f'{head}{_render_said([opened.said])}<div class="panes between">'
            f'<aside class="left" aria-label="Who uses it">{beside}</aside>'
            f'<div class="middle"><div class="lines">{source}{_render_calls(calls, first, last)}</div>{cut}</div></div>'
        )
        return site.page(symbol.qualified, Html(main), at=PATH)

    async def _find_symbol(self, opened: OpenedText, name: str) -> tuple[list[Symbol], Symbol | None]:
        """What a file defines, and the one of a name; where it lacks that, the index may have to be waited for."""
        outline: list[Symbol] = await self._site.ask("guide.outline", opened.path)
        symbol = find_symbol(outline, name, opened.cited)
        if name and symbol is None and self._site.serves(SYMBOL_TOOL):
            with suppress(FieldguideError):
                await self._site.call(SYMBOL_TOOL, {"name": name, "path": opened.path})
            outline = await self._site.ask("guide.outline", opened.path)
            symbol = find_symbol(outline, name, opened.cited)
        return outline, symbol

    async def _find_uses(self, symbol: Symbol) -> str:
        """Who uses a symbol, which tests reach it, what mentions it, and who changed it."""
        asked = {"name": symbol.qualified, "path": symbol.path, "budget": USES_TOKENS}
        try:
            value: Mapping[str, Any] = (await self._site.call(SYMBOL_TOOL, asked)).value
        except FieldguideError as error:
            return f'<p class="quiet">{escape_html(error.message)}</p>'
        lines = (symbol.line, max(symbol.end_line, symbol.line))
        commits, is_of_lines = await self._site.ask("guide.commits", symbol.path, lines)
        return await run_in_threadpool(_render_uses, self._site.served.folder, value, commits, is_of_lines)

    async def _relate(self, path: str) -> str:
        """What belongs to a file: who imports it, rules, documents and findings about it, owners and history."""
        importers, imports = await self._site.ask("guide.imports", path)
        commits, is_of_lines = await self._site.ask("guide.commits", path, None)
        value: Mapping[str, Any] = {}
        if self._site.serves(GOVERNS_TOOL):
            value = (await self._site.call(GOVERNS_TOOL, {"path": path})).value
        return _render_related(importers, imports, value) + _render_commits(commits, is_of_lines=is_of_lines)


def find_symbol(outline: Sequence[Symbol], name: str, lines: tuple[int, int] | None) -> Symbol | None:
    """The definition of a name in a file: the one at a line, where that is said, else the first."""
    found = [each for each in outline if each.qualified == name] or [each for each in outline if each.name == name]
    at_line = [each for each in found if lines is not None and each.line <= lines[0] <= max(each.end_line, each.line)]
    return next(iter([*at_line, *found]), None) if name else None


def _find_first_line(lines: Sequence[str], symbol: Symbol) -> int:
    """The first line of a definition with the decorators and comments right above it."""
    first = symbol.line
    while first > 1 and symbol.line - first < MOST_ABOVE and lines[first - 2].strip().startswith(ABOVE):
        first -= 1
    return first


def _choose_page(opened: OpenedText, total: int, asked: str) -> int:
    """The page of lines that is asked for; else the one with what is cited."""
    start = opened.cited[0] if opened.cited else 1
    last = max(1, -(-total // PAGE_LINES))
    wanted = int(asked) if asked.isdecimal() and len(asked) < 8 else (start - 1) // PAGE_LINES + 1
    return max(1, min(wanted, last))


def _address(symbol: Symbol) -> str:
    return build_code_address(symbol.path, symbol=symbol.qualified, line=str(symbol.line))


def _render_text(opened: OpenedText) -> Html:
    """A text that is no file, such as a finding or a document of another collection."""
    title = opened.kind.capitalize() if "://" in opened.path else opened.path
    name = opened.path if can_be_rendered(opened.path) else "text.md"
    shown = render_document(name, opened.text, is_of_project=False, cited=opened.cited)
    said = _render_said([opened.said, *opened.warnings])
    return Html(
        f'<div class="heading"><h1>{escape_html(title)}</h1></div>{said}'
        f'<article class="prose" dir="auto">{shown}</article>'
    )


def _render_document(site: PageSite, opened: OpenedText) -> Html:
    shown = render_document(opened.path, opened.text, is_of_project=True, cited=opened.cited)
    facts = [format_count(len(split_lines(opened.text)), "line")]
    head = _render_head(site, opened, facts=facts, has_two_views=True, is_rendered=True)
    said = _render_said([opened.said, *opened.warnings])
    return Html(f'{head}{said}<article class="prose" dir="auto">{shown}</article>')


def _render_said(sentences: Iterable[str]) -> str:
    return "".join(render_notice(f"<p>{escape_html(each)}</p>", "fair") for each in sentences if each)


def _render_head(
    site: PageSite,
    opened: OpenedText,
    *,
    facts: Sequence[str],
    symbol: Symbol | None = None,
    has_two_views: bool = False,
    is_rendered: bool = False,
) -> str:
    """The folders above, the name, some facts, and how else it can be looked at."""
    folder, _, name = opened.path.rpartition("/")
    trail = render_trail(site.served.project, folder, file=opened.path if symbol else "")
    shown = [*facts]
    if symbol is None:
        shown.insert(0, render_badge(opened.kind))
    if opened.cited and symbol is None:
        first, last = opened.cited
        shown.append(f"line {first:,}" if first == last else f"lines {first:,} to {last:,}")
    told = "".join(f"<span>{each}</span>" for each in shown)
    switch = _render_switch(opened, is_rendered=is_rendered) if has_two_views else ""
    title = escape_html(name)
    if symbol is not None:
        parts_of_name = escape_html(symbol.qualified).replace(".", ".<wbr>")
        title = f'<code class="name">{parts_of_name}</code>'
    return (
        f'<div class="heading">{trail}<h1>{title}</h1>'
        f'<div class="row quiet small">{told}{switch}{_render_copy(opened, symbol)}</div></div>'
    )


def _render_copy(opened: OpenedText, symbol: Symbol | None) -> str:
    """A button that copies the citation, as an agent takes it."""
    lines = (symbol.line, max(symbol.end_line, symbol.line)) if symbol else opened.cited
    shown = f"{opened.path}#L{lines[0]}-L{lines[1]}" if lines else opened.path
    return (
        f'<span class="citation"><code class="unseen">{escape_html(shown)}</code>'
        '<button type="button" class="plain" data-copy hidden>Copy citation</button></span>'
    )


def _render_switch(opened: OpenedText, *, is_rendered: bool) -> str:
    """Rendered or plain: the same lines."""
    lines = anchor = ""
    if opened.cited:
        lines = f"{opened.cited[0]}-{opened.cited[1]}"
        anchor = f"#L{opened.cited[0]}"
    here = ' aria-current="true"'
    rendered, plain = (build_code_address(opened.path, line=lines, view=view) + anchor for view in ("", "plain"))
    return (
        f'<span class="chips"><a class="chip" href="{rendered}"{here if is_rendered else ""}>Rendered</a>'
        f'<a class="chip" href="{plain}"{"" if is_rendered else here}>Plain</a></span>'
    )


def render_source(
    opened: OpenedText, lines: Sequence[str], shown: tuple[int, int], marks: Mapping[int, Sequence[LineMark]]
) -> str:
    """Some lines of a text, numbered, coloured and with their links; those that are cited are marked."""
    first, last = shown
    coloured = _colour_lines(opened, lines, shown)
    rows: list[str] = []
    for number in range(first, last + 1):
        said = lines[number - 1].rstrip("\r\n")
        links = [*marks.get(number, ())]
        parts = render_line(said[:LONGEST_LINE], [*links, *_leave(coloured.get(number, ()), links)])
        if len(said) > LONGEST_LINE:
            parts += f'<i class="quiet">… {len(said) - LONGEST_LINE:,} more characters</i>'
        is_cited = opened.cited is not None and opened.cited[0] <= number <= opened.cited[1]
        rows.append(
            f'<span class="line{" cited" if is_cited else ""}" id="L{number}" data-n="{number}">{parts}\n</span>'
        )
    label = escape_html(f"The lines of {opened.path}")
    return f'<pre class="source" tabindex="0" role="region" aria-label="{label}"><code>{"".join(rows)}</code></pre>'


def render_line(text: str, marks: Iterable[LineMark]) -> str:
    """A line as HTML; of marks that overlap, the first counts."""
    parts: list[str] = []
    at = 0
    for mark in sorted(marks, key=lambda each: (each.start, not each.href)):
        end = min(mark.end, len(text))
        if mark.start < at or mark.start >= end:
            continue
        word = _escape(text[mark.start : end])
        parts.append(_escape(text[at : mark.start]))
        if mark.href:
            parts.append(f'<a href="{mark.href}">{word}</a>')
        else:
            parts.append(f'<i class="{CLASSES[mark.colour]}">{word}</i>')
        at = end
    return "".join([*parts, _escape(text[at:])])


def _escape(text: str) -> str:
    return escape_html_lines(text.replace("\n", " "))


def _leave(colours: Iterable[LineMark], links: Sequence[LineMark]) -> Iterator[LineMark]:
    """The colours that no link covers."""
    for each in colours:
        if not any(link.start < each.end and each.start < link.end for link in links):
            yield each


def _colour_lines(opened: OpenedText, lines: Sequence[str], shown: tuple[int, int]) -> dict[int, list[LineMark]]:
    """The colours of some lines, each by its number."""
    first, last = shown
    excerpt = [line.rstrip("\r\n") for line in lines[first - 1 : last]]
    found: dict[int, list[LineMark]] = {}
    for number, tokens in enumerate(tokenize_lines(language_of(opened.path), excerpt), first):
        found[number] = []
        start = 0
        for token in tokens:
            end = start + len(token.text)
            if token.kind in CLASSES:
                found[number].append(LineMark(start, end, token.kind))
            start = end
    return found


def mark_definitions(lines: Sequence[str], outline: Iterable[Symbol]) -> dict[int, list[LineMark]]:
    """The names of definitions as links to their own views."""
    marks: dict[int, list[LineMark]] = {}
    for each in outline:
        end = each.column + len(each.name)
        is_there = each.line <= len(lines) and lines[each.line - 1][each.column : end] == each.name
        if is_there and each.kind in OUTLINED:
            marks.setdefault(each.line, []).append(LineMark(each.column, end, href=_address(each)))
    return marks


def mark_calls(lines: Sequence[str], calls: Iterable[tuple[Symbol, CallEdge]]) -> dict[int, list[LineMark]]:
    """The names of what is called as links, where a line has them."""
    marks: dict[int, list[LineMark]] = {}
    for target, edge in calls:
        if edge.line > len(lines):
            continue
        known = marks.setdefault(edge.line, [])
        for start in _find_word(lines[edge.line - 1][:LONGEST_LINE], target.name):
            if all(mark.start != start for mark in known):
                known.append(LineMark(start, start + len(target.name), href=_address(target)))
                break
    return marks


def _find_word(text: str, word: str) -> Iterator[int]:
    """Where a word begins in a text, as a word of its own."""
    at = text.find(word) if word else -1
    while at >= 0:
        end = at + len(word)
        if not _is_part(text[at - 1 : at]) and not _is_part(text[end : end + 1]):
            yield at
        at = text.find(word, end)


def _is_part(character: str) -> bool:
    return character.isalnum() or character == "_"


def _render_calls(calls: Sequence[tuple[Symbol, CallEdge]], first: int, last: int) -> str:
    """What is called, beside the lines that do it: a row for each line, so that both columns are equally high."""
    by_line: dict[int, list[str]] = {}
    for target, edge in calls:
        if not first <= edge.line <= last:
            continue
        unsure = ""
        where = escape_html(f"{target.qualified}, {target.path}:{target.line}")
        if not edge.is_certain:
            unsure = ' class="unsure"'
            where += ", by its name only"
        link = f'<a{unsure} href="{_address(target)}" title="{where}">{escape_html(target.name)}</a>'
        by_line.setdefault(edge.line, []).append(link)
    if not by_line:
        return ""
    rows = ""
    for number in range(first, last + 1):
        if number in by_line:
            rows += f'<li data-n="{number}">{", ".join(by_line[number])}</li>'
        else:
            rows += '<li class="none" aria-hidden="true"></li>'
    return f'<nav class="right" aria-label="What it calls"><h2>Calls</h2><ul role="list">{rows}</ul></nav>'


def _render_outline(outline: Sequence[Symbol]) -> str:
    """The definitions of a file, those inside of another below it."""
    told = [each for each in outline if each.kind in OUTLINED]
    if not told:
        return ""
    items = ""
    around: list[int] = []
    for each in told[:MOST_LISTED]:
        while around and around[-1] < each.line:
            around.pop()
        depth = min(len(around) + 1, 4)
        around.append(max(each.end_line, each.line))
        items += (
            f'<li class="level{depth}"><a href="{_address(each)}" title="{escape_html(each.kind)}">'
            f"{escape_html(each.name)}</a></li>"
        )
    if len(told) > MOST_LISTED:
        items += f'<li class="quiet">and {len(told) - MOST_LISTED:,} more</li>'
    return f'<nav class="outline" aria-label="Outline"><h2>Outline</h2><ul>{items}</ul></nav>'


def _render_uses(
    folder: ConfinedFolder, value: Mapping[str, Any], commits: Sequence[HistoryCommit], is_of_lines: bool
) -> str:
    by_group: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for each in value.get("uses", ()):
        by_group.setdefault(each["group"], []).extend((each["path"], use) for use in each["lines"])
    lines = UsedLines(folder)
    groups = [(title, by_group[name]) for name, title in USES if name in by_group]
    parts: list[str] = []
    for place, (title, uses) in enumerate(groups):
        items = [_render_use(path, use, lines, has_text=place < 2) for path, use in uses]
        parts.append(render_group(title, items, most=MOST_SHOWN_USES, is_open=not place))
    if not groups:
        parts.append('<p class="quiet">Nothing in this project uses it, as far as can be resolved.</p>')
    tests = [_render_use(path, use, lines, has_text=False) for path, use in by_group.get(TESTS, ())]
    parts.append(render_group("Tests", tests, most=MOST_SHOWN_USES, is_open=False))
    mentions = [render_file_link(path, int(use["line"])) for name in MENTIONS for path, use in by_group.get(name, ())]
    parts.append(render_group("Mentioned in", mentions, most=MOST_SHOWN_USES))
    parts.append(_render_commits(commits, is_of_lines=is_of_lines))
    notes = "".join(f'<p class="quiet small">{escape_html(str(each))}</p>' for each in value.get("notes", ()))
    return "".join(parts) + notes


class UsedLines:
    """The lines of files that use something; a file is read once."""

    def __init__(self, folder: ConfinedFolder) -> None:
        self._folder = folder
        self._files: dict[str, list[str]] = {}

    def find(self, path: str, line: int) -> str:
        """A line without its indentation, cut to a width; empty where it can't be read."""
        if path not in self._files:
            try:
                text = mask_secret_values_of_file(path, _file_text(self._folder, path))
            except FieldguideError:
                text = ""
            self._files[path] = split_lines(text)
        lines = self._files[path]
        return lines[line - 1].strip()[:LONGEST_USE] if 0 < line <= len(lines) else ""


def _render_use(path: str, use: Mapping[str, Any], lines: UsedLines, *, has_text: bool) -> str:
    """One use: what it is in, where, and its line; a click leads to what it is in."""
    line = int(use["line"])
    within = str(use.get("within", "")).partition(" through ")[0]
    address = build_code_address(path, symbol=within, line=str(line))
    name = within or path.rpartition("/")[2]
    unsure = ""
    if "confidence" in use:
        unsure = f'<span class="quiet">{round(use["confidence"] * 100)} %</span>'
    said = ""
    if has_text:
        said = f'<code class="used">{escape_html(lines.find(path, line))}</code>'
    return (
        f'<a href="{address}#L{line}"><b>{escape_html(name)}</b></a> {unsure}'
        f'<span class="where">{escape_html(path)}:{line}</span>{said}'
    )


def _render_related(importers: Sequence[Edge], imports: Sequence[Edge], value: Mapping[str, Any]) -> str:
    """The parts of a file's left column below its outline."""
    users = dict.fromkeys(each.importer for each in importers if not is_test(each.importer))
    needed = dict.fromkeys(each.imported.rstrip("/") for each in imports)
    parts = [
        render_group("Imported by", [*map(render_file_link, users)], most=MOST_SHOWN_USES),
        render_group("Imports", [*map(render_file_link, needed)], most=MOST_SHOWN_USES, is_open=False),
    ]
    items: list[Mapping[str, Any]] = sorted(value.get("items", ()), key=lambda each: each["kind"])
    by_kind = {kind: [*some] for kind, some in groupby(items, key=lambda each: str(each["kind"]))}
    by_kind.pop("code", None)
    tests = dict.fromkeys(str(each["path"]) for each in by_kind.pop("test", []))
    parts.append(render_group("Tests", [*map(render_file_link, tests)], most=MOST_SHOWN_USES, is_open=False))
    said: list[str] = []
    for kind, some in by_kind.items():
        for each in some:
            why = escape_html(str(each["why"]).replace("`", ""))
            said.append(f'{_link_item(each, kind)}<span class="where">{why}</span>')
    parts.append(render_group("Rules and documents", said, most=MOST_SHOWN_USES))
    owners = [f"<bdi>{escape_html(str(each))}</bdi>" for each in value.get("owners", ())]
    parts.append(render_group("Owners", owners, most=MOST_SHOWN_USES))
    return "".join(parts)


def _link_item(item: Mapping[str, Any], kind: str) -> str:
    return render_source_link(
        str(item["path"]), int(item["start"]) or None, label=kind if "://" in item["path"] else ""
    )


def _render_commits(commits: Sequence[HistoryCommit], *, is_of_lines: bool) -> str:
    items: list[str] = []
    for each in commits:
        day = datetime.fromtimestamp(each.seconds, UTC).date()
        items.append(
            f'<bdi>{escape_html(each.subject)}</bdi><span class="where"><time datetime="{day}">{day}</time> '
            f"<bdi>{escape_html(each.author)}</bdi> <code>{escape_html(each.id[:8])}</code></span>"
        )
    return render_group("History" if is_of_lines else "History of the file", items, most=MOST_SHOWN_USES)
