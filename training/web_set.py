"""Two labelled sets of searches as people type them, and Python functions of packages that training never sees.

`python -m training.web_set --archives DIR --out DIR` writes `searches-dev` and `searches-test` there, the same each
time. The searches were written by hand from what a function is for, not from its description, which the documents are
without; every function that was found to answer a search is an answer. Choices are made on the first half only.
"""

import argparse
import csv
import json
from pathlib import Path

from training.code_set import held_out_functions, write_lines
from training.functions import Function

SEARCHES = Path(__file__).with_name("searches.tsv")
HALVES = ("dev", "test")


def written_searches(half: str) -> list[tuple[str, list[str]]]:
    """The searches of one half, each with the functions that answer it."""
    with SEARCHES.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [(row["search"], row["functions"].split()) for row in rows if row["half"] == half]


def write_sets(archives: Path, out: Path) -> None:
    """Both halves have the same documents: every described Python function of every held-out package."""
    functions = {
        f"{package.name}/{path}:{function.owner}.{function.name}": function
        for package, path, function in held_out_functions(archives)
        if package.registry == "pypi"
    }
    for half in HALVES:
        _write_half(half, functions, out / f"searches-{half}")


def _write_half(half: str, functions: dict[str, Function], folder: Path) -> None:
    searches = written_searches(half)
    unknown = [key for _, keys in searches for key in keys if key not in functions]
    if unknown:
        raise SystemExit(f"No such function in the archives: {', '.join(unknown)}")
    folder.mkdir(parents=True, exist_ok=True)
    corpus = ({"id": key, "title": f.name, "text": f.code} for key, f in functions.items())
    write_lines(folder / "corpus.jsonl", corpus)
    write_lines(folder / "queries.jsonl", ({"id": f"q{n}", "text": text} for n, (text, _) in enumerate(searches)))
    labels = "".join(f"q{n}\t{key}\t1\n" for n, (_, keys) in enumerate(searches) for key in keys)
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{labels}", encoding="utf-8")
    meta = {"source": SEARCHES.name, "notes": __doc__, "docs": len(functions), "queries": len(searches), "half": half}
    (folder / "META.json").write_text(json.dumps(meta, indent=1), encoding="utf-8")


def main() -> None:
    """Write both sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archives", type=Path, required=True, help="what `training.packages` fetched")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    write_sets(options.archives, options.out)


if __name__ == "__main__":
    main()
