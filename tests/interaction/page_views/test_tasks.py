"""The board of tasks on the page: what a person does with forms alone, and what happens when it goes wrong."""

import sqlite3

import pytest

from tests.interaction.page_views.conftest import HOSTILE, Page
from tests.projects import Project
from tests.servers import http_server


def added(page, title, **more):
    answer = page.post("/tasks", title=title, **more)
    assert answer.status == 303, answer.text
    return int(answer.headers["location"].rpartition("-")[2])


def column(text, state):
    return text.partition(f' id="column-{state}"')[2].partition("</section>")[0]


def test_a_task_is_added_changed_done_opened_again_and_deleted(page):
    task = added(page, "Write it down", description="Two\nlines")
    was = page.field(f"/tasks/{task}", "was")

    assert page.post(f"/tasks/{task}", title="Write all down", description="", was=was).status == 303
    assert page.post(f"/tasks/{task}/completed").status == 303
    done = page.get("/tasks").text
    assert page.post(f"/tasks/{task}/pending").status == 303
    opened = page.get("/tasks").text
    asked = page.get(f"/tasks/{task}/delete")
    assert page.post(f"/tasks/{task}/delete").status == 303

    assert f'id="task-{task}"' in column(done, "completed")
    assert "Write all down" in column(opened, "pending")
    assert "This can't be undone." in asked.text.replace("&#x27;", "'")
    assert f'id="task-{task}"' not in page.get("/tasks").text


def test_a_task_has_a_priority_and_a_label_and_is_in_progress(page):
    task = added(page, "Sort the post", priority="high", label=f"{HOSTILE[:20]}")
    plain = added(page, "Later")

    page.post(f"/tasks/{task}/started")
    started = column(page.get("/tasks").text, "started")
    was = page.field(f"/tasks/{plain}", "was")
    refused = page.post(f"/tasks/{plain}", title="Later", description="", was=was, priority="urgent", label="")
    page.post(f"/tasks/{plain}", title="Later", description="", was=was, priority="low", label="desk")
    page.post(f"/tasks/{task}/pending")
    pending = column(page.get("/tasks").text, "pending")

    assert f'id="task-{task}"' in started
    assert '<span class="badge bad">high priority</span>' in started
    assert "&lt;script&gt;alert(1)&lt;/" in started
    assert "<script>" not in started
    assert (refused.status, "Priority must be one of" in refused.text) == (400, True)
    assert pending.index(f'id="task-{task}"') < pending.index(f'id="task-{plain}"')
    assert f'id="task-{plain}"' in column(page.get("/tasks?q=desk").text, "pending")
    assert page.post(f"/tasks/{task}/nowhere").status == 409


@pytest.mark.parametrize("title", ["   ", "x" * 201])
def test_a_task_that_is_refused_stays_in_the_form_with_the_reason(page, title):
    answer = page.post("/tasks", title=title, description="What I wrote")

    assert answer.status == 400
    assert 'role="alert" id="refused"' in answer.text
    assert "What I wrote" in answer.text
    assert title in answer.text


def test_a_change_that_somebody_else_overtook_is_kept_in_the_form_beside_theirs(page):
    task = added(page, "As it was")
    was = page.field(f"/tasks/{task}", "was")
    page.post(f"/tasks/{task}", title="Theirs", description="", was=was)

    answer = page.post(f"/tasks/{task}", title="Mine", description="Long text", was=was)

    assert answer.status == 409
    assert 'value="Mine"' in answer.text
    assert "Long text" in answer.text
    assert "<h3>Theirs</h3>" in answer.text


def test_a_change_of_a_task_that_is_gone_can_be_added_anew(page):
    task = added(page, "Soon gone")
    page.post(f"/tasks/{task}/delete")

    answer = page.post(f"/tasks/{task}", title="Mine", description="Long text", was="x")

    assert answer.status == 409
    assert "This task is gone" in answer.text
    assert 'value="Mine"' in answer.text


@pytest.mark.parametrize("path", ["/tasks", "/tasks/1", "/tasks/1/completed", "/tasks/1/delete", "/findings/x/remove"])
def test_a_form_of_somebody_else_changes_nothing(page, path):
    assert page.post(path, csrf="0" * 64, title="Forged").status == 403
    assert page.post(path, headers=(("Sec-Fetch-Site", "cross-site"),), title="Forged").status == 403
    assert "Forged" not in page.get("/tasks").text


def test_a_read_only_page_shows_everything_and_takes_nothing(read_only):
    text = read_only.get("/tasks").text

    assert 'action="/tasks"' not in text.replace('method="get" action="/tasks"', "")
    for path in ("/tasks", "/tasks/1/completed", "/tasks/1/delete", "/findings/x/remove"):
        assert read_only.post(path, csrf="x", title="No").status in (404, 405)


def test_a_bound_page_has_the_tasks_of_its_user_alone_and_others_choose(tmp_path):
    project = Project(tmp_path)
    flags = ("--toolsets", "tasks")
    with http_server(project.root, *flags) as url:
        free = Page(url)
        added(free, "Bob's own", user="bob")
        chosen, own = free.get("/tasks?user=bob").text, free.get("/tasks").text
    with http_server(project.root, *flags, "--user", "ann") as url:
        bound = Page(url)
        other = bound.get("/tasks?user=bob").text
        added(bound, "Ann's own", user="bob")
        hers = bound.get("/tasks").text

    assert "Bob&#x27;s own" in chosen
    assert '<option value="bob">' in own
    assert "Bob&#x27;s own" not in own + other + hers
    assert "Ann&#x27;s own" in hers


def test_ten_thousand_tasks_come_in_pages_and_are_found_by_words(tmp_path):
    project = Project(tmp_path)
    with http_server(project.root, "--toolsets", "tasks", "--user", "ann") as url:
        page = Page(url)
        added(page, "The needle 100%")
        with sqlite3.connect(project.state / "fieldguide.db") as database:
            database.executemany(
                "INSERT INTO task (id, namespace, user_id, title, completed, created_at, updated_at)"
                " VALUES (?, '', 'ann', ?, 0, ?, ?)",
                [(n + 2, f"Task {n}", *["2020-01-01T00:00:00+00:00"] * 2) for n in range(10_000)],
            )
        first, last = page.get("/tasks").text, page.get("/tasks?pending=251").text
        found = page.get("/tasks?q=needle+100%25").text
        no_wildcard = page.get("/tasks?q=100%25_").text

    assert '<span class="count">10,001</span>' in first
    assert (first.count('class="task"'), last.count('class="task"')) == (40, 1)
    assert (found.count('class="task"'), no_wildcard.count('class="task"')) == (1, 0)
    assert len(first) < 100_000
