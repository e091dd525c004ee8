"""A replica that is killed, and a database that is restarted: what goes on, and who goes on with it."""

import psycopg
import pytest

from tests.databases import postgres_server
from tests.processes import eventually
from tests.proves import proves
from tests.replicas.replicas import Replica, call, news_of, request, session_on

FLAGS = ("--toolsets", "documents,tasks")


@pytest.fixture(scope="module")
def own_postgres():
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="module")
def served(tmp_path_factory, own_postgres):
    """A project with two replicas; the first keeps the index."""
    root, place = tmp_path_factory.mktemp("served"), own_postgres.new_database()
    (root / "README.md").write_text("# Fruit\n\nAbout apples.\n", encoding="utf-8")
    first = Replica(root, place, *FLAGS)
    assert eventually(lambda: keepers(place) == 1)
    second = Replica(root, place, *FLAGS)
    yield root, place, first, second
    first.end()
    second.end()


@proves("Z-208", "Z-211", "Z-212")
def test_one_replica_after_the_other_and_the_database_can_fail(served, own_postgres):
    root, place, first, second = served
    session = session_on(first.url)
    add = {"user_id": "ann", "title": "Before the crash"}

    assert eventually(lambda: finds(first.url, session, "apples") == "README.md")
    assert finds(second.url, session, "apples") == "README.md"
    write(root, "pears.md", "# Pears\n\nAbout pears.\n")
    assert eventually(lambda: finds(second.url, session, "pears") == "pears.md")
    call(second.url, session, "add_task", **add)
    assert keepers(place) == 1

    first.kill()
    write(root, "plums.md", "# Plums\n\nAbout plums.\n")

    assert eventually(lambda: finds(second.url, session, "plums") == "plums.md")
    assert [each["title"] for each in call(second.url, session, "list_tasks", user_id="ann")] == [add["title"]]
    assert keepers(place) == 1

    own_postgres.stop()
    own_postgres.start()
    write(root, "quinces.md", "# Quinces\n\nAbout quinces.\n")

    assert eventually(lambda: finds(second.url, session, "quinces") == "quinces.md")
    assert [each["title"] for each in call(second.url, session, "list_tasks", user_id="ann")] == [add["title"]]
    with news_of(second.url, session):
        assert request(second.url, session, "ping")["result"] == {}


def write(root, name, text):
    (root / name).write_text(text, encoding="utf-8")


def finds(url, session, query):
    """Which file a search finds first; nothing while the database is away."""
    told = request(url, session, "tools/call", name="documents_search", arguments={"query": query, "limit": 1})
    text = told["result"]["content"][0]["text"] if "result" in told else ""
    return next((name for name in (f"{query}.md", "README.md") if name in text), None)


def keepers(place):
    """How many processes hold the lock of an index, for good."""
    with psycopg.connect(place) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE locktype = 'advisory' AND granted AND application_name = 'fieldguide line'"
            " AND datname = current_database()"
        ).fetchone()
    return row[0] if row else 0
