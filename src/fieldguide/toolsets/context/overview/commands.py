"""How a project is built and tested: what its Makefile, manifests and CI files say, in their own words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from fieldguide import linear_regex as re
from fieldguide.confinement import ConfinedFolder
from fieldguide.formats import Malformed
from fieldguide.formats.yaml_text import read_yaml
from fieldguide.spine.foreign_text.hidden_text import HIDDEN
from fieldguide.toolsets.context.overview.about import shortened, table, text_of

MOST_COMMANDS = 10
ENOUGH_COMMANDS = 4  # with fewer, the files of CI are asked too
MOST_OF_ONE_FILE = 6
MOST_WORKFLOWS = 6
MOST_CHARACTERS = 90
TARGET = re.compile(r"(?m)^([A-Za-z][\w.-]*)\s*:(?:[^=:\n]|$)")
WANTED = re.compile(
    r"(?i)(?:^|[\s/:_-])(?:test|tests|check|build|lint|format|run|dev|start|bench|docs|install|compile|verify|typecheck"
    r"|pytest|tox|nox|mypy|ruff)(?:$|[\s:_.-])"
)
PLAIN = {
    "Cargo.toml": ("cargo build", "cargo test"),
    "go.mod": ("go build ./...", "go test ./..."),
    "mix.exs": ("mix deps.get", "mix test"),
    "pom.xml": ("mvn package", "mvn test"),
    "gradlew": ("./gradlew build", "./gradlew test"),
    "Gemfile": ("bundle install", "bundle exec rake"),
    "tox.ini": ("tox",),
    "noxfile.py": ("nox",),
    "CMakeLists.txt": ("cmake -B build && cmake --build build",),
    "configure.ac": ("./configure && make",),
    "meson.build": ("meson setup build && ninja -C build",),
}
COMMAND = re.compile(r"^(?:[A-Z_]+=\S+ )*[a-z./][\w./-]* \S")
NO_COMMAND = re.compile(
    r"\$\{\{|\binstall\b|[;=)]$"
    r"|^(?:if|for|while|echo|mv|cp|cat|export|cd|set|git|const|let|sudo|apt|curl|or|and|mkdir|test|ls|rm)\b"
)
RUNNERS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun", "package-lock.json": "npm"}


def commands(project: ConfinedFolder, paths: Sequence[str], manifests: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The commands, each with the file that says so; those that people type first."""
    top = {path for path in paths if "/" not in path}
    found = [
        *_of_make(project, top),
        *_of_scripts(manifests.get("package.json", {}), top),
        *_of_python(manifests.get("pyproject.toml", {})),
        *((command, name) for name, each in PLAIN.items() if name in top for command in each),
    ]
    if len(found) < ENOUGH_COMMANDS:
        found += _of_workflows(project, paths)
    told: dict[str, str] = {}
    for command, where in found:
        told.setdefault(shortened(HIDDEN.sub("", " ".join(command.split())), MOST_CHARACTERS), where)
    return [f"`{command.replace('`', chr(39))}` ({where})" for command, where in [*told.items()][:MOST_COMMANDS]]


def _of_make(project: ConfinedFolder, top: set[str]) -> Iterator[tuple[str, str]]:
    for name in ("Makefile", "GNUmakefile", "makefile", "justfile", "Justfile"):
        if name in top:
            program = "just" if name.lower() == "justfile" else "make"
            targets = dict.fromkeys(TARGET.findall(text_of(project, name)))
            yield from ((f"{program} {target}", name) for target in _shortest(targets))


def _of_scripts(manifest: Mapping[str, Any], top: set[str]) -> Iterator[tuple[str, str]]:
    runner = next((program for lock, program in RUNNERS.items() if lock in top), "npm")
    for script in _shortest(table(manifest, "scripts")):
        yield f"{runner} run {script}", "package.json"


def _shortest(names: Iterable[str]) -> list[str]:
    """The names of what builds and tests; the short ones are those that people type."""
    return sorted((name for name in names if WANTED.search(name)), key=len)[:MOST_OF_ONE_FILE]


def _of_python(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    tools = table(manifest, "tool")
    runs = {"pytest": "pytest", "tox": "tox", "nox": "nox", "mypy": "mypy", "ruff": "ruff check ."}
    yield from ((command, "pyproject.toml") for tool, command in runs.items() if tool in tools)
    for name in (*table(tools, "poe", "tasks"), *table(tools, "pdm", "scripts"), *table(tools, "hatch", "scripts")):
        if WANTED.search(name):
            yield f"{name}", "pyproject.toml"


def _of_workflows(project: ConfinedFolder, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The lines that a CI file runs to build or test."""
    for path in _workflows(paths)[:MOST_WORKFLOWS]:
        try:
            written = read_yaml(text_of(project, path)).root.plain()
        except Malformed:
            continue
        for line in _run_lines(written):
            if COMMAND.match(line) and WANTED.search(line) and not NO_COMMAND.search(line):
                yield line, path


def _workflows(paths: Sequence[str]) -> list[str]:
    """The CI files of a project: those of GitHub first."""
    files = [path for path in paths if path.startswith(".github/workflows/") and path.endswith((".yml", ".yaml"))]
    return files + [path for path in paths if path in (".gitlab-ci.yml", ".circleci/config.yml", ".travis.yml")]


def _run_lines(written: Any) -> Iterator[str]:
    """What stands under `run` and `script`, wherever; nothing is deep enough to need more than a list to go through."""
    waiting: list[Any] = [written]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, dict):
            for key, inner in cast("Mapping[Any, Any]", value).items():
                if key == "run" or (key == "script" and isinstance(inner, list)):
                    yield from _lines(inner)
                elif isinstance(inner, dict | list):
                    waiting.append(inner)
        waiting += [each for each in _entries(value) if isinstance(each, dict | list)]


def _entries(value: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def _lines(value: Any) -> Iterator[str]:
    """The lines of a script; one that goes on in the next is one line."""
    lines: list[str] = []
    for each in _entries(value) or [value]:
        lines += str(each).replace("\\\n", " ").splitlines()
    yield from (line.strip() for line in lines if line.strip())
