"""The first three questions worth asking of a project, with their answers, once it has been read far enough."""

from collections.abc import Iterable, Sequence
from itertools import islice

from fieldguide.app import App, namespace_of
from fieldguide.cli.beginning.asking import Answered, answered, with_file
from fieldguide.cli.beginning.candidates import Candidate, from_decisions, from_documents, from_history, from_symbols
from fieldguide.cli.beginning.survey import Survey
from fieldguide.cli.finding.refreshing import Refreshing
from fieldguide.config import project_folder
from fieldguide.in_process.running import BlockingExecutor
from fieldguide.project_history.keeping import history_of
from fieldguide.symbols.asking import Symbols

WANTED = 3
TEXT, CODE = ("architecture", "documents"), ("context",)
TEXT_SECONDS, CODE_SECONDS, MORE_SECONDS = 25.0, 10.0, 25.0
ENOUGH = 6  # good answers of one kind, of which the best are told


def first_questions(app: App, survey: Survey) -> tuple[list[Answered], bool]:
    """The questions with their answers, and whether everything was read before they were asked.

    Where the code is not read in time, the documents answer alone; only where they can't is it waited for longer.
    """
    asking = Asking(app)
    is_whole = asking.has_read(TEXT, TEXT_SECONDS)
    told = [asking.best(from_decisions(survey)), asking.best(from_documents(asking.project))]
    is_code_read = asking.has_read(CODE, CODE_SECONDS)
    code = asking.about_code()
    if not is_code_read and sum(map(len, [*told, *code])) < WANTED:
        is_code_read = asking.has_read(CODE, MORE_SECONDS)
        code = asking.about_code()
    asking.close()
    return [with_file(each, asking.project) for each in chosen([*told, *code])], is_whole and is_code_read


class Asking:
    """Reads a project and asks its tools, as a client would."""

    def __init__(self, app: App) -> None:
        self.project = project_folder(app.settings)
        self._app = app
        self._blocking = BlockingExecutor(app.executor)
        self._reading: dict[Sequence[str], Refreshing] = {}

    def has_read(self, toolsets: Sequence[str], seconds: float) -> bool:
        """Whether these have read the project within this time; who asks again waits on."""
        served = [each.name for each in self._app.toolsets if each.upkeep is not None and each.name in toolsets]
        reading = self._reading.setdefault(toolsets, Refreshing(self._app, served))
        return reading.wait(seconds)

    def best(self, candidates: Iterable[Candidate]) -> list[Answered]:
        """The questions that are answered, the most worth first; equal ones in their order."""
        found = islice(answered(candidates, self._blocking.execute), ENOUGH)
        return sorted(found, key=lambda each: -each.worth)

    def about_code(self) -> list[list[Answered]]:
        """What names stand for, and what to look at before a change."""
        database, namespace = self._app.engine().database, namespace_of(self._app.settings)
        symbols = Symbols(database, namespace, self.project)
        history = history_of(database, namespace, self.project.root)
        return [self.best(from_symbols(symbols)), self.best(from_history(history))]

    def close(self) -> None:
        """Ask no more."""
        self._blocking.close()


def chosen(kinds: Sequence[Sequence[Answered]]) -> list[Answered]:
    """Three answers: one of each kind in turn, no two of one file as long as there are others; the kinds in order."""
    ordered = [(place, kind[turn]) for turn in range(ENOUGH) for place, kind in enumerate(kinds) if turn < len(kind)]
    picked: list[tuple[int, Answered]] = []
    while ordered and len(picked) < WANTED:
        found = min(ordered, key=lambda pair: _rivals(picked, *pair))
        ordered.remove(found)
        picked.append(found)
    return [each for _, each in sorted(picked, key=lambda pair: pair[0])]


def _rivals(picked: Sequence[tuple[int, Answered]], place: int, answer: Answered) -> tuple[bool, int]:
    """Whether an answer of the same file is picked already, and how many of its kind; the first of equals is taken."""
    is_same_file = any(each.path == answer.path for _, each in picked)
    return is_same_file, sum(other == place for other, _ in picked)
