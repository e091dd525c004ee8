"""The trace of this repository by the product itself: every line leads to its tests, every decision to code."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fieldguide.app import build_app
from fieldguide.cli.console.indexing import IndexPass
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.git.history import History
from fieldguide.knowledge.links.trace import (
    UNFOLLOWED,
    UNKNOWN,
    UNTESTED,
    TraceGround,
    find_trace,
    summarize_trace,
)
from fieldguide.knowledge.links.trace_index import update_trace
from fieldguide.settings.config import Settings, find_namespace
from tests.proves import proves
from tests.requirements import REQUIREMENTS
from tests.test_requirements import project_claims

ROOT = Path(__file__).parent.parent.parent
FOLDERS = ("src", "tests", "docs/decisions", "docs/explain", "docs/guides", "benchmarks")
ENDINGS = (".py", ".md")


@pytest.fixture(scope="module")
def ground(tmp_path_factory) -> Iterator[TraceGround]:
    """The trace of the files alone, with no history: what is checked is what stands in them."""
    settings = Settings(project=str(tmp_path_factory.mktemp("empty")))
    app = build_app(settings, write_journal=lambda lines: None)
    IndexPass(app, "context").run()
    engine, project = app.engine(), ConfinedFolder(str(ROOT))
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in ENDINGS)
    paths = sorted(path.relative_to(ROOT).as_posix() for path in files)
    update_trace(engine, find_namespace(settings), project, paths)
    with engine.database.reading() as transaction:
        yield TraceGround(engine, transaction, find_namespace(settings), project, History())


@proves("Y-75")
def test_every_requirement_line_leads_to_the_tests_that_prove_it(ground):
    claimed: dict[str, set[str]] = {line: set() for line in REQUIREMENTS}
    for claim in project_claims():
        if claim.requirement_id in claimed:
            claimed[claim.requirement_id].add(claim.test.rpartition("::")[2].rpartition(".")[2])

    traces = {line: find_trace(ground, line) for line in claimed}
    homes = {line: trace.node.path for line, trace in traces.items()}
    assert [line for line, path in homes.items() if not path.startswith("tests/requirement_lines/")] == []
    assert [
        (line, test)
        for line, tests in claimed.items()
        for test in sorted(tests - {link.name for link in traces[line].links if link.why == f"claims {line}"})
    ] == []


@proves("Y-75")
def test_every_decision_that_holds_leads_to_code_or_is_about_process(ground):
    summary = summarize_trace(ground)

    waiting = {line for line, requirement in REQUIREMENTS.items() if requirement.issue is not None}
    assert summary.decisions > 20
    assert [gap for gap in summary.gaps if gap.kind in (UNFOLLOWED, UNKNOWN)] == []
    assert {gap.name for gap in summary.gaps if gap.kind == UNTESTED} <= waiting
