"""The pages of document collections and of one document with its outline."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.files.kinds import find_format
from fieldguide.pages.components import (
    PAGE_ROWS,
    Html,
    render_badge,
    render_empty_state,
    render_heading,
    render_pager,
    render_source_link,
)
from fieldguide.pages.markdown import render_document, render_inline
from fieldguide.pages.site import PageSite
from fieldguide.prose.document import DEEPEST, Heading
from fieldguide.prose.readers import read_document
from fieldguide.text.citation import read_citation
from fieldguide.text.display import escape_html, format_count
from fieldguide.text.secrets import mask_secret_values

PATH = "/documents"
COLLECTIONS = "documents_list_collections"
LISTED = "documents_list_documents"
WHOLE = "documents_get_document"
BETWEEN = "/-/"
"""Stands between a collection and its document in an address: both may have slashes."""
LARGEST_RENDERED = 500_000
MOST_COLLECTIONS = 200
MOST_HEADINGS = 300
NO_DOCUMENTS = (
    "Markdown, reStructuredText and other documents are found automatically, wherever they are in the project."
)


def routes(site: PageSite) -> list[Route]:
    """The three pages, each a level below the one before."""
    if not site.serves(COLLECTIONS, LISTED, WHOLE):
        return []
    site.add_section("Documents", PATH)

    async def collections(request: Request) -> Response:
        answer = await site.call(COLLECTIONS, {})
        found: Any = answer.value
        if isinstance(found, str):  # a sentence: there are none
            found = []
        return site.page("Documents", _collections(found), at=PATH)

    async def below(request: Request) -> Response:
        collection, _, document = str(request.path_params["place"]).partition(BETWEEN)
        if document:
            answer = await site.call(WHOLE, {"collection": collection, "document": document})
            main = await run_in_threadpool(_document, collection, answer.value)
            return site.page(document, main, at=PATH)
        asked = request.query_params.get("page", "")
        page = max(int(asked), 1) if asked.isdecimal() and len(asked) < 7 else 1
        given = {"collection": collection, "limit": PAGE_ROWS, "offset": (page - 1) * PAGE_ROWS}
        answer = await site.call(LISTED, given)
        return site.page(collection, _listed(collection, answer.value, page), at=PATH)

    return [site.route(PATH, collections), site.route(f"{PATH}/{{place:path}}", below)]


def _collections(found: Sequence[dict[str, Any]]) -> Html:
    head = render_heading("Documents", "The documents of this project, by folder.")
    if not found:
        return Html(head + render_empty_state("No documents yet", escape_html(NO_DOCUMENTS)))
    cards = ""
    for each in found[:MOST_COLLECTIONS]:
        name = str(each["collection"])
        about = f'<p class="quiet">{escape_html(str(each["description"]))}</p>' if each.get("description") else ""
        cards += (
            f'<li class="card"><h2><a href="{_address(name)}">{escape_html(name)}</a></h2>{about}'
            f'<div class="foot">{format_count(int(each["documentCount"]), "document")}</div></li>'
        )
    return Html(f'{head}<ul class="grid cards">{cards}</ul>')


def _listed(collection: str, found: dict[str, Any], page: int) -> Html:
    rows = "".join(
        f'<li><a class="title" href="{_address(collection, str(each["id"]))}">'
        f"{render_inline(str(each.get('title') or each['id']))}</a>"
        f'<span class="quiet small"><code>{escape_html(str(each["id"]))}</code> · {_size(each.get("size"))}</span></li>'
        for each in found["documents"]
    )
    total = int(found["total"])
    way = render_pager(_address(collection), at=page, total=total)
    head = render_heading(collection, format_count(total, "document"))
    return Html(f'{_trail(collection="")}{head}<ul class="list tight">{rows}</ul>{way}')


def _document(collection: str, found: dict[str, Any]) -> Html:
    """A document, rendered, with its headings beside it."""
    name = str(found["document"])
    text = mask_secret_values(str(found["content"]))
    cited = read_citation(str(found.get("citation", "")))
    path = cited.path if cited and not cited.path.startswith(f"{collection}:") else ""
    read = read_document(name, text)
    where = render_source_link(path, label="Open the source") if path else ""
    format_ = render_badge(find_format(name) or "text")
    folder, slash, file = name.rpartition("/")
    lies = f'<p class="quiet"><code>{escape_html(folder + slash)}</code></p>' if folder else ""
    head = (
        f'{_trail(collection)}<div class="heading">{lies}<h1>{escape_html(file)}</h1>'
        f'<div class="row quiet small">{format_}{format_count(len(read.lines), "line")}{where}</div></div>'
    )
    if len(text) > LARGEST_RENDERED:
        return Html(f'{head}<p class="notice">This document is too large to be rendered. {where}</p>')
    shown = render_document(path or name, text, is_of_project=bool(path))
    return Html(
        f'{head}<div class="beside">{_outline(read.headings)}<article class="prose" dir="auto">{shown}</article></div>'
    )


def _outline(headings: Sequence[Heading]) -> str:
    if len(headings) < 2:
        return ""
    top = min(each.level for each in headings)
    items = "".join(
        f'<li class="level{min(each.level - top + 1, DEEPEST)}">'
        f'<a href="#L{each.line}">{render_inline(each.text)}</a></li>'
        for each in headings[:MOST_HEADINGS]
    )
    return f'<nav class="outline" aria-label="Outline"><h2>Outline</h2><ul>{items}</ul></nav>'


def _trail(collection: str) -> str:
    """The way back."""
    more = f' / <a href="{_address(collection)}">{escape_html(collection)}</a>' if collection else ""
    return f'<nav class="trail small" aria-label="You are here"><a href="{PATH}">Documents</a>{more}</nav>'


def _address(collection: str, document: str = "") -> str:
    place = f"{collection}{BETWEEN}{document}" if document else collection
    return escape_html(f"{PATH}/{quote(place, errors='surrogatepass')}")


def _size(value: Any) -> str:
    size_bytes = int(value or 0)
    return f"{size_bytes / 1024:,.1f} KiB" if size_bytes >= 1024 else format_count(size_bytes, "byte")
