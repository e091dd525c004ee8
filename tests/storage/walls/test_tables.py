"""Every table of the database by itself: whatever SQL is run behind a wall, the rows of others are not there."""

from contextlib import closing, suppress

import pytest

from fieldguide.settings.access import bind_caller
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.text.errors import StorageFailed
from tests.storage.walls.houses import (
    ANN,
    BERRY_ANN,
    BOB,
    COLUMNS,
    EVERYBODY,
    NOT_FOR_TENANTS,
    dump,
    every_schema,
    tables,
    texts_of,
)

WALLS = """
    SELECT relname AS name, relrowsecurity AS is_enabled, relforcerowsecurity AS is_forced,
        (SELECT COUNT(*) FROM pg_policy WHERE polrelid = pg_class.oid AND polname = 'wall' AND polcmd = '*'
            AND polpermissive AND polroles = '{0}') AS walls,
        (SELECT COUNT(*) FROM pg_policy WHERE polrelid = pg_class.oid) AS policies,
        has_table_privilege(:role, oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER') AS is_open,
        has_table_privilege(:role, oid, 'TRUNCATE, REFERENCES, TRIGGER') AS is_wide_open
    FROM pg_class WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p') ORDER BY relname
"""


class TakenBack(Exception):
    """Takes back what a transaction did."""


@pytest.fixture(scope="module")
def role(doors):
    with doors[ANN].reading() as transaction:
        return transaction.fetch_one("SELECT current_user AS name", {})["name"]


def test_every_table_has_a_wall_or_is_closed_to_tenants(postgres):
    with (
        closing(PostgresDatabase(postgres.new_database(), every_schema(), tenant=ANN.namespace)) as database,
        database.reading() as transaction,
    ):
        role = transaction.fetch_all("SELECT current_user AS name", {})[0]["name"]
        found = {row["name"]: row for row in transaction.fetch_all(WALLS, {"role": role})}

    assert {*NOT_FOR_TENANTS} < {*found}
    for name, row in found.items():
        assert not row["is_forced"], f"{name}: a wall holds back who owns it"
        assert not row["is_wide_open"], name
        if name in NOT_FOR_TENANTS:
            assert not row["is_open"], f"{name} is open to tenants"
        else:
            assert row["is_enabled"], f"{name} has no row-level security: say in a migration whose its rows are"
            assert (row["walls"], row["policies"]) == (1, 1), f"{name} has no policy `wall`, or more than that"


def test_a_tenant_sees_its_own_rows_in_every_table_and_no_others(owner, doors):
    everything = dump(owner)

    assert all(everything.values()), "every table is filled"
    for house in EVERYBODY:
        seen = dump(doors[house], house)
        told = str(seen)
        assert [mark for mark in house.may_not_see() if mark in told] == []
        assert all(seen.values()), [name for name, rows in seen.items() if not rows]
        hidden = {name: sorted(set(rows) - set(seen[name])) for name, rows in everything.items()}
        assert all(hidden.values()), [name for name, rows in hidden.items() if not rows]


@pytest.mark.parametrize("house", EVERYBODY, ids=lambda house: house.mark)
def test_a_tenant_changes_and_removes_nothing_of_others_in_any_table(owner, doors, house):
    before, own = dump(owner), dump(doors[house], house)
    found = {}

    def try_everything():
        with suppress(TakenBack), doors[house].writing() as transaction:
            for table in _leaves_first(before):
                columns = ", ".join(f"{name} = {name}" for name in _columns(owner, table) if name != "id")
                changed = transaction.execute(f"UPDATE {table} SET {columns}", {})  # noqa: S608
                removed = transaction.execute(f"DELETE FROM {table}", {})  # noqa: S608
                assert (changed, removed) == (len(own[table]), len(own[table])), table
            transaction.execute("RESET ROLE", {})
            found.update({table: texts_of(transaction, table) for table in before})
            raise TakenBack

    bind_caller(house.user, try_everything)()

    assert {table: sorted(rows) for table, rows in found.items()} == {
        table: sorted(set(rows) - set(own[table])) for table, rows in before.items()
    }


def test_a_tenant_puts_nothing_into_the_house_of_another(owner, doors):
    """Every row of another is offered again as it is: no table takes it."""
    before = dump(owner)
    for table in before:
        columns = ", ".join(_columns(owner, table))
        with owner.reading() as transaction:
            rows = transaction.fetch_all(f"SELECT {columns} FROM {table}", {})  # noqa: S608
        for row in rows:
            if not any(mark in str(row) for mark in (BOB.mark, BERRY_ANN.mark, BERRY_ANN.shared_mark, "berry|")):
                continue
            places = ", ".join(f":{name}" for name in row)
            with pytest.raises(StorageFailed) as caught:
                _put(doors[ANN], f"INSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE VALUES ({places})", row)  # noqa: S608
            assert "row-level security" in str(caught.value.__cause__), f"{table}: {caught.value.__cause__}"
    assert dump(owner) == before


def test_no_row_moves_into_the_house_of_another(owner, doors):
    before = dump(owner)
    for statement in (
        "UPDATE task SET namespace = 'berry|'",
        "UPDATE task SET user_id = 'bob'",
        "UPDATE discovery SET project = 'berry|'",
        "UPDATE work_session SET user_id = 'bob'",
    ):
        with pytest.raises(StorageFailed) as caught:
            _put(doors[ANN], statement, {})
        assert "row-level security" in str(caught.value.__cause__), statement
    assert dump(owner) == before


def test_nothing_is_seen_where_nobody_said_for_which_project(owner, doors, role):
    with owner.reading() as transaction:
        transaction.execute(f"SET LOCAL ROLE {role}", {})
        seen = {
            table: transaction.fetch_one(f"SELECT COUNT(*) AS n FROM {table}", {})["n"]  # noqa: S608
            for table in tables(owner)
            if table not in NOT_FOR_TENANTS
        }

    assert set(seen.values()) == {0}


def _columns(owner, table):
    with owner.reading() as transaction:
        return [row["name"] for row in transaction.fetch_all(COLUMNS, {"table": table})]


def _leaves_first(names):
    """What hangs on another goes before it."""
    last = "work_session"
    return [*(name for name in names if name != last), last]


def _put(database, statement, given):
    def attempt():
        with database.writing() as transaction:
            transaction.execute(statement, given)

    bind_caller(ANN.user, attempt)()
