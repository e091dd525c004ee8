"""The page with the board: a box for a new task, a filter, the two columns, each with pages of its own."""

import hashlib
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request

from fieldguide.dashboard.components import heading, notice
from fieldguide.dashboard.page_text import address, as_html
from fieldguide.dashboard.views.asked import LONGEST_WORDS, filter_form, page_of, words_of
from fieldguide.picturing.board import Card, Column, board, no_actions

PENDING, COMPLETED = "pending", "completed"
TITLES = {PENDING: "To do", COMPLETED: "Done"}
COLUMN_ROWS = 40
MOST_TITLE, MOST_DESCRIPTION = 200, 1000
LEAD = "What you and your agents mean to do. Drag a card, use its buttons, or focus it and press an arrow key."
READ_ONLY = "What you and your agents mean to do. This server is read-only: nothing can be changed here."


class Seen(NamedTuple):
    """Which part of which board somebody looks at."""

    user: str = ""
    words: str = ""
    pending: int = 1
    completed: int = 1

    @classmethod
    def of(cls, request: Request) -> "Seen":
        """What an address asks for."""
        user = request.query_params.get("user", "")
        return cls(user, words_of(request), page_of(request, PENDING), page_of(request, COMPLETED))

    @classmethod
    def kept(cls, form: Mapping[str, str]) -> "Seen":
        """What was looked at when a form was sent."""
        return cls(form.get("user", ""), " ".join(form.get("q", "")[:LONGEST_WORDS].split()))

    def page_of(self, state: str) -> int:
        """The page of a column."""
        return self.completed if state == COMPLETED else self.pending

    def address(self, user: str, anchor: str = "") -> str:
        """Where the same is seen again."""
        query = urlencode({name: value for name, value in (("user", user), ("q", self.words)) if value})
        return f"/tasks{f'?{query}' if query else ''}{f'#{anchor}' if anchor else ''}"


class Draft(NamedTuple):
    """What somebody has written and is not kept yet, and why not; `moved` says why a card is where it was."""

    title: str = ""
    description: str = ""
    error: str = ""
    moved: str = ""
    is_conflict: bool = False

    def stamp_of(self, card: Card) -> str:
        """What tells one wording of a task from another."""
        return hashlib.sha256(f"{card.title}\0{card.description}".encode("utf-8", "replace")).hexdigest()[:16]


class Board(NamedTuple):
    """What is on the board; each column has the cards of its page, and how many there are."""

    user: str
    users: tuple[str, ...]
    default: str
    pending: tuple[list[Card], int]
    completed: tuple[list[Card], int]
    actions: Callable[[Card], str] | None


def board_html(shown: Board, seen: Seen, draft: Draft, *, hidden: str) -> str:
    """The whole page; without actions it is only looked at."""
    can_write = shown.actions is not None
    named = "" if shown.user == shown.default else shown.user
    moved = notice(f"<p>{as_html(draft.moved)}</p>", "bad") if draft.moved else ""
    parts = (
        heading("Tasks", as_html(LEAD if can_write else READ_ONLY)),
        f'<div id="told" aria-live="polite" class="wide">{moved}</div>',
        _adding(draft, hidden) if can_write else "",
        '<div class="tools">',
        _users(shown, named),
        filter_form("/tasks", seen.words, "Filter tasks", user=named),
        _mover(hidden, seen) if can_write else "",
        "</div>",
        board(
            [_column(PENDING, shown.pending, seen, named), _column(COMPLETED, shown.completed, seen, named)],
            actions=shown.actions or no_actions,
            can_move=can_write,
        ),
    )
    return "".join(parts)


def _column(state: str, found: tuple[list[Card], int], seen: Seen, user: str) -> Column:
    cards, total = found
    other = COMPLETED if state == PENDING else PENDING
    kept = {"user": user, "q": seen.words, other: seen.page_of(other) if seen.page_of(other) > 1 else ""}
    return Column(state, TITLES[state], cards, total, _pages(state, seen.page_of(state), total, kept))


def _pages(state: str, at: int, total: int, kept: Mapping[str, object]) -> str:
    """The ways to the pages of one column; the other stays where it is."""
    if total <= COLUMN_ROWS and at == 1:
        return ""
    last = max(1, -(-total // COLUMN_ROWS))
    before = address("/tasks", **{**kept, state: min(at - 1, last)}) if at > 1 else ""
    after = address("/tasks", **{**kept, state: at + 1}) if at < last else ""
    return (
        f'<nav class="pager" aria-label="Pages of {TITLES[state]}">'
        + (f'<a rel="prev" href="{before}">Newer</a>' if before else "<span>Newer</span>")
        + f"<span>{at:,} of {last:,}</span>"
        + (f'<a rel="next" href="{after}">Older</a>' if after else "<span>Older</span>")
        + "</nav>"
    )


def _mover(hidden: str, seen: Seen) -> str:
    """The one form that all buttons of the board send."""
    words = f'<input type="hidden" name="q" value="{as_html(seen.words)}">' if seen.words else ""
    return f'<form id="mover" method="post" action="/tasks">{hidden}{words}</form>'


def _adding(draft: Draft, hidden: str) -> str:
    """The form for a new task; what was refused is still in it."""
    told = (
        f'<div class="notice bad" role="alert" id="refused"><p>{as_html(draft.error)}</p></div>' if draft.error else ""
    )
    is_open = " open" if draft.description or draft.error else ""
    wrong = ' aria-invalid="true" aria-describedby="refused" autofocus' if draft.error else ""
    return (
        f'<form class="adding stack" method="post" action="/tasks">{hidden}{told}<div class="row">'
        f'<label class="unseen" for="title">A new task</label>'
        f'<input id="title" name="title" value="{as_html(draft.title)}" maxlength="{MOST_TITLE}" required '
        f'placeholder="A new task" autocomplete="off"{wrong}><button class="main">Add</button></div>'
        f'<details{is_open}><summary>More about it</summary><div class="field">'
        f'<label class="unseen" for="description">More about it</label>'
        f'<textarea id="description" name="description" rows="3" maxlength="{MOST_DESCRIPTION}">\n'
        f"{as_html_lines(draft.description)}</textarea></div></details></form>"
    )


def as_html_lines(text: str) -> str:
    """A text of several lines for a text area."""
    return "\n".join(map(as_html, text.replace("\r\n", "\n").split("\n")))


def _users(shown: Board, named: str) -> str:
    """Whose board it is, where several people have tasks and nobody is bound."""
    if not shown.users:
        return ""
    options = "".join(
        f'<option value="{"" if each == shown.default else as_html(each)}"'
        f"{' selected' if each == shown.user else ''}>{as_html(each)}</option>"
        for each in shown.users
    )
    return (
        '<form class="row whose" method="get" action="/tasks"><label for="user">Board of</label>'
        f'<select id="user" name="user">{options}</select><button>Show</button></form>'
    )
