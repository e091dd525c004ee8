"""How often real repositories are taken for secrets, and what looking for them costs when a repository is indexed."""

import argparse
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from fieldguide.app import build_app
from fieldguide.files.secrets import EVERYBODYS
from fieldguide.search import backlog
from fieldguide.settings.config import read_settings
from fieldguide.text.secrets import list_secret_value_kinds, mask_secret_values

MOST_SHARE = 0.03


class Tree(NamedTuple):
    """What was found in a tree: each alarm by its file, and how much text there was."""

    name: str
    files: int
    megabytes: float
    refused: list[str]
    masked: list[tuple[str, str]]
    seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.secrets", description=__doc__)
    parser.add_argument("--tree", type=Path, action="append", required=True, metavar="DIR", help="a repository's files")
    parser.add_argument("--alarms", action="store_true", help="name every file that is refused and every value's kind")
    parser.add_argument("--check", action="store_true", help="exit with 1 if the search takes over 3 %% of indexing")
    options = parser.parse_args()
    trees = [measure(path) for path in options.tree]
    print(report.describe_machine())
    header = ["tree", "files", "MB", "refused", "with values", "values", "MB/s"]
    print(report.format_table(header, [_row(tree) for tree in trees]))
    for tree in trees if options.alarms else ():
        print("\n".join(_alarms(tree)))
    share = indexing_share(options.tree[0])
    print(f"Looking for values takes {share:.1%} of the CPU time of indexing {options.tree[0].name} from nothing.")
    return 1 if options.check and share > MOST_SHARE else 0


def measure(tree: Path) -> Tree:
    """Look at every file of a tree as the server would."""
    refused: list[str] = []
    masked: list[tuple[str, str]] = []
    texts: list[str] = []
    files = 0
    for path, content in _files(tree):
        files += 1
        names = path.split("/")
        if EVERYBODYS.refuses(names) or EVERYBODYS.refuses_content(names, content):
            refused.append(path)
        elif b"\0" not in content:
            texts.append(content.decode("utf-8", errors="replace"))
            masked += [(path, kind) for kind in list_secret_value_kinds(texts[-1])]
    started = time.process_time()
    for text in texts:
        mask_secret_values(text)
    seconds = time.process_time() - started
    return Tree(tree.name, files, sum(map(len, texts)) / 1e6, refused, masked, seconds)


def indexing_share(tree: Path) -> float:
    """The share of the CPU time of indexing that goes into looking for values."""
    looked = 0.0
    plain = backlog.mask_secrets

    def timed(path: str, content: bytes) -> bytes:
        nonlocal looked
        started = time.thread_time()
        clean = plain(path, content)
        looked += time.thread_time() - started
        return clean

    backlog.mask_secrets = timed
    try:
        with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
            copied = shutil.copytree(tree, Path(folder) / "tree", symlinks=True)
            app = build_app(read_settings({"project": str(copied)}, {}), write_journal=lambda lines: None)
            started = time.process_time()
            for toolset in app.toolsets:
                if toolset.upkeep is not None:
                    toolset.upkeep.refresh(lambda done, total, name: None)
            return looked / (time.process_time() - started)
    finally:
        backlog.mask_secrets = plain


def _files(tree: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(tree.rglob("*")):
        if path.is_file() and not path.is_symlink() and ".git" not in path.relative_to(tree).parts:
            yield path.relative_to(tree).as_posix(), path.read_bytes()


def _row(tree: Tree) -> list[str]:
    speed = f"{tree.megabytes / tree.seconds:,.0f}" if tree.seconds else "-"
    counts = (len(tree.refused), len({path for path, _ in tree.masked}), len(tree.masked))
    return [tree.name, f"{tree.files:,}", f"{tree.megabytes:.1f}", *map(str, counts), speed]


def _alarms(tree: Tree) -> Iterator[str]:
    yield from (f"{tree.name}/{path}: refused" for path in tree.refused)
    for (path, kind), count in Counter(tree.masked).items():
        yield f"{tree.name}/{path}: {kind}, {count} times"


if __name__ == "__main__":
    raise SystemExit(main())
