"""What an address asks a list for: words, a page of it, a choice; what is not understood counts as not said."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from starlette.requests import Request

from fieldguide.dashboard.components import PAGE_ROWS
from fieldguide.dashboard.page_text import address, as_html

LONGEST_WORDS = 200
LAST_PAGE = 1_000_000
T = TypeVar("T")


def words_of(request: Request, name: str = "q") -> str:
    """The words that a list is filtered by."""
    return " ".join(request.query_params.get(name, "")[:LONGEST_WORDS].split())


def page_of(request: Request, name: str = "page") -> int:
    """The page that is asked for, from 1 on."""
    said = request.query_params.get(name, "1")
    return max(1, min(int(said), LAST_PAGE)) if said.isascii() and said.isdecimal() and len(said) < 8 else 1


def chosen(request: Request, name: str, among: Iterable[str], default: str = "") -> str:
    """One of some values, else the default."""
    said = request.query_params.get(name, default)
    return said if said in {*among} else default


def rows_at(rows: Sequence[T], page: int, size: int = PAGE_ROWS) -> tuple[Sequence[T], int]:
    """The rows of a page, and which page that is: the last one where there are not so many."""
    at = min(page, max(1, -(-len(rows) // size)))
    return rows[(at - 1) * size : at * size], at


def chips(label: str, path: str, name: str, values: Iterable[tuple[str, str]], now: str, **query: object) -> str:
    """Links to the same list with another choice; each has its value and the words for it."""
    links = "".join(
        f'<a class="chip" href="{address(path, **{**query, name: value})}"'
        f"{' aria-current=true' if value == now else ''}>{as_html(text)}</a>"
        for value, text in values
    )
    return f'<nav class="chips" aria-label="{as_html(label)}">{links}</nav>'


def filter_form(path: str, words: str, label: str, **kept: object) -> str:
    """A box to filter a list by words; what else is chosen stays."""
    hidden = "".join(
        f'<input type="hidden" name="{as_html(name)}" value="{as_html(str(value))}">'
        for name, value in kept.items()
        if value
    )
    return (
        f'<form class="filter row" method="get" action="{path}" role="search">{hidden}'
        f'<label class="unseen" for="filter">{as_html(label)}</label>'
        f'<input id="filter" type="search" name="q" value="{as_html(words)}" placeholder="{as_html(label)}" '
        f'autocomplete="off"><button>Filter</button></form>'
    )
