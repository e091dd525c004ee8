"""Runs the cases of a page: one project, indexed before the first call, in this process or with a started server."""

import contextlib
import io
import re
import shlex
import tempfile
from pathlib import Path

from fieldguide.app import build_app
from fieldguide.cli.main import main
from fieldguide.settings.config import read_settings
from fieldguide.wire.protocol import Connection
from tests.cases.pages import Answer, Case, Page, Step
from tests.git_projects import GitProject
from tests.projects import Project
from tests.raw_client import RawClient
from tests.servers import run

RULES = (
    (re.compile(r"(#L\d+(?:-L\d+)?@)[0-9a-f]{8}\b"), r"\1HASH"),  # of a citation
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)"), "TIME"),
    (re.compile(r'("searchTime": )[\d.]+'), r"\1MILLISECONDS"),
)


def normalise(text: str, root: Path) -> str:
    """The answer with words in the place of what a person can't write: folders, hashes of citations, times."""
    text = text.replace(str(root), "PROJECT")
    for pattern, word in RULES:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines())


class Session:
    """A page's project with its server. Cases run from top to bottom: a case finds what those above it did."""

    def __init__(self, page: Page, *, is_real: bool) -> None:
        self.page, self.is_real = page, is_real
        self._cleanup = contextlib.ExitStack()
        folder = self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="fieldguide-case-"))
        self.root = Path(folder, "project")
        self.root.mkdir()
        self._answers: dict[int, Answer] = {}
        self._cases_run = 0
        try:
            self._write_project()
            self._run("index")
            self._client = self._cleanup.enter_context(RawClient(self.root).ready()) if is_real else None
            settings = read_settings({"project": str(self.root)}, {})
            self._app = build_app(settings, write_journal=lambda lines: None)
        except BaseException:
            self.close()
            raise

    def answers(self, case: Case) -> list[Answer]:
        """The answers to the steps of a case, after those of all cases above it."""
        while case.steps and case.steps[0].line not in self._answers:
            for step in self.page.cases[self._cases_run].steps:
                self._answers[step.line] = self._answer(step)
            self._cases_run += 1
        return [self._answers[step.line] for step in case.steps]

    def close(self) -> None:
        self._cleanup.close()

    def _write_project(self) -> None:
        has_commits = any(not part.path for part in self.page.project)
        project = GitProject(self.root) if has_commits else Project(self.root)
        for path, text in self.page.project:
            if path:
                project.write(path, text)
            elif isinstance(project, GitProject):
                project.commit_all(text)

    def _answer(self, step: Step) -> Answer:
        if step.command:
            text, is_error = self._run(*shlex.split(step.command))
        else:
            params = {"name": step.tool, "arguments": step.arguments}
            if self._client is not None:
                result = self._client.request("tools/call", **params)["result"]
            else:
                result = self._app.answer("tools/call", params, Connection(id="case"))
            text, is_error = result["content"][0]["text"], result.get("isError", False)
        return Answer(normalise(text, self.root), is_error)

    def _run(self, *words: str) -> Answer:
        """What a command prints, its errors last."""
        if self.is_real:
            done = run(*words, "--project", self.root, code=None)
            return Answer(done.stdout + done.stderr, done.returncode != 0)
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = main([*words, "--project", str(self.root)])
        return Answer(out.getvalue() + errors.getvalue(), code != 0)
