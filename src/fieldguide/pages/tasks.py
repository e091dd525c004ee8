"""The task board: its HTML, its forms and the tool calls behind them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.files.file_system import find_login_name
from fieldguide.pages.components import (
    LONGEST_WORDS,
    Html,
    build_address,
    read_filter_words,
    read_page_number,
    render_badge,
    render_filter_form,
    render_heading,
    render_notice,
    render_steps,
)
from fieldguide.pages.site import PageSite
from fieldguide.spine.tool import ANONYMOUS, Answer
from fieldguide.spine.toolset import TaskCard
from fieldguide.text.display import escape_html
from fieldguide.text.errors import FieldguideError, InvalidArguments, NotFound

NOTHING = "Nothing here."
PENDING = "pending"
STARTED = "started"
COMPLETED = "completed"
TITLES = {PENDING: "To do", STARTED: "In progress", COMPLETED: "Done"}
MOVES = {
    PENDING: ((STARTED, "Start"), (COMPLETED, "Done")),
    STARTED: ((COMPLETED, "Done"), (PENDING, "Put back")),
    COMPLETED: ((PENDING, "Reopen"),),
}
"""The buttons below a card, by its column: where each leads, and its word."""
PRIORITIES = (("", "no priority"), ("low", "low"), ("medium", "medium"), ("high", "high"))
TONES = {"high": "bad", "medium": "fair", "low": "plain"}
MOST_LABEL = 40
COLUMN_ROWS = 40
MOST_TITLE = 200
MOST_DESCRIPTION = 1000
LEAD = "What you and your agents plan to do."
READ_ONLY = "What you and your agents plan to do. This server is read-only: nothing can be changed here."
WRITES = ("add_task", "update_task", "complete_task", "delete_task")
LONGEST_USER = 255
CONFLICT = (
    "Somebody has changed this task since you opened it, so your change is not saved yet. The current text is shown "
    "below the form. Save again to replace it."
)
PATH = "/tasks"
SHOWN = ("tasks.page", "tasks.task", "tasks.users")


def render_task_card(card: TaskCard, *, can_move: bool, user: str = "") -> str:
    """One task; `can_move` gives it buttons, for the user whom an address names so."""
    described = f'<p class="description">{_break_lines(card.description)}</p>' if card.description else ""
    since = ""
    if card.created_at:
        day = f"{card.created_at.day} {card.created_at:%b %Y}"
        since = f' · <time datetime="{card.created_at.isoformat()}">{day}</time>'
    done = " done" if card.is_completed else ""
    marks = ""
    if card.priority:
        marks += render_badge(f"{card.priority} priority", TONES.get(card.priority, "plain"))
    if card.label:
        marks += f'<a class="badge" href="{build_address(PATH, q=card.label)}">{escape_html(card.label)}</a>'
    marked = f'<p class="marks">{marks}</p>' if marks else ""
    return (
        f'<li class="task{done}" id="task-{card.id}"><h3>{escape_html(card.title)}</h3>'
        f'{described}{marked}<p class="about">#{card.id}{since}</p>{_actions(card, user) if can_move else ""}</li>'
    )


def find_state(card: TaskCard) -> str:
    """The column that a task is in."""
    if card.is_completed:
        return COMPLETED
    return STARTED if card.is_started else PENDING


def _actions(card: TaskCard, user: str) -> str:
    """The buttons below a card: to the other columns, to its page, and to delete it."""
    at = f"{PATH}/{card.id}"
    moves = ""
    for to, word in MOVES[find_state(card)]:
        about = escape_html(f"{word}: {card.title}")
        moves += f'<button form="mover" formaction="{at}/{to}" aria-label="{about}">{word}</button>'
    return (
        f'<p class="actions">{moves}<a class="button" href="{build_address(at, user=user)}" '
        f'aria-label="Edit: {escape_html(card.title)}">Edit</a>'
        f'<a class="button" href="{build_address(f"{at}/delete", user=user)}" '
        f'aria-label="Delete: {escape_html(card.title)}">Delete</a></p>'
    )


def _break_lines(text: str) -> str:
    return "<br>".join(map(escape_html, text.splitlines()))


class BoardView(NamedTuple):
    """Which part of which board somebody looks at."""

    user: str = ""
    words: str = ""
    pages: Mapping[str, int] = dict.fromkeys(TITLES, 1)

    @classmethod
    def of(cls, request: Request) -> "BoardView":
        """What an address asks for."""
        pages = {state: read_page_number(request, state) for state in TITLES}
        return cls(request.query_params.get("user", ""), read_filter_words(request), pages)

    @classmethod
    def kept(cls, form: Mapping[str, str]) -> "BoardView":
        """What was looked at when a form was sent."""
        return cls(form.get("user", ""), " ".join(form.get("q", "")[:LONGEST_WORDS].split()))

    def address(self, user: str, anchor: str = "") -> str:
        """Where the same is seen again."""
        query = urlencode({name: value for name, value in (("user", user), ("q", self.words)) if value})
        return f"{PATH}{f'?{query}' if query else ''}{f'#{anchor}' if anchor else ''}"


class TaskDraft(NamedTuple):
    """What somebody has written and is not kept yet, and why not; `moved` says why a card is where it was."""

    title: str = ""
    description: str = ""
    error: str = ""
    moved: str = ""
    is_conflict: bool = False
    priority: str = ""
    label: str = ""

    @classmethod
    def of(cls, form: Mapping[str, str]) -> "TaskDraft":
        """What a form says."""
        return cls(
            form.get("title", ""),
            form.get("description", ""),
            priority=form.get("priority", ""),
            label=" ".join(form.get("label", "").split()),
        )


def _stamp(card: TaskCard) -> str:
    """What tells one wording of a task from another."""
    said = f"{card.title}\0{card.description}\0{card.priority}\0{card.label}"
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16]


def _render_column(
    state: str, cards: Sequence[TaskCard], total: int, seen: BoardView, *, user: str, can_move: bool
) -> str:
    """The tasks of one state that are shown, and the ways to its other pages; the other columns stay where they are."""
    shown = "".join(render_task_card(each, can_move=can_move, user=user) for each in cards)
    at = seen.pages[state]
    last = max(1, -(-total // COLUMN_ROWS))
    pager = ""
    if last > 1 or at > 1:
        kept: dict[str, object] = {"user": user, "q": seen.words}
        for other in TITLES:
            if other != state and seen.pages[other] > 1:
                kept[other] = seen.pages[other]
        newer = build_address(PATH, **{**kept, state: min(at - 1, last)}) if at > 1 else ""
        older = build_address(PATH, **{**kept, state: at + 1}) if at < last else ""
        pager = render_steps(f"Pages of {TITLES[state]}", f"{at:,} of {last:,}", ("Newer", newer), ("Older", older))
    return (
        f'<section class="column" aria-labelledby="column-{state}"><h2 id="column-{state}">'
        f'{TITLES[state]} <span class="count">{total:,}</span></h2>'
        f'<ul class="cards">{shown}</ul><p class="nothing">{NOTHING}</p>{pager}</section>'
    )


def _mover(hidden: str, seen: BoardView) -> str:
    """The one form that all buttons of the board send."""
    words = f'<input type="hidden" name="q" value="{escape_html(seen.words)}">' if seen.words else ""
    return f'<form id="mover" method="post" action="/tasks">{hidden}{words}</form>'


def _refusal(sentence: str) -> str:
    if not sentence:
        return ""
    return f'<div class="notice bad" role="alert" id="refused"><p>{escape_html(sentence)}</p></div>'


def _adding(draft: TaskDraft, hidden: str) -> str:
    """The form for a new task; what was refused is still in it."""
    is_open = " open" if draft.description or draft.priority or draft.label or draft.error else ""
    wrong = ' aria-invalid="true" aria-describedby="refused" autofocus' if draft.error else ""
    return (
        f'<form class="adding stack" method="post" action="/tasks">{hidden}{_refusal(draft.error)}<div class="row">'
        f'<label class="unseen" for="title">A new task</label>'
        f'<input id="title" name="title" value="{escape_html(draft.title)}" maxlength="{MOST_TITLE}" required '
        f'placeholder="A new task" autocomplete="off"{wrong}><button class="main">Add</button></div>'
        f'<details{is_open}><summary>More about it</summary><div class="field">'
        f'<label class="unseen" for="description">More about it</label>'
        f'<textarea id="description" name="description" rows="3" maxlength="{MOST_DESCRIPTION}">\n'
        f"{render_lines(draft.description)}</textarea></div>{_render_marks_fields(draft)}</details></form>"
    )


def _render_marks_fields(draft: TaskDraft) -> str:
    """The fields for how urgent a task is, and for its label."""
    options = ""
    for value, name in PRIORITIES:
        options += f'<option value="{value}"{" selected" if value == draft.priority else ""}>{name}</option>'
    return (
        '<div class="row marks-fields"><div class="field"><label for="priority">Priority</label>'
        f'<select id="priority" name="priority">{options}</select></div>'
        '<div class="field"><label for="label">Label</label>'
        f'<input id="label" name="label" maxlength="{MOST_LABEL}" autocomplete="off" '
        f'value="{escape_html(draft.label)}"></div></div>'
    )


def render_lines(text: str) -> str:
    """A text of several lines for a text area."""
    return "\n".join(map(escape_html, text.replace("\r\n", "\n").split("\n")))


def render_editing(card: TaskCard, draft: TaskDraft, hidden: str, user: str, *, can_write: bool) -> Html:
    """A task with the form that changes it; what was typed is in it, whatever became of it."""
    top = f'<p class="back"><a href="{build_address("/tasks", user=user)}#task-{card.id}">The board</a></p>'
    state = render_badge(TITLES[find_state(card)].lower(), "good" if card.is_completed else "plain")
    title = render_heading(f"Task {card.id}", state)
    if not can_write:
        return Html(
            f'{top}{title}<h2>{escape_html(card.title)}</h2><p class="description">{render_lines(card.description)}</p>'
        )
    told = CONFLICT if draft.is_conflict else draft.error
    end = f'<p><a class="button" href="{build_address(f"/tasks/{card.id}/delete", user=user)}">Delete this task</a></p>'
    now = ""
    if draft.is_conflict:
        now = (
            f'<section class="card"><h2>What is there now</h2><h3>{escape_html(card.title)}</h3>'
            f"<p>{_break_lines(card.description)}</p></section>"
        )
    return Html(top + title + _refusal(told) + _form(card, draft, hidden) + now + end)


def render_deleting(card: TaskCard, hidden: str, user: str) -> Html:
    """The question before a task is removed for good."""
    back = build_address("/tasks", user=user)
    return Html(
        f'{render_heading("Delete this task?")}<div class="card"><h2>{escape_html(card.title)}</h2>'
        f"<p>{_break_lines(card.description)}</p></div><p>This can't be undone.</p>"
        f'<form class="row" method="post" action="/tasks/{card.id}/delete">{hidden}'
        f'<button class="bad">Delete it</button>'
        f'<a class="button" href="{back}#task-{card.id}">Keep it</a></form>'
    )


def _form(card: TaskCard, draft: TaskDraft, hidden: str) -> str:
    return (
        f'<form class="stack" method="post" action="/tasks/{card.id}">{hidden}'
        f'<input type="hidden" name="was" value="{_stamp(card)}">'
        f'<div class="field"><label for="title">Title</label><input id="title" name="title" maxlength="{MOST_TITLE}" '
        f'required autocomplete="off" value="{escape_html(draft.title)}"></div>'
        f'<div class="field"><label for="description">Description</label><textarea id="description" name="description" '
        f'rows="6" maxlength="{MOST_DESCRIPTION}">\n{render_lines(draft.description)}</textarea></div>'
        f'{_render_marks_fields(draft)}<div class="row"><button class="main">Save</button></div></form>'
    )


def routes(site: PageSite) -> list[Route]:
    """The board, the page of a task, and what can be done, where the tasks toolset is served."""
    if not site.has(*SHOWN) or not site.serves("list_tasks"):
        return []
    site.add_section("Tasks", PATH)
    board = TaskBoard(site)
    shown = [site.route(PATH, board.show), site.route(f"{PATH}/{{id:int}}", board.show_one)]
    if not board.can_write:
        return shown
    return [
        *shown,
        site.route(PATH, board.add, ("POST",)),
        site.route(f"{PATH}/{{id:int}}", board.edit, ("POST",)),
        site.route(f"{PATH}/{{id:int}}/delete", board.ask_to_delete),
        site.route(f"{PATH}/{{id:int}}/delete", board.delete, ("POST",)),
        site.route(f"{PATH}/{{id:int}}/{{state}}", board.move, ("POST",)),
    ]


class TaskBoard:
    """The handlers, over one site, for the tasks of whoever looks: of the user that the server is bound to, else of the
    one who is chosen."""

    def __init__(self, site: PageSite) -> None:
        self._site = site
        self._bound = site.served.user
        self._default = self._bound or find_login_name() or ANONYMOUS
        can_change = site.serves(*WRITES) and site.has("tasks.reopen", "tasks.arrange")
        self.can_write = can_change and not site.served.is_read_only

    async def show(self, request: Request) -> Response:
        """The board."""
        return await self._board(request, BoardView.of(request), TaskDraft())

    async def show_one(self, request: Request) -> Response:
        """A task with the form that changes it."""
        user = self._find_user(request.query_params.get("user", ""))
        card = await self._find_card(user, request.path_params["id"])
        draft = TaskDraft(card.title, card.description, priority=card.priority, label=card.label)
        return self._editing(request, card, draft, user)

    async def add(self, request: Request) -> Response:
        """A new task; one that is refused stays in the form, with the reason."""
        user, seen, form = await self._read_form(request)
        draft = TaskDraft.of(form)
        given = {"title": draft.title, "description": draft.description or None}
        try:
            task_id = int((await self._call("add_task", user, given)).value["task_id"])
            if draft.priority or draft.label:
                await self._site.ask("tasks.arrange", user, task_id, draft.priority, draft.label)
        except FieldguideError as error:
            return await self._board(request, seen, draft._replace(error=error.message), status=400)
        return self._site.see_other(seen.address(self._name(user), anchor=f"task-{task_id}"))

    async def edit(self, request: Request) -> Response:
        """A task changed, unless somebody else has changed it since the form was made."""
        user, seen, form = await self._read_form(request)
        draft = TaskDraft.of(form)
        card: TaskCard | None = await self._site.ask("tasks.task", user, request.path_params["id"])
        if card is None:
            gone = "This task is gone. What you wrote is below; adding it makes a new task."
            return await self._board(request, seen, draft._replace(error=gone), status=409)
        if form.get("was", "") != _stamp(card):
            return self._editing(request, card, draft._replace(is_conflict=True), user, status=409)
        try:
            if (draft.priority, draft.label) != (card.priority, card.label):
                await self._site.ask("tasks.arrange", user, card.id, draft.priority, draft.label)
            given = {"task_id": card.id, "title": draft.title, "description": draft.description}
            await self._call("update_task", user, given)
        except FieldguideError as error:
            return self._editing(request, card, draft._replace(error=error.message), user, status=400)
        return self._site.see_other(seen.address(self._name(user), anchor=f"task-{card.id}"))

    async def move(self, request: Request) -> Response:
        """A task to another column."""
        user, seen, _ = await self._read_form(request)
        try:
            card = await self._move(user, request.path_params["id"], request.path_params["state"])
        except FieldguideError as error:
            return await self._board(request, seen, TaskDraft(moved=error.message), status=409)
        return self._site.see_other(seen.address(self._name(user), anchor=f"task-{card.id}"))

    async def ask_to_delete(self, request: Request) -> Response:
        """The question before a task is removed for good."""
        user = self._find_user(request.query_params.get("user", ""))
        card = await self._find_card(user, request.path_params["id"])
        main = render_deleting(card, self._hidden(request, user), self._name(user))
        return self._site.page("Delete a task", main, at=PATH)

    async def delete(self, request: Request) -> Response:
        """A task removed for good."""
        user, _, _ = await self._read_form(request)
        await self._call("delete_task", user, {"task_id": request.path_params["id"]})
        return self._site.see_other(BoardView().address(self._name(user)))

    def _find_user(self, said: str) -> str:
        """Whose tasks are meant; where the server is bound, nobody else's can be."""
        name = said.strip()
        return self._bound or (name if name and "\0" not in name and len(name) <= LONGEST_USER else self._default)

    def _name(self, user: str) -> str:
        """The user as an address names them; nobody where it is who looks anyway."""
        return "" if user == self._default else user

    def _hidden(self, request: Request, user: str) -> str:
        """The fields that each form carries: its protection, and the user."""
        name = self._name(user)
        field = f'<input type="hidden" name="user" value="{escape_html(name)}">' if name else ""
        return self._site.csrf(request) + field

    async def _read_form(self, request: Request) -> tuple[str, BoardView, dict[str, str]]:
        """The user of a form of ours, what was looked at when it was sent, and its fields."""
        form = await self._site.checked_form(request)
        return self._find_user(form.get("user", "")), BoardView.kept(form), form

    async def _call(self, tool: str, user: str, given: Mapping[str, object]) -> Answer:
        whose = {} if self._bound else {"user_id": user}
        return await self._site.call(tool, {**given, **whose})

    async def _move(self, user: str, task_id: int, state: str) -> TaskCard:
        if state == COMPLETED:
            await self._call("complete_task", user, {"task_id": task_id})
        elif state in TITLES:
            await self._site.ask("tasks.reopen", user, task_id, state == STARTED)
        else:
            raise InvalidArguments(f"A task is {', '.join(TITLES)}.")
        card: TaskCard | None = await self._site.ask("tasks.task", user, task_id)
        if card is None:
            raise NotFound("This task is gone: somebody has deleted it.")
        return card

    async def _find_card(self, user: str, task_id: int) -> TaskCard:
        card: TaskCard | None = await self._site.ask("tasks.task", user, task_id)
        if card is None:
            raise NotFound(f"There is no task {task_id} on this board. It may have been deleted.")
        return card

    def _editing(self, request: Request, card: TaskCard, draft: TaskDraft, user: str, status: int = 200) -> Response:
        hidden = self._hidden(request, user)
        main = render_editing(card, draft, hidden, self._name(user), can_write=self.can_write)
        return self._site.page(card.title, main, at=PATH, status=status)

    async def _board(self, request: Request, seen: BoardView, draft: TaskDraft, status: int = 200) -> Response:
        """The whole page; a page of each column. Where nothing can be written it is only looked at."""
        user = self._find_user(seen.user)
        named = self._name(user)
        hidden = self._hidden(request, user)
        columns = ""
        for state in TITLES:
            offset = (seen.pages[state] - 1) * COLUMN_ROWS
            cards, total = await self._site.ask("tasks.page", user, state, seen.words, COLUMN_ROWS, offset)
            columns += _render_column(state, cards, total, seen, user=named, can_move=self.can_write)
        moved = render_notice(f"<p>{escape_html(draft.moved)}</p>", "bad") if draft.moved else ""
        main = (
            f"{render_heading('Tasks', escape_html(LEAD if self.can_write else READ_ONLY))}"
            f"{moved}{_adding(draft, hidden) if self.can_write else ''}"
            f'<div class="tools">{await self._users(user)}'
            f"{render_filter_form('/tasks', seen.words, 'Filter tasks', user=named)}"
            f"{_mover(hidden, seen) if self.can_write else ''}</div>"
            f'<div class="board">{columns}</div>'
        )
        return self._site.page("Tasks", Html(main), at=PATH, status=status)

    async def _users(self, user: str) -> str:
        """Whose board it is, where several people have tasks and nobody is bound."""
        users = {self._default, user}
        if not self._bound:
            users.update(await self._site.ask("tasks.users"))
        if len(users) < 2:
            return ""
        options = ""
        for each in sorted(users):
            selected = " selected" if each == user else ""
            options += f'<option value="{escape_html(self._name(each))}"{selected}>{escape_html(each)}</option>'
        return (
            '<form class="row whose" method="get" action="/tasks"><label for="user">Board of</label>'
            f'<select id="user" name="user">{options}</select><button>Show</button></form>'
        )
