"""What the page shows of tasks and no tool gives: a page of one state, one task, a task opened again."""

from fieldguide.picturing.board import Card
from fieldguide.storage.port import Database
from fieldguide.toolsets.tasks.entity import Task
from fieldguide.toolsets.tasks.repository import PostgreSQLTaskRepository, Wanted
from fieldguide.toolsets.tasks.use_cases import UncompleteTaskUseCase


def page(
    database: Database, user: str, is_completed: bool, words: str, limit: int, offset: int
) -> tuple[list[Card], int]:
    """Some of a user's tasks of one state, newest first, and how many there are."""
    wanted = Wanted(is_completed, words, limit, offset)
    with database.reading() as session:
        repository = PostgreSQLTaskRepository(session, user)
        return [*map(_card, repository.get_page(wanted))], repository.count_wanted(wanted)


def task(database: Database, user: str, task_id: int) -> Card | None:
    """A task of a user; None where there is none."""
    with database.reading() as session:
        found = PostgreSQLTaskRepository(session, user).get_by_id(task_id)
    return None if found is None else _card(found)


def reopen(database: Database, user: str, task_id: int) -> Card:
    """Mark a task as still to do."""
    with database.writing() as session:
        return _card(UncompleteTaskUseCase(PostgreSQLTaskRepository(session, user)).execute(task_id))


def _card(found: Task) -> Card:
    return Card(found.id, found.title, found.description or "", found.is_completed, found.created_at)
