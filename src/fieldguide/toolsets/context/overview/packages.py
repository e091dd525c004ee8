"""What a project is made of: its packages with their sizes, what depends on what, and where programs begin."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from time import monotonic
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal
from fieldguide.project_text.places import Places
from fieldguide.source_code.languages import language_of

MOST_PACKAGES = 12
MOST_READ = 240
READ_SECONDS = 2.0
LARGEST_BYTES = 1 << 18
MOST_NEEDED = 5
# fmt: off
NOT_CODE = frozenset((
    "asciidoc", "css", "csv", "diff", "go-mod", "html", "ignore", "ini", "json", "latex", "markdown", "mdx",
    "properties", "restructuredtext", "text", "toml", "tsv", "xml", "yaml", "scss", "less", "sass", "svg",
    "dockerfile", "makefile",
))
SOURCES = ("src", "lib", "pkg", "packages", "crates", "apps", "libs", "modules", "plugins", "source", "internal", "cmd")
ENTRIES = frozenset((
    "__main__.py", "main.py", "manage.py", "app.py", "wsgi.py", "asgi.py", "cli.py", "main.go", "main.rs", "lib.rs",
    "index.js", "index.ts", "main.js", "main.ts", "server.js", "server.ts", "app.js", "app.ts", "Main.java", "main.c",
    "Application.java", "main.cpp", "Program.cs", "main.rb", "config.ru", "main.ex", "Main.kt", "index.php",
))
# fmt: on


class Package(NamedTuple):
    """A folder of code: how many files it has, and the packages that its files import, the most imported first."""

    folder: str
    files: int
    needs: tuple[str, ...] = ()


def code_paths(paths: Iterable[str], documents: Container[str] = ()) -> list[str]:
    """The files of code that are the project's own, without tests, examples, documents and what is vendored."""
    places = Places(documents)
    return [path for path in paths if is_code(path) and places.of(path.rpartition("/")[0]).kind == "own"]


def is_code(path: str) -> bool:
    """Whether a file is code, by its name."""
    language = language_of(path)
    return language is not None and language not in NOT_CODE


def languages(paths: Iterable[str]) -> list[str]:
    """The languages of the code, those of most files first, with their shares."""
    counted = Counter(language for path in paths if is_code(path) and (language := language_of(path)))
    total = sum(counted.values())
    return [f"{language} ({count} files)" for language, count in counted.most_common(5) if count * 20 >= total]


def entry_points(paths: Sequence[str]) -> list[str]:
    """Where programs begin, by the names of files; those near the top first."""
    found = [path for path in paths if path.rpartition("/")[2] in ENTRIES or path.startswith(("bin/", "cmd/"))]
    return sorted(found, key=lambda path: (path.count("/"), path))[:8]


def packages(project: ConfinedFolder, paths: Sequence[str]) -> list[Package]:
    """The largest packages, and what each needs of the others as far as a look at some of their files tells."""
    by_package: dict[str, list[str]] = defaultdict(list)
    depth = _depth(paths)
    for path in paths:
        by_package[_package_of(path, depth)].append(path)
    largest = sorted((each for each in by_package if each), key=lambda each: (-len(by_package[each]), each))
    kept = largest[:MOST_PACKAGES]
    needs = _needs(project, {each: by_package[each] for each in kept}, paths, depth) if len(kept) > 1 else {}
    return [Package(each, len(by_package[each]), needs.get(each, ())) for each in kept]


def _depth(paths: Sequence[str]) -> Mapping[str, int]:
    """How many folders name a package, for each top folder: one more where all lies in one folder below it."""
    inner: dict[str, Counter[str]] = defaultdict(Counter)
    for path in paths:
        names = path.split("/")
        if len(names) > 2:
            inner[names[0]][names[1]] += 1
    total = max(len(paths), 1)
    found: dict[str, int] = {}
    for top, counted in inner.items():
        is_source = top in SOURCES or sum(counted.values()) > total * 0.6
        alone = counted.most_common(1)[0][1] > 0.9 * sum(counted.values())
        found[top] = 3 if is_source and alone and top in SOURCES else 2 if is_source else 1
    return found


def _package_of(path: str, depth: Mapping[str, int]) -> str:
    folders = path.split("/")[:-1]
    return "/".join(folders[: depth.get(folders[0], 1)]) if folders else ""


def _needs(
    project: ConfinedFolder, by_package: Mapping[str, Sequence[str]], paths: Sequence[str], depth: Mapping[str, int]
) -> dict[str, tuple[str, ...]]:
    """The packages that each package imports, from some files of each, for a bounded time."""
    from fieldguide.source_code.imports import ConfinedFiles, ImportReader, SyntaxProblem, resolve_imports

    reader, files = ImportReader(), ConfinedFiles(project, lambda: paths)
    until = monotonic() + READ_SECONDS
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for package, path in _turns(by_package):
        if monotonic() > until:
            break
        language = language_of(path) or ""
        try:
            text = project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8")
            imports = reader.read(text, language)
        except (Refusal, UnicodeDecodeError, SyntaxProblem):
            continue
        for needed in resolve_imports(path, imports, language, files).internal:
            other = _package_of(needed, depth)
            if other != package and other in by_package:
                found[package][other] += 1
    return {each: tuple(name for name, _ in counted.most_common(MOST_NEEDED)) for each, counted in found.items()}


def _turns(by_package: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Files of all packages in turns, so that each is looked at while there is time."""
    share = max(MOST_READ // max(len(by_package), 1), 1)
    for number in range(share):
        for package, paths in by_package.items():
            step = max(len(paths) // share, 1)
            if number * step < len(paths):
                yield package, paths[number * step]
