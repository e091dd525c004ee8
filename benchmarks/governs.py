"""What `guide_governs` finds of what later changed with a path, and of the tests that import it, in its first ten.

    python -m benchmarks.governs --kit DIR --mirror '/path/{owner}+{name}/repo' [--repos scrapy,libuv] [--check]

The data of the kit names paths at a commit, the files that changed with each in three or more later commits, and the
tests that import it by an approximate graph. Each repository is cloned to that commit, so that its history ends there.
The kit's own `governs.py` makes such data of every repository that is added to its `repos.json`.

Tests take at most four of the ten places: how many of them are there is counted of ten, of four, and in the whole list.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from benchmarks.stdio_client import StdioClient

GIVEN = 10
FOUR = 4
GOALS = {"recall": 0.70, "of_four": 0.93}


class Outcome(NamedTuple):
    """One path: recall of what changed later, and of the tests that import it; the share of places that tests take."""

    recall: float
    of_ten: float | None
    of_four: float | None
    listed: float | None
    places: float
    milliseconds: float


class Figures(NamedTuple):
    """One repository: the means over its paths."""

    repository: str
    paths: int
    means: list[float | None]


def main() -> int:
    """Measure each repository and print a table; with --check the goals must be met by the means."""
    arguments = _arguments()
    kit = Path(arguments.kit)
    known = {each["id"]: each for each in json.loads((kit / "repos.json").read_text())["repos"]}
    wanted = arguments.repos.split(",") if arguments.repos else list(known)
    found = [
        _measured(name, known[name]["github"], data, arguments)
        for name in wanted
        for data in sorted(kit.glob(f"data/governs/*/{name}.jsonl"))
    ]
    print("| repository | paths | recall@10 | tests of ten | of four | in the list | places of tests | ms |")
    print("| --- | --: | --: | --: | --: | --: | --: | --: |")
    total = [_mean(column) for column in zip(*(each.means for each in found), strict=True)]
    for each in (*found, Figures("mean", sum(each.paths for each in found), total)):
        print(f"| {each.repository} | {each.paths} | {' | '.join(map(_told, each.means))} |")
    is_met = (total[0] or 0.0) >= GOALS["recall"] and (total[2] or 0.0) >= GOALS["of_four"]
    return 0 if is_met or not arguments.check else 1


def _measured(name: str, github: str, data: Path, arguments: argparse.Namespace) -> Figures:
    cases = [json.loads(line) for line in data.read_text().splitlines() if line.strip()]
    owner, repository = github.split("/")
    with tempfile.TemporaryDirectory(prefix=f"governs-{name}-") as folder:
        root = Path(folder) / name
        _clone(arguments.mirror.format(owner=owner, name=repository), root, cases[0]["commit"])
        subprocess.run([arguments.fieldguide, "index", "--project", str(root)], check=True, capture_output=True)
        with StdioClient([arguments.fieldguide, "serve", "--project", str(root)], environment=os.environ) as client:
            client.initialize()
            client.notify_initialized()
            outcomes = list(_outcomes(client, cases))
    return Figures(name, len(cases), [_mean(column) for column in zip(*outcomes, strict=True)])


def _mean(values: Sequence[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return mean(known) if known else None


def _outcomes(client: StdioClient, cases: Sequence[Any]) -> Iterator[Outcome]:
    for case in cases:
        begun = time.perf_counter()
        answer = _asked(client, case["path"])
        taken = time.perf_counter() - begun
        kinds = {item["path"]: item["kind"] for item in answer["structuredContent"]["items"]}
        listed = [path for path in kinds if path != case["path"]]
        given = set(listed[:GIVEN])
        later = {each["path"] for each in case["cochange"][:GIVEN]}
        tests = set(case["tests_importing"])
        found = len(tests & given)
        yield Outcome(
            len(later & given) / len(later),
            found / min(len(tests), GIVEN) if tests else None,
            min(found / min(len(tests), FOUR), 1.0) if tests else None,
            len(tests.intersection(listed)) / len(tests) if tests else None,
            sum(kinds[path] == "test" for path in given) / max(len(given), 1),
            1000 * taken,
        )


def _asked(client: StdioClient, path: str) -> dict[str, Any]:
    """The answer; a tool that was asked too often is asked again."""
    while True:
        answer = client.request("tools/call", {"name": "guide_governs", "arguments": {"path": path}})
        if not answer.get("isError"):
            return answer
        if "Rate limit" not in json.dumps(answer):
            raise SystemExit(json.dumps(answer))
        time.sleep(2.0)


def _clone(mirror: str, root: Path, commit: str) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True)  # noqa: S607

    subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", mirror, str(root)], check=True)  # noqa: S607
    git("checkout", "-q", "-f", "--detach", commit)


def _told(share: float | None) -> str:
    return "–" if share is None else f"{share:.3f}" if share < GIVEN else f"{share:.0f}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", required=True, help="the folder of the kit: repos.json and data/governs/")
    parser.add_argument("--mirror", required=True, help="where git directories lie, with {owner} and {name}")
    parser.add_argument("--repos", help="only these, with commas")
    parser.add_argument("--fieldguide", default=str(Path(sys.executable).parent / "fieldguide"))
    parser.add_argument("--check", action="store_true", help="fail where a goal is not met")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
