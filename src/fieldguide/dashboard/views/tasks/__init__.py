"""The board of tasks: seen, added to, changed and moved by the same tools that agents call, for the same user."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.dashboard.site import Site
from fieldguide.dashboard.views.tasks.acting import Tasks
from fieldguide.dashboard.views.tasks.board_page import Draft, Seen, board_html
from fieldguide.dashboard.views.tasks.forms import deleting_html, editing_html
from fieldguide.errors import FieldguideError, NotFound
from fieldguide.picturing.board import Card, card_html

PATH = "/tasks"
SHOWN = ("tasks.page", "tasks.task", "tasks.users")
SCRIPT = "board.js"


def routes(site: Site) -> list[Route]:
    """The board, the page of a task, and what can be done, where the tasks toolset is served."""
    if not site.has(*SHOWN) or not site.serves("list_tasks"):
        return []
    site.add_section("Tasks", PATH)
    tasks = Tasks(site)
    views = _Views(site, tasks)
    shown = [site.route(PATH, views.show), site.route(f"{PATH}/{{id:int}}", views.show_one)]
    if not tasks.can_write:
        return shown
    return [
        *shown,
        site.route(PATH, views.add, ("POST",)),
        site.route(f"{PATH}/{{id:int}}", views.edit, ("POST",)),
        site.route(f"{PATH}/{{id:int}}/delete", views.ask_to_delete),
        site.route(f"{PATH}/{{id:int}}/delete", views.delete, ("POST",)),
        site.route(f"{PATH}/{{id:int}}/{{state}}", views.move, ("POST",)),
    ]


class _Views:
    """The handlers, over one site."""

    def __init__(self, site: Site, tasks: Tasks) -> None:
        self._site = site
        self._tasks = tasks

    async def show(self, request: Request) -> Response:
        """The board."""
        return await self._board(request, Seen.of(request), Draft())

    async def show_one(self, request: Request) -> Response:
        """A task with the form that changes it."""
        user = self._tasks.user_of(request.query_params.get("user", ""))
        card = await self._found(user, request.path_params["id"])
        return self._editing(request, card, Draft(card.title, card.description), user)

    async def add(self, request: Request) -> Response:
        """A new task; one that is refused stays in the form, with the reason."""
        form = await self._site.checked_form(request)
        user, seen = self._tasks.user_of(form.get("user", "")), Seen.kept(form)
        draft = Draft(form.get("title", ""), form.get("description", ""))
        try:
            identity = await self._tasks.add(request, user, draft.title, draft.description)
        except FieldguideError as error:
            return await self._board(request, seen, draft._replace(error=error.message), status=400)
        return self._site.see_other(seen.address(self._tasks.named(user), anchor=f"task-{identity}"))

    async def edit(self, request: Request) -> Response:
        """A task changed, unless somebody else has changed it since the form was made."""
        form = await self._site.checked_form(request)
        user, seen = self._tasks.user_of(form.get("user", "")), Seen.kept(form)
        draft = Draft(form.get("title", ""), form.get("description", ""))
        card: Card | None = await self._site.ask("tasks.task", user, request.path_params["id"])
        if card is None:
            gone = "This task is gone. What you wrote is below; adding it makes a new task."
            return await self._board(request, seen, draft._replace(error=gone), status=409)
        if form.get("was", "") != draft.stamp_of(card):
            return self._editing(request, card, draft._replace(is_conflict=True), user, status=409)
        try:
            await self._tasks.change(request, user, card.id, draft.title, draft.description)
        except FieldguideError as error:
            return self._editing(request, card, draft._replace(error=error.message), user, status=400)
        return self._site.see_other(seen.address(self._tasks.named(user), anchor=f"task-{card.id}"))

    async def move(self, request: Request) -> Response:
        """A task to another column; a script is given the card as it is now."""
        form = await self._site.checked_form(request)
        user, seen = self._tasks.user_of(form.get("user", "")), Seen.kept(form)
        try:
            card = await self._tasks.move(request, user, request.path_params["id"], request.path_params["state"])
        except FieldguideError as error:
            if self._site.wants_fragment(request):
                raise
            return await self._board(request, seen, Draft(moved=error.message), status=409)
        if self._site.wants_fragment(request):
            actions = self._tasks.actions(user)
            return self._site.fragment(card_html(card, actions, can_move=True))
        return self._site.see_other(seen.address(self._tasks.named(user), anchor=f"task-{card.id}"))

    async def ask_to_delete(self, request: Request) -> Response:
        """The question before a task is removed for good."""
        user = self._tasks.user_of(request.query_params.get("user", ""))
        card = await self._found(user, request.path_params["id"])
        main = deleting_html(card, self._site.csrf(request) + self._tasks.user_field(user), self._tasks.named(user))
        return self._site.page(request, "Delete a task", main, at=PATH)

    async def delete(self, request: Request) -> Response:
        """A task removed for good."""
        form = await self._site.checked_form(request)
        user = self._tasks.user_of(form.get("user", ""))
        await self._tasks.delete(request, user, request.path_params["id"])
        return self._site.see_other(Seen().address(self._tasks.named(user)))

    async def _found(self, user: str, task_id: int) -> Card:
        card: Card | None = await self._site.ask("tasks.task", user, task_id)
        if card is None:
            raise NotFound(f"There is no task {task_id} on this board. It may have been deleted.")
        return card

    def _editing(self, request: Request, card: Card, draft: Draft, user: str, status: int = 200) -> Response:
        hidden = self._site.csrf(request) + self._tasks.user_field(user)
        main = editing_html(card, draft, hidden, self._tasks.named(user), can_write=self._tasks.can_write)
        return self._site.page(request, card.title, main, at=PATH, status=status)

    async def _board(self, request: Request, seen: Seen, draft: Draft, status: int = 200) -> Response:
        user = self._tasks.user_of(seen.user)
        found = await self._tasks.columns(user, seen)
        main = board_html(found, seen, draft, hidden=self._site.csrf(request) + self._tasks.user_field(user))
        return self._site.page(request, "Tasks", main, at=PATH, status=status, scripts=(SCRIPT,))
