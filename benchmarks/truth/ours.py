"""The product as it is judged: a checkout with its index, asked through `symbols.asking` in this process."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from benchmarks.truth.judging import Case, Given
from fieldguide.app import build_app
from fieldguide.code.symbols.lookup import Symbol, Symbols
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import STATE_VARIABLE
from fieldguide.settings.config import find_namespace, read_settings


class Ours:
    """The symbols of one checkout."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols

    @classmethod
    @contextmanager
    def opened(cls, checkout: Path, state: Path) -> Iterator[Self]:
        """The index that lies in a state folder, for as long as the block runs."""
        before = os.environ.get(STATE_VARIABLE)
        os.environ[STATE_VARIABLE] = str(state)
        try:
            settings = read_settings({"project": str(checkout)}, os.environ)
            app = build_app(settings, write_journal=lambda lines: None)
            yield cls(Symbols(app.engine().database, find_namespace(settings), ConfinedFolder(settings.project)))
        finally:
            os.environ.pop(STATE_VARIABLE)
            if before is not None:
                os.environ[STATE_VARIABLE] = before

    def references(self, case: Case) -> Given | None:
        """What is given for the definition of this name on this line."""
        symbol = self._at(case)
        if symbol is None:
            return None
        found = self._symbols.references(symbol)
        itself = (case.path, case.line, case.column)
        certain = {(each.path, each.line) for each in found if each.is_certain and each[:3] != itself}
        others = {(each.path, each.line) for each in found if not each.is_certain}
        return Given(frozenset(certain), frozenset(others - certain))

    def _at(self, case: Case) -> Symbol | None:
        here = [each for each in self._symbols.definitions(case.name, case.path) if each.path == case.path]
        on_line = [each for each in here if each.line == case.line]
        return next((each for each in on_line if each.column == case.column), next(iter(on_line), None))
