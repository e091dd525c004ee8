"""Tasks a page at a time, in both databases: of one state, of one user, newest first, found by words."""

import pytest

from fieldguide.spine.tool import Call
from fieldguide.text.cancellation import Cancellation
from fieldguide.toolsets.tasks import calls
from fieldguide.toolsets.tasks.repository import PostgreSQLTaskRepository, TaskValidationError


def test_tasks_come_in_pages_and_are_opened_again(database):
    with database.writing() as session:
        mine, other = PostgreSQLTaskRepository(session, "ann"), PostgreSQLTaskRepository(session, "bob")
        added = [mine.add(f"Task {number}", "50% more" if number == 3 else None) for number in range(5)]
        mine.update(added[0].id, {"completed": True})
        other.add("Bob's", None)

    cards, total = calls.page(database, "ann", "pending", "", 2, 1)
    found, fitting = calls.page(database, "ann", "pending", "50%", 10, 0)
    reopened = calls.reopen(database, "ann", added[0].id, False)

    assert ([card.title for card in cards], total) == (["Task 3", "Task 2"], 4)
    assert ([card.description for card in found], fitting) == (["50% more"], 1)
    assert not reopened.is_completed
    assert calls.page(database, "ann", "completed", "", 10, 0) == ([], 0)
    assert calls.task(database, "bob", added[1].id) is None


def test_what_is_in_progress_and_urgent_is_kept_and_told_to_agents(database):
    with database.writing() as session:
        first, second, third = (PostgreSQLTaskRepository(session, "ann").add(f"Task {n}", None) for n in range(3))
    calls.reopen(database, "ann", first.id, True)
    calls.arrange(database, "ann", second.id, "high", " payments ")

    started, _ = calls.page(database, "ann", "started", "", 10, 0)
    pending, _ = calls.page(database, "ann", "pending", "", 10, 0)
    labelled, _ = calls.page(database, "ann", "pending", "PAYMENTS", 10, 0)
    listed = calls.list_tasks(database, Call("list_tasks", {"user_id": "ann"}, Cancellation()))

    assert [card.id for card in started] == [first.id]
    assert [(card.id, card.priority, card.label) for card in pending] == [
        (second.id, "high", "payments"),
        (third.id, "", ""),
    ]
    assert [card.id for card in labelled] == [second.id]
    plain = {"description": None, "completed": False}
    assert sorted(listed, key=lambda each: each["id"]) == [
        {"id": first.id, "title": "Task 0", **plain, "in_progress": True},
        {"id": second.id, "title": "Task 1", **plain, "priority": "high", "label": "payments"},
        {"id": third.id, "title": "Task 2", **plain},
    ]
    for priority, label in (("urgent", ""), ("", "x" * 41)):
        with pytest.raises(TaskValidationError):
            calls.arrange(database, "ann", first.id, priority, label)
