"""Tasks a page at a time, in both databases: of one state, of one user, newest first, found by words."""

from fieldguide.toolsets.tasks import calls
from fieldguide.toolsets.tasks.repository import PostgreSQLTaskRepository
from tests.proves import proves


@proves("Z-70")
def test_tasks_come_in_pages_and_are_opened_again(database):
    with database.writing() as session:
        mine, other = PostgreSQLTaskRepository(session, "ann"), PostgreSQLTaskRepository(session, "bob")
        added = [mine.add(f"Task {number}", "50% more" if number == 3 else None) for number in range(5)]
        mine.update(added[0].id, {"completed": True})
        other.add("Bob's", None)

    cards, total = calls.page(database, "ann", False, "", 2, 1)
    found, fitting = calls.page(database, "ann", False, "50%", 10, 0)
    reopened = calls.reopen(database, "ann", added[0].id)

    assert ([card.title for card in cards], total) == (["Task 3", "Task 2"], 4)
    assert ([card.description for card in found], fitting) == (["50% more"], 1)
    assert not reopened.is_completed
    assert calls.page(database, "ann", True, "", 10, 0) == ([], 0)
    assert calls.task(database, "bob", added[1].id) is None
