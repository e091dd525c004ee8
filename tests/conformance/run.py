"""The official conformance suite against our HTTP server, in both eras: `python -m tests.conformance.run`.

Exits with 1 when a scenario fails that `expected.py` does not name, when one that it names passes, or when a required
one found nothing to judge.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.conformance.expected import NOT_APPLICABLE, UNTESTABLE_CHECKS
from tests.interop.clients import NODE, PACKAGES
from tests.servers import http_server

SUITE = PACKAGES / "conformance"
PROGRAM = (sys.executable, str(Path(__file__).parent / "fixtures" / "program.py"))
"""Our program with the toolset of fixtures, and no other."""
ERAS = ("2025-11-25", "2026-07-28")
ERA_SECONDS = 300.0
FAULTS = ("FAILURE", "WARNING")


class Scenario(NamedTuple):
    """How one scenario went in one era: the statuses of its checks, and a sentence for each that found a fault."""

    name: str
    is_required: bool
    statuses: frozenset[str] = frozenset()
    faults: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """One word for the table."""
        if "FAILURE" in self.statuses:
            return "n/a" if self.name in NOT_APPLICABLE else "FAIL"
        if "SUCCESS" not in self.statuses:
            return "untested"
        return "stale" if self.name in NOT_APPLICABLE else "pass"

    @property
    def is_unexpected(self) -> bool:
        """Whether it must not end like this."""
        return self.verdict in ("FAIL", "stale") or (self.is_required and self.verdict == "untested")


def main() -> int:
    """Run both eras, print the table, and say with the exit code whether all is as expected."""
    with TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        project.mkdir()
        with http_server(project, "--no-token", command=PROGRAM) as url:
            outcomes = {era: _run(era, url, Path(folder) / era) for era in ERAS}
    for line in _table(outcomes):
        print(line)
    return int(any(scenario.is_unexpected for found in outcomes.values() for scenario in found))


def _run(era: str, url: str, results: Path) -> list[Scenario]:
    """Every scenario of an era, those that the specification requires first."""
    command = [str(NODE), str(SUITE / "dist" / "index.js"), "server", "--url", url]
    done = subprocess.run(
        [*command, "--requirements", era, "--output-dir", str(results)],
        capture_output=True,
        text=True,
        check=False,
        timeout=ERA_SECONDS,
    )
    if not results.is_dir():
        raise SystemExit(f"The suite did not run for {era}:\n{done.stdout}{done.stderr}")
    required = _required(era)
    ran = {_name(folder): folder for folder in sorted(results.iterdir())}
    others = [name for name in ran if name not in required]
    return [_scenario(name, ran.get(name), is_required=name in required) for name in [*required, *others]]


def _required(era: str) -> list[str]:
    """The server scenarios of the frozen list: the items under `server:` in the suite's own file."""
    text = (SUITE / "requirements" / f"{era}.yaml").read_text(encoding="utf-8")
    block = text.partition("\nserver:\n")[2].partition("\n\n")[0]
    return [line.removeprefix("  - ") for line in block.splitlines()]


def _name(folder: Path) -> str:
    """A result folder is named `server-<scenario>-<time>`, the time written as 2026-01-31T23-59-59-999Z."""
    return folder.name.removeprefix("server-").rsplit("-", 6)[0]


def _scenario(name: str, folder: Path | None, *, is_required: bool) -> Scenario:
    if folder is None:
        return Scenario(name, is_required)
    found = json.loads((folder / "checks.json").read_text(encoding="utf-8"))
    checks = [check for check in found if check["id"] not in UNTESTABLE_CHECKS]
    faults = [
        f"{check['status'].lower()}: {check['id']}: {check.get('errorMessage', '')}"
        for check in checks
        if check["status"] in FAULTS
    ]
    return Scenario(name, is_required, frozenset(check["status"] for check in checks), tuple(faults))


def _table(outcomes: dict[str, list[Scenario]]) -> Iterator[str]:
    names = dict.fromkeys(scenario.name for found in outcomes.values() for scenario in found)
    by_era = {era: {scenario.name: scenario for scenario in found} for era, found in outcomes.items()}
    yield f"{'scenario':<50}" + "".join(f"{era:<16}" for era in outcomes)
    for name in names:
        yield f"{name:<50}" + "".join(f"{_cell(found.get(name)):<16}" for found in by_era.values())
    yield ""
    for era, found in outcomes.items():
        required = [scenario for scenario in found if scenario.is_required and scenario.verdict != "n/a"]
        passed = sum(scenario.verdict == "pass" for scenario in required)
        yield f"{era}: {passed} of {len(required)} required scenarios that apply pass (* run, but not required)"
        for scenario in found:
            if scenario.verdict != "n/a":
                yield from (f"  {scenario.name}: {fault}" for fault in scenario.faults)


def _cell(scenario: Scenario | None) -> str:
    if scenario is None:
        return "-"
    return scenario.verdict if scenario.is_required else f"{scenario.verdict} *"


if __name__ == "__main__":
    sys.exit(main())
