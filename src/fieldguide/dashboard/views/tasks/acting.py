"""Tasks as the page reads and writes them: every write is a call of the tool that agents use, for the same user."""

from collections.abc import Callable

from starlette.requests import Request

from fieldguide.dashboard.page_text import address, as_html
from fieldguide.dashboard.site import Site
from fieldguide.dashboard.views.tasks.board_page import COLUMN_ROWS, COMPLETED, PENDING, Board, Seen
from fieldguide.errors import InvalidArguments, NotFound
from fieldguide.picturing.board import Card
from fieldguide.places import login_name
from fieldguide.spine.contract import ANONYMOUS

WRITES = ("add_task", "update_task", "complete_task", "delete_task")
LONGEST_USER = 255


class Tasks:
    """The tasks of whoever looks: of the user that the server is bound to, else of the one who is chosen."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._bound = site.served.user
        self._default = self._bound or login_name() or ANONYMOUS
        self.can_write = site.serves(*WRITES) and site.has("tasks.reopen") and not site.served.is_read_only

    def user_of(self, said: str) -> str:
        """Whose tasks are meant; where the server is bound, nobody else's can be."""
        name = said.strip()
        return self._bound or (name if name and "\0" not in name and len(name) <= LONGEST_USER else self._default)

    def named(self, user: str) -> str:
        """The user as an address names them; nobody where it is who looks anyway."""
        return "" if user == self._default else user

    def user_field(self, user: str) -> str:
        """The user as a form carries them."""
        name = self.named(user)
        return f'<input type="hidden" name="user" value="{as_html(name)}">' if name else ""

    async def columns(self, user: str, seen: Seen) -> Board:
        """What is on the board: a page of each column."""
        rows = [await self._rows(user, seen, state) for state in (PENDING, COMPLETED)]
        return Board(
            user=user,
            users=() if self._bound else await self._users(user),
            default=self._default,
            pending=rows[0],
            completed=rows[1],
            actions=self.actions(user) if self.can_write else None,
        )

    async def _users(self, user: str) -> tuple[str, ...]:
        """Whose boards there are to choose from; nobody where there is one."""
        known: list[str] = await self._site.ask("tasks.users")
        users = sorted({*known, self._default, user})
        return tuple(users) if len(users) > 1 else ()

    async def _rows(self, user: str, seen: Seen, state: str) -> tuple[list[Card], int]:
        offset = (seen.page_of(state) - 1) * COLUMN_ROWS
        found: tuple[list[Card], int] = await self._site.ask(
            "tasks.page", user, state == COMPLETED, seen.words, COLUMN_ROWS, offset
        )
        return found

    def actions(self, user: str) -> Callable[[Card], str]:
        """What stands below a card: the way to the other column, to its page, and to its end."""
        whose = self.named(user)

        def shown(card: Card) -> str:
            to, word = (PENDING, "Reopen") if card.is_completed else (COMPLETED, "Done")
            at, about = f"/tasks/{card.id}", as_html(f"{word}: {card.title}")
            return (
                f'<p class="actions"><button form="mover" formaction="{at}/{to}" aria-label="{about}">{word}</button>'
                f'<a class="button" href="{address(at, user=whose)}" aria-label="Edit: {as_html(card.title)}">Edit</a>'
                f'<a class="button" href="{address(f"{at}/delete", user=whose)}" '
                f'aria-label="Delete: {as_html(card.title)}">Delete</a></p>'
            )

        return shown

    async def add(self, request: Request, user: str, title: str, description: str) -> int:
        """Add a task; its number."""
        given = {"title": title, "description": description or None, **self._whose(user)}
        answer = await self._site.call(request, "add_task", given)
        return int(answer.value["task_id"])

    async def change(self, request: Request, user: str, task_id: int, title: str, description: str) -> None:
        """Change what a task says."""
        given = {"task_id": task_id, "title": title, "description": description, **self._whose(user)}
        await self._site.call(request, "update_task", given)

    async def move(self, request: Request, user: str, task_id: int, state: str) -> Card:
        """Complete a task or open it again; the task as it is then."""
        if state == COMPLETED:
            await self._site.call(request, "complete_task", {"task_id": task_id, **self._whose(user)})
        elif state == PENDING:
            await self._site.ask("tasks.reopen", user, task_id)
        else:
            raise InvalidArguments(f"A task is {PENDING} or {COMPLETED}.")
        card: Card | None = await self._site.ask("tasks.task", user, task_id)
        if card is None:
            raise NotFound("This task is gone: somebody has deleted it.")
        return card

    async def delete(self, request: Request, user: str, task_id: int) -> None:
        """Remove a task for good."""
        await self._site.call(request, "delete_task", {"task_id": task_id, **self._whose(user)})

    def _whose(self, user: str) -> dict[str, str]:
        return {} if self._bound else {"user_id": user}
