"""Surveys a project for `fieldguide init`: documents, decisions, patterns, code and commits."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from time import monotonic
from typing import Any, NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import GENERATED, VENDORED, find_role, language_of
from fieldguide.files.project_files import list_project_files
from fieldguide.git.history import stamp_head
from fieldguide.git.log import split_fields
from fieldguide.git.program import GitProgram
from fieldguide.knowledge.decisions.reader import read_record
from fieldguide.knowledge.decisions.record import DecisionRecord
from fieldguide.prose.discovery import get_known_text
from fieldguide.settings.config import Settings, open_project_folder
from fieldguide.text import regex as re
from fieldguide.text.errors import FieldguideError, Refusal, Unreadable
from fieldguide.text.globs import compile_globs
from fieldguide.toolsets.architecture.library import ArchitectureDocument, DocumentLibrary
from fieldguide.toolsets.architecture.resources import ADR, GUIDELINES, PATTERNS
from fieldguide.toolsets.context.overview import PATH as MODEL
from fieldguide.toolsets.context.overview import list_code_paths, read_summary
from fieldguide.toolsets.directive.folder import NAME as DIRECTIVE
from fieldguide.toolsets.documents.collections import read_collections

CODE_SECONDS = 2.0
LARGEST_BYTES = 1 << 21


class LanguageSize(NamedTuple):
    """A language of the project: how many files it has, and how many lines were counted in them."""

    name: str
    files: int
    lines: int


class CodeSize(NamedTuple):
    """The languages, that of most lines first; not whole where there was no time to count every line."""

    languages: tuple[LanguageSize, ...] = ()
    is_whole: bool = True


def measure_code(project: ConfinedFolder, paths: Sequence[str], seconds: float = CODE_SECONDS) -> CodeSize:
    """The languages of some files of code; every file is counted, its lines as long as there is time."""
    files: defaultdict[str, int] = defaultdict(int)
    lines: defaultdict[str, int] = defaultdict(int)
    until = monotonic() + seconds
    is_whole = True
    for path in paths:
        language = language_of(path) or ""
        files[language] += 1
        is_whole = is_whole and monotonic() < until
        lines[language] += _lines(project, path) if is_whole else 0
    found = (LanguageSize(name, count, lines[name]) for name, count in files.items())
    return CodeSize(tuple(sorted(found, key=lambda each: (-each.lines, -each.files, each.name))), is_whole)


def _lines(project: ConfinedFolder, path: str) -> int:
    try:
        content = project.read(path, limit_bytes=LARGEST_BYTES)
    except Refusal:
        return 0
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


COMMITS_SECONDS = 3.0
GRACE_SECONDS = 5.0  # for the first of them
LOG = ("log", "-z", "--no-color", "--encoding=UTF-8", "--format=%at %aN", "HEAD", "--")
LATEST_YEAR = 9999


class CommitCount(NamedTuple):
    """The commits of a project; not whole where there were more than could be counted."""

    number: int = 0
    authors: int = 0
    since: str = ""
    is_whole: bool = True


def count_commits(project: str, seconds: float = COMMITS_SECONDS) -> CommitCount:
    """The commits that touch a project; none where it has no history of its own."""
    if stamp_head(project) is None:
        return CommitCount()
    git = GitProgram(project, seconds + GRACE_SECONDS)
    until = monotonic() + seconds
    number = 0
    first = 0
    authors = set[bytes]()
    try:
        below = (".",) if git.ask("rev-parse", "--show-prefix").strip() else ()
        with git.started(*LOG, *below) as running:
            for written in split_fields(running.process.stdout):
                at, _, author = written.partition(b" ")
                authors.add(author)
                number = number + 1
                first = _earlier(first, at)
                if monotonic() > until:
                    return CommitCount(number, len(authors), _day(first), is_whole=False)
    except Unreadable:
        return CommitCount()
    return CommitCount(number, len(authors), _day(first))


def _earlier(first: int, at: bytes) -> int:
    """The earlier of two moments; what a broken clock wrote is none."""
    moment = int(at) if at.isdigit() and len(at) <= len(str(LATEST_YEAR)) + 7 else 0
    return min(first, moment) if first and moment else first or moment


def _day(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).date().isoformat() if moment else ""


AGENT_FILES = (
    "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "CONVENTIONS.md", ".cursorrules", ".windsurfrules",
    ".clinerules", ".rules", ".github/copilot-instructions.md", ".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json",
)  # fmt: skip
AGENT_RULES = compile_globs((".cursor/rules/**", ".windsurf/rules/**", ".github/instructions/**", "**/AGENTS.md"))
NEWS = re.compile(r"(?i)^we\b|\b(?:announc\w+|excited|deprecated|moved to|no longer|read in|translat\w+)\b|!")
NOT_WRITTEN = (GENERATED, VENDORED)
MOST_RECORDS = 2_000
LEAST_ABOUT = 25  # characters of a sentence


class DocumentFolder(NamedTuple):
    """A folder of documents: how many lie there, why it was taken, and the language of a translation."""

    folder: str
    number: int
    why: str = ""
    language: str = ""


class ProjectSurvey(NamedTuple):
    """A project at one moment, before anything is added to it."""

    project: str
    about: str
    documents: tuple[DocumentFolder, ...]
    decisions: tuple[DecisionRecord, ...]
    patterns: tuple[str, ...]
    guidelines: tuple[str, ...]
    directive: tuple[str, ...]
    has_model: bool
    code: CodeSize
    commits: CommitCount
    agents: tuple[str, ...]
    manifests: tuple[str, ...]

    @property
    def decision_folders(self) -> list[tuple[str, int]]:
        """The folders of the decisions, that of most first."""
        return Counter(each.path.rpartition("/")[0] or "." for each in self.decisions).most_common()

    @property
    def statuses(self) -> list[tuple[str, int]]:
        """Where the decisions stand, in their own words, the most frequent first."""
        return Counter(each.status for each in self.decisions).most_common()


def survey_project(settings: Settings) -> ProjectSurvey:
    """Look at a project, for seconds at most; nothing is indexed and nothing is written."""
    project = open_project_folder(settings)
    listed = list_project_files(project).paths
    paths = [path for path in listed if not project.sensitive.refuses(tuple(path.split("/")))]
    roots = get_known_text(project.root).now(project).roots
    code = [path for path in list_code_paths(paths, roots) if find_role(path) not in NOT_WRITTEN]
    shelf = _shelf(project, settings.sections.get("architecture", {}))
    return ProjectSurvey(
        project=settings.project,
        about=_sentence(read_summary(project, paths).description),
        documents=_documents(settings, project),
        decisions=_records(shelf.get(ADR, ())),
        patterns=tuple(each.path for each in shelf.get(PATTERNS, ())),
        guidelines=tuple(each.path for each in shelf.get(GUIDELINES, ())),
        directive=tuple(sorted(f"{DIRECTIVE}/{path}" for path in project.folder(DIRECTIVE).files())),
        has_model=project.status(MODEL) is not None,
        code=measure_code(project, code),
        commits=count_commits(project.root),
        agents=_agents(project, paths),
        manifests=tuple(path for path in paths if "/" not in path),
    )


def _sentence(about: str) -> str:
    """The first sentence of what a project says it is; a scrap of one is none."""
    plain = about.replace("[", "").replace("]", "")
    first, dot, _ = plain.partition(". ")
    is_sentence = first[:1].isupper() and len(first) >= LEAST_ABOUT
    return f"{first}{dot.strip()}" if is_sentence and not NEWS.search(first) else ""


def _documents(settings: Settings, project: ConfinedFolder) -> tuple[DocumentFolder, ...]:
    """The folders whose documents are searched, that of most first; those of a translation last."""
    try:
        found = read_collections(settings.project, settings.sections.get("documents", {}), project).values()
    except FieldguideError:  # what names them can't be read, which `fieldguide doctor` tells
        return ()
    places = (DocumentFolder(each.source, len(each.names or ()), each.why, each.language) for each in found)
    return tuple(sorted(places, key=lambda place: (bool(place.language), -place.number)))


def _shelf(project: ConfinedFolder, settings: Mapping[str, Any]) -> dict[str, Sequence[ArchitectureDocument]]:
    try:
        shelf = DocumentLibrary(project, settings).shelf()
    except FieldguideError:
        return {}
    return {category: shelf.of(category) for category in (ADR, PATTERNS, GUIDELINES)}


def _records(documents: Sequence[ArchitectureDocument]) -> tuple[DecisionRecord, ...]:
    decisions = islice((each for each in documents if each.is_decision), MOST_RECORDS)
    return tuple(read_record(each.path, each.text) for each in decisions)


def _agents(project: ConfinedFolder, paths: Sequence[str]) -> tuple[str, ...]:
    """The files that tell agents how to work here, or what to connect to; also those that git does not track."""
    there = [name for name in AGENT_FILES if project.status(name) is not None]
    return tuple(dict.fromkeys([*there, *filter(AGENT_RULES, paths)]))
