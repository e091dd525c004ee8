"""Reads a page of cases: Markdown with the files of one project, and what a client sends and gets.

A `##` heading begins a case; in parentheses at its end are the contract lines that it proves. Fenced blocks:

- `python shop/cart.py` (any language, then a path): a file of the project, which all cases of the page share;
- `commit`: commits the files above it, with this message;
- `call guide_symbol`: calls a tool with these JSON arguments;
- `console`: runs one line, `$ fieldguide …`;
- `expect`: the answer to the call or command above it, or `expect error` for an error or another exit status than 0.

A line `…` in an answer stands for any run of lines.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

FENCE = re.compile(r"(`{3,})([\w+-]+)(?: (\S.*))?")
CASE = re.compile(r"## (.+?)(?: \(([A-Z][0-9]?-[0-9]+(?:, [A-Z][0-9]?-[0-9]+)*)\))?")
PROMPT = "$ fieldguide "


class Answer(NamedTuple):
    """The text of an answer, and whether it is an error."""

    text: str
    is_error: bool = False


@dataclass
class Step:
    """One call or command with its expected answer; the answer's fence begins and ends on these lines of the page."""

    line: int
    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    command: str = ""
    expected: Answer | None = None
    first_line: int = 0
    end_line: int = 0


@dataclass
class Case:
    """A heading with its steps."""

    title: str
    line: int
    proves: tuple[str, ...] = ()
    steps: list[Step] = field(default_factory=list)


class ProjectPart(NamedTuple):
    """A file of the project; or, without a path, a commit of all files above it with the text as its message."""

    path: str
    text: str


@dataclass
class Page:
    """The cases of a page, and what its project is made of, in order."""

    path: Path
    lines: list[str]
    cases: list[Case] = field(default_factory=list)
    project: list[ProjectPart] = field(default_factory=list)

    def replace_answers(self, answers: dict[int, Answer]) -> None:
        """Write other answers into the page, by the first line of the fence that each replaces."""
        steps = [step for case in self.cases for step in case.steps if step.first_line in answers]
        lines = list(self.lines)
        for step in reversed(steps):
            lines[step.first_line - 1 : step.end_line] = write_fence(answers[step.first_line])
        self.path.write_text("\n".join(lines) + "\n", "utf-8")


def write_fence(answer: Answer) -> list[str]:
    """An `expect` block with an answer, in more backticks than the answer has."""
    longest = max((len(run) for run in re.findall("`+", answer.text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return [f"{ticks}expect{' error' if answer.is_error else ''}", *answer.text.splitlines(), ticks]


def read_page(path: Path, text: str | None = None) -> Page:
    """Reads a page, of another text than the file's if one is passed."""
    page = Page(path, (path.read_text("utf-8") if text is None else text).splitlines())
    number = 0
    while number < len(page.lines):
        line = page.lines[number]
        number += 1
        if heading := CASE.fullmatch(line):
            if any(case.title == heading[1] for case in page.cases):
                raise ValueError(f"{path}:{number}: the page has two cases with this heading")
            proves = tuple(heading[2].split(", ")) if heading[2] else ()
            page.cases.append(Case(heading[1], number, proves))
        elif opened := FENCE.fullmatch(line):
            first = number
            while number < len(page.lines) and page.lines[number] != opened[1]:
                number += 1
            if number == len(page.lines):
                raise ValueError(f"{path}:{first}: this block is not closed")
            body = page.lines[first:number]
            number += 1
            _add_block(page, opened[2], opened[3] or "", body, first, number)
    unanswered = [step for case in page.cases for step in case.steps if step.expected is None]
    if unanswered:
        raise ValueError(f"{path}:{unanswered[0].line}: this call has no `expect` block")
    return page


def _add_block(page: Page, kind: str, words: str, body: list[str], first: int, end: int) -> None:
    steps = page.cases[-1].steps if page.cases else []
    if kind == "commit" or (words and kind not in ("call", "expect")):
        if words and any(part.path == words for part in page.project):
            raise ValueError(f"{page.path}:{first}: the page has two files {words}")
        page.project.append(ProjectPart(words, "".join(f"{line}\n" for line in body)))
    elif kind == "call":
        steps.append(Step(first, tool=words, arguments=json.loads("\n".join(body) or "{}")))
    elif kind == "console":
        if len(body) != 1 or not body[0].startswith(PROMPT):
            raise ValueError(f"{page.path}:{first}: a console block is one line that begins with `{PROMPT}`")
        steps.append(Step(first, command=body[0].removeprefix(PROMPT)))
    elif kind == "expect":
        if not steps or steps[-1].expected is not None:
            raise ValueError(f"{page.path}:{first}: an answer comes after its call or command, below a `##` heading")
        steps[-1].expected = Answer("\n".join(body), words == "error")
        steps[-1].first_line, steps[-1].end_line = first, end


def is_expected(expected: Answer, answer: Answer) -> bool:
    """Compares line by line; a line `…` stands for any run of lines."""
    parts = [r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line) + r"\n" for line in expected.text.splitlines()]
    text = "".join(f"{line}\n" for line in answer.text.splitlines())
    return expected.is_error == answer.is_error and re.fullmatch("".join(parts), text) is not None
