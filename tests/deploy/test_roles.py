"""The roles that `deploy/postgres/roles.sh` makes are enough for a service, and no more."""

import json
import os
import subprocess

import psycopg

from tests.deploy.service_database import PASSWORD, SCRIPT, service_database
from tests.servers import FIELDGUIDE, environment


def test_the_service_role_makes_its_tables_and_owns_nothing_else(postgres, tmp_path):
    database = service_database(postgres, tmp_path)
    given = {**environment(), **database.environment}
    task = json.dumps({"user_id": "ann", "title": "Water the plants"})

    command = [FIELDGUIDE, "call", "add_task", task, "--project", str(tmp_path), "--database", database.address]
    done = subprocess.run(command, env=given, capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "created"
    assert PASSWORD not in done.stderr
    assert not any(PASSWORD in value for value in given.values())
    with psycopg.connect(database.superuser) as connection:
        roles = connection.execute(
            "SELECT rolname, rolcanlogin, rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication"
            " FROM pg_roles WHERE rolname IN ('fieldguide', 'fieldguide_tenant_' || left(encode(sha256("
            "convert_to(current_database() || '.public', 'UTF8')), 'hex'), 16)) ORDER BY 1"
        ).fetchall()
        owned = connection.execute("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE relname = 'task'").fetchone()
        public = connection.execute(
            "SELECT has_database_privilege('public', current_database(), 'CONNECT'),"
            " has_schema_privilege('public', 'public', 'CREATE')"
        ).fetchone()

    assert [(name[:17], can_login, is_powerful) for name, can_login, is_powerful in roles] == [
        ("fieldguide", True, False),
        ("fieldguide_tenant", False, False),
    ]
    assert (owned, public) == (("fieldguide",), (False, False))


def test_a_password_file_that_is_not_named_is_told(tmp_path):
    done = subprocess.run(
        ["/bin/sh", str(SCRIPT)], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=60
    )

    assert done.returncode != 0
    assert "FIELDGUIDE_PASSWORD_FILE" in done.stderr
