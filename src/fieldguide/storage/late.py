"""A database that is chosen and opened when somebody first asks for it: most starts never do."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

from fieldguide.spine.cancellation import Cancellation
from fieldguide.storage.port import Database, Dialect, Transaction


class LateDatabase:
    """Stands for a database until it is needed, and for good from then on."""

    def __init__(self, choose: Callable[[], Database]) -> None:
        self._choose = choose
        self._lock = threading.Lock()
        self._database: Database | None = None

    def reading(self, cancellation: Cancellation | None = None) -> AbstractContextManager[Transaction]:
        """A transaction that only reads."""
        return self.chosen().reading(cancellation)

    def writing(self, cancellation: Cancellation | None = None) -> AbstractContextManager[Transaction]:
        """A transaction that writes."""
        return self.chosen().writing(cancellation)

    @property
    def dialect(self) -> Dialect:
        """The kind of its SQL."""
        return self.chosen().dialect

    def describe(self) -> str:
        """Which database this is."""
        return self.chosen().describe()

    def close(self) -> None:
        """Close it, if it was ever opened."""
        if self._database is not None:
            self._database.close()

    def chosen(self) -> Database:
        """The database itself."""
        if self._database is None:
            with self._lock:
                if self._database is None:
                    self._database = self._choose()
        return self._database
