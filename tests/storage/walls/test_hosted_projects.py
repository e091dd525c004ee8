"""Projects of a service on one database, as their callers meet them."""

import json

import pytest

from fieldguide.app import build_app
from fieldguide.settings.config import Settings
from fieldguide.spine.tool import Call
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Refusal


def quiet(lines):
    assert lines


def call(app, tool, user, **given):
    found = Call(tool, {"user_id": user, **given}, Cancellation(), user=user)
    return json.loads(app.executor.execute(found).text)


@pytest.fixture
def apps(address, project):
    """Two projects of a service and one that is served alone."""
    alone = Settings(project=str(project.root), database=address, toolsets=("tasks",))
    settings = {"apple": alone._replace(tenant="apple"), "berry": alone._replace(tenant="berry"), "alone": alone}
    made = {name: build_app(each, write_journal=quiet) for name, each in settings.items()}
    yield made
    for app in made.values():
        app.database.close()


def test_the_same_user_has_other_tasks_in_each_project(apps):
    for name, app in apps.items():
        call(app, "add_task", "dora", title=f"in {name}")
    call(apps["berry"], "add_task", "dora", title="a second one")
    call(apps["berry"], "complete_task", "dora", task_id=1)

    listed = {name: [task["title"] for task in call(app, "list_tasks", "dora")] for name, app in apps.items()}
    completed = {name: call(app, "list_tasks", "dora", status="completed") for name, app in apps.items()}

    assert listed == {"apple": ["in apple"], "berry": ["a second one", "in berry"], "alone": ["in alone"]}
    assert [name for name, tasks in completed.items() if tasks] == ["berry"]
    for name in ("apple", "alone"):
        with pytest.raises(Refusal, match="Task not found"):
            call(apps[name], "complete_task", "dora", task_id=2)
