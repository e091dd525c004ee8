"""Collect what a brief looks at, for each task of a repository: the candidates whole, and the commits before it.

A task is a line of JSON with `task`, `parent` (the commit before) and `gold` (files with the `ranges` that changed), as
`mine.py` of the guide's kit writes them. Afterwards `training.brief_learn` needs neither the repository nor an index.
"""

import argparse
import json
import os
import pickle
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fieldguide.app import App, build_app
from fieldguide.git.history import load_history
from fieldguide.git.log import HistoryCommit
from fieldguide.settings.config import read_settings
from fieldguide.toolsets.guide.brief_candidates import CandidateSearch, TaskText, WeighedTask
from fieldguide.toolsets.guide.brief_ranking import MOST_SUBJECTS, PastCommits, rank_files

INDEXED = ("architecture", "context", "documents")
OPENED = 60
PATIENCE_SECONDS = 60.0


def main() -> None:
    """Collect one repository."""
    parser = argparse.ArgumentParser(prog="python -m training.brief_collect", description=__doc__)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="take every second task, or third …")
    parser.add_argument("--repository", required=True, help="a git directory with the whole history")
    parser.add_argument("--tree", type=Path, required=True, help="where to check it out")
    parser.add_argument("--to", type=Path, required=True)
    options = parser.parse_args()
    if not options.tree.exists():
        subprocess.run(["git", "clone", "-qns", options.repository, options.tree], check=True)  # noqa: S607  the own git
    commits: dict[str, HistoryCommit] = {}
    with options.to.open("wb") as file:
        for line in options.tasks.read_text().splitlines()[:: options.every]:
            for collected in _collect(json.loads(line), options.tree, commits):
                pickle.dump(collected, file)
        pickle.dump(commits, file)


def _collect(task: dict[str, Any], tree: Path, commits: dict[str, HistoryCommit]) -> Iterator[dict[str, Any]]:
    checkout = ["git", "-C", str(tree), "checkout", "-qf", "--detach", task["parent"]]
    if subprocess.run(checkout, check=False).returncode:  # a copy may lack its largest files
        return
    app = build_app(read_settings({"project": str(tree)}, os.environ), write_journal=lambda lines: None)
    for toolset in app.toolsets:
        if toolset.upkeep is not None and toolset.name in INDEXED:
            toolset.upkeep.refresh(lambda done, total, name: None)
    yield {"gold": task["gold"], **_look(app, task["task"], str(tree), commits)}


def _look(app: App, task: str, tree: str, commits: dict[str, HistoryCommit]) -> dict[str, Any]:
    engine, text = app.engine(), TaskText(task)
    history = load_history(engine.database, "", tree, wait_seconds=PATIENCE_SECONDS, with_lines=True)
    with engine.database.reading() as transaction:
        engine.index.load(transaction)
        looking = CandidateSearch(engine, transaction, text)
        found, stems = looking.found()
        brought = set(found)
        chunks = {place.number for file in found.values() for place in file.places}
        ranked = rank_files(looking, found, PastCommits(history, WeighedTask(text, stems)), {})
        looking.open([each.file for each in ranked[:OPENED]])
    newest = history.changes[:MOST_SUBJECTS]
    commits.update({each.id: each for each in newest})
    return {
        "task": task,
        "files": [each.file for each in ranked],
        "brought": brought,
        "chunks": chunks,
        "stems": dict(stems),
        "commits": [each.id for each in newest],
    }


if __name__ == "__main__":
    main()
