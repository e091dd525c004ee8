"""Collects the Markdown pages of this folder: each heading is a test."""

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases.pages import Answer, Case, Page, is_expected, read_page
from tests.cases.running import Session


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "PageFile | None":
    return PageFile.from_parent(parent, path=file_path) if file_path.suffix == ".md" else None


class WrongAnswer(Exception):
    """The difference between the expected and the actual answer."""


class PageFile(pytest.File):
    """A page; its project is made when its first case runs."""

    page: Page
    session_of_page: Session | None = None

    def collect(self) -> Iterator["CaseItem"]:
        self.page = read_page(self.path)
        self.new_answers: dict[int, Answer] = {}
        for case in self.page.cases:
            yield CaseItem.from_parent(self, name=case.title, case=case)

    def answers(self, case: Case) -> list[Answer]:
        if self.session_of_page is None:
            self.session_of_page = Session(self.page, is_real=self.config.getoption("--real"))
        return self.session_of_page.answers(case)

    def teardown(self) -> None:
        if self.session_of_page is not None:
            self.session_of_page.close()
            self.session_of_page = None
        if self.new_answers:
            self.page.replace_answers(self.new_answers)


class CaseItem(pytest.Item):
    """A case of a page."""

    parent: PageFile

    def __init__(self, *, case: Case, **more: Any) -> None:
        super().__init__(**more)
        self.case = case
        if case.proves:
            self.add_marker(pytest.mark.proves(*case.proves))

    def runtest(self) -> None:
        if not self.case.steps:
            raise WrongAnswer("This case has no call and no command.")
        wrong: list[str] = []
        for step, answer in zip(self.case.steps, self.parent.answers(self.case), strict=True):
            assert step.expected is not None
            if is_expected(step.expected, answer):
                continue
            if self.config.getoption("--update"):
                self.parent.new_answers[step.first_line] = answer
                continue
            place = f"{self.path.name}:{step.first_line}"
            wrong += difflib.unified_diff(show(step.expected), show(answer), place, "answer", lineterm="")
        if wrong:
            raise WrongAnswer("\n".join(wrong))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, WrongAnswer):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.line - 1, self.case.title


def show(answer: Answer) -> list[str]:
    """The lines of an answer, the first of an error saying so."""
    return [*(["(error)"] if answer.is_error else []), *answer.text.splitlines()]
