"""Every line of the contract is proved by a test or waits for a named issue.

The tests are read, not run: what counts as proved does not depend on which tests were selected.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cases.pages import read_page
from tests.proves import proves
from tests.requirements import REQUIREMENTS, Requirement, assemble, table

TESTS = Path(__file__).parent
CONTRACT = {
    "S0": 82, "S1": 66, "S2": 65, "S3": 74, "S4": 30, "U0": 17, "U1": 4, "U2": 12, "U3": 7, "U4": 9, "D": 41,
}  # fmt: skip
"""The number of the last line of each chapter of the contract."""
MADE_UP = {
    "S4-1": Requirement("S4-1", "Done now.", "made up"),
    "S1-1": Requirement("S1-1", "Done later.", "made up", issue=3),
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Claim(NamedTuple):
    """What a test says it proves; a test that pytest skips or never collects is not binding."""

    requirement_id: str
    test: str
    is_binding: bool = True


def test_the_list_holds_exactly_the_lines_of_the_contract():
    wanted = {f"{chapter}-{number}" for chapter, last in CONTRACT.items() for number in range(1, last + 1)}

    assert set(REQUIREMENTS) == wanted


def test_every_requirement_is_proved_or_waits_for_an_issue_and_not_both():
    proved = {claim.requirement_id for claim in project_claims() if claim.is_binding}

    assert {line.id for line in REQUIREMENTS.values() if line.issue is None} == proved


def test_every_test_that_claims_a_proof_runs():
    assert [claim for claim in project_claims() if not claim.is_binding] == []


@pytest.mark.parametrize(
    ("path", "source", "is_binding"),
    [
        ("test_x.py", "@proves('S4-1')\nasync def test_a(): ...", True),
        ("test_x.py", "@pytest.mark.proves('S4-1')\ndef test_a(): ...", True),
        ("fakes.py", "@proves('S4-1')\ndef test_a(): ...", False),
        ("test_x.py", "@proves('S4-1')\ndef check_a(): ...", False),
        ("test_x.py", "class Story:\n    @proves('S4-1')\n    def test_a(self): ...", False),
        ("test_x.py", "def test_a():\n    @proves('S4-1')\n    def test_b(): ...", False),
        ("cases/x.md", "## A case (S4-1)\n```call x\n```\n```expect\n```", True),
        ("cases/x.md", "## A case without a call (S4-1)\n", False),
        ("test_x.py", "@pytest.mark.skip\n@proves('S4-1')\ndef test_a(): ...", False),
        ("test_x.py", "@proves('S4-1')\n@pytest.mark.xfail(reason='not yet')\ndef test_a(): ...", False),
    ],
)
def test_a_claim_that_pytest_does_not_check_is_not_binding(path, source, is_binding):
    assert [(claim.requirement_id, claim.is_binding) for claim in read_claims(path, source)] == [("S4-1", is_binding)]


def test_the_decorator_refuses_what_the_contract_does_not_have():
    with pytest.raises(ValueError, match="No requirement 'S9-9' in tests/requirement_lines/"):
        proves("S4-1", "S9-9")
    with pytest.raises(ValueError, match="at least one requirement"):
        proves()


def test_lines_are_read_and_counted_and_one_that_is_none_or_listed_twice_is_refused():
    chapter = "# Things\n\n## made up\n\n- S4-1: Done now.\n- S1-1 (#3): Done later.\n"

    assert assemble([chapter]) == MADE_UP
    assert table(MADE_UP).splitlines()[2:] == ["| made up | 2 | 1 | 1 for #3 |", "| all | 2 | 1 | 1 for #3 |"]
    with pytest.raises(ValueError, match="'S4-1' is listed twice"):
        assemble([chapter, "- S4-1: Twice.\n"])
    with pytest.raises(ValueError, match="This is no requirement: - S4-2 Done"):
        assemble([chapter + "- S4-2 Done without a colon.\n"])


@cache
def project_claims() -> tuple[Claim, ...]:
    """What the tests of this project claim, by path, in the order in which they stand there."""
    claims: list[Claim] = []
    for path in sorted(TESTS.rglob("*.py")):
        claims += read_claims(path.relative_to(TESTS.parent).as_posix(), path.read_text("utf-8"))
    for path in sorted((TESTS / "cases").rglob("*.md")):
        claims += read_claims(path.relative_to(TESTS.parent).as_posix(), path.read_text("utf-8"))
    return tuple(claims)


def read_claims(path: str, source: str) -> Iterator[Claim]:
    if path.endswith(".md"):
        for case in read_page(Path(path), source).cases:
            yield from (Claim(line, f"{path}::{case.title}", is_binding=bool(case.steps)) for line in case.proves)
        return
    module = ast.parse(source, path)
    collected = [node for node in module.body if isinstance(node, Function) and node.name.startswith("test")]
    is_test_module = Path(path).name.startswith("test_")
    for function in ast.walk(module):
        if not isinstance(function, Function):
            continue
        names = {last_name(decorator) for decorator in function.decorator_list}
        is_binding = is_test_module and function in collected and names.isdisjoint(("skip", "xfail"))
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and last_name(decorator) == "proves":
                for argument in decorator.args:
                    yield Claim(ast.literal_eval(argument), f"{path}::{function.name}", is_binding)


def last_name(decorator: ast.expr) -> str:
    """`skip` for `@skip`, `@pytest.mark.skip` and `@pytest.mark.skip(...)`."""
    if isinstance(decorator, ast.Call):
        return last_name(decorator.func)
    return ast.unparse(decorator).rpartition(".")[2]
