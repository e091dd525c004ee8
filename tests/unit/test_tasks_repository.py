"""The repository and the use cases over it: every statement carries the user, and what each operation gives back."""

import inspect
import re
from contextlib import closing
from datetime import UTC, datetime

import pytest

from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.storage.sqlite import SqliteDatabase
from fieldguide.text.errors import NotFound
from fieldguide.toolsets.tasks.calls import (
    AddTaskUseCase,
    CompleteTaskUseCase,
    DeleteTaskUseCase,
    UncompleteTaskUseCase,
    UpdateTaskUseCase,
)
from fieldguide.toolsets.tasks.repository import (
    PostgreSQLTaskRepository,
    Task,
    TaskNotFoundError,
    TaskQuery,
    TaskStatus,
)
from fieldguide.toolsets.tasks.tools import SCHEMA
from tests.proves import proves

ROW = {
    "id": 1,
    "title": "x",
    "description": None,
    "completed": False,
    "created_at": datetime(2026, 1, 1, tzinfo=UTC),
    "started": False,
    "priority": 0,
    "label": "",
    "count": 1,
}
OPERATIONS = {
    "add": ("x", None),
    "get_by_id": (1,),
    "get_all": (),
    "update": (1, {"title": "y", "description": "z", "completed": True}),
    "delete": (1,),
    "count": (),
    "holds": (1,),
    "exists": (1,),
    "get_page": (TaskQuery(is_completed=False, words="x", limit=10, offset=0),),
    "count_wanted": (TaskQuery(is_completed=False, words="x", limit=10, offset=0),),
}
POSTGRES_COLUMNS = """
    SELECT column_name AS name, data_type AS type, is_nullable AS nullable, character_maximum_length AS length
    FROM information_schema.columns WHERE table_name = 'task' ORDER BY ordinal_position
"""
POSTGRES_INDEXES = "SELECT indexdef AS sql FROM pg_indexes WHERE tablename = 'task'"
SQLITE_INDEXES = "SELECT sql FROM sqlite_master WHERE tbl_name = 'task' AND type = 'index' AND sql IS NOT NULL"


class RecordingTransaction:
    """Keeps every statement, and has a row for each."""

    tenant = ""

    def __init__(self):
        self.statements = []

    def fetch_one(self, sql, parameters):
        self.statements.append((sql, parameters))
        return ROW

    def fetch_all(self, sql, parameters):
        self.statements.append((sql, parameters))
        return [ROW]

    def execute(self, sql, parameters):
        self.statements.append((sql, parameters))
        return 1

    def execute_many(self, sql, parameters):
        self.statements += [(sql, each) for each in parameters]

    def run_script(self, script):
        self.statements.append((script, {}))


@pytest.fixture
def database(tmp_path, database_flags):
    """A database of each kind with the tables of the tasks."""
    path = str(tmp_path / "tasks.db")
    opened = (
        PostgresDatabase(database_flags[1], [SCHEMA])
        if database_flags
        else SqliteDatabase(lambda: path, [SCHEMA], print)
    )
    with closing(opened):
        yield opened


@pytest.fixture
def repository(database):
    with database.writing() as session:
        yield PostgreSQLTaskRepository(session, "ann")


def is_scoped(sql):
    if sql.lstrip().startswith("INSERT"):
        return bool(re.search(r"INSERT INTO task \(user_id, .*VALUES \(:user_id, ", sql, flags=re.DOTALL))
    return bool(re.search(r"\bWHERE user_id = :user_id\b", sql)) and " OR " not in sql


@proves("S1-7")
def test_the_repository_is_made_of_a_session_and_a_user():
    assert PostgreSQLTaskRepository.__name__ == "PostgreSQLTaskRepository"
    assert list(inspect.signature(PostgreSQLTaskRepository).parameters) == ["session", "user_id"]


@proves("S1-53")
def test_every_statement_of_every_operation_carries_the_user():
    operations = [
        name for name, _ in inspect.getmembers(PostgreSQLTaskRepository, inspect.isfunction) if name[0] != "_"
    ]

    assert sorted(operations) == sorted(OPERATIONS)
    for name, arguments in OPERATIONS.items():
        session = RecordingTransaction()
        getattr(PostgreSQLTaskRepository(session, "ann's"), name)(*arguments)

        assert session.statements, name
        for sql, parameters in session.statements:
            assert is_scoped(sql), f"{name}: {sql}"
            assert parameters["user_id"] == "ann's"
            assert "ann" not in sql


@proves("S1-53")
@pytest.mark.parametrize("changes", [{"title": "y"}, {"description": None}, {"completed": False}, {}])
def test_every_kind_of_update_is_the_one_scoped_statement(changes):
    session = RecordingTransaction()

    PostgreSQLTaskRepository(session, "ann").update(1, changes)

    assert len(session.statements) == 1
    assert is_scoped(session.statements[0][0])


def test_the_check_of_the_statements_can_fail():
    assert not is_scoped("SELECT id FROM task WHERE id = :task_id")
    assert not is_scoped("SELECT id FROM task WHERE user_id = :user_id OR id = :task_id")
    assert not is_scoped("INSERT INTO task (title) VALUES (:title)")


@proves("S1-54")
@pytest.mark.parametrize("user", [None, "", "  ", "\n", 0, 5, True, b"ann", ["ann"]])
def test_a_repository_without_a_user_cant_be_made(user):
    with pytest.raises(ValueError, match="belongs to a user"):
        PostgreSQLTaskRepository(RecordingTransaction(), user)


@pytest.mark.each_database
@proves("U1-2")
def test_the_repository_keeps_finds_changes_and_removes(repository):
    added = repository.add("First", None)
    second = repository.add("Second", "")

    assert isinstance(added, Task)
    assert (added.title, added.description, added.status) == ("First", None, TaskStatus.PENDING)
    assert added.created_at.tzinfo is not None
    assert repository.get_by_id(added.id) == added
    assert repository.get_by_id(999) is None
    assert (repository.exists(second.id), repository.exists(999)) == (True, False)
    assert repository.update(added.id, {"title": "New"}).title == "New"
    assert (repository.delete(second.id), repository.delete(second.id)) == (True, False)
    with pytest.raises(TaskNotFoundError, match="Task not found"):
        repository.update(second.id, {"title": "Gone"})
    assert [task.title for task in repository.get_all()] == ["New"]


@proves("U1-1")
def test_a_task_can_be_completed_twice_and_taken_up_again(repository):
    task = AddTaskUseCase(repository).execute("Water the ferns")

    first = CompleteTaskUseCase(repository).execute(task.id)
    second = CompleteTaskUseCase(repository).execute(task.id)
    again = UncompleteTaskUseCase(repository).execute(task.id)

    assert first == second == task.complete() == task.complete().complete()
    assert (first.status, first.is_completed) == (TaskStatus.COMPLETED, True)
    assert again == task
    assert [status.name for status in TaskStatus] == ["PENDING", "COMPLETED"]


@proves("S1-30")
def test_the_use_cases_say_themselves_what_is_not_there(repository):
    for missing in (
        lambda: CompleteTaskUseCase(repository).execute(7),
        lambda: UncompleteTaskUseCase(repository).execute(7),
        lambda: DeleteTaskUseCase(repository).execute(7),
        lambda: UpdateTaskUseCase(repository).execute(7, "x"),
    ):
        with pytest.raises(NotFound, match="Task not found") as caught:
            missing()
        assert caught.value.details == {"task_id": 7}


@proves("U1-3")
def test_postgres_has_the_columns_that_were_agreed(postgres):
    with closing(PostgresDatabase(postgres.new_database(), [SCHEMA])) as database, database.reading() as session:
        columns = {row["name"]: row for row in session.fetch_all(POSTGRES_COLUMNS, {})}

    agreed = ["id", "user_id", "title", "description", "completed", "created_at", "updated_at"]
    assert list(columns) == [*agreed, "namespace", "started", "priority", "label"]
    assert (columns["title"]["type"], columns["title"]["length"]) == ("character varying", 200)
    assert [name for name, row in columns.items() if row["nullable"] == "YES"] == ["description"]


@pytest.mark.each_database
@proves("U1-3")
def test_the_table_has_its_indexes(database, database_flags):
    with database.reading() as session:
        rows = session.fetch_all(POSTGRES_INDEXES if database_flags else SQLITE_INDEXES, {})

    indexes = " ".join(row["sql"] for row in rows)
    assert "(user_id, completed)" in indexes
    assert "(user_id, created_at DESC, id DESC)" in indexes


def test_tasks_are_counted_only_where_there_may_be_so_many(repository):
    for number in range(3):
        repository.add(str(number), None)

    assert repository.holds(3)
    assert not repository.holds(4)
    assert repository.delete(repository.get_all()[-1].id)
    assert not repository.holds(3)
    repository.count = lambda: pytest.fail("four were never made")
    assert not repository.holds(4)
