"""A labelled set of searches and Python functions from packages that training never sees.

`python -m training.code_set --archives DIR --out DIR` writes `corpus.jsonl`, `queries.jsonl`, `qrels.tsv` and
`META.json`, the same each time. The query is the first sentence of a description as one would type it; the document is
the function without its description, so that only what the code itself says can match.
"""

import argparse
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from training.functions import Function, javascript_functions, python_functions
from training.packages import Package, allowed_packages, sources
from training.wording import ARTICLES

SEED = 20
USE = "held out"  # the packages of this set; those for `training.web_set` would change its figures
QUERIES = 500
FEWEST_WORDS, MOST_WORDS = 4, 16


def held_out_functions(archives: Path) -> Iterator[tuple[Package, str, Function]]:
    """Package, path and function, each code once."""
    seen: set[str] = set()
    for package in allowed_packages():
        if package.is_held_out:
            functions_of = python_functions if package.registry == "pypi" else javascript_functions
            for path, text in sources(package, archives):
                for function in functions_of(text):
                    if function.code not in seen:
                        seen.add(function.code)
                        yield package, path, function


@cache
def barred_texts(archives: Path) -> frozenset[str]:
    """Descriptions and code that training must pass over, should a training package have a copy of them."""
    found: set[str] = set()
    for _, _, function in held_out_functions(archives):
        found |= {function.description, function.code, function.whole}
    return frozenset(found)


def typed(function: Function) -> str:
    """The first sentence of the description in lower case and without articles."""
    sentence = function.description.split(". ")[0].rstrip(".").lower()
    return " ".join(word for word in sentence.split() if word not in ARTICLES)


def write_set(archives: Path, out: Path) -> None:
    """Every held-out Python function is a document; `QUERIES` of those with a telling description are asked for."""
    functions = [
        (f"{package.name}/{path}:{function.owner}.{function.name}", function)
        for package, path, function in held_out_functions(archives)
        if package.registry == "pypi" and package.use == USE
    ]
    unique = dict(functions)
    askable = _askable(unique)
    asked_for = sorted(random.Random(SEED).sample(sorted(askable), min(QUERIES, len(askable))))
    out.mkdir(parents=True, exist_ok=True)
    write_lines(out / "corpus.jsonl", ({"id": key, "title": f.name, "text": f.code} for key, f in unique.items()))
    write_lines(out / "queries.jsonl", ({"id": f"q{n}", "text": askable[key]} for n, key in enumerate(asked_for)))
    labels = "".join(f"q{n}\t{key}\t1\n" for n, key in enumerate(asked_for))
    (out / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{labels}", encoding="utf-8")
    held_out = [
        f"{package.name} {package.version} ({package.licence})" for package in allowed_packages() if package.use == USE
    ]
    meta = {"source": held_out, "notes": __doc__, "docs": len(unique), "queries": len(asked_for), "seed": SEED}
    (out / "META.json").write_text(json.dumps(meta, indent=1), encoding="utf-8")


def _askable(functions: dict[str, Function]) -> dict[str, str]:
    """Searches that name one function only, long enough to mean something."""
    searches: dict[str, list[str]] = {}
    for key, function in functions.items():
        searches.setdefault(typed(function), []).append(key)
    return {
        keys[0]: text
        for text, keys in searches.items()
        if len(keys) == 1 and FEWEST_WORDS <= len(text.split()) <= MOST_WORDS
    }


def write_lines(path: Path, records: Iterator[dict[str, str]]) -> None:
    """One JSON object a line."""
    with path.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archives", type=Path, required=True, help="what `training.packages` fetched")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    write_set(options.archives, options.out)


if __name__ == "__main__":
    main()
