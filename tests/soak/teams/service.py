"""The service under load: a PostgreSQL of its own, the registry, and replicas that can be killed and started again."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import psycopg

from release.facts import ROOT
from tests.databases import PostgresServer
from tests.deploy.service_database import ServiceDatabase, service_database
from tests.servers import FIELDGUIDE, environment
from tests.soak.teams.facts import write_project

START_SECONDS = 60.0


def free_port() -> int:
    """A port that nobody has just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Replica:
    """One server process of the service."""

    def __init__(self, service: "Service", name: str, public_port: int) -> None:
        self.name = name
        self.port = free_port()
        self._service = service
        self._public = f"http://127.0.0.1:{public_port}"
        self._log = (service.folder / f"{name}.log").open("ab")
        self.process = self._started()

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=20)

    def start_again(self) -> None:
        """The same replica at the same port."""
        self.process = self._started()

    def is_up(self) -> bool:
        """Whether somebody listens at its port."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kilobytes(self) -> int:
        """What it holds in memory; 0 where it does not run."""
        try:
            with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
                return next((int(line.split()[1]) for line in file if line.startswith("VmRSS")), 0)
        except OSError:
            return 0

    def close(self) -> None:
        """End it; its exit code must be that of an orderly end."""
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self._log.close()

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [FIELDGUIDE, "serve", "--projects", "--http", f"127.0.0.1:{self.port}", "--auth", "tokens",
             "--public-url", self._public, "--database", self._service.database.address],
            env={**self._service.environment, "FIELDGUIDE_REPLICA": self.name,
                 "FIELDGUIDE_STATE": str(self._service.folder / f"state-{self.name}")},
            cwd=self._service.folder,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
        )  # fmt: skip


class Service:
    """Everything that runs, below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.postgres = PostgresServer()
        (folder / "secrets").mkdir()
        self.database: ServiceDatabase = service_database(self.postgres, folder / "secrets")
        self.environment = {**environment(), **self.database.environment, "FIELDGUIDE_STATE": str(folder / "state")}
        self.replicas: list[Replica] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for replica in self.replicas:
            replica.close()
        self.postgres.close()

    def register(self, projects: Sequence[str], users: Sequence[str]) -> dict[str, str]:
        """Add and grant the projects, and make a token for each user."""
        lines = [["team", "projects", "add", project, self._written(project)] for project in projects]
        lines += [["team", "projects", "grant", user, project, "--write"] for project in projects for user in users]
        self._commands(lines)
        made = self._commands([["team", "token", "new", user, "--json"] for user in users])
        return {user: json.loads(printed)["token"] for user, printed in zip(users, made, strict=True)}

    def _written(self, project: str) -> str:
        root = self.folder / "projects" / project
        root.mkdir(parents=True)
        write_project(root, project)
        return str(root)

    def start(self, public_port: int, names: Sequence[str] = ("one", "two")) -> None:
        """Start the replicas, and wait until they listen."""
        self.replicas = [Replica(self, name, public_port) for name in names]
        for replica in self.replicas:
            wait_until_up(replica)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """What is in the database, past every wall."""
        with psycopg.connect(self.database.superuser) as connection:
            return connection.execute(sql.encode()).fetchall()

    def _commands(self, lines: list[list[str]]) -> list[str]:
        """Run command lines, in one process for all of them; what each printed."""
        done = subprocess.run(
            [sys.executable, "-m", "tests.docs.run_lines"],
            input=json.dumps([[*words, "--database", self.database.address] for words in lines]),
            env={**self.environment, "PYTHONPATH": str(ROOT)},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        ended = json.loads(done.stdout)
        for words, (code, printed) in zip(lines, ended, strict=True):
            assert code == 0, f"{words}: {printed}"
        return [printed for _, printed in ended]


def wait_until_up(replica: Replica) -> None:
    """Wait until it listens; one that ended is told."""
    until = time.monotonic() + START_SECONDS
    while not replica.is_up():
        assert replica.process.poll() is None, (replica._service.folder / f"{replica.name}.log").read_text()
        assert time.monotonic() < until, f"{replica.name} does not listen"
        time.sleep(0.05)
    assert os.path.exists(f"/proc/{replica.process.pid}")
