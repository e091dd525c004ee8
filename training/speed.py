"""How fast a model file is, in CPU time of one core: loading, a query, documents."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, sys, time
from pathlib import Path
from fieldguide.search.models.static import StaticModel

def least(work, times=3):
    spent = []
    for _ in range(times):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)

model = StaticModel(Path(sys.argv[1]))
texts = json.load(sys.stdin)
found = {"load": round(1000 * least(lambda: model.embed_query("x"), 1), 1)}
ask = lambda: [model.embed_query(text) for text in texts["queries"]]
found["query"] = round(1000 * least(ask) / len(texts["queries"]), 2)
model.embed_documents(texts["chunks"][:5])
found["chunks"] = round(len(texts["chunks"]) / least(lambda: model.embed_documents(texts["chunks"])) / 100) * 100
print(json.dumps(found))
"""
SET = Path(__file__).resolve().parents[2] / "shared" / "data" / "retrieval" / "ray-docs-qa-dev"
CHUNK = 1000


def speed(model: Path) -> dict[str, float]:
    """Milliseconds to load and for a query, chunks a second; in a process of its own."""
    queries, pages = (
        [json.loads(line)["text"] for line in (SET / name).read_text(encoding="utf-8").splitlines()]
        for name in ("queries.jsonl", "corpus.jsonl")
    )
    chunks = [page[start : start + CHUNK] for page in pages for start in range(0, len(page), CHUNK)]
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(model)],
        input=json.dumps({"queries": queries, "chunks": chunks}),
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": "src"},
    )
    found: dict[str, float] = json.loads(run.stdout)
    return found
