"""A labelled set of headings and the sections below them, from documentation projects that training never sees.

`python -m training.heading_set --documentation FILE --out DIR` writes `corpus.jsonl`, `queries.jsonl`, `qrels.tsv` and
`META.json`, the same each time. A document is a section without its heading; the query is a heading that no other
section has.
"""

import argparse
import json
import random
from pathlib import Path

from training.code_set import write_lines
from training.documents import VALIDATION, every_document

SEED = 3
QUERIES = 400
SHORTEST_SECTION, LONGEST_SECTION = 120, 4000


def write_set(documentation: Path, out: Path) -> None:
    """Every section of the projects for validation is a document."""
    corpus: list[dict[str, str]] = []
    headings: dict[str, list[tuple[str, str]]] = {}
    for number, document in enumerate(every_document(documentation)):
        if document["p"] not in VALIDATION:
            continue
        for place, (path, chunks) in enumerate(document["s"]):
            text = "\n\n".join(chunks)
            if len(text) < SHORTEST_SECTION:
                continue
            key, title = f"{document['p']}/{number}#{place}", document["t"]
            corpus.append({"id": key, "title": title if path else "", "text": text[:LONGEST_SECTION]})
            heading = path.rsplit(" > ", 1)[-1] if path else title
            if len(heading.split()) > 1 and heading.lower() != title.lower():
                headings.setdefault(heading.lower(), []).append((key, heading))
    chosen = [found[0] for found in headings.values() if len(found) == 1]
    random.Random(SEED).shuffle(chosen)
    _write(corpus, chosen[:QUERIES], out)


def _write(corpus: list[dict[str, str]], asked: list[tuple[str, str]], out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    write_lines(out / "corpus.jsonl", iter(corpus))
    write_lines(out / "queries.jsonl", ({"id": f"q{n}", "text": heading} for n, (_, heading) in enumerate(asked)))
    labels = "".join(f"q{n}\t{key}\t1\n" for n, (key, _) in enumerate(asked))
    (out / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{labels}", encoding="utf-8")
    meta = {"source": VALIDATION, "notes": __doc__, "docs": len(corpus), "queries": len(asked), "seed": SEED}
    (out / "META.json").write_text(json.dumps(meta, indent=1), encoding="utf-8")


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documentation", type=Path, required=True, help="docs.jsonl.gz of the shared data")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    write_set(options.documentation, options.out)


if __name__ == "__main__":
    main()
