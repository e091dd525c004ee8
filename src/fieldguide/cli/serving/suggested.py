"""Questions worth asking of this project, for its first page: found once, beside everything else."""

import threading
from collections.abc import Sequence
from itertools import islice

from fieldguide.app import App, namespace_of
from fieldguide.cli.beginning.candidates import from_documents, from_symbols
from fieldguide.config import project_folder
from fieldguide.dashboard.site import QUESTIONS
from fieldguide.errors import FieldguideError
from fieldguide.symbols.asking import Symbols

WANTED = 3
FROM_DOCUMENTS = 2
PATIENCE_SECONDS = 0.6


class SuggestedQuestions:
    """Gives what was found by now; the first to ask sets it going, and waits for a moment only."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._found: Sequence[str] = QUESTIONS
        self._is_found = threading.Event()
        self._lock = threading.Lock()
        self._is_begun = False

    def __call__(self) -> Sequence[str]:
        """Three questions: of this project, or those that fit every project as long as its own are not known."""
        with self._lock:
            if not self._is_begun:
                self._is_begun = True
                threading.Thread(target=self._find, name="questions", daemon=True).start()
        self._is_found.wait(PATIENCE_SECONDS)
        return self._found

    def _find(self) -> None:
        self._found = _found(self._app)
        self._is_found.set()


def _found(app: App) -> Sequence[str]:
    """Two of documents and one of a name, as far as there are such; then those that fit every project."""
    project = project_folder(app.settings)
    try:
        symbols = Symbols(app.engine().database, namespace_of(app.settings), project)
        asked = [each.question for each in islice(from_documents(project), FROM_DOCUMENTS)]
        asked += [each.question for each in islice(from_symbols(symbols), 1)]
    except FieldguideError:
        return QUESTIONS
    return [*dict.fromkeys([*asked, *QUESTIONS])][:WANTED]
