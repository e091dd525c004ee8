"""What is made from the indexed code and the git history, beside the index: each part by itself, in its own turn.

What a question about the code needs comes with the pass that indexes it. The rest takes longer, so it comes after the
pass, when others may ask already.
"""

from collections.abc import Callable, Sequence
from functools import partial

from fieldguide.drift.keeping import bring_up as bring_up_drift
from fieldguide.errors import FieldguideError
from fieldguide.import_graph.building import bring_up as bring_up_imports
from fieldguide.project_history.keeping import history_of
from fieldguide.staleness.ties.upkeep import bring_up_ties
from fieldguide.symbols.building import bring_up as bring_up_symbols
from fieldguide.toolset import Services
from fieldguide.toolsets.context.tree.files import FileList
from fieldguide.tracing.keeping import keep_trace

IMPORTS, SYMBOLS, DRIFT, TIES = "imports", "symbols", "drift", "ties"


class Derived:
    """Brings up what is derived; what goes wrong with one part is noted, and stops no other."""

    def __init__(self, services: Services, files: FileList) -> None:
        self._services = services
        self._files = files

    def follow_code(self, only: Sequence[str] | None = None) -> None:
        """Who imports whom, and what is defined and used where: of everything, or of some files that have changed."""
        self._guarded("Who imports whom", partial(self._imports, only))
        self._guarded("What is defined and used where", partial(self._symbols, only))

    def settle(self, only: Sequence[str] | None = None) -> None:
        """What git tells, what no longer holds, and what leads where."""
        self._guarded("The history", self._history)
        self._guarded("What documents name that is gone", partial(self._drift, is_whole=only is None))
        self._guarded("Whether what is cited still holds", self._ties)
        self._guarded("The trace", partial(self._trace, only))

    def _imports(self, only: Sequence[str] | None) -> None:
        services, engine = self._services, self._services.engine()
        with engine.turn(IMPORTS):  # a turn of its own: others need not wait for it
            bring_up_imports(engine, services.namespace, services.project, self._files.paths(), only)

    def _symbols(self, only: Sequence[str] | None) -> None:
        engine = self._services.engine()
        with engine.turn(SYMBOLS):
            bring_up_symbols(engine, self._services.namespace, self._files.paths(), only)

    def _history(self) -> None:
        services = self._services
        history_of(services.engine().database, services.namespace, services.project.root)

    def _drift(self, *, is_whole: bool) -> None:
        services, engine = self._services, self._services.engine()
        with engine.turn(DRIFT):
            bring_up_drift(engine.database, services.namespace, services.project, is_whole=is_whole)

    def _ties(self) -> None:
        services, index = self._services, self._services.engine().database
        with services.engine().turn(TIES):
            bring_up_ties(index, services.database, services.namespace, services.project, self._files.paths())

    def _trace(self, only: Sequence[str] | None) -> None:
        services = self._services
        keep_trace(services.engine(), services.namespace, services.project, self._files.paths(), only)

    def _guarded(self, what: str, bring_up: Callable[[], object]) -> None:
        try:
            bring_up()
        except FieldguideError as error:
            self._services.note("Indexing", notice=f"{what} could not be kept up: {error}")
