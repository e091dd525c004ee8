"""The role that projects of a service work as: one for each database, owning nothing, entered for a transaction."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest

from fieldguide.settings.access import bind_caller
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.text.errors import Misconfiguration, StorageFailed
from tests.servers import FIELDGUIDE, environment
from tests.storage.walls.houses import ANN, BERRY_ANN, EVERYBODY, SCHEMAS

WHO = """
    SELECT current_user AS role, current_setting('fieldguide.namespace', TRUE) AS namespace,
        current_setting('fieldguide.user', TRUE) AS user
"""
POWERS = """
    SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolcanlogin OR rolreplication OR rolinherit
            AS any,
        (SELECT COUNT(*) FROM pg_auth_members WHERE member = pg_roles.oid) AS memberships,
        (SELECT COUNT(*) FROM pg_shdepend WHERE refobjid = pg_roles.oid AND deptype = 'o') AS owned
    FROM pg_roles WHERE rolname = :role
"""


def who(database, user=None):
    def ask():
        with database.reading() as transaction:
            first, second = transaction.fetch_one(WHO, {}), transaction.fetch_one(WHO, {})
        assert first == second
        return first

    return bind_caller(user, ask)()


def test_each_transaction_says_for_which_project_and_for_whom_it_is_and_forgets_it(owner, doors):
    seen = [(who(doors[house], house.user), who(owner)) for house in EVERYBODY for _ in range(3)]

    roles = {tenant["role"] for tenant, _ in seen}
    assert [(tenant["namespace"], tenant["user"]) for tenant, _ in seen] == [tuple(e) for e in EVERYBODY for _ in "123"]
    assert len(roles) == 1
    assert all(role.startswith("fieldguide_tenant_") for role in roles)
    assert {(after["role"], after["namespace"] or "", after["user"] or "") for _, after in seen} == {
        ("postgres", "", "")
    }


def test_the_role_may_nothing_and_owns_nothing(owner, doors):
    role = who(doors[ANN])["role"]

    with owner.reading() as transaction:
        powers = transaction.fetch_one(POWERS, {"role": role})

    assert powers == {"any": False, "memberships": 0, "owned": 0}


@pytest.mark.parametrize("statement", [
    "TRUNCATE task", "DROP TABLE task", "ALTER TABLE task DISABLE ROW LEVEL SECURITY", "DROP POLICY wall ON task",
    "CREATE TABLE mine (id INTEGER)", "SELECT COUNT(*) FROM schema_migration", "UPDATE schema_migration SET number = 0",
    "SELECT pg_read_file('postgresql.conf')", "SET LOCAL row_security = off; SELECT COUNT(*) FROM task",
])  # fmt: skip
def test_the_role_cant_get_past_the_wall_by_what_it_is(doors, statement):
    def attempt():
        with doors[ANN].writing() as transaction:
            transaction.fetch_one("SELECT 1 AS one", {})
            for each in statement.split(";"):
                transaction.execute(each, {})

    with pytest.raises(StorageFailed):
        bind_caller("ann", attempt)()


def test_threads_of_several_projects_and_users_never_take_each_other_for_another(doors):
    def ask(number):
        house = EVERYBODY[number % len(EVERYBODY)]
        return (house, who(doors[house], house.user))

    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(ask, range(120)))

    assert all((told["namespace"], told["user"]) == tuple(house) for house, told in answers)


def test_an_error_in_a_transaction_leaves_no_role_behind(owner, doors):
    for _ in range(3):
        with pytest.raises(StorageFailed), doors[ANN].writing() as transaction:
            transaction.execute("SELECT 1 / 0", {})
        with pytest.raises(StorageFailed), doors[ANN].reading() as transaction:
            transaction.execute("UPDATE task SET title = title", {})
        assert who(owner)["role"] == "postgres"


def test_databases_of_one_server_have_roles_of_their_own(postgres, doors):
    with closing(PostgresDatabase(postgres.new_database(), SCHEMAS, tenant=ANN.namespace)) as other:
        assert who(other)["role"] != who(doors[ANN])["role"]


@pytest.fixture
def plain_login(postgres):
    """The address of a database whose owner may make no roles, and an administrator's address of the same."""
    address = postgres.new_database()
    name = address.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DO $$ BEGIN CREATE ROLE plain LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
        connection.execute(f'ALTER DATABASE "{name}" OWNER TO plain'.encode())
    return address.replace("postgres:@", "plain:@"), address


def test_a_login_that_may_make_no_role_is_told_what_an_administrator_must_do(plain_login):
    address, administrators = plain_login

    with pytest.raises(Misconfiguration) as caught, ANN.door(address).reading() as transaction:
        transaction.fetch_one("SELECT 1 AS one", {})
    told = caught.value.message.partition("An administrator can: ")[2]
    with psycopg.connect(administrators, autocommit=True) as connection:
        for statement in filter(None, told.split("; ")):
            connection.execute(statement.encode())
    with closing(ANN.door(address)) as database:
        found = who(database, "ann")

    assert "plain may not make it" in caught.value.message
    assert (found["namespace"], found["user"]) == tuple(ANN)


def test_a_service_does_not_start_without_its_role(plain_login):
    command = [FIELDGUIDE, "serve", "--http", "127.0.0.1:0", "--projects", "--database", plain_login[0]]

    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment(), check=False)

    assert done.returncode != 0
    assert "An administrator can: CREATE ROLE fieldguide_tenant_" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_project_that_is_served_alone_needs_no_role(plain_login):
    with closing(PostgresDatabase(plain_login[0], SCHEMAS)) as database:
        assert who(database)["role"] == "plain"


def test_what_was_taken_from_everybody_is_given_to_the_role(postgres):
    address = postgres.new_database()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
        connection.execute(f'REVOKE ALL ON DATABASE "{connection.info.dbname}" FROM PUBLIC'.encode())

    with closing(ANN.door(address)) as database, database.reading() as transaction:
        found = transaction.fetch_all("SELECT COUNT(*) AS tasks FROM task", {})

    assert found == [{"tasks": 0}]


def test_a_role_that_may_more_is_refused(postgres):
    address = postgres.new_database()
    with closing(ANN.door(address)) as database:
        role = who(database)["role"]
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"ALTER ROLE {role} BYPASSRLS".encode())

    with pytest.raises(Misconfiguration, match="more than a tenant should"):
        who(BERRY_ANN.door(address))
