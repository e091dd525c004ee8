"""The pages of one task: to change what it says, and to remove it for good."""

from fieldguide.dashboard.components import badge, heading
from fieldguide.dashboard.page_text import address, as_html
from fieldguide.dashboard.views.tasks.board_page import MOST_DESCRIPTION, MOST_TITLE, Draft, as_html_lines
from fieldguide.picturing.board import Card

CONFLICT = (
    "Somebody has changed this task since you opened it, so yours is not kept yet. What is there now is shown below "
    "the form. Save again to replace it."
)


def editing_html(card: Card, draft: Draft, hidden: str, user: str, *, can_write: bool) -> str:
    """A task with the form that changes it; what was typed is in it, whatever became of it."""
    top = f'<p class="back"><a href="{address("/tasks", user=user)}#task-{card.id}">The board</a></p>'
    state = badge("done", "good") if card.is_completed else badge("to do")
    title = heading(f"Task {card.id}", state)
    if not can_write:
        return f'{top}{title}<h2>{as_html(card.title)}</h2><p class="description">{as_html_lines(card.description)}</p>'
    told = CONFLICT if draft.is_conflict else draft.error
    said = f'<div class="notice bad" role="alert" id="refused"><p>{as_html(told)}</p></div>' if told else ""
    end = f'<p><a class="button" href="{address(f"/tasks/{card.id}/delete", user=user)}">Delete this task</a></p>'
    return top + title + said + _form(card, draft, hidden) + (_now(card) if draft.is_conflict else "") + end


def deleting_html(card: Card, hidden: str, user: str) -> str:
    """The question before a task is removed for good."""
    back = address("/tasks", user=user)
    return (
        f'{heading("Delete this task?")}<div class="card"><h2>{as_html(card.title)}</h2>'
        f"<p>{'<br>'.join(map(as_html, card.description.splitlines()))}</p></div><p>It can't be brought back.</p>"
        f'<form class="row" method="post" action="/tasks/{card.id}/delete">{hidden}'
        f'<button class="bad">Delete it</button>'
        f'<a class="button" href="{back}#task-{card.id}">Keep it</a></form>'
    )


def _form(card: Card, draft: Draft, hidden: str) -> str:
    return (
        f'<form class="stack" method="post" action="/tasks/{card.id}">{hidden}'
        f'<input type="hidden" name="was" value="{draft.stamp_of(card)}">'
        f'<div class="field"><label for="title">Title</label><input id="title" name="title" maxlength="{MOST_TITLE}" '
        f'required autocomplete="off" value="{as_html(draft.title)}"></div>'
        f'<div class="field"><label for="description">Description</label><textarea id="description" name="description" '
        f'rows="6" maxlength="{MOST_DESCRIPTION}">\n{as_html_lines(draft.description)}</textarea></div>'
        '<div class="row"><button class="main">Save</button></div></form>'
    )


def _now(card: Card) -> str:
    return (
        f'<section class="card"><h2>What is there now</h2><h3>{as_html(card.title)}</h3>'
        f"<p>{'<br>'.join(map(as_html, card.description.splitlines()))}</p></section>"
    )
