"""Asks the trace: from what somebody calls a thing to its chain."""

from fieldguide import linear_regex as re
from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import NotFound
from fieldguide.project_history.history import History
from fieldguide.search.engine import SearchEngine
from fieldguide.storage.port import Transaction
from fieldguide.tracing.chains.committed import commit_trace
from fieldguide.tracing.chains.decided import decision_trace
from fieldguide.tracing.chains.files import file_trace
from fieldguide.tracing.chains.requirements import requirement_trace
from fieldguide.tracing.ground import Ground
from fieldguide.tracing.keys import key_of
from fieldguide.tracing.nodes import Trace

COMMIT = re.compile(r"(?i)(?:commit:)?([0-9a-f]{7,40})")
COMMITS = "commit:"
LONGEST_NAME = 200


def ground_of(
    engine: SearchEngine, transaction: Transaction, namespace: str, project: ConfinedFolder, history: History
) -> Ground:
    """What questions about one project are asked of."""
    return Ground(engine, transaction, namespace, project, history)


def trace_of(ground: Ground, of: str, path: str = "") -> Trace:
    """The chain of what is asked about; `path` is the file that it names, where it names one."""
    if path:
        row = ground.decisions.by_path.get(path)
        return decision_trace(ground, row) if row else file_trace(ground, path)
    for seek in (_commit, _decision, _requirement, _symbol):
        found = seek(ground, of)
        if found is not None:
            return found
    raise NotFound(f"Nothing here is called {of[:LONGEST_NAME]!r}: no file, decision, requirement, issue or commit.")


def _commit(ground: Ground, of: str) -> Trace | None:
    named = COMMIT.fullmatch(of.strip())
    change = ground.history.change(named.group(1).lower()) if named else None
    if change is not None:
        return commit_trace(ground, change)
    if of.strip().lower().startswith(COMMITS):
        raise NotFound(f"No commit {of[:LONGEST_NAME]!r} that HEAD reaches is known.")
    return None


def _decision(ground: Ground, of: str) -> Trace | None:
    rows = ground.decisions.found(of)
    if len(rows) > 1:
        named_paths = ", ".join(row.path for row in rows[:5])
        raise NotFound(f"{of[:LONGEST_NAME]!r} may mean several decisions: {named_paths}. Ask with a path.")
    return decision_trace(ground, rows[0]) if rows else None


def _requirement(ground: Ground, of: str) -> Trace | None:
    key = key_of(of)
    return requirement_trace(ground, key) if key else None


def _symbol(ground: Ground, of: str) -> Trace | None:
    defined = ground.definers.only(of.strip())
    return file_trace(ground, defined.path) if defined else None
