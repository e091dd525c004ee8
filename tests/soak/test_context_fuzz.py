"""Nonsense through the real context tools: nothing leaves the project, nothing breaks, nothing hangs over its limit."""

import os
from collections.abc import Callable
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fieldguide.app import App, build_app
from fieldguide.settings.config import read_settings
from fieldguide.spine.rate_limit import RateLimiter
from fieldguide.spine.tool import Call
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Refusal
from tests.projects import Project

SECRET = "TOP-SECRET"  # it stands in every file that nobody may see
NAMES = (
    "src", "a.py", "b.ts", "deep", "empty", "..", ".", "", ".env", ".ENV", ".env.local", ".git", "config",
    "node_modules", "x.js", "leaving", "leaving.txt", "inside", "loop", "pipe", "dist", ".context", "é", "a name\n",
    "-dash", "~", "*", "C:", "\\", "\0", "con", "%2e%2e", "x" * 300,
)  # fmt: skip
GLOB_PIECES = (
    "*", "**", "?", "[", "]", "!", "^", "-", "{", "}", ",", "/", "\\", ".", "..", "a", "py", ".env", ".git", "src",
    "node_modules", "dist", "include:", "--pre=cat", "-uuu", "é", "\n", "\0", " ",
)  # fmt: skip
PATTERN_PIECES = (
    "a", "b", ".", "*", "+", "?", "|", "(", ")", "[", "]", "^", "$", "{1,9}", "{9999}", "\\w", "\\b", "\\p{L}", "(?i)",
    "(?s).", "(?=", "(?P<n>", "\\", "\\x00", "\n", "\0", "é", "🦊", SECRET, "--files", "-f/etc/passwd", "(a+)+",
)  # fmt: skip
SUFFIXES = (".py", ".ts", ".tsx", ".js", ".go", ".rs", ".java", ".kt", ".c", ".cpp", ".cs", ".rb", ".php", ".md", "")
FRAGMENTS = (
    b"import ", b"from ", b"use ", b"#include ", b"require(", b"'./a'", b'"b.h"', b"(", b")", b"{", b"}", b";",
    b"\n", b"\r\n", b"class A", b"def f", b"fn x", b"\xff", b"\0", b"\xe2\x80\xae", b"/*", b"*/", b"'''", b"<?php",
    b"\t", b"\\",
)  # fmt: skip

Run = Callable[..., Any]
bounded = settings(
    max_examples=250,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def joined(pieces: tuple[str, ...], separator: str) -> st.SearchStrategy[str]:
    """Texts of these pieces, and texts of anything between them."""
    return st.lists(st.sampled_from(pieces) | st.text(max_size=4), min_size=1, max_size=8).map(separator.join)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project full of traps, with a secret beside it."""
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "outside.txt").write_text(SECRET, encoding="utf-8")
    project = Project(folder / "project")
    for path in (".env", ".env.local", ".git/config", "node_modules/x.js", "src/node_modules/x.js", "src/.env"):
        project.write(path, f"{SECRET}\n")
    project.write("src/a.py", "import os\nfrom src import deep\n")
    project.write("src/deep/b.ts", "import { a } from '../a';\n")
    project.write("src/empty", "")
    for name, target in (("leaving", ".."), ("leaving.txt", "../outside.txt"), ("inside", "src"), ("loop", "loop")):
        (project.root / name).symlink_to(target)
    os.mkfifo(project.root / "pipe")
    return project


@pytest.fixture(scope="module")
def app(place: Project) -> App:
    """The context toolset over that project, with its code indexed."""
    given = {"project": str(place.root), "toolsets": ("context",)}
    app = build_app(read_settings(given, {}), write_journal=lambda lines: None)
    index(app)
    return app


def index(app: App) -> None:
    """Bring the index up to date."""
    [toolset] = app.toolsets
    assert toolset.upkeep is not None
    toolset.upkeep.refresh(lambda done, total, name: None)


@pytest.fixture(scope="module")
def run(app: App) -> Run:
    """Runs a tool as a client's call would, without the rate limit: an answer, or None for a refusal."""
    executor = app.executor._replace(limiter=cast("RateLimiter", Unlimited()))

    def call(tool: str, **arguments: Any) -> Any:
        try:
            return executor.execute(Call(tool, arguments, Cancellation())).value
        except Refusal:
            return None

    return call


class Unlimited:
    """A rate limiter that lets everything through."""

    def admit(self, user: str | None, tool: Any) -> None:
        """Let it through."""


@given(path=joined(NAMES, "/"), with_imports=st.booleans())
@example(path="leaving/outside.txt", with_imports=False)
@example(path="inside/../.env", with_imports=False)
@example(path="inside/.env", with_imports=False)
@bounded
def test_no_path_reads_what_nobody_may_see(run, path, with_imports):
    answer = run("read_file", path=path, includeDeps=with_imports)

    assert answer is None or SECRET not in str(answer)


@given(pattern=joined(PATTERN_PIECES, ""), glob=st.none() | joined(GLOB_PIECES, ""), is_case_sensitive=st.booleans())
@example(pattern=SECRET, glob="!nothing", is_case_sensitive=True)
@example(pattern=".", glob="**/.env*", is_case_sensitive=False)
@bounded
def test_no_pattern_finds_what_nobody_may_see(run, pattern, glob, is_case_sensitive):
    wanted = {} if glob is None else {"filePattern": glob}

    answer = run("grep_codebase", pattern=pattern[:200], caseSensitive=is_case_sensitive, **wanted)

    if answer is not None:
        assert not any(SECRET in match["text"] for match in answer["matches"])
        assert all(match["line"] >= 1 and match["column"] >= 1 for match in answer["matches"])
        assert len(answer["matches"]) <= 50


@given(glob=joined(GLOB_PIECES, ""))
@bounded
def test_no_glob_brings_a_secret_back(run, glob):
    answer = run("grep_codebase", pattern=SECRET, filePattern=glob)

    assert answer is None or answer["matches"] == []


@given(
    content=st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=8), max_size=60).map(b"".join),
    suffix=st.sampled_from(SUFFIXES),
)
@bounded
def test_any_content_is_read_searched_and_indexed(run, app, place, content, suffix):
    path = f"fuzzed{suffix}"
    file = place.write(path, content)
    index(app)

    read = run("read_file", path=path, includeDeps=True) or run("read_file", path=path)
    found = run("grep_codebase", pattern=".", filePattern=path)

    if read is not None:
        assert read["file"]["content"].encode() == content
        assert SECRET not in str(read)
    assert found["totalMatches"] >= 0
    file.unlink()


@given(query=st.text(min_size=3, max_size=60), module=st.none() | st.text(max_size=10))
@bounded
def test_any_question_is_answered(run, query, module):
    wanted = {} if module is None else {"module": module}

    answer = run("context_search", query=query, **wanted)

    assert answer["query"] == query
    assert SECRET not in str(answer["results"])
    assert all(0 <= item["score"] <= 1 for item in answer["results"])
