"""Every line of the contract is proved by a test or waits for a named issue.

The tests are read, not run: what counts as proved does not depend on which tests were selected.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.proves import proves
from tests.requirements import REQUIREMENTS, Requirement, assemble, table

TESTS = Path(__file__).parent

# The number of the last line of each chapter of the contract.
CONTRACT = {
    "S0": 82,
    "S1": 66,
    "S2": 65,
    "S3": 74,
    "S4": 30,
    "U0": 17,
    "U1": 4,
    "U2": 12,
    "U3": 7,
    "U4": 9,
    "D": 41,
}

OWN = ("G-", "H-", "Y-", "Z-")  # lines that this project has written itself, with numbers left free

MADE_UP = {
    "S4-1": Requirement("S4-1", "Done now.", "made up"),
    "S1-1": Requirement("S1-1", "Done later.", "made up", issue=3),
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Claim:
    """What a test says it proves; a test that pytest skips or never collects is not binding."""

    requirement_id: str
    test: str
    is_binding: bool = True


def test_the_list_holds_exactly_the_lines_of_the_contract():
    assert_none(missing(REQUIREMENTS, CONTRACT) + surplus(REQUIREMENTS, CONTRACT))


def test_every_requirement_that_waits_for_no_issue_is_proved():
    assert_none(unproved(REQUIREMENTS, project_claims()))


def test_no_proved_requirement_still_names_an_issue():
    assert_none(still_waiting(REQUIREMENTS, project_claims()))


def test_no_test_names_an_unknown_requirement():
    assert_none(unknown(REQUIREMENTS, project_claims()))


def test_every_test_that_claims_a_proof_runs():
    assert_none(idle(project_claims()))


def test_each_kind_of_problem_is_reported():
    ran, idle_claim = Claim("S4-1", "a.py::test_a"), Claim("S4-1", "a.py::test_a", is_binding=False)

    assert missing(MADE_UP, {"S4": 2, "S1": 1}) == ["S4-2 is a line of the contract, but not in the list."]
    assert surplus(MADE_UP, {"S4": 1}) == ["S1-1 is in the list, but no line of the contract."]
    assert unproved(MADE_UP, [ran]) == []
    assert unproved(MADE_UP, [idle_claim]) == ["S4-1 is proved by no test and waits for no issue (made up): Done now."]
    assert idle([ran, idle_claim]) == ["a.py::test_a claims to prove S4-1, but pytest skips it or never collects it."]
    assert still_waiting(MADE_UP, [Claim("S1-1", "a.py::test_a"), ran]) == [
        "S1-1 is proved by a.py::test_a, but still waits for issue 3: remove the issue number."
    ]
    assert unknown(MADE_UP, [Claim("S9-9", "a.py::test_a")]) == ["a.py::test_a names S9-9, which is no requirement."]


def test_claims_are_read_from_functions_and_marks():
    source = """
@proves("S4-1", "S4-2")
async def test_a(): ...

@pytest.mark.proves("S4-3")
def test_c(): ...
"""

    assert find_claims({"tests/unit/test_x.py": source}) == [
        Claim("S4-1", "tests/unit/test_x.py::test_a"),
        Claim("S4-2", "tests/unit/test_x.py::test_a"),
        Claim("S4-3", "tests/unit/test_x.py::test_c"),
    ]


def test_ids_that_are_not_written_out_are_no_requirement():
    claims = find_claims({"test_x.py": "@proves(*IDS)\ndef test_a(): ..."})

    assert unknown(MADE_UP, claims) == ["test_x.py::test_a names *IDS, which is no requirement."]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("fakes.py", "@proves('S4-1')\ndef test_a(): ..."),
        ("test_x.py", "@proves('S4-1')\ndef check_a(): ..."),
        ("test_x.py", "class Story:\n    @proves('S4-1')\n    def test_a(self): ..."),
        ("test_x.py", "def test_a():\n    @proves('S4-1')\n    def test_b(): ..."),
        ("test_x.py", "@pytest.mark.skip\n@proves('S4-1')\ndef test_a(): ..."),
        ("test_x.py", "@proves('S4-1')\n@pytest.mark.xfail(reason='not yet')\ndef test_a(): ..."),
    ],
)
def test_a_claim_that_pytest_does_not_check_is_not_binding(path, source):
    assert [claim.is_binding for claim in find_claims({path: source})] == [False]


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


def assert_none(problems: list[str]) -> None:
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


@cache
def project_claims() -> tuple[Claim, ...]:
    paths = sorted(TESTS.rglob("*.py"))
    return tuple(find_claims({path.relative_to(TESTS.parent).as_posix(): path.read_text("utf-8") for path in paths}))


def missing(requirements: Mapping[str, Requirement], contract: Mapping[str, int]) -> list[str]:
    lost = [line_id for line_id in contract_ids(contract) if line_id not in requirements]
    return [f"{line_id} is a line of the contract, but not in the list." for line_id in lost]


def surplus(requirements: Mapping[str, Requirement], contract: Mapping[str, int]) -> list[str]:
    known = {*contract_ids(contract)}
    added = [line_id for line_id in requirements if line_id not in known and not line_id.startswith(OWN)]
    return [f"{line_id} is in the list, but no line of the contract." for line_id in added]


def contract_ids(contract: Mapping[str, int]) -> list[str]:
    return [f"{chapter}-{number}" for chapter, last in contract.items() for number in range(1, last + 1)]


def unproved(requirements: Mapping[str, Requirement], claims: Iterable[Claim]) -> list[str]:
    proved = {claim.requirement_id for claim in claims if claim.is_binding}
    return [
        f"{line.id} is proved by no test and waits for no issue ({line.section}): {line.sentence}"
        for line in requirements.values()
        if line.issue is None and line.id not in proved
    ]


def still_waiting(requirements: Mapping[str, Requirement], claims: Iterable[Claim]) -> list[str]:
    proved = {claim.requirement_id: claim.test for claim in claims if claim.is_binding}
    return [
        f"{line.id} is proved by {proved[line.id]}, but still waits for issue {line.issue}: remove the issue number."
        for line in requirements.values()
        if line.issue is not None and line.id in proved
    ]


def unknown(requirements: Mapping[str, Requirement], claims: Iterable[Claim]) -> list[str]:
    return [
        f"{claim.test} names {claim.requirement_id}, which is no requirement."
        for claim in claims
        if claim.requirement_id not in requirements
    ]


def idle(claims: Iterable[Claim]) -> list[str]:
    return [
        f"{claim.test} claims to prove {claim.requirement_id}, but pytest skips it or never collects it."
        for claim in claims
        if not claim.is_binding
    ]


def find_claims(sources: Mapping[str, str]) -> list[Claim]:
    """The claims in the given sources, by path, in the order they stand there."""
    return [claim for path, source in sources.items() for claim in read_claims(path, ast.parse(source, path))]


def read_claims(path: str, module: ast.Module) -> Iterator[Claim]:
    collected = set(collected_tests(path, module))
    functions = [node for node in ast.walk(module) if isinstance(node, Function)]
    for function in functions:
        is_binding = function in collected and not is_skipped(function)
        for line_id in claimed_ids(function):
            yield Claim(line_id, f"{path}::{function.name}", is_binding)


def collected_tests(path: str, module: ast.Module) -> Iterator[Function]:
    """The functions that pytest's default rules find."""
    if not Path(path).name.startswith("test_"):
        return
    for node in module.body:
        if isinstance(node, Function) and node.name.startswith("test"):
            yield node


def is_skipped(function: Function) -> bool:
    return any(last_name(decorator) in {"skip", "xfail"} for decorator in function.decorator_list)


def claimed_ids(function: Function) -> Iterator[str]:
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and last_name(decorator) == "proves":
            yield from (written_id(argument) for argument in decorator.args)


def written_id(argument: ast.expr) -> str:
    """The id, or the source of an argument that is not a plain string: no requirement has such an id."""
    match argument:
        case ast.Constant(value=str(line_id)):
            return line_id
        case _:
            return ast.unparse(argument)


def last_name(decorator: ast.expr) -> str:
    """`skip` for `@skip`, `@pytest.mark.skip` and `@pytest.mark.skip(...)`."""
    match decorator:
        case ast.Call(func=func):
            return last_name(func)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""
