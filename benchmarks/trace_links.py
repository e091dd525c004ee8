"""How many of the links between decisions and code that are mined are right, judged by people.

    python -m benchmarks.trace_links --project DIR [--sample 100] > links.jsonl
    python -m benchmarks.trace_links --labels links.jsonl [MORE.jsonl …] [--check]

The first prints mined links, a fixed random choice of them, one a line. A person adds `"label": 1` to those that are
right and 0 to those that are not: right is a link to a file that defines what the decision decides about or speaks of,
or that was changed to carry it out; a file that only has something of the same name, or changed along, is wrong. The
second gives the precision of what was labelled, with an interval.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

from fieldguide.app import build_app
from fieldguide.cli.console.indexing import IndexPass
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.git.history import load_history
from fieldguide.knowledge.links.trace import TraceGround, trace_decision
from fieldguide.knowledge.links.trace_reading import CODE, MINED
from fieldguide.settings.config import Settings, find_namespace

GOAL = 0.85
LEAST_LABELLED = 100
HISTORY_SECONDS = 60.0
SEED = 16
Z = 1.96
SURE = 0.85


def main() -> int:
    """Print links to be labelled, or what labels say."""
    arguments = _arguments()
    if arguments.labels:
        return _judged([line for name in arguments.labels for line in _lines(Path(name))], check=arguments.check)
    links = list(_mined(str(Path(arguments.project).resolve())))
    chosen = random.Random(SEED).sample(links, min(arguments.sample, len(links)))
    for link in sorted(chosen, key=lambda each: (each["decision"], -each["confidence"])):
        print(json.dumps(link, ensure_ascii=False))
    print(f"{len(links)} mined links, {len(chosen)} of them chosen.", file=sys.stderr)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--project", metavar="DIR", help="a checkout with decisions and its history")
    parser.add_argument("--sample", type=int, default=LEAST_LABELLED, help="at most so many links")
    parser.add_argument("--labels", nargs="+", metavar="FILE", help="links that a person has labelled")
    parser.add_argument("--check", action="store_true", help="the goal must be met")
    arguments = parser.parse_args()
    if bool(arguments.project) == bool(arguments.labels):
        parser.error("give --project, or --labels")
    return arguments


def _mined(project: str) -> Iterator[dict[str, Any]]:
    settings = Settings(project=project)
    app = build_app(settings, write_journal=lambda lines: None)
    for toolset in app.toolsets:
        if toolset.upkeep is not None:
            IndexPass(app, toolset.name).run()
    engine, namespace = app.engine(), find_namespace(settings)
    history = load_history(engine.database, namespace, project, wait_seconds=HISTORY_SECONDS)
    with engine.database.reading() as transaction:
        yield from _links(TraceGround(engine, transaction, namespace, ConfinedFolder(project), history))


def _links(ground: TraceGround) -> Iterator[dict[str, Any]]:
    spent: list[float] = []
    for row in ground.decisions.rows:
        began = time.process_time()
        trace = trace_decision(ground, row)
        spent.append(time.process_time() - began)
        for link in trace.links:
            if link.kind == CODE and link.how == MINED:
                told = {"decision": row.path, "title": row.title, "path": link.path}
                yield {**told, "confidence": link.confidence, "why": link.why, "label": None}
    if spent:
        middle = 1000 * sorted(spent)[len(spent) // 2]
        print(f"{len(spent)} decisions, {middle:.1f} ms of CPU each (median).", file=sys.stderr)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def _judged(lines: Sequence[dict[str, Any]], *, check: bool) -> int:
    labelled = [line for line in lines if line.get("label") in (0, 1)]
    groups = {
        "all": labelled,
        f"confidence from {SURE}": [line for line in labelled if line["confidence"] >= SURE],
        f"confidence below {SURE}": [line for line in labelled if line["confidence"] < SURE],
        "by a symbol": [line for line in labelled if "only this file defines" in line["why"]],
        "by commits alone": [line for line in labelled if "only this file defines" not in line["why"]],
    }
    print("| links | labelled | right | precision | 95 % |\n| --- | --: | --: | --: | --- |")
    for name, some in groups.items():
        if some:
            right = sum(line["label"] for line in some)
            low, high = interval(right, len(some))
            print(f"| {name} | {len(some)} | {right} | {right / len(some):.3f} | {low:.2f} to {high:.2f} |")
    precision = sum(line["label"] for line in labelled) / max(len(labelled), 1)
    return 1 if check and (len(labelled) < LEAST_LABELLED or precision < GOAL) else 0


def interval(right: int, of: int) -> tuple[float, float]:
    """The interval in which the true share lies, by Wilson."""
    share = right / of
    middle = (share + Z * Z / (2 * of)) / (1 + Z * Z / of)
    half = Z * sqrt(share * (1 - share) / of + Z * Z / (4 * of * of)) / (1 + Z * Z / of)
    return middle - half, middle + half


if __name__ == "__main__":
    raise SystemExit(main())
