"""Keeps the trace of a project: its files after each change, its commits after each pass over everything."""

from collections.abc import Sequence

from fieldguide.confinement import ConfinedFolder
from fieldguide.project_history.keeping import history_of
from fieldguide.search.engine import SearchEngine
from fieldguide.tracing.building import bring_up, bring_up_commits

TRACE = "trace"
READ_SECONDS = 30.0  # for the history: whoever keeps the trace up can wait for it


def keep_trace(
    engine: SearchEngine, namespace: str, project: ConfinedFolder, paths: Sequence[str], only: Sequence[str] | None
) -> None:
    """Bring the trace up to date with all files and commits, or with some files that have changed."""
    with engine.turn(TRACE):
        bring_up(engine, namespace, project, paths, only)
        if only is None:
            history = history_of(engine.database, namespace, project.root, wait_seconds=READ_SECONDS)
            bring_up_commits(engine, namespace, project.root, history)
