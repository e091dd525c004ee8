"""Whether questions in plain words lead to the code that does the work: the right file, and the right lines of it.

Asks `context_search` and `guide_search` of a whole app over a checkout, as a client does. The questions are those of
`code_questions/` that have lines. They are split by project: `chosen` ones were looked at while the ranking was made,
`kept` ones were asked once, when everything was chosen.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.report import REPOSITORY
from fieldguide.app import App, build_app
from fieldguide.files.file_system import STATE_VARIABLE
from fieldguide.settings.config import read_settings
from fieldguide.spine.tool import Call
from fieldguide.text.cancellation import Cancellation

QUESTIONS = REPOSITORY / "benchmarks" / "code_questions"
CONTEXT, CODE_ONLY, MIXED = "context_search", "guide_search, code", "guide_search"
FIRST_FEW = 5
PLAIN = "plain"


class Span(NamedTuple):
    """Lines of a file, counted from 1, the last one included."""

    path: str
    start: int
    end: int

    def touches(self, other: "Span") -> bool:
        """Whether both share a line."""
        return self.path == other.path and self.start <= other.end and other.start <= self.end


class Question(NamedTuple):
    """A question, and the lines that answer it."""

    repository: str
    kind: str
    text: str
    answers: Sequence[Span]


class Found(NamedTuple):
    """A hit: its lines and its kind."""

    span: Span
    kind: str


class Answered(NamedTuple):
    """A question, the first hits of a tool, and the CPU milliseconds that they took."""

    question: Question
    hits: Sequence[Found]
    milliseconds: float

    def has_file_first(self) -> bool:
        """Whether the first hit lies in a right file."""
        return self._has_file(1)

    def has_file(self) -> bool:
        """Whether one of the first hits lies in a right file."""
        return self._has_file(FIRST_FEW)

    def has_lines(self) -> bool:
        """Whether one of the first hits shares a line with an answer."""
        return any(hit.span.touches(each) for hit in self.hits[:FIRST_FEW] for each in self.question.answers)

    def has_lines_first(self) -> bool:
        """Whether the first hit does."""
        return any(hit.span.touches(each) for hit in self.hits[:1] for each in self.question.answers)

    def _has_file(self, most: int) -> bool:
        right = {each.path for each in self.question.answers}
        return any(hit.span.path in right for hit in self.hits[:most])


class Served(NamedTuple):
    """An app over an indexed checkout."""

    app: App

    def run(self, tool: str, arguments: Mapping[str, Any]) -> tuple[Any, float]:
        """The value that a tool gives, and the CPU milliseconds that it took; no rate of calls applies here."""
        found = self.app.executor.registry.find(tool)
        began = time.process_time()
        answer = found.answer(found.run(Call(tool, arguments, Cancellation())))
        return answer.value, (time.process_time() - began) * 1000


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


def main() -> int:
    """Ask the questions to every repository that is given."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.code_places", description=__doc__)
    add = parser.add_argument
    add("--checkout", nargs="+", required=True, metavar="NAME=PATH", help="where repositories are checked out")
    add("--show", action="store_true", help="print each question whose lines are not among the first hits")
    add("--json", type=Path, help="write every hit to this file")
    options = parser.parse_args()
    answers: dict[str, list[Answered]] = {CONTEXT: [], CODE_ONLY: [], MIXED: []}
    for stated in options.checkout:
        name, path = stated.split("=", 1)
        with served(path) as project:
            for tool, found in ask_all(project, read_questions(name)).items():
                answers[tool] += found
    print(f"Code places. {report.describe_machine()}\n")
    print(report.format_table(HEADINGS, list(_rows(answers))))
    print(f"\n{mixed_report(answers)}")
    if options.show:
        show_missed(answers)
    if options.json:
        options.json.write_text(json.dumps(answers, indent=1), encoding="utf-8")
    return 0


def read_questions(repository: str) -> list[Question]:
    """The questions to a repository that have lines."""
    found: list[Question] = []
    for line in (QUESTIONS / f"{repository}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        kind, text, _, _, *lines = line.split("\t")
        if lines:
            found.append(Question(repository, kind, text, [read_span(each) for each in lines[0].split()]))
    return found


def read_span(stated: str) -> Span:
    """`path:start-end` as a span."""
    path, _, lines = stated.rpartition(":")
    start, _, end = lines.partition("-")
    return Span(path, int(start), int(end))


def ask_all(project: Served, questions: Sequence[Question]) -> dict[str, list[Answered]]:
    """What each tool answers to each question."""
    answers: dict[str, list[Answered]] = {CONTEXT: [], CODE_ONLY: [], MIXED: []}
    for question in questions:
        told, spent = project.run("context_search", {"query": question.text, "limit": 10})
        hits = [_context_hit(row) for row in told["results"] if row["type"] == "code"]
        answers[CONTEXT].append(Answered(question, hits, spent))
        for tool, arguments in ((CODE_ONLY, {"kinds": ["code"]}), (MIXED, {})):
            told, spent = project.run("guide_search", {"query": question.text, **arguments})
            answers[tool].append(Answered(question, [_guide_hit(row) for row in told["items"]], spent))
    return answers


def _context_hit(row: Mapping[str, Any]) -> Found:
    return Found(Span(row["path"], row["startLine"], row["endLine"]), "code")


def _guide_hit(row: Mapping[str, Any]) -> Found:
    return Found(Span(row["path"], row["start"], row["end"]), row["kind"])


HEADINGS = ["tool", "repository", "n", "file first", "in 5", "lines first", "in 5", "plain: file first", "ms"]


def _rows(answers: Mapping[str, Sequence[Answered]]) -> list[list[str]]:
    rows: list[list[str]] = []
    for tool, answered in answers.items():
        rows.append([tool, "all", *_figures(answered)])
        names = dict.fromkeys(each.question.repository for each in answered)
        rows += [[tool, name, *_figures(_of_repository(answered, name))] for name in names]
    return rows


def _of_repository(answered: Sequence[Answered], name: str) -> list[Answered]:
    return [each for each in answered if each.question.repository == name]


def _figures(answered: Sequence[Answered]) -> list[str]:
    plain = [each for each in answered if each.question.kind == PLAIN]
    middle = sorted(each.milliseconds for each in answered)[len(answered) // 2]
    return [
        str(len(answered)),
        _percent([each.has_file_first() for each in answered]),
        _percent([each.has_file() for each in answered]),
        _percent([each.has_lines_first() for each in answered]),
        _percent([each.has_lines() for each in answered]),
        _percent([each.has_file_first() for each in plain]),
        f"{middle:.1f}",
    ]


def _percent(claims: Sequence[bool]) -> str:
    return f"{100 * sum(claims) / len(claims):.0f} %" if claims else "-"


def mixed_report(answers: Mapping[str, Sequence[Answered]]) -> str:
    """Which kinds take the first place of a mixed list, and whether the best code is among its first two."""
    first: dict[str, int] = {}
    code_in_two = documents_in_two = 0
    for each in answers[MIXED]:
        kinds = [hit.kind for hit in each.hits]
        first[kinds[0] if kinds else "nothing"] = first.get(kinds[0] if kinds else "nothing", 0) + 1
        code_in_two += "code" in kinds[:2]
        documents_in_two += "document" in kinds[:2] or "document" not in kinds
    counted = ", ".join(f"{count} {kind}" for kind, count in sorted(first.items(), key=lambda pair: -pair[1]))
    number = len(answers[MIXED])
    return (
        f"First place of {number} mixed lists: {counted}. Code among the first two: {code_in_two}; "
        f"documents among the first two, or none in the list: {documents_in_two}."
    )


def show_missed(answers: Mapping[str, Sequence[Answered]]) -> None:
    """The questions whose lines are not among the first hits, and what came."""
    for tool, answered in answers.items():
        for each in answered:
            if each.has_lines():
                continue
            right = " ".join(f"{span.path}:{span.start}-{span.end}" for span in each.question.answers)
            print(f"{tool} | {each.question.repository} | {each.question.text}  -> {right}")
            for hit in each.hits[:FIRST_FEW]:
                mark = "*" if hit.span.path in {span.path for span in each.question.answers} else " "
                print(f"   {mark} {hit.kind} {hit.span.path}:{hit.span.start}-{hit.span.end}")


if __name__ == "__main__":
    raise SystemExit(main())
