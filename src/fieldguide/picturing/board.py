"""A board of tasks as HTML: a column for each state, a card for each task, and what can be done with it below it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from fieldguide.spine.foreign_text.html_text import as_html

NOTHING = "Nothing here."


class Card(NamedTuple):
    """A task on the board."""

    id: int
    title: str
    description: str = ""
    is_completed: bool = False
    created_at: datetime | None = None


class Column(NamedTuple):
    """The tasks of one state that are shown, and how many there are; `foot` is HTML below them, such as more pages."""

    state: str
    title: str
    cards: Sequence[Card]
    total: int
    foot: str = ""


def no_actions(card: Card) -> str:
    """Where a board is only looked at."""
    return ""


def board(columns: Sequence[Column], *, actions: Callable[[Card], str] = no_actions, can_move: bool = False) -> str:
    """The columns beside each other; `actions` gives the HTML below a card, `can_move` lets a script drag it."""
    shown = "".join(_column(each, actions, can_move=can_move) for each in columns)
    return f'<div class="board"{" data-board" if can_move else ""}>{shown}</div>'


def card_html(card: Card, actions: Callable[[Card], str] = no_actions, *, can_move: bool = False) -> str:
    """One task."""
    described = f'<p class="description">{_lines(card.description)}</p>' if card.description else ""
    since = _since(card.created_at) if card.created_at else ""
    moves = f' tabindex="0" draggable="true" aria-label="{as_html(card.title)}, task {card.id}"' if can_move else ""
    done = " done" if card.is_completed else ""
    return (
        f'<li class="task{done}" id="task-{card.id}" data-task="{card.id}"{moves}><h3>{as_html(card.title)}</h3>'
        f'{described}<p class="about">#{card.id}{since}</p>{actions(card)}</li>'
    )


def _column(column: Column, actions: Callable[[Card], str], *, can_move: bool) -> str:
    cards = "".join(card_html(each, actions, can_move=can_move) for each in column.cards)
    state = as_html(column.state)
    return (
        f'<section class="column" data-column="{state}" aria-labelledby="column-{state}"><h2 id="column-{state}">'
        f'{as_html(column.title)} <span class="count">{column.total:,}</span></h2>'
        f'<ul class="cards">{cards}</ul><p class="nothing">{NOTHING}</p>{column.foot}</section>'
    )


def _since(moment: datetime) -> str:
    return f' · <time datetime="{moment.isoformat()}">{moment.day} {moment:%b %Y}</time>'


def _lines(text: str) -> str:
    """A description with its lines."""
    return "<br>".join(map(as_html, text.splitlines()))
