"""Turn documentation and package sources into training pairs: `python -m training.prepare --help`.

Writes `pairs-*.jsonl.xz`, the vocabulary and `sources.json` (what the pairs came from, counted) into a folder that
`training.train` reads. The same inputs and seed give the same files.
"""

import argparse
import json
import lzma
import random
import sysconfig
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from training.documents import document_pairs, read_documents
from training.functions import javascript_functions, python_functions
from training.packages import FOLDERS_TO_SKIP, LIST, Package, allowed_packages, sources
from training.pairs import Pair, code_pairs, snippet_pairs, without_repeats
from training.snippets import python_snippets
from training.vocabulary import extended, teacher_pieces

STANDARD_LIBRARY = Package("python", "the Python standard library", "installed", "PSF-2.0", "training")
MOST_PAIRS_OF_A_SOURCE = 24_000  # none may drown the others
ROWS = 34_000  # with 256 dimensions 9 MB; a word further down stands in too few texts to learn from


def all_pairs(documentation: Path, archives: Path, seed: int) -> Iterator[Pair]:
    """Every pair of every source, each source cut to its share."""
    chance = random.Random(seed)
    for project, documents in sorted(read_documents(documentation).items()):
        yield from _share(list(document_pairs(documents, random.Random(f"{seed} {project}"))), chance)
    packages = [STANDARD_LIBRARY, *(package for package in allowed_packages() if not package.is_held_out)]
    with ProcessPoolExecutor() as workers:
        for pairs in workers.map(partial(package_pairs, archives=archives, seed=seed), packages):
            yield from _share(pairs, chance)


def package_pairs(package: Package, *, archives: Path, seed: int) -> list[Pair]:
    """The pairs of one package."""
    chance = random.Random(f"{seed} {package.name}")
    language, functions_of = (
        ("javascript", javascript_functions) if package.registry == "npm" else ("python", python_functions)
    )
    files = _standard_library() if package.registry == "python" else sources(package, archives)
    seen: set[str] = set()
    pairs: list[Pair] = []
    for _, text in files:
        for function in functions_of(text):
            if function.code not in seen:
                seen.add(function.code)
                pairs += code_pairs(function, package.name, language, chance)
        if language == "python":
            for snippet in python_snippets(text):
                if snippet.code not in seen:
                    seen.add(snippet.code)
                    pairs += snippet_pairs(snippet, package.name, chance)
    return pairs


def barred_texts(archives: Path) -> frozenset[str]:
    """Descriptions and code of the held-out packages, should a training package have a copy of them."""
    found: set[str] = set()
    for package in allowed_packages():
        if package.is_held_out:
            functions_of = python_functions if package.registry == "pypi" else javascript_functions
            for _, text in sources(package, archives):
                for function in functions_of(text):
                    found |= {function.description, function.code, function.whole}
    return frozenset(found)


def _standard_library() -> Iterator[tuple[str, str]]:
    root = Path(sysconfig.get_path("stdlib"))
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if not {"site-packages", "dist-packages", "idlelib", *FOLDERS_TO_SKIP}.intersection(parts):
            yield path.name, path.read_text(encoding="utf-8", errors="replace")


def _share(pairs: list[Pair], chance: random.Random) -> list[Pair]:
    if len(pairs) <= MOST_PAIRS_OF_A_SOURCE:
        return pairs
    return [pairs[index] for index in sorted(chance.sample(range(len(pairs)), MOST_PAIRS_OF_A_SOURCE))]


def write_pairs(pairs: list[Pair], folder: Path, parts: int) -> None:
    """Parts of equal length, so that none is too large to carry to another machine."""
    size = -(-len(pairs) // parts)
    for part in range(parts):
        with lzma.open(folder / f"pairs-{part}.jsonl.xz", "wt", encoding="utf-8", preset=2) as lines:
            lines.writelines(
                json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs[part * size : (part + 1) * size]
            )


def read_pairs(folder: Path) -> list[Pair]:
    """What `write_pairs` wrote."""
    with ProcessPoolExecutor() as workers:
        parts = workers.map(_read_part, sorted(folder.glob("pairs-*.jsonl.xz")))
        return [Pair(*pair) for part in parts for pair in part]


def _read_part(path: Path) -> list[list[str]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def main() -> None:
    """Read the inputs, write the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documentation", type=Path, required=True, help="docs.jsonl.gz of the shared data")
    parser.add_argument("--archives", type=Path, required=True, help="what `training.packages` fetched")
    parser.add_argument("--teacher", type=Path, required=True, help="the model folder of the teacher")
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    barred = barred_texts(options.archives)
    pairs = list(without_repeats(all_pairs(options.documentation, options.archives, options.seed), barred.__contains__))
    write_pairs(pairs, options.to, parts=4)
    texts = ((pair.source, text) for pair in pairs for text in (pair.query, pair.text))
    rows = extended(teacher_pieces(options.teacher / "vocab.txt"), texts, ROWS)
    (options.to / "vocabulary.txt").write_text("\n".join(rows), encoding="utf-8")
    counted = {"kinds": Counter(pair.kind for pair in pairs), "sources": Counter(pair.source for pair in pairs)}
    (options.to / "sources.json").write_text(
        json.dumps(counted | {"packages": LIST.name, "seed": options.seed}, indent=1)
    )


if __name__ == "__main__":
    main()
