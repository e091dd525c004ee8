"""Count how often who uses what a task names was changed with it, beside what a brief expects without knowing that.

    python -m training.named_uses --tasks FILE --repository GIT --tree DIR

Tasks are those of `training.brief_collect`. What is printed is where the weights of `brief_ranking.py` are
from: files and tests that use a named definition, how many of them the commit changed, and the sum of their chances.
"""

import argparse
import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from fieldguide.app import App, build_app
from fieldguide.code.symbols.lookup import Symbols
from fieldguide.files.kinds import is_test
from fieldguide.git.history import load_history
from fieldguide.settings.config import open_project_folder, read_settings
from fieldguide.toolsets.guide.brief_candidates import CandidateSearch, TaskText, find_named_uses
from fieldguide.toolsets.guide.brief_ranking import rank_task

PATIENCE_SECONDS = 60.0


def main() -> None:
    """Count one repository, and print."""
    parser = argparse.ArgumentParser(prog="python -m training.named_uses", description=__doc__)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--repository", required=True, help="a git directory with the whole history")
    parser.add_argument("--tree", type=Path, required=True, help="where to check it out")
    options = parser.parse_args()
    if not options.tree.exists():
        subprocess.run(["git", "clone", "-qns", options.repository, options.tree], check=True)  # noqa: S607  the own git
    counted: Counter[str] = Counter()
    for line in options.tasks.read_text().splitlines():
        task = json.loads(line)
        if TaskText(task["task"]).names:
            counted.update(_counted(task, options.tree))
    for kind in ("code", "test"):
        expected = counted[f"{kind} expected"] / 1000
        print(
            f"{kind}: {counted[f'{kind} files']} files, {counted[f'{kind} changed']} changed, {expected:.1f} expected"
        )


def _counted(task: dict[str, Any], tree: Path) -> Counter[str]:
    subprocess.run(["git", "-C", tree, "checkout", "-qf", "--detach", task["parent"]], check=True)  # noqa: S607
    settings = read_settings({"project": str(tree)}, os.environ)
    app = build_app(settings, write_journal=lambda lines: None)
    for toolset in app.toolsets:
        if toolset.upkeep is not None:
            toolset.upkeep.refresh(lambda done, total, name: None)
    text = TaskText(task["task"])
    uses = find_named_uses(Symbols(app.engine().database, "", open_project_folder(settings)), text)
    expected = _expected(app, text, str(tree))
    gold = {each["path"] for each in task["gold"]}
    found: Counter[str] = Counter()
    for path in uses:
        kind = "test" if is_test(path) else "code"
        found[f"{kind} files"] += 1
        found[f"{kind} changed"] += path in gold
        found[f"{kind} expected"] += round(1000 * expected.get(path, 0.0))
    return found


def _expected(app: App, text: TaskText, tree: str) -> dict[str, float]:
    """The chances of files without what names tell."""
    engine = app.engine()
    history = load_history(engine.database, "", tree, wait_seconds=PATIENCE_SECONDS)
    with engine.database.reading() as transaction:
        ranked = rank_task(CandidateSearch(engine, transaction, text), text, history, {})
    return {each.file.path: each.chance for each in ranked.files}


if __name__ == "__main__":
    main()
