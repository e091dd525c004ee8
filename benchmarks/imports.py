"""How many of the imports that stay inside a project are resolved to one of its files, per language, on real trees.

Whether an import stays inside is not asked of the resolver: it is relative by its form, or begins with a name that the
tree itself declares (a top-level package, a module of a go.mod, a crate, a package.json, a package or namespace).
An import that leads to its own file, as Rust's `super::*` in a module of tests does, is not counted; neither is a
Python module that is there only as a compiled file. A file that is refused for its syntax is counted apart.

Without `--tree` it measures the site-packages of the environment. Other trees come from package registries:

    npm pack @theia/core @theia/editor …             # TypeScript: unpack each as packages/NAME, remove its lib/
    pip download --no-deps --no-binary bokeh bokeh   # TypeScript, in the source distribution
    pip download --no-deps --no-clean --no-binary ruff ruff   # Rust: unpacked below $TMPDIR; uv likewise, Go: wandb
    apt-get download golang-1.19-src golang-github-aws-aws-sdk-go-v2-dev rust-src   # then dpkg-deb -x FILE DIR
"""

import argparse
import json
import random
import re
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks import report
from fieldguide.code.imports.languages import read_imports, resolve_imports
from fieldguide.code.imports.project_files import ConfinedFiles
from fieldguide.code.imports.syntax import Import
from fieldguide.code.parsing import SyntaxProblem
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import language_of

DEFAULT_FILES = 3_000
SEED = 6
GOALS = {"python": 0.97, "typescript": 0.95, "tsx": 0.95, "go": 0.95, "rust": 0.95}
MEASURED = ("python", "typescript", "javascript", "go", "rust", "java", "kotlin", "c", "cpp", "csharp", "ruby", "php")
SAME_RULES = {"tsx": "typescript"}


@dataclass(slots=True)
class Figures:
    """What was counted in one tree for one language."""

    tree: str
    language: str
    files_in_tree: int
    files: int = 0
    refused: list[str] = field(default_factory=list[str])
    imports: int = 0
    inside: int = 0
    resolved: int = 0
    itself: int = 0
    compiled: int = 0
    milliseconds_p50: float = 0.0
    milliseconds_p95: float = 0.0
    failed: list[str] = field(default_factory=list[str])

    @property
    def share(self) -> float | None:
        return self.resolved / self.inside if self.inside else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every tree, print the table, and with `--check` fail when a goal is missed."""
    options = _parse(arguments)
    trees = options.tree or [Path(sysconfig.get_paths()["purelib"])]
    results = [figures for tree in trees for figures in measure_tree(tree, options.language, options.files)]
    print(report.describe_machine())
    print(report.format_table(*_table(results)))
    for figures in results if options.failures else ():
        print(f"\n{figures.tree} ({figures.language}): {len(figures.failed)} not resolved")
        print("\n".join(f"  {line}" for line in _picked(figures.failed, options.failures)))
    if options.json:
        options.json.write_text(json.dumps([asdict(each) | {"share": each.share} for each in results], indent=2) + "\n")
    missed = [each for each in results if each.share is not None and each.share < GOALS.get(each.language, 0.0)]
    return 1 if options.check and missed else 0


def measure_tree(tree: Path, languages: Sequence[str], most_files: int) -> Iterator[Figures]:
    """The figures of a tree for each language that it has files of."""
    files = ConfinedFiles(ConfinedFolder(str(tree)))
    by_language: dict[str, list[str]] = {}
    for path in files.listing().paths:
        language = language_of(path) or ""
        by_language.setdefault(SAME_RULES.get(language, language), []).append(path)
    for language in languages:
        paths = sorted(by_language.get(language, []))
        if paths:
            chosen = paths if len(paths) <= most_files else random.Random(SEED).sample(paths, most_files)
            figures = Figures(tree.name, language, len(paths))
            _measure(figures, chosen, files, _judge(language, tree, paths))
            yield figures


def _measure(figures: Figures, paths: Iterable[str], files: ConfinedFiles, judge: "Judge") -> None:
    seconds: list[float] = []
    for path in paths:
        text = (files.read(path) or b"").decode("utf-8", errors="replace")
        language = language_of(path) or ""
        figures.files += 1
        started = time.perf_counter()
        try:
            imports = read_imports(text, language)
        except SyntaxProblem as problem:
            figures.refused.append(f"{path}:{problem.line}")
            continue
        resolve_imports(path, imports, language, files)
        seconds.append(time.perf_counter() - started)
        figures.imports += len(imports)
        for each in imports:
            if judge(path, each):
                _count(figures, path, each, language, files)
    if seconds:
        figures.milliseconds_p50 = report.percentile(seconds, 0.5) * 1e3
        figures.milliseconds_p95 = report.percentile(seconds, 0.95) * 1e3


def _count(figures: Figures, path: str, each: Import, language: str, files: ConfinedFiles) -> None:
    internal, external = resolve_imports(path, [each], language, files)
    if not internal and not external:
        figures.itself += 1
    elif not internal and language == "python" and _is_compiled(path, each, files):
        figures.compiled += 1
    else:
        figures.inside += 1
        is_there = bool(internal) and all(files.exists(found) for found in internal)
        figures.resolved += is_there
        if not is_there:
            figures.failed.append(f"{path}:{each.line}  {each.keyword} {each.text} {' '.join(each.names)}".rstrip())


Judge = Callable[[str, Import], bool]


def _judge(language: str, tree: Path, paths: Sequence[str]) -> Judge:
    """Whether an import stays inside the tree, by its form or by a name that the tree declares."""
    declared = _declared(language, tree, paths)

    def stays_inside(path: str, each: Import) -> bool:
        if each.is_relative:
            return True
        return any(name in declared for name in _beginnings(language, each))

    return stays_inside


def _beginnings(language: str, each: Import) -> list[str]:
    if language in ("c", "cpp"):
        return []  # an include in angle brackets may as well mean the system's
    if language in ("python", "rust", "php"):
        return [re.split(r"::|[.\\]", each.text)[0]]
    joint = "." if language in ("java", "kotlin", "csharp") else "/"
    parts = each.text.split(joint)
    return [joint.join(parts[:length]) for length in range(1, len(parts) + 1)]


def _declared(language: str, tree: Path, paths: Sequence[str]) -> set[str]:
    """The names that begin an import from inside, found by looking at the tree and not through the resolver."""
    if language == "python":
        tops = [path.removeprefix("src/") for path in paths]
        return {top.split("/")[0].removesuffix(".py") for top in tops if re.match(r"[a-zA-Z_]\w*(/|\.py$)", top)}
    if language == "go":
        folders = {path.removeprefix("src/").rsplit("/", 1)[0] for path in paths if path.startswith("src/")}
        return folders | set(_found(tree, "go.mod", r"^module\s+(\S+)"))
    if language == "rust":
        return {
            name.replace("-", "_") for name in _found(tree, "Cargo.toml", r'^\[package\][^\[]*?^name\s*=\s*"([^"]+)"')
        }
    if language in ("typescript", "javascript"):
        return set(_found(tree, "package.json", r'^(?:\t|  )"name"\s*:\s*"([^"]+)"'))
    if language in ("java", "kotlin"):
        return set(_in_files(tree, paths, r"^\s*package\s+([\w.]+)"))
    if language == "ruby":
        return {match.group(1) for path in paths if (match := re.search(r"(?:^|/)lib/([^/]+?)(?:/|\.rb$)", path))}
    if language == "csharp":
        return set(_in_files(tree, paths, r"^\s*namespace\s+([\w.]+)"))
    if language == "php":
        return {name.split("\\")[0] for name in _in_files(tree, paths, r"^\s*namespace\s+([\w\\]+)")}
    return set()


def _found(tree: Path, name: str, pattern: str) -> Iterator[str]:
    places = (path for path in tree.rglob(name) if "node_modules" not in path.relative_to(tree).parts)
    for path in places:
        yield from re.findall(pattern, path.read_text(errors="replace"), re.MULTILINE)


def _in_files(tree: Path, paths: Sequence[str], pattern: str) -> Iterator[str]:
    for path in paths:
        yield from re.findall(pattern, (tree / path).read_text(errors="replace"), re.MULTILINE)


def _is_compiled(path: str, each: Import, files: ConfinedFiles) -> bool:
    """Whether the module is there, but as a compiled file, which nobody can read."""
    dots = len(each.text) - len(each.text.lstrip("."))
    parts = path.split("/")[: -max(1, dots)] if dots else []
    place = [*parts, *filter(None, each.text.lstrip(".").split("."))]
    names = {place[-1], *each.names} if place else set(each.names)
    by_folder = files.listing().by_folder
    beside = [*by_folder.get("/".join(place[:-1]), []), *by_folder.get("/".join(place), [])]
    return any(Path(each).name.split(".")[0] in names and each.endswith((".so", ".pyd")) for each in beside)


def _picked(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most else random.Random(SEED).sample(lines, most)


def _table(results: Sequence[Figures]) -> tuple[list[str], list[list[str]]]:
    header = [
        "tree",
        "language",
        "files",
        "refused",
        "imports",
        "inside",
        "resolved",
        "share",
        "goal",
        "p50 ms",
        "p95 ms",
    ]
    rows = [
        [
            each.tree,
            each.language,
            f"{each.files:,} of {each.files_in_tree:,}",
            str(len(each.refused)),
            f"{each.imports:,}",
            f"{each.inside:,}",
            f"{each.resolved:,}",
            "" if each.share is None else f"{each.share:.2%}",
            f"{GOALS[each.language]:.0%}" if each.language in GOALS else "",
            f"{each.milliseconds_p50:.1f}",
            f"{each.milliseconds_p95:.1f}",
        ]
        for each in results
    ]
    return header, rows


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.imports", description=__doc__)
    parser.add_argument("--tree", type=Path, action="append", help="a folder to measure; default: site-packages")
    parser.add_argument("--language", action="append", choices=MEASURED, help="only this one; default: all that occur")
    parser.add_argument(
        "--files", type=int, default=DEFAULT_FILES, help="at most so many files of each, drawn at random"
    )
    parser.add_argument("--failures", type=int, default=0, metavar="N", help="show N imports that were not resolved")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="every figure, for machines")
    options = parser.parse_args(arguments)
    options.language = options.language or MEASURED
    return options


if __name__ == "__main__":
    sys.exit(main())
