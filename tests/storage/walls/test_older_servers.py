"""A server of the version before on the tables of this one: it goes on, and what it writes has its place."""

from contextlib import closing

import psycopg

from fieldguide.search.engine import SCHEMA as SEARCH
from fieldguide.storage.database import LEDGER, read_migrations
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.toolsets.tasks.repository import PostgreSQLTaskRepository
from tests.proves import proves
from tests.storage.walls.houses import SCHEMAS

OLDER_CHUNK = """
    INSERT INTO search_chunk (id, source_id, document_id, maker, headings, body, start_line, end_line, words, vector)
    VALUES (%(id)s, %(source)s, 1, 'm', '', '', 1, 1, '', NULL)
"""
OLDER_TASK = "INSERT INTO task (user_id, title, created_at, updated_at) VALUES ('ann', 'from before', now(), now())"


@proves("Z-176")
def test_what_was_there_and_what_an_older_server_adds_has_its_project(postgres):
    address = postgres.new_database()
    with psycopg.connect(address) as connection:
        connection.execute(LEDGER.encode())
        for step in read_migrations(SEARCH, dialect="postgres")[:7]:
            connection.execute(step.script.encode())
            connection.execute(
                "INSERT INTO schema_migration VALUES ('search', %s, %s, 'before')", (step.number, step.name)
            )
        for kind in ("/home/ann|documents", "/odd|name|code", "documents"):
            connection.execute("INSERT INTO search_source (kind, name, details) VALUES (%s, 'x', '{}')", (kind,))
        connection.execute(OLDER_CHUNK, {"id": 1, "source": 1})
        connection.execute(OLDER_CHUNK, {"id": 2, "source": 2})

    with closing(PostgresDatabase(address, SCHEMAS)) as database, database.reading():
        pass
    with psycopg.connect(address) as connection:
        connection.execute(OLDER_CHUNK, {"id": 3, "source": 1})
        connection.execute(OLDER_CHUNK, {"id": 4, "source": 3})
        chunks = connection.execute("SELECT id, namespace FROM search_chunk ORDER BY id").fetchall()

    assert chunks == [(1, "/home/ann|"), (2, "/odd|name|"), (3, "/home/ann|"), (4, "")]


@proves("Z-176")
def test_tasks_of_an_older_server_are_those_of_people_who_share_a_database(postgres):
    address = postgres.new_database()
    with (
        closing(PostgresDatabase(address, SCHEMAS)) as alone,
        closing(PostgresDatabase(address, SCHEMAS, tenant="apple|")) as hosted,
    ):
        with alone.writing() as session:
            session.execute(OLDER_TASK, {})
        with alone.reading() as session:
            seen = PostgreSQLTaskRepository(session, "ann").get_all()
        with hosted.reading() as session:
            hidden = PostgreSQLTaskRepository(session, "ann").get_all()

    assert [task.title for task in seen] == ["from before"]
    assert hidden == []
