"""`fieldguide` with a fault: it kills itself at one moment of the first audited change.

Run it as `python dying_program.py MOMENT ARGUMENT…`.
"""

import os
import signal
import sys
from contextlib import contextmanager
from typing import Any

from fieldguide.cli.main import main
from fieldguide.spine.oversight import Oversight
from fieldguide.team.audit import AuditedDatabase

BEFORE_ROW, BEFORE_COMMIT, AFTER_COMMIT = MOMENTS = ("before-row", "before-commit", "after-commit")


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class DyingTransaction:
    """A transaction whose process ends before or after its audit row was written."""

    def __init__(self, transaction: Any, moment: str) -> None:
        self._transaction = transaction
        self._moment = moment

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)

    def finish_as_owner(self, sql: str, parameters: Any) -> None:
        if self._moment == BEFORE_ROW:
            die()
        if hasattr(self._transaction, "_connection"):  # of PostgreSQL
            self._transaction._connection = DyingConnection(self._transaction._connection)
        self._transaction.finish_as_owner(sql, parameters)
        die()


class DyingConnection:
    """A connection whose process ends when the server has answered all but the commit."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, sql: Any, *parameters: Any) -> None:
        if sql == "COMMIT":
            with self._connection.pipeline() as pipeline:
                pipeline.sync()
            die()
        self._connection.execute(sql, *parameters)


class DyingDatabase:
    """A database that gives out such transactions."""

    def __init__(self, database: Any, moment: str) -> None:
        self._database = database
        self._moment = moment

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    @contextmanager
    def writing(self, cancellation: Any = None) -> Any:
        with self._database.writing(cancellation) as transaction:
            yield DyingTransaction(transaction, self._moment)


def break_at(moment: str) -> None:
    if moment == AFTER_COMMIT:
        setattr(Oversight, "record", die)  # noqa: B010  a call ends
        return
    make = AuditedDatabase.__init__

    def init(self: AuditedDatabase, database: Any, *rest: Any) -> None:
        make(self, DyingDatabase(database, moment), *rest)

    setattr(AuditedDatabase, "__init__", init)  # noqa: B010


if __name__ == "__main__":
    break_at(sys.argv[1])
    sys.exit(main(sys.argv[2:]))
