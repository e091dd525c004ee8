"""Collect what a brief looks at, for each task of a repository: the candidates whole, and what its history says.

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

from fieldguide.team.served_project import App

from fieldguide.app import build_app
from fieldguide.git.history import load_history
from fieldguide.settings.config import read_settings
from fieldguide.toolsets.guide.brief_candidates import CandidateSearch, TaskText
from fieldguide.toolsets.guide.brief_ranking import rank_files

INDEXED = ("architecture", "context", "documents")
OPENED = 150
SEEDS = 25
COMPANIONS = 60
PATIENCE_SECONDS = 60.0


def main() -> None:
    """Collect one repository."""
    parser = argparse.ArgumentParser(prog="python -m training.brief_collect", description=__doc__)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--repository", required=True, help="a git directory with the whole history")
    parser.add_argument("--tree", type=Path, required=True, help="where to check it out")
    parser.add_argument("--to", type=Path, required=True)
    options = parser.parse_args()
    if not options.tree.exists():
        subprocess.run(["git", "clone", "-qns", options.repository, options.tree], check=True)  # noqa: S607  the own git
    with options.to.open("wb") as file:
        for collected in _collected(options.tasks, options.tree):
            pickle.dump(collected, file)


def _collected(tasks: Path, tree: Path) -> Iterator[dict[str, Any]]:
    for line in tasks.read_text().splitlines():
        task = json.loads(line)
        subprocess.run(["git", "-C", tree, "checkout", "-qf", "--detach", task["parent"]], check=True)  # noqa: S607
        app = build_app(read_settings({"project": str(tree)}, os.environ), write_journal=lambda lines: None)
        for toolset in app.toolsets:
            if toolset.upkeep is not None and toolset.name in INDEXED:
                toolset.upkeep.refresh(lambda done, total, name: None)
        yield {"gold": task["gold"], **_looked(app, task["task"], str(tree))}


def _looked(app: App, task: str, tree: str) -> dict[str, Any]:
    engine, text = app.engine(), TaskText(task)
    history = load_history(engine.database, "", tree, wait_seconds=PATIENCE_SECONDS)
    with engine.database.reading() as transaction:
        engine.index.load(transaction)
        looking = CandidateSearch(engine, transaction, text)
        found = looking.found()
        brought = set(found.files)
        chunks = {place.number for file in found.files.values() for place in file.places}
        ranked = rank_files(looking, found.files, text, history)
        looking.open([each.file for each in ranked[:OPENED]])
    paths = [each.file.path for each in ranked]
    together = {path: dict(list(history.together([path]).items())[:COMPANIONS]) for path in paths[:SEEDS]}
    return {
        "task": task,
        "files": [each.file for each in ranked],
        "brought": brought,
        "chunks": chunks,
        "stems": dict(found.stems),
        "changed": {path: tuple(history.changed(path)) for path in paths},
        "together": together,
    }


if __name__ == "__main__":
    main()
