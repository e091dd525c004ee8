"""A checkout with its index, and the tools that answer from it, in this process."""

import os
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from benchmarks.mixed_questions.judging import Place
from fieldguide.app import App, build_app
from fieldguide.files.file_system import STATE_VARIABLE
from fieldguide.settings.config import read_settings
from fieldguide.spine.tool import Call
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.citation import read_citation

SINGLE = {
    "context_search": ({"limit": 20}, "results"),
    "documents_search": ({"limit": 10}, None),
    "search-architecture": ({"max_results": 10}, "results"),
}
GUIDE = "guide_search"


class Answered(NamedTuple):
    """The places that a tool answered with, and the CPU milliseconds that it took."""

    places: list[Place]
    milliseconds: float


class Served(NamedTuple):
    """An app over an indexed checkout."""

    app: App

    def run(self, tool: str, arguments: Mapping[str, Any]) -> tuple[Any, float]:
        """The value that a tool gives, and how long that took; the rate of calls is nobody's matter here."""
        found = self.app.executor.registry.find(tool)
        began = time.process_time()
        answer = found.answer(found.run(Call(tool, arguments, Cancellation())))
        return answer.value, (time.process_time() - began) * 1000

    def ask(self, tool: str, question: str) -> Answered:
        """What a tool finds."""
        arguments, key = ({}, "items") if tool == GUIDE else SINGLE[tool]
        value, milliseconds = self.run(tool, {"query": question, **arguments})
        rows = (value if key is None else value[key]) or []
        cited = [read_citation(row["citation"]) for row in rows if "citation" in row]
        places = [Place(each.path, each.start_line, each.end_line) for each in cited if each is not None]
        return Answered(places, milliseconds)


@contextmanager
def served(checkout: str) -> Generator[Served]:
    """A checkout, indexed in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
        environment = {**os.environ, STATE_VARIABLE: folder}
        before = os.environ.get(STATE_VARIABLE)
        os.environ[STATE_VARIABLE] = folder
        try:
            app = build_app(read_settings({"project": checkout}, environment), write_journal=lambda lines: None)
            for toolset in app.toolsets:
                if toolset.upkeep is not None:
                    toolset.upkeep.refresh(lambda done, total, name: None)
            with app.upkeep():
                yield Served(app)
        finally:
            os.environ.pop(STATE_VARIABLE)
            if before is not None:
                os.environ[STATE_VARIABLE] = before
