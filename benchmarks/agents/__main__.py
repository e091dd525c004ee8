"""Compares a coding agent with ripgrep alone, with Fieldguide, and with CodeGraph.

    python -m benchmarks.agents --work WORK prepare --mirror '/mirror/{owner}+{name}/repo' --codegraph PROGRAM
    python -m benchmarks.agents --work WORK prompt ARM RUN all --model NAME
    python -m benchmarks.agents --work WORK score --name NAME

README.md in this folder has the protocol.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.agents.commands import run_counted
from benchmarks.agents.prompts import write_prompt
from benchmarks.agents.scores import read_answer, render, score_run, summarise
from benchmarks.agents.tasks import REPOSITORIES, choose_tasks
from benchmarks.agents.workspace import ARMS, Workspace, prepare

RESULTS = Path(__file__).with_name("results")
RUN_NAME = re.compile(r"[\w-]+")


def main(argv: Sequence[str] | None = None) -> int:
    """One of the five commands."""
    given = build_parser().parse_args(argv)
    workspace = Workspace(given.work)
    try:
        if given.command == "prepare":
            prepare_all(workspace, given.mirror, dict(given.repositories) or REPOSITORIES, given.codegraph)
        elif given.command == "prompt":
            print(begin_run(workspace, given.arm, given.run, given.tasks, given.model))
        elif given.command == "tool":
            head, words = split_head(given.words)
            sys.stdout.write(run_counted(workspace, given.run, given.task, words, head))
        elif given.command == "answer":
            keep_answer(workspace, given.run, given.task, sys.stdin.read())
        else:
            score(workspace, given.runs, given.name)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agents", description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="the work folder, outside of the repository")
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("prepare", help="choose the tasks, make checkouts and indexes")
    making.add_argument("--mirror", required=True, help="git directories, with {owner} and {name}")
    making.add_argument("--codegraph", type=Path, help="the program @colbymchenry/codegraph, else no such arm")
    making.add_argument(
        "--repositories", nargs="*", default=[], type=lambda pair: pair.split("="), metavar="SHORT=OWNER/NAME"
    )
    prompting = commands.add_parser("prompt", help="begin a run and print the prompt of its agent")
    prompting.add_argument("arm", choices=ARMS)
    prompting.add_argument("run", help="a name of your choice")
    prompting.add_argument("tasks", help="all, or ids with commas; a repository stands for its tasks")
    prompting.add_argument("--model", default="unknown", help="who works on it")
    looking = commands.add_parser("tool", help="run one command for a subject agent, and count it")
    looking.add_argument("run")
    looking.add_argument("task")
    looking.add_argument("words", nargs=argparse.REMAINDER, help="[--head N] [--] COMMAND ARGUMENT…")
    answering = commands.add_parser("answer", help="keep the answer on standard input")
    answering.add_argument("run")
    answering.add_argument("task")
    scoring = commands.add_parser("score", help="print the table and write it to results/")
    scoring.add_argument("runs", nargs="*", help="names of runs (default: all)")
    scoring.add_argument("--name", help="write results/NAME.txt and results/NAME.json")
    return parser


def split_head(words: list[str]) -> tuple[int | None, list[str]]:
    """The lines to keep, where `--head N` comes first, and the command; argparse leaves both in one list."""
    head = None
    if words[:1] == ["--head"]:
        if len(words) < 2 or not words[1].isdecimal():
            raise ValueError("Use: --head N")
        head = int(words[1])
        words = words[2:]
    return head, words[1:] if words[:1] == ["--"] else words


def prepare_all(workspace: Workspace, mirror: str, repositories: dict[str, str], codegraph: Path | None) -> None:
    """Chooses the tasks and prepares every arm."""
    mirrors: dict[str, Path] = {}
    for short, full in repositories.items():
        owner, name = full.split("/")
        mirrors[short] = Path(mirror.format(owner=owner, name=name))
    prepare(workspace, choose_tasks(mirror, repositories), mirrors, codegraph)


def choose_ids(workspace: Workspace, wanted: str) -> list[str]:
    """The ids that `all`, a repository or a list with commas names."""
    tasks = workspace.read_tasks()
    if wanted == "all":
        return list(tasks)
    ids: list[str] = []
    for word in wanted.split(","):
        of_repository = [task.id for task in tasks.values() if task.repository == word]
        if not of_repository and word not in tasks:
            raise ValueError(f"There is no task or repository {word!r}.")
        ids += of_repository or [word]
    return ids


def begin_run(workspace: Workspace, arm: str, run: str, wanted: str, model: str) -> str:
    """Records the beginning of a run, or of a further part of it, and returns the prompt."""
    if not RUN_NAME.fullmatch(run):
        raise ValueError("A run's name has letters, digits, - and _ only.")
    ids = choose_ids(workspace, wanted)
    if not ids:
        raise ValueError("There are no tasks.")
    if (workspace.runs / f"{run}.jsonl").exists() and workspace.arm_of(run) != arm:
        raise ValueError(f"The run {run!r} was begun with another arm.")
    workspace.record(run, {"kind": "run", "arm": arm, "model": model, "tasks": ids})
    return write_prompt(workspace, arm, run, ids)


def keep_answer(workspace: Workspace, run: str, task: str, given: str) -> None:
    """Checks and records an answer."""
    workspace.arm_of(run)
    if task not in workspace.read_tasks():
        raise ValueError(f"There is no task {task!r}.")
    try:
        ranges = read_answer(json.loads(given))
    except json.JSONDecodeError as error:
        raise ValueError(f"The answer is no JSON: {error}. Nothing was kept.") from error
    tree = workspace.tree(task, "rg")
    for path in {each.path for each in ranges}:
        if not (tree / path).is_file():
            raise ValueError(f"There is no file {path!r}; paths are relative to the checkout. Nothing was kept.")
    workspace.record(run, {"kind": "answer", "task": task, "ranges": ranges})
    print(f"Kept: {len(ranges)} ranges.")


def score(workspace: Workspace, runs: Sequence[str], name: str | None) -> None:
    """Prints the table; with a name, keeps it."""
    chosen = runs or sorted(path.stem for path in workspace.runs.glob("*.jsonl"))
    summary = summarise([score_run(workspace, run) for run in chosen])
    table = render(summary)
    sys.stdout.write(table)
    if name is not None:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.txt").write_text(table, "utf-8")
        (RESULTS / f"{name}.json").write_text(json.dumps(summary, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
