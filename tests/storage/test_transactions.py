"""What a transaction promises, on both databases: kept whole or not at all, and text comes back as it went in."""

from datetime import UTC, datetime, timedelta

import pytest

from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.text.errors import NotFound, StorageFailed
from tests.storage.stores import NOTES, TASKS, add_note, texts

THREADS = 16
WRITES_EACH = 20
SECRET = "open-sesame"
AWKWARD_TEXTS = [
    "100%", "%s %(name)s %%", "value::text and :name and ::", "it's \"quoted\" with 'both' and `ticks`",
    "'; DROP TABLE note; --", "back\\slash \\' \\\\", "line\nbreak\r\n\ttab", "", " \u00a0\u2028 ",
    "日本語 Ελληνικά عربى עברית", "👩‍👩‍👧‍👦 🏳️‍🌈 𝕏", "e\u0301 is not \u00e9", "\x01\x1f\x7f\ufeff\uffff",
]  # fmt: skip


def test_an_error_takes_everything_back_and_comes_out_as_it_was(database):
    def change_their_mind() -> None:
        with database.writing() as transaction:
            transaction.execute("INSERT INTO note (text, written_at) VALUES ('lost', now())", {})
            transaction.execute("UPDATE counter SET value = 7", {})
            raise NotFound("Task not found")

    with pytest.raises(NotFound, match=r"^Task not found$"):
        change_their_mind()

    with database.reading() as transaction:
        assert transaction.fetch_all("SELECT text FROM note", {}) == []
        assert [row["value"] for row in transaction.fetch_all("SELECT value FROM counter", {})] == [0]


@pytest.mark.parametrize(
    "statement",
    ["INSERT INTO no_such_table (id) VALUES (1)", "SELEKT 1", "UPDATE counter SET value = -1", "SELECT :missing"],
)
def test_a_statement_that_fails_takes_back_those_before_it_and_the_database_goes_on(database, statement):
    def fail_half_way() -> None:
        with database.writing() as transaction:
            transaction.execute("INSERT INTO note (text, written_at) VALUES ('lost', now())", {})
            transaction.execute(statement, {})

    with pytest.raises(StorageFailed, match=r"^The database could not do this\.$") as caught:
        fail_half_way()

    assert caught.value.__cause__ is not None
    add_note(database, "next")
    assert texts(database) == ["next"]


def test_a_reader_sees_one_moment_while_others_write(store, database):
    other = store.open(TASKS, NOTES)
    add_note(other, "before")

    with database.reading() as transaction:
        first = transaction.fetch_all("SELECT text FROM note", {})
        add_note(other, "meanwhile")
        second = transaction.fetch_all("SELECT text FROM note", {})

    assert [row["text"] for row in first] == [row["text"] for row in second] == ["before"]
    assert texts(database) == ["before", "meanwhile"]


def test_a_reading_transaction_cannot_write_on_postgres(postgres_store):
    database = postgres_store.open(NOTES)

    with pytest.raises(StorageFailed) as caught, database.reading() as transaction:
        transaction.execute("UPDATE counter SET value = 1", {})

    assert "read-only transaction" in str(caught.value.__cause__)


def test_any_text_comes_back_as_it_went_in_and_is_found_by_itself(database):
    numbers = [add_note(database, text) for text in AWKWARD_TEXTS]

    with database.reading() as transaction:
        find = "SELECT id FROM note WHERE text = :text AND text IN (:text, :text)"
        found = [[row["id"] for row in transaction.fetch_all(find, {"text": text})] for text in AWKWARD_TEXTS]

    assert texts(database) == AWKWARD_TEXTS
    assert found == [[number] for number in numbers]


def test_text_in_a_statement_is_no_parameter(database):
    with database.reading() as transaction:
        row = transaction.fetch_one(
            """
            SELECT -- it isn't :a parameter, 100% sure
                'at 12:30 :name' AS one, '100% %s' AS two, 'it''s :x' AS three, 1 AS ":four",
                CAST(:given AS TEXT) AS five, CAST(:part2 AS INTEGER) % 7 AS six
            """,
            {"given": "G", "part2": 30},
        )
        motto = transaction.fetch_one("SELECT motto FROM counter WHERE motto LIKE '100\\%%' ESCAPE '\\'", {})

    assert row is not None
    assert [row[name] for name in ("one", "two", "three", ":four", "five", "six")] == [
        "at 12:30 :name", "100% %s", "it's :x", 1, "G", 2,
    ]  # fmt: skip
    assert motto is not None
    assert motto["motto"] == "100% of what :you count; not more"


def test_a_cast_in_postgres_spelling_is_no_parameter(postgres_store):
    with postgres_store.open().reading() as transaction:
        row = transaction.fetch_one("SELECT '7'::int AS seven, CAST(:n AS TEXT)::int::text AS n", {"n": "8"})

    assert row == {"seven": 7, "n": "8"}


def test_now_is_the_time_in_utc_and_never_goes_back(database):
    before = datetime.now(UTC)
    for number in range(50):
        add_note(database, str(number))
    after = datetime.now(UTC)

    with database.reading() as transaction:
        rows = transaction.fetch_all("SELECT written_at FROM note ORDER BY id", {})

    moments = [as_moment(row["written_at"]) for row in rows]
    assert {moment.utcoffset() for moment in moments} == {timedelta(0)}
    assert before <= moments[0]
    assert moments[-1] <= after
    assert moments == sorted(moments)
    assert len(set(moments)) == 50


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ann:{SECRET}@db.example.org:5433/team",
        f"postgresql://ann@db.example.org/team?password={SECRET}&sslmode=require",
        f"postgres://ann:{SECRET}%21@db.example.org/team",
    ],
)
def test_no_description_tells_a_password(address):
    described = PostgresDatabase(address, ()).describe()

    assert described == "PostgreSQL, db.example.org, database team"


def test_no_error_tells_a_password():
    database = PostgresDatabase(f"postgresql://ann:{SECRET}@127.0.0.1:1/team", ())

    with pytest.raises(StorageFailed) as caught, database.reading():
        raise AssertionError("nobody answers there")

    assert SECRET not in f"{caught.value} {caught.value.__cause__!r}"


def as_moment(value: str | datetime) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(value)
