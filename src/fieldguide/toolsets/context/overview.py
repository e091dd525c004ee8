"""Describes a project (summary, commands, packages, `.context/project.yaml`) and renders the context resources."""

import posixpath
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qs, unquote

from fieldguide.code.imports.graph import group_packages
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import is_code, is_plain_document, language_of
from fieldguide.files.project_files import FolderPurposes, list_project_files
from fieldguide.knowledge.findings.finding import Finding, FindingRepository
from fieldguide.knowledge.findings.sessions import SessionRepository, WorkSession, format_utc_timestamp
from fieldguide.knowledge.links.stale import FINDING, StaleStates
from fieldguide.prose.discovery import FoundText, get_known_text
from fieldguide.spine.toolset import Services
from fieldguide.text import regex as re
from fieldguide.text.data_formats import MalformedText, read_json, read_toml, read_yaml
from fieldguide.text.display import HIDDEN
from fieldguide.text.errors import InvalidArguments, NotFound, Refusal, Unreadable
from fieldguide.text.windows import cut_between_words

LARGEST_BYTES = 1 << 18
MOST_CHARACTERS = 500
LEAST_CHARACTERS = 20
NO_PROSE = ("#", "=", "-", "* ", "|", ">", "<", "!", "[!", "..", ":", "```", "+", "~", "^", "@", "{", "image:", "//")
COMMENT = re.compile(r"(?s)<!--.*?-->")
LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|`([^`<]*?)\s*<[^>]*>`_{1,2}|https?://\S+\[([^\]]*)\]")
BADGE = re.compile(r"\.svg\b|badge|shields\.io")
MARKS = re.compile(r"[*_`]{1,3}|<[^>]{1,80}>")


class ProjectSummary(NamedTuple):
    """A project's name, what it is, and the manifests that lie at its top."""

    name: str
    description: str
    manifests: Mapping[str, Mapping[str, Any]]


def read_summary(project: ConfinedFolder, paths: Sequence[str]) -> ProjectSummary:
    """The name and description that a project gives itself in the files at its top."""
    top = [path for path in paths if "/" not in path]
    manifests: dict[str, Mapping[str, Any]] = {}
    name = ""
    description = ""
    for file in top:
        manifest = _manifest(project, file)
        if manifest:
            manifests[file] = manifest
            name = name or cut_between_words(strip_markup(_read_field(manifest, "name")), 80)
            described = strip_markup(_read_field(manifest, "description"))
            description = description or cut_between_words(described, MOST_CHARACTERS)
    readme = next((path for path in sorted(top) if _is_readme(path)), None)
    if readme:
        opening = find_first_paragraph(read_text_or_empty(project, readme))
        if len(opening) > len(description):
            description = opening
    return ProjectSummary(name, description, manifests)


def _is_readme(path: str) -> bool:
    stem, suffix = posixpath.splitext(path.lower())
    return stem == "readme" and (not suffix or is_plain_document(path))


def read_text_or_empty(project: ConfinedFolder, path: str) -> str:
    """The text of a file; empty where it can't be read."""
    try:
        return project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8", errors="replace")
    except Refusal:
        return ""


def find_first_paragraph(text: str) -> str:
    """The first lines of a text that are prose, as one line without marks."""
    found: list[str] = []
    for line in COMMENT.sub("", text).splitlines()[:200]:
        stripped = line.strip()
        is_code = line.startswith(("    ", "\t"))
        if stripped and not is_code and not stripped.startswith(NO_PROSE) and not BADGE.search(stripped):
            found.append(stripped)
        elif found and len(" ".join(found)) >= LEAST_CHARACTERS and not stripped:
            break
        elif not stripped or stripped[:3] in ("===", "---", "~~~"):
            found = []  # a title, or too little
    return cut_between_words(strip_markup(" ".join(found)), MOST_CHARACTERS)


def strip_markup(text: str) -> str:
    """A text without the marks of Markdown and its like, and without what nobody would see."""
    linked = LINK.sub(lambda match: next((each for each in match.groups() if each), ""), text)
    return " ".join(HIDDEN.sub("", MARKS.sub("", linked)).split())


def read_table(value: Any, *keys: str) -> Mapping[str, Any]:
    """The table at a path of keys; an empty one where there is none."""
    for key in keys:
        value = _mapping(value).get(key)
    return _mapping(value)


def _manifest(project: ConfinedFolder, name: str) -> Mapping[str, Any]:
    try:
        if name in ("pyproject.toml", "Cargo.toml"):
            return read_toml(project.read(name, limit_bytes=LARGEST_BYTES))
        if name in ("package.json", "composer.json", "deno.json"):
            return read_table(read_json(project.read(name, limit_bytes=LARGEST_BYTES)))
    except (Refusal, MalformedText):
        return {}
    return {}


def _read_field(manifest: Mapping[str, Any], key: str) -> str:
    for keys in ((), ("project",), ("package",), ("tool", "poetry")):
        value = read_table(manifest, *keys).get(key)
        if isinstance(value, str):
            return value
    return ""


MOST_COMMANDS = 10
MOST_OF_ONE_FILE = 6
LONGEST_COMMAND = 90
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
RUNNERS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun", "package-lock.json": "npm"}


def find_commands(
    project: ConfinedFolder, paths: Sequence[str], manifests: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, str]]:
    """The commands, each with the file that says so; those that people type first."""
    top = {path for path in paths if "/" not in path}
    found = [
        *_of_make(project, top),
        *_of_scripts(manifests.get("package.json", {}), top),
        *_of_python(manifests.get("pyproject.toml", {})),
        *((command, name) for name, each in PLAIN.items() if name in top for command in each),
    ]
    told: dict[str, str] = {}
    for command, where in found:
        told.setdefault(cut_between_words(HIDDEN.sub("", " ".join(command.split())), LONGEST_COMMAND), where)
    return [*told.items()][:MOST_COMMANDS]


def _of_make(project: ConfinedFolder, top: set[str]) -> Iterator[tuple[str, str]]:
    for name in ("Makefile", "GNUmakefile", "makefile", "justfile", "Justfile"):
        if name in top:
            program = "just" if name.lower() == "justfile" else "make"
            for target in _shortest(dict.fromkeys(TARGET.findall(read_text_or_empty(project, name)))):
                yield f"{program} {target}", name


def _of_scripts(manifest: Mapping[str, Any], top: set[str]) -> Iterator[tuple[str, str]]:
    runner = next((program for lock, program in RUNNERS.items() if lock in top), "npm")
    for script in _shortest(read_table(manifest, "scripts")):
        yield f"{runner} run {script}", "package.json"


def _shortest(names: Iterable[str]) -> list[str]:
    """The names of what builds and tests; the short ones are those that people type."""
    return sorted((name for name in names if WANTED.search(name)), key=len)[:MOST_OF_ONE_FILE]


def _of_python(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    tools = read_table(manifest, "tool")
    runs = {"pytest": "pytest", "tox": "tox", "nox": "nox", "mypy": "mypy", "ruff": "ruff check ."}
    for tool, command in runs.items():
        if tool in tools:
            yield command, "pyproject.toml"


MOST_PACKAGES = 12
# fmt: off
ENTRIES = frozenset((
    "__main__.py", "main.py", "manage.py", "app.py", "wsgi.py", "asgi.py", "cli.py", "main.go", "main.rs", "lib.rs",
    "index.js", "index.ts", "main.js", "main.ts", "server.js", "server.ts", "app.js", "app.ts", "Main.java", "main.c",
    "Application.java", "main.cpp", "Program.cs", "main.rb", "config.ru", "main.ex", "Main.kt", "index.php",
))
# fmt: on


def list_code_paths(paths: Iterable[str], documents: Container[str] = ()) -> list[str]:
    """The files of code that are the project's own, without tests, examples, documents and what is vendored."""
    places = FolderPurposes(documents)
    return [path for path in paths if is_program_code(path) and places.of(path.rpartition("/")[0]).kind == "own"]


def is_program_code(path: str) -> bool:
    """Whether a file is code of the project's programs, not of how they are built, by its name."""
    return is_code(path) and language_of(path) not in ("dockerfile", "makefile")


def count_languages(paths: Iterable[str]) -> list[tuple[str, int]]:
    """The languages of the code with their files, those of most files first; none with a small share."""
    counted = Counter(language_of(path) or "" for path in paths if is_program_code(path))
    total = sum(counted.values())
    return [(language, count) for language, count in counted.most_common(5) if count * 20 >= total]


def find_entry_points(paths: Sequence[str]) -> list[str]:
    """Where programs begin, by the names of files; those near the top first."""
    found = [path for path in paths if path.rpartition("/")[2] in ENTRIES or path.startswith(("bin/", "cmd/"))]
    return sorted(found, key=lambda path: (path.count("/"), path))[:8]


def find_programs(manifests: Mapping[str, Mapping[str, Any]], paths: Container[str]) -> Iterator[tuple[str, str]]:
    """The commands that manifests install, each with the file of the project that it runs."""
    python = read_table(manifests.get("pyproject.toml", {}), "project", "scripts")
    for name, target in python.items():
        module = str(target).partition(":")[0].replace(".", "/")
        for path in (f"{module}.py", f"{module}/__init__.py", f"src/{module}.py", f"src/{module}/__init__.py"):
            if path in paths:
                yield name, path
    package = manifests.get("package.json", {})
    scripts: Any = package.get("bin")
    for name, target in (
        {str(package.get("name", "")): scripts} if isinstance(scripts, str) else _mapping(scripts)
    ).items():
        path = str(target).removeprefix("./")
        if path in paths:
            yield name, path


MOST_FOLDERS = 6
DECISION = re.compile(r"(?i)/(?:adr|rfc|decision)[-_ ]?\d+[^/]*$|(?:adrs?|decisions|rfcs)/\d+[^/]*$")


class RepositoryFacts(NamedTuple):
    """What the files of a repository tell about it; everything is empty where they tell nothing.

    `programs` are the commands that it installs, each with the file that it runs.
    """

    description: str = ""
    languages: Sequence[tuple[str, int]] = ()
    entry_points: Sequence[str] = ()
    programs: Sequence[tuple[str, str]] = ()
    tests: Sequence[str] = ()
    documents: Sequence[tuple[str, int]] = ()
    decisions: Sequence[str] = ()
    commands: Sequence[tuple[str, str]] = ()
    code: Sequence[str] = ()


def read_repository(project: ConfinedFolder) -> RepositoryFacts:
    """The facts of the project that is served, from its files alone."""
    paths = list_project_files(project).paths
    served = [path for path in paths if not project.sensitive.refuses(tuple(path.split("/")))]
    summary = read_summary(project, served)
    text = get_known_text(project.root).now(project)
    code = list_code_paths(served, text.roots)
    documents, decisions = _count_documents(text)
    return RepositoryFacts(
        description=summary.description,
        languages=count_languages(code),
        entry_points=find_entry_points(code),
        programs=[*find_programs(summary.manifests, frozenset(served))],
        tests=_tests(served),
        documents=documents,
        decisions=decisions,
        commands=find_commands(project, served, summary.manifests),
        code=code,
    )


def show_repository(services: Services) -> dict[str, Any]:
    """The same as plain data. For the page."""
    return read_repository(services.project)._asdict()


def describe_repository(project: ConfinedFolder) -> list[str]:
    """What the repository tells of the project, as lines of Markdown below its title; none of an empty folder."""
    found = read_repository(project)
    if found == RepositoryFacts():
        return []
    lines = [found.description, ""] if found.description else []
    facts = {
        "Languages": [f"{language} ({count} files)" for language, count in found.languages],
        "Entry points": [f"`{each}`" for each in found.entry_points],
        "Tests": [f"`{each}`" for each in found.tests],
        "Documents": [
            *(f"`{root}` ({count})" for root, count in found.documents),
            *(f"decisions in `{folder}`" for folder in found.decisions),
        ],
    }
    lines += [f"- {label}: {', '.join(values)}" for label, values in facts.items() if values]
    commands = [f"`{command.replace('`', chr(39))}` ({where})" for command, where in found.commands]
    lines += _listed("Commands", commands)
    packages = [(folder, len(files)) for folder, files in group_packages(found.code).items() if folder]
    packages.sort(key=lambda each: (-each[1], each[0]))
    lines += _listed("Packages", [f"`{folder}` ({files} files)" for folder, files in packages[:MOST_PACKAGES]])
    return lines


def _listed(title: str, items: Sequence[str]) -> list[str]:
    if not items:
        return []
    return ["", f"## {title}", "", *(f"- {item}" for item in items)]


def _tests(paths: Sequence[str]) -> list[str]:
    """The folders that tests lie in, those of most first."""
    places = FolderPurposes(())
    counted: Counter[str] = Counter()
    for path in paths:
        if is_program_code(path):
            counted.update(_tests_above(path, places))
    return [folder for folder, _ in counted.most_common(MOST_FOLDERS)]


def _tests_above(path: str, places: FolderPurposes) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    at = ""
    for name in folder.split("/"):
        at = f"{at}/{name}" if at else name
        if places.of(at).kind == "tests":
            yield at
            return


def _count_documents(found: FoundText) -> tuple[list[tuple[str, int]], list[str]]:
    """The folders of documents with how many each has, and where decisions are as far as names tell."""
    counted = Counter(each.root or "." for each in found.documents if not each.language)
    numbered = Counter(each.path.rpartition("/")[0] for each in found.documents if DECISION.search(each.path))
    return counted.most_common(MOST_FOLDERS), [folder for folder, count in numbered.most_common(2) if count > 1]


PATH = ".context/project.yaml"
KEPT_MODELS = 4


class ModulePlace(NamedTuple):
    """Which module a file belongs to, and its role there; None where the model does not say."""

    module: str | None
    role: str | None


class ProjectModel:
    """The model as it is written; what is missing in it is simply not known."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.content = content
        written = _mapping(content.get("modules")).items()
        self.modules: dict[str, Mapping[str, Any]] = {str(name): _mapping(value) for name, value in written}

    def place_of(self, path: str) -> ModulePlace:
        """Where a file belongs: the module that names it, or the one with a key file in the nearest folder above."""
        nearest = ModulePlace(None, None)
        depth = 0
        for name, module in self.modules.items():
            for file in _parts(module, "keyFiles"):
                key = str(file.get("path", ""))
                if key == path:
                    return ModulePlace(name, _text(file.get("role")))
                folder = key.rpartition("/")[0]
                if folder and path.startswith(f"{folder}/") and len(folder) > depth:
                    nearest = ModulePlace(name, None)
                    depth = len(folder)
        return nearest


def read_model(project: ConfinedFolder) -> ProjectModel:
    """The project's model; an empty one where there is none. A broken file is refused with its reason."""
    try:
        content = project.read(PATH, limit_bytes=LARGEST_BYTES)
    except NotFound:
        return ProjectModel({})
    return _model(content)


@lru_cache(maxsize=KEPT_MODELS)
def _model(content: bytes) -> ProjectModel:
    try:
        written = read_yaml(content.decode("utf-8-sig"), most_characters=LARGEST_BYTES)
    except UnicodeDecodeError as error:
        raise Unreadable(f"{PATH} is not UTF-8.", path=PATH) from error
    except MalformedText as error:
        said = f"Line {error.line}: {error.reason}."
        raise Unreadable(f"{PATH} is not valid YAML.", path=PATH, details=said) from error
    return ProjectModel(_mapping(written.root.plain()))


def read_model_or_empty(project: ConfinedFolder) -> ProjectModel:
    """The project's model for a caller who can do without: a broken one counts as none."""
    try:
        return read_model(project)
    except Refusal:
        return ProjectModel({})


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _entries(value: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


MOST_SHOWN = 10
MOST_SESSIONS = 100


def render_overview(services: Services) -> str:
    """What the project is: its model, or what the repository tells, and what was found out last."""
    model = read_model(services.project)
    project = read_table(model.content, "project")
    tech = read_table(model.content, "tech")
    architecture = read_table(model.content, "architecture")
    lines = [f"# {project.get('name') or services.project.root.rpartition('/')[2]}", ""]
    lines += [f"- {label}: {value}" for label, value in _facts(project, tech, architecture) if value]
    if not model.content:  # nobody has told: the repository does
        lines += describe_repository(services.project)
    if model.modules:
        lines += ["", "## Modules", ""]
        lines += [
            f"- **{name}**: {module.get('description', '')}".rstrip(": ") for name, module in model.modules.items()
        ]
    with services.database.reading() as transaction:
        discoveries = FindingRepository(transaction, services.namespace).latest(MOST_SHOWN)
    if discoveries:
        lines += ["", "## Latest discoveries", ""]
        states = StaleStates(services.engine().database, services.namespace)
        lines += [
            f"- {each.type}{f' ({each.module})' if each.module else ''}: {_content(each, states)}"
            for each in discoveries
        ]
    return "\n".join(lines).rstrip() + "\n"


def render_module(services: Services, written: str) -> str:
    """One module: its files, patterns, rules and what was found out about it."""
    name = unquote(written)
    found = read_model(services.project).modules.get(name)
    with services.database.reading() as transaction:
        known = FindingRepository(transaction, services.namespace).latest(MOST_SHOWN, module=name)
    if found is None and not known:
        raise InvalidArguments(f"Module not found: {name}")
    found = found or {}
    lines = [f"# {found.get('name') or name}", "", str(found.get("description", ""))]
    lines += _listed("Key files", [f"`{each.get('path')}` ({each.get('role')})" for each in _parts(found, "keyFiles")])
    lines += _listed("Patterns", _texts(found, "patterns"))
    lines += _listed("Business rules", _texts(found, "businessRules"))
    issues = [f"{each.get('description')}: {each.get('solution')}" for each in _parts(found, "commonIssues")]
    lines += _listed("Common issues", issues)
    lines += _listed("Dependencies", _texts(found, "dependencies"))
    states = StaleStates(services.engine().database, services.namespace)
    lines += _listed("Discoveries", [f"{each.type}: {_content(each, states)}" for each in known])
    return "\n".join(lines).rstrip() + "\n"


def _content(finding: Finding, states: StaleStates) -> str:
    """What was found out, and below it what of that no longer holds."""
    stale = states.told(f"{FINDING}{finding.id}")
    if not stale:
        return finding.content
    return f"{finding.content}\n  [stale: {stale}]"


def has_session(services: Services) -> bool:
    """Whether a session runs."""
    with services.database.reading() as transaction:
        running = SessionRepository(transaction, services.namespace).active(datetime.now(UTC), user=services.reader())
        return running is not None


def render_current_session(services: Services) -> str:
    """The session that runs."""
    with services.database.reading() as transaction:
        session = SessionRepository(transaction, services.namespace).active(datetime.now(UTC), user=services.reader())
    if session is None:
        raise InvalidArguments("No active session")
    return "\n".join(["# Current session", "", *_session(session)]) + "\n"


def render_recent_sessions(services: Services, query: str) -> str:
    """The latest sessions, ten unless the address says otherwise."""
    limit = parse_qs(query).get("limit", ["10"])[0]
    if not limit.isdecimal() or not 1 <= int(limit) <= MOST_SESSIONS:
        raise InvalidArguments(f"limit must be a number from 1 to {MOST_SESSIONS}")
    with services.database.reading() as transaction:
        sessions = SessionRepository(transaction, services.namespace).recent(int(limit), user=services.reader())
    lines = ["# Recent sessions", ""]
    for session in sessions:
        lines += [f"## {format_utc_timestamp(session.started_at)}", "", *_session(session), ""]
    return "\n".join(lines if sessions else [*lines, "No sessions yet."]).rstrip() + "\n"


def _session(session: WorkSession) -> Iterator[str]:
    yield f"- Id: {session.id}"
    yield f"- Status: {session.status}"
    yield f"- Started: {format_utc_timestamp(session.started_at)}"
    if session.ended_at is not None:
        yield f"- Ended: {format_utc_timestamp(session.ended_at)}"
    yield f"- Duration: {session.seconds} seconds"
    yield f"- Calls: {session.tool_calls}"
    yield f"- Discoveries: {session.discoveries}"
    if session.topics:
        yield f"- Topics: {', '.join(session.topics)}"
    for file in session.files:
        yield f"- `{file.path}`: looked at {file.uses} times, last {format_utc_timestamp(file.last)}"


def _facts(
    project: Mapping[str, Any], tech: Mapping[str, Any], architecture: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    yield "Type", project.get("type")
    yield "Stack", ", ".join(_texts(tech, "stack"))
    yield "Runtime", tech.get("runtime")
    yield "Package manager", tech.get("packageManager")
    yield "Architecture", architecture.get("pattern")
    yield "About it", architecture.get("description")


def _parts(content: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    return [_mapping(each) for each in _entries(content.get(key)) if isinstance(each, dict)]


def _texts(content: Mapping[str, Any], key: str) -> list[str]:
    return [str(each) for each in _entries(content.get(key))]
