"""Texts that once kept the server busy for minutes are answered; a call that takes 10 s would be an error."""

import pytest

from tests.architecture_projects import PATTERNS, call, served, write_architecture

RULES = "# Rules\n\n- Never call `eval`.\n- Do not leave TODO comments.\n- Class names must end with `Service`.\n"
RUNS = {
    "spaces": " " * 24_000,
    "a line of spaces": " " * 1_000_000 + "x",
    "quotes": '"' * 200_000,
    "brackets": "[" * 200_000,
    "backticks": "`" * 200_000,
    "hashes": "#" * 200_000,
    "angles": "<" * 200_000,
    "dashes": "-" * 200_000,
    "stars": "*" * 200_000,
    "bars": "|" * 200_000,
    "newlines": "\n" * 100_000,
    "headings": "# a\n" * 10_000,
    "mentions": "ADR 1 " * 10_000,
}


@pytest.mark.parametrize(
    "names", [[*RUNS][:3], [*RUNS][3:5], [*RUNS][5:9], [*RUNS][9:10], [*RUNS][10:11], [*RUNS][11:]], ids=", ".join
)
def test_decisions_that_are_mostly_one_mark_are_read_and_compared(project, names):
    write_architecture(project)
    for number, run in enumerate(map(RUNS.get, names), start=4):
        text = f"# {number}. Keep busy{run}\n\n## Decision\n\nWe will use{run}Redis.\n"
        project.write(f"mcp/resources/adr/{number:03}-busy.md", text)

    with served(project) as client:
        answer = call(client, "check-adr-alignment", decision_description="Use MongoDB for orders")

    assert "001-use-postgresql" in str(answer)


def test_patterns_that_are_mostly_one_mark_are_read_and_checked(project):
    write_architecture(project)
    for name, run in RUNS.items():
        project.write(f"{PATTERNS}/busy-{name}.md".replace(" ", "-"), f"{RULES}\n- Do not{run}call `print`.\n")

    with served(project) as client:
        for name in RUNS:
            given = {"code": "eval('1')\n", "language": "python", "pattern_name": f"busy-{name}".replace(" ", "-")}
            answer = call(client, "validate-against-pattern", **given)

            assert answer["violations"], name


def test_code_that_is_one_mark_alone_is_checked(project):
    write_architecture(project)

    with served(project) as client:
        for mark in (" ", "\n", "\t", '"', "'", "`", "#", "|"):
            answer = call(client, "validate-against-pattern", pattern_name="repository-pattern", code=mark * 50_000)

            assert answer["pattern"] == "repository-pattern", mark
