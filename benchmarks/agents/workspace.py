"""The work folder: a checkout of each task, the indexes of both tools, and the records of runs."""

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.agents.tasks import ChangedPlace, LocatingTask, ObjectMissing, run_git

ARMS = ("rg", "fieldguide", "codegraph")
ROOT = Path(__file__).parents[2]


class Workspace:
    """Everything that a comparison keeps outside of the repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.runs = self.folder / "runs"

    def read_tasks(self) -> dict[str, LocatingTask]:
        """The locating tasks with their truth, by id."""
        rows = json.loads((self.folder / "tasks.json").read_text("utf-8"))
        return {row["id"]: task_from_row(row) for row in rows}

    def programs(self) -> dict[str, str]:
        """Where `rg`, `fieldguide` and `codegraph` are."""
        found: dict[str, str] = json.loads((self.folder / "programs.json").read_text("utf-8"))
        return found

    def tree(self, task: str, arm: str) -> Path:
        """The checkout in which a task is worked on."""
        kind = "codegraph" if arm == "codegraph" else "trees"
        folder = self.folder / kind / task
        if not folder.is_dir():
            raise ValueError(f"There is no checkout of {task!r}.")
        return folder

    def environment(self) -> dict[str, str]:
        """The variables that every tool runs with: no settings of the person, no telemetry."""
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.folder / "home"),
            "LANG": "C.UTF-8",
            "FIELDGUIDE_STATE": str(self.folder / "state"),
            "CODEGRAPH_TELEMETRY": "0",
            "CODEGRAPH_NO_DAEMON": "1",
            "DO_NOT_TRACK": "1",
            "NO_COLOR": "1",
            "GIT_PAGER": "cat",
            "GIT_OPTIONAL_LOCKS": "0",
        }

    def record(self, run: str, row: Mapping[str, Any]) -> None:
        """Appends a row to a run in one write, so that parallel calls don't mix."""
        self.runs.mkdir(parents=True, exist_ok=True)
        with (self.runs / f"{run}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def read_run(self, run: str) -> list[dict[str, Any]]:
        """The rows of a run; the first says its arm."""
        path = self.runs / f"{run}.jsonl"
        if not path.is_file():
            raise ValueError(f"There is no run {run!r}; `prompt` begins one.")
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    def arm_of(self, run: str) -> str:
        """The arm that a run was begun with."""
        arm: str = self.read_run(run)[0]["arm"]
        return arm


def task_from_row(row: dict[str, Any]) -> LocatingTask:
    """A task as it was written by `prepare`."""
    places = {path: [ChangedPlace(*each) for each in ranges] for path, ranges in row["places"].items()}
    return LocatingTask(**row)._replace(places=places)


def prepare(
    workspace: Workspace, tasks: Iterable[LocatingTask], mirrors: Mapping[str, Path], codegraph: Path | None
) -> None:
    """Makes the checkouts and the indexes; what is there already is kept."""
    chosen = list(tasks)
    folder = workspace.folder
    (folder / "home").mkdir(parents=True, exist_ok=True)
    (folder / "tasks.json").write_text(json.dumps([task._asdict() for task in chosen], indent=1), "utf-8")
    here = Path(sys.executable).parent
    programs = {"rg": shutil.which("rg", path=f"{here}:{os.environ.get('PATH', '')}") or "rg"}
    programs["fieldguide"] = str(here / "fieldguide")
    if codegraph is not None:
        programs["codegraph"] = str(codegraph.absolute())
    (folder / "programs.json").write_text(json.dumps(programs), "utf-8")
    write_wrappers(folder)
    for task in chosen:
        make_checkout(mirrors[task.repository], task.parent, folder / "trees" / task.id)
        print(f"{task.id}: checkout", flush=True)
    for row in index_all(workspace, chosen):
        print(row, flush=True)


def write_wrappers(folder: Path) -> None:
    """Writes `look` and `answer`, the only two commands of a subject agent."""
    for name, command in (("look", "tool"), ("answer", "answer")):
        program = f"PYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} -P -m benchmarks.agents"
        script = f'#!/bin/sh\n{program} --work {shlex.quote(str(folder))} {command} "$@"\n'
        (folder / name).write_text(script, "utf-8")
        (folder / name).chmod(0o755)


def make_checkout(mirror: Path, commit: str, tree: Path) -> None:
    """A work tree whose history ends at `commit`: one branch, no other ref, no reflog; objects are borrowed."""
    if tree.exists():
        return
    making = tree.with_name(f"{tree.name}.part")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    run_git(making, "init", "--quiet", "--initial-branch=main")
    (making / ".git/objects/info/alternates").write_text(f"{(mirror / 'objects').absolute()}\n", "utf-8")
    run_git(making, "update-ref", "refs/heads/main", commit)
    run_git(making, "read-tree", commit)
    # A mirror can lack its largest blobs: those files are left out, and git is told to expect that.
    with contextlib.suppress(ObjectMissing):
        run_git(making, "checkout-index", "-a", "-f", "-q")
    absent = [path for path in run_git(making, "ls-files", "-d", "-z").split("\0") if path]
    if absent:
        run_git(making, "update-index", "--skip-worktree", "--", *absent)
    shutil.rmtree(making / ".git/logs", ignore_errors=True)
    making.rename(tree)


def index_all(workspace: Workspace, tasks: Iterable[LocatingTask]) -> Iterator[str]:
    """Indexes every checkout with both tools, the oldest first.

    To save time one begins with a copy of an ancestor's index. Never with a newer one's: it may know later commits.
    """
    indexed: list[LocatingTask] = []
    for task in reversed(list(tasks)):
        ancestors = [each.id for each in indexed if is_ancestor(workspace, each, task)]
        model = ancestors[-1] if ancestors else task.id
        yield f"{task.id}: fieldguide from {model}, {index_fieldguide(workspace, task.id, model)}"
        if "codegraph" in workspace.programs():
            yield f"{task.id}: codegraph from {model}, {index_codegraph(workspace, task.id, model)}"
        indexed.append(task)


def is_ancestor(workspace: Workspace, older: LocatingTask, newer: LocatingTask) -> bool:
    """Whether the history of a task's checkout has the state of another's."""
    if older.repository != newer.repository:
        return False
    tree = workspace.tree(newer.id, "rg")
    try:
        run_git(tree, "merge-base", "--is-ancestor", older.parent, newer.parent)
    except ObjectMissing:
        return False
    return True


def index_fieldguide(workspace: Workspace, task: str, model: str) -> str:
    """Brings the state of a checkout up to date, outside of the checkout."""
    program = workspace.programs()["fieldguide"]
    state, model_state = (
        Path(run_tool(workspace, [program, "data", "where", "--project", str(workspace.tree(each, "fieldguide"))]))
        for each in (task, model)
    )
    if not state.exists() and model_state.exists():
        shutil.copytree(model_state, state, ignore=shutil.ignore_patterns("project.json", "*.lock", "*.indexing"))
    project = ["--project", str(workspace.tree(task, "fieldguide"))]
    told = run_tool(workspace, [program, "index", *project]).splitlines()[-1]
    # Facts that only a brief needs are brought up to date by the first one.
    run_tool(workspace, [program, "brief", *project, "--wait", "the first brief"])
    return told


def index_codegraph(workspace: Workspace, task: str, model: str) -> str:
    """Indexes a second checkout (hard links), since CodeGraph keeps its index within the project."""
    program = workspace.programs()["codegraph"]
    origin = workspace.tree(task, "rg")
    tree = workspace.folder / "codegraph" / origin.name
    if not tree.exists():
        tree.parent.mkdir(exist_ok=True)
        shutil.copytree(origin, tree, symlinks=True, copy_function=os.link)
    index = tree / ".codegraph"
    model_index = workspace.folder / "codegraph" / model / ".codegraph"
    if not index.exists() and model_index.exists():
        index.mkdir()
        for name in (".gitignore", "codegraph.db"):
            shutil.copy2(model_index / name, index)
    told = run_tool(workspace, [program, *(["sync"] if index.exists() else ["init", "-y"]), str(tree)])
    return " ".join(told.split())[-120:]


def run_tool(workspace: Workspace, command: list[str]) -> str:
    """What a program prints; an error where it fails."""
    done = subprocess.run(
        command, capture_output=True, check=False, env=workspace.environment(), stdin=subprocess.DEVNULL
    )
    if done.returncode != 0:
        raise ValueError(f"{shlex.join(command)}: {done.stderr.decode('utf-8', 'replace')[-500:]}")
    return done.stdout.decode("utf-8", "replace").strip()
