"""What `guide_governs` finds of what later changed with a path, and of the tests that import it.

    python -m benchmarks.governs --kit DIR --mirror '/path/{owner}+{name}/repo' [--repos scrapy,libuv] [--check]

The data of the kit names paths at a commit, the files that changed with each in three or more later commits, and the
tests that import it by an approximate graph. Each repository is cloned to that commit, so that its history ends there.
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
from statistics import mean, median
from typing import Any, NamedTuple

from benchmarks.stdio_client import StdioClient

GIVEN = 10
GOALS = {"recall": 0.70, "tests": 0.95}


class Figures(NamedTuple):
    """One repository: recall of what changed later, of the tests that import it, and milliseconds for an answer."""

    repository: str
    paths: int
    recall: float
    tests: float | None
    milliseconds: float


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
    print("| repository | paths | recall@10 | tests that import it | ms (median) |\n| --- | --: | --: | --: | --: |")
    for each in found:
        print(
            f"| {each.repository} | {each.paths} | {each.recall:.3f} | {_told(each.tests)} | {each.milliseconds:.0f} |"
        )
    recall = mean(each.recall for each in found)
    tests = mean(each.tests for each in found if each.tests is not None)
    print(f"| mean | {sum(each.paths for each in found)} | {recall:.3f} | {tests:.3f} | |")
    is_met = recall >= GOALS["recall"] and tests >= GOALS["tests"]
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
    tests = [each[1] for each in outcomes if each[1] is not None]
    return Figures(
        name,
        len(cases),
        mean(each[0] for each in outcomes),
        mean(tests) if tests else None,
        1000 * median(each[2] for each in outcomes),
    )


def _outcomes(client: StdioClient, cases: Sequence[Any]) -> Iterator[tuple[float, float | None, float]]:
    for case in cases:
        begun = time.perf_counter()
        answer = _asked(client, case["path"])
        taken = time.perf_counter() - begun
        paths = dict.fromkeys(item["path"] for item in answer["structuredContent"]["items"])
        given = set([path for path in paths if path != case["path"]][:GIVEN])
        later = {each["path"] for each in case["cochange"][:GIVEN]}
        tests = set(case["tests_importing"])
        share = len(tests & given) / min(len(tests), GIVEN) if tests else None
        yield len(later & given) / len(later), share, taken


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
    return "–" if share is None else f"{share:.3f}"


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
