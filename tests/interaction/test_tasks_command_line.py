"""`fieldguide tasks` as a person or a script uses it."""

import getpass
import json

import pytest

from fieldguide import tasks_for
from tests.raw_client import RawClient
from tests.servers import run


@pytest.fixture
def tasks(project):
    def act(action, *words, user="ann", **more):
        return run("tasks", action, *words, "--project", project.root, "--user", user, **more)

    return act


def test_a_task_is_added_listed_finished_changed_and_removed(tasks):
    said = [
        tasks("add", "Water the plants", "--description", "The fern most of all").stdout,
        tasks("add", "Call Bob").stdout,
        tasks("done", 2).stdout,
        tasks("edit", 1, "--title", "Water the ferns").stdout,
        tasks("list").stdout,
        tasks("list", "--status", "pending").stdout,
        tasks("rm", 1, 2).stdout,
        tasks("list").stdout,
        tasks("list", "--status", "completed").stdout,
    ]

    assert said == [
        "Added task 1: Water the plants\n",
        "Added task 2: Call Bob\n",
        "Finished task 2: Call Bob\n",
        "Changed task 1: Water the ferns\n",
        "id  done  title            description\n"
        "2   [x]   Call Bob\n"
        "1   [ ]   Water the ferns  The fern most of all\n",
        "id  done  title            description\n1   [ ]   Water the ferns  The fern most of all\n",
        "Removed task 1: Water the ferns\nRemoved task 2: Call Bob\n",
        "No tasks.\n",
        "No completed tasks.\n",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("add", ""), "fieldguide: Title is required\n"),
        (("add", "x" * 201), "fieldguide: Title must be 200 characters or less\n"),
        (("add", "x", "--description", "x" * 1001), "fieldguide: Description must be 1000 characters or less\n"),
        (("done", 7), "fieldguide: Task not found (task 7)\n"),
        (("done", 0), "fieldguide: Invalid task ID\n"),
        (("rm", -1), "fieldguide: Invalid task ID\n"),
        (("edit", 7), "fieldguide: At least title or description required\n"),
        (("edit", 7, "--title", "x"), "fieldguide: Task not found (task 7)\n"),
    ],
)
def test_what_a_tool_refuses_is_a_sentence_on_stderr_and_code_1(tasks, words, sentence):
    done = tasks(*words, code=1)

    assert (done.stdout, done.stderr) == ("", sentence)


def test_one_task_that_is_not_there_does_not_hold_up_the_others(tasks):
    tasks("add", "one")
    tasks("add", "two")

    done = tasks("done", 1, 9, 2, code=1)

    assert done.stdout == "Finished task 1: one\nFinished task 2: two\n"
    assert done.stderr == "fieldguide: Task not found (task 9)\n"


def test_scripts_get_what_the_tools_answer(tasks):
    added = tasks("add", "one", "--json")
    listed = tasks("list", "--json")
    done = tasks("done", 1, 9, "--json", code=1)
    refused = tasks("add", "", "--json", code=1)

    assert json.loads(added.stdout) == {"task_id": 1, "status": "created", "title": "one"}
    assert json.loads(listed.stdout) == [{"id": 1, "title": "one", "description": None, "completed": False}]
    assert json.loads(done.stdout) == [
        {"task_id": 1, "status": "completed", "title": "one"},
        {"error": "Task not found", "task_id": 9},
    ]
    assert json.loads(refused.stdout)["error"] == "Title is required"


def test_each_person_sees_their_own_and_an_agent_the_same(tasks, project):
    tasks("add", "Ann's own")

    of_bob = tasks("list", user="bob")
    touched = tasks("rm", 1, user="bob", code=1)
    by_an_agent = run("call", "list_tasks", '{"user_id": "ann"}', "--project", project.root)

    assert of_bob.stdout == "No tasks.\n"
    assert touched.stderr == "fieldguide: Task not found (task 1)\n"
    assert json.loads(by_an_agent.stdout)[0]["title"] == "Ann's own"


def test_the_user_is_the_one_of_the_environment_else_the_login_name(project):
    common = ("--project", project.root, "--json")
    run("tasks", "add", "by flag", *common, "--user", "ann", FIELDGUIDE_USER="bob")
    run("tasks", "add", "by environment", *common, FIELDGUIDE_USER="bob")
    run("tasks", "add", "by login", *common)

    def titles(user):
        return [task["title"] for task in json.loads(run("tasks", "list", *common, "--user", user).stdout)]

    assert titles("ann") == ["by flag"]
    assert titles("bob") == ["by environment"]
    assert titles(getpass.getuser()) == ["by login"]
    assert "must be a name" in run("tasks", "list", *common, "--user", " ", code=2).stderr


def test_a_database_that_fails_is_told_with_its_cause(tasks, project):
    project.write_state("fieldguide.db/in-the-way", "")

    done = tasks("add", "x", code=1)

    assert done.stderr.splitlines()[-1] == "fieldguide: Failed to create task"
    assert "unable to open database file" in done.stderr


def test_another_database_is_used_when_it_is_named(tasks, postgres):
    address = postgres.new_database()
    tasks("add", "far away", "--database", address)

    assert tasks("list", "--database", address).stdout == "id  done  title\n1   [ ]   far away\n"
    assert tasks("list").stdout == "No tasks.\n"


def test_while_nobody_is_named_an_agents_tasks_and_the_persons_are_one_list(project):
    here = ("--project", project.root)
    run("tasks", "add", "The person's own", *here)
    run("call", "add_task", '{"user_id": "agent", "title": "The agent\'s", "description": "soon"}', *here)

    listed = run("tasks", "list", *here)
    told = json.loads(run("tasks", "list", *here, "--json").stdout)
    finished = run("tasks", "done", 2, *here)
    of_agent = run("tasks", "list", *here, "--user", "agent")
    pending = json.loads(run("tasks", "list", *here, "--status", "pending", "--json").stdout)

    me = getpass.getuser()
    assert [line.split() for line in listed.stdout.splitlines()] == [
        ["id", "done", "user", "title", "description"],
        ["2", "[", "]", "agent", "The", "agent's", "soon"],
        ["1", "[", "]", me, "The", "person's", "own"],
    ]
    assert [(each["id"], each["user_id"]) for each in told] == [(2, "agent"), (1, me)]
    assert finished.stdout == "Finished task 2: The agent's\n"
    assert of_agent.stdout == "id  done  title        description\n2   [x]   The agent's  soon\n"
    assert [each["title"] for each in pending] == ["The person's own"]


@pytest.mark.parametrize(
    ("flags", "extra", "sentence"),
    [
        ((), {"LOGNAME": "ann"}, 'Where a tool takes a user_id, the person\'s own is "ann".'),
        (("--bind-user",), {"LOGNAME": "ann"}, 'Every call is made for the user_id "ann".'),
        (("--user", "bob"), {"LOGNAME": "ann"}, 'Every call is made for the user_id "bob".'),
        (("--bind-user",), {"LOGNAME": "ann", "FIELDGUIDE_USER": "cyd"}, 'Every call is made for the user_id "cyd".'),
        (("--toolsets", "documents"), {"LOGNAME": "ann"}, "For exact strings in one file use rg."),
    ],
)
def test_an_agent_is_told_which_user_it_works_for(project, flags, extra, sentence):
    with RawClient(project.root, *flags, extra_environment=extra) as client:
        said = client.initialize()["instructions"]
        tools = {each["name"]: each for each in client.request("tools/list")["result"]["tools"]}

    assert said.endswith(sentence)
    if "add_task" in tools:
        assert ("user_id" in tools["add_task"]["inputSchema"]["properties"]) == said.endswith('own is "ann".')


def test_the_person_of_the_configuration_is_whom_the_agent_works_for(project, tmp_path):
    (tmp_path / "fieldguide").mkdir()
    (tmp_path / "fieldguide" / "config.toml").write_text('user = "dora"\n', encoding="utf-8")
    with RawClient(project.root, extra_environment={"XDG_CONFIG_HOME": str(tmp_path), "LOGNAME": "ann"}) as client:
        assert '"dora"' in client.initialize()["instructions"]


def test_everybodys_tasks_are_listed_however_many_users_there_are(project):
    for number in range(205):
        with tasks_for(f"user{number}", project=project.root) as tasks:
            tasks.add_task("Water the fern")

    listed = json.loads(run("tasks", "list", "--json", "--project", project.root).stdout)

    assert len({task["user_id"] for task in listed}) == 205
