"""How much of the way through a code base `guide_flow` tells: questions of architecture, judged by rubrics.

    python -m benchmarks.flow --mirror '/mirror/{owner}+{name}/repo' --half development --budget 1500

The rubrics are in `flow_questions/`, one file a repository, written from the code alone at one commit. A point is
touched when an item of the answer overlaps its lines, or the text names its path and its qualified name. The half
`once` is for judging: look at its figures, and choose nothing by them. `--edges` prints the certain edges, which a
person has to judge: a rubric can't tell which of them are wrong.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from time import monotonic
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.report import REPOSITORY
from benchmarks.stdio_client import ServerError, StdioClient
from fieldguide.text.tokens import count_exact_tokens

FIELDGUIDE = Path(sys.executable).parent / "fieldguide"
QUESTIONS = REPOSITORY / "benchmarks" / "flow_questions"
HEADER = ("repository", "language", "points", "touched", "tokens", "items", "lines an item", "uncertain", "ms")


class Point(NamedTuple):
    """One thing that a good answer tells, and the lines where it is."""

    says: str
    path: str
    start: int
    end: int
    name: str


class Question(NamedTuple):
    text: str
    points: Sequence[Point]


class Rubric(NamedTuple):
    """The questions to one repository at one commit."""

    repository: str
    commit: str
    language: str
    half: str
    questions: Sequence[Question]


class Answer(NamedTuple):
    """What `guide_flow` gave: its text and its structured items."""

    text: str
    items: Sequence[Mapping[str, Any]]
    seconds: float = 0.0
    """How long it took, asked for the second time."""

    @property
    def steps(self) -> list[Mapping[str, Any]]:
        """The items that say how the one above leads to them."""
        return [item for item in self.items if "via" in item]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.flow", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--mirror", required=True, help="such as '/mirror/{owner}+{name}/repo'")
    parser.add_argument("--half", choices=("development", "once"), default="development")
    parser.add_argument("--budget", type=int, default=1500)
    parser.add_argument("--work", type=Path, default=Path("build/flow"), help="for checkouts and their indexes")
    parser.add_argument("--only", default="", help="some of the repositories by name, with commas")
    parser.add_argument("--show", action="store_true", help="print each answer and which points it touches")
    parser.add_argument("--edges", action="store_true", help="print the certain edges of each answer")
    parser.add_argument("--verify", action="store_true", help="only check that the rubrics fit their commits")
    options = parser.parse_args()
    only: list[str] = options.only.lower().split(",") if options.only else []
    rubrics = [each for each in read_rubrics() if each.half == options.half]
    rubrics = [each for each in rubrics if not only or each.repository.lower().rpartition("/")[2] in only]
    if options.verify:
        return _verify(rubrics, options.mirror)
    print(f"Flow, {options.half} half, {options.budget:,} tokens. {report.describe_machine()}\n", flush=True)
    rows: list[list[str]] = []
    answered: list[tuple[Question, Answer]] = []
    for rubric in rubrics:
        found = list(_ask(rubric, check_out(rubric, options.mirror, options.work), options.budget))
        for question, answer in found:
            _print_answer(question, answer, is_shown=options.show, has_edges=options.edges)
        rows.append([rubric.repository, rubric.language, *_figures(found)])
        answered += found
    print(report.format_table(HEADER, [*rows, ["all", "", *_figures(answered)]]))
    return 0


def read_rubrics() -> list[Rubric]:
    """All rubrics, by the names of their files."""
    rubrics: list[Rubric] = []
    for path in sorted(QUESTIONS.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        questions = [
            Question(each["question"], [Point(**point) for point in each["points"]]) for each in content["questions"]
        ]
        rubrics.append(
            Rubric(content["repository"], content["commit"], content["language"], content["half"], questions)
        )
    return rubrics


def is_touched(point: Point, answer: Answer) -> bool:
    """Whether an item overlaps the point's lines in its file, or the text names it."""
    overlaps = any(
        item.get("path") == point.path and item.get("start", 0) <= point.end and item.get("end", 0) >= point.start
        for item in answer.items
    )
    return overlaps or is_named(point, answer.text)


def is_named(point: Point, text: str) -> bool:
    """Whether a text has the point's path and its name; a name without a class must be in the line of the path.

    Languages write `A::b` and `A#b` for `A.b`, and of a nested name the last two parts are enough.
    """
    parts = point.name.split(".")
    name = re.compile(rf"(?<!\w){re.escape('.'.join(parts[-2:]))}(?!\w)")
    plain = text.replace("::", ".").replace("#", ".")
    searched = [plain] if len(parts) > 1 else plain.splitlines()
    # The path is taken out: `src/parse.c` does not name `parse`.
    return any(point.path in each and name.search(each.replace(point.path, " ")) for each in searched)


def find_certain_edges(items: Sequence[Mapping[str, Any]]) -> list[str]:
    """One line for each certain edge: what leads to what, where and how. The caller is the last item one level up."""
    edges: list[str] = []
    callers: dict[int, Mapping[str, Any]] = {}
    for item in items:
        depth = item.get("depth", 0)
        callers[depth] = item
        caller = callers.get(depth - 1)
        if caller is not None and item.get("certain"):
            came = f"{caller['path']}:{item.get('at', caller['start'])} {caller.get('symbol', '')}"
            edges.append(f"{came} -{item['via']}-> {item['path']}:{item['start']} {item.get('symbol', '')}")
    return edges


def check_out(rubric: Rubric, mirror: str, work: Path) -> Path:
    """The repository's commit in a work tree of its own. Blobs that a mirror left out for their size may be missing."""
    owner, name = rubric.repository.split("/")
    tree = work.resolve() / name
    if not tree.exists():
        origin = mirror.format(owner=owner, name=name)
        clone = ["git", "clone", "-q", "--shared", "--no-checkout", origin, str(tree)]
        subprocess.run(clone, check=True)
    checkout = ["git", "-C", str(tree), "checkout", "-q", "--force", "--detach", rubric.commit]
    subprocess.run(checkout, check=False, stderr=subprocess.DEVNULL)
    missing = sorted(path for path in _paths(rubric) if not (tree / path).is_file())
    if missing:
        raise SystemExit(f"{rubric.repository} at {rubric.commit} has no {', '.join(missing)}.")
    return tree


def _paths(rubric: Rubric) -> set[str]:
    return {point.path for question in rubric.questions for point in question.points}


def _ask(rubric: Rubric, tree: Path, budget: int) -> Iterator[tuple[Question, Answer]]:
    """Ask a server about a work tree. Its index is kept beside the tree and brought up to date."""
    environment = {**os.environ, "FIELDGUIDE_STATE": str(tree.with_name(f"{tree.name}.state"))}
    index = [str(FIELDGUIDE), "index", "--project", str(tree)]
    subprocess.run(index, env=environment, check=True, stdout=subprocess.DEVNULL)
    with StdioClient([str(FIELDGUIDE), "serve", "--project", str(tree)], environment=environment) as client:
        client.initialize()
        client.notify_initialized()
        for question in rubric.questions:
            yield question, ask(client, question.text, budget)


def ask(client: StdioClient, question: str, budget: int) -> Answer:
    """The answer to one question, asked twice; a refusal is printed and touches nothing."""
    call = {"name": "guide_flow", "arguments": {"question": question, "budget": budget}}
    try:
        client.request("tools/call", call)
        begun = monotonic()
        result = client.request("tools/call", call)
    except ServerError as error:
        print(f"No answer to {question!r}: {error}", file=sys.stderr)
        return Answer("", [])
    text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
    return Answer(text, result.get("structuredContent", {}).get("items", []), monotonic() - begun)


def _figures(answered: Sequence[tuple[Question, Answer]]) -> list[str]:
    """The cells of a row.

    Shares are those of all points and steps, tokens and items the mean of the questions, and the time is the median.
    """
    touched = [is_touched(point, answer) for question, answer in answered for point in question.points]
    items = [item for _, answer in answered for item in answer.items]
    steps = [step for _, answer in answered for step in answer.steps]
    lines = [item["end"] - item["start"] + 1 for item in items if "start" in item]
    return [
        str(len(touched)),
        f"{mean(touched):.3f}",
        f"{mean(count_exact_tokens(answer.text) for _, answer in answered):,.0f}",
        f"{len(items) / len(answered):.1f}",
        f"{mean(lines):.0f}" if lines else "",
        f"{mean(not step.get('certain') for step in steps):.3f}" if steps else "",
        f"{1000 * median(answer.seconds for _, answer in answered):.0f}",
    ]


def _print_answer(question: Question, answer: Answer, *, is_shown: bool, has_edges: bool) -> None:
    if is_shown or has_edges:
        print(f"## {question.text}\n")
    if is_shown:
        print(answer.text, end="\n\n")
        for point in question.points:
            mark = "touched" if is_touched(point, answer) else "MISSED "
            print(f"{mark} {point.path}:{point.start}-{point.end} {point.name}: {point.says}")
        print()
    if has_edges:
        print("\n".join(find_certain_edges(answer.items)), end="\n\n", flush=True)


def _verify(rubrics: Sequence[Rubric], mirror: str) -> int:
    """Whether each range is in its commit and contains the last part of its name."""
    wrong: list[str] = []
    for rubric in rubrics:
        owner, name = rubric.repository.split("/")
        git = ["git", "-C", mirror.format(owner=owner, name=name), "show"]
        texts = {
            path: subprocess.run([*git, f"{rubric.commit}:{path}"], capture_output=True, check=True).stdout.decode()
            for path in _paths(rubric)
        }
        for question in rubric.questions:
            for point in question.points:
                lines = texts[point.path].splitlines()
                part = "\n".join(lines[point.start - 1 : point.end])
                if not 1 <= point.start <= point.end <= len(lines) or point.name.rpartition(".")[2] not in part:
                    wrong.append(f"{rubric.repository} {point.path}:{point.start}-{point.end} {point.name}")
    print("\n".join(wrong) or f"All points of {len(rubrics)} rubrics fit.")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
