"""What a project has already: documents, decisions, patterns, code, history and what tells agents how to work."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.cli.beginning.code_size import CodeSize, code_size
from fieldguide.cli.beginning.commits import Commits, commits
from fieldguide.config import Settings, project_folder
from fieldguide.confinement import ConfinedFolder
from fieldguide.decisions.reading.reader import is_record, read_record
from fieldguide.decisions.reading.record import Record
from fieldguide.errors import FieldguideError
from fieldguide.globbing import matcher
from fieldguide.project_text.files import project_files
from fieldguide.project_text.finding import known_text
from fieldguide.source_code.roles import GENERATED, VENDORED, role_of
from fieldguide.toolsets.architecture.library import Document, Library
from fieldguide.toolsets.architecture.roots import ADR, GUIDELINES, PATTERNS
from fieldguide.toolsets.context.overview.about import about
from fieldguide.toolsets.context.overview.packages import code_paths
from fieldguide.toolsets.context.project_model import PATH as MODEL
from fieldguide.toolsets.directive.folder import NAME as DIRECTIVE
from fieldguide.toolsets.documents.collections import configured_collections

AGENT_FILES = (
    "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "CONVENTIONS.md", ".cursorrules", ".windsurfrules",
    ".clinerules", ".rules", ".github/copilot-instructions.md", ".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json",
)  # fmt: skip
AGENT_RULES = matcher((".cursor/rules/**", ".windsurf/rules/**", ".github/instructions/**", "**/AGENTS.md"))
NEWS = re.compile(r"(?i)^we\b|\b(?:announc\w+|excited|deprecated|moved to|no longer|read in|translat\w+)\b|!")
NOT_WRITTEN = (GENERATED, VENDORED)
MOST_RECORDS = 2_000
LEAST_ABOUT = 25  # characters of a sentence


class Place(NamedTuple):
    """A folder of documents: how many lie there, why it was taken, and the language of a translation."""

    folder: str
    number: int
    why: str = ""
    language: str = ""


class Survey(NamedTuple):
    """A project at one moment, before anything is added to it."""

    project: str
    about: str
    documents: tuple[Place, ...]
    decisions: tuple[Record, ...]
    patterns: tuple[str, ...]
    guidelines: tuple[str, ...]
    directive: tuple[str, ...]
    has_model: bool
    code: CodeSize
    commits: Commits
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


def look_over(settings: Settings) -> Survey:
    """Look at a project, for seconds at most; nothing is indexed and nothing is written."""
    project = project_folder(settings)
    paths = [path for path in project_files(project).paths if not project.sensitive.refuses(tuple(path.split("/")))]
    told = about(project, paths)
    text = known_text(project.root).now(project)
    shelf = _shelf(project, settings.sections.get("architecture", {}))
    return Survey(
        project=settings.project,
        about=_sentence(told.description),
        documents=_documents(settings, project),
        decisions=_records(shelf.get(ADR, ())),
        patterns=tuple(each.path for each in shelf.get(PATTERNS, ())),
        guidelines=tuple(each.path for each in shelf.get(GUIDELINES, ())),
        directive=tuple(sorted(f"{DIRECTIVE}/{path}" for path in project.folder(DIRECTIVE).files())),
        has_model=project.status(MODEL) is not None,
        code=code_size(project, [path for path in code_paths(paths, text.roots) if role_of(path) not in NOT_WRITTEN]),
        commits=commits(project.root),
        agents=_agents(project, paths),
        manifests=tuple(path for path in paths if "/" not in path),
    )


def _sentence(about: str) -> str:
    """The first sentence of what a project says it is; a scrap of one is none."""
    plain = about.replace("[", "").replace("]", "")
    first, dot, _ = plain.partition(". ")
    is_sentence = first[:1].isupper() and len(first) >= LEAST_ABOUT
    return f"{first}{dot.strip()}" if is_sentence and not NEWS.search(first) else ""


def _documents(settings: Settings, project: ConfinedFolder) -> tuple[Place, ...]:
    """The folders whose documents are searched, that of most first; those of a translation last."""
    try:
        found = configured_collections(settings.project, settings.sections.get("documents", {}), project).values()
    except FieldguideError:  # what names them can't be read, which `fieldguide doctor` tells
        return ()
    places = (Place(each.source, len(each.names or ()), each.why, each.language) for each in found)
    return tuple(sorted(places, key=lambda place: (bool(place.language), -place.number)))


def _shelf(project: ConfinedFolder, settings: Mapping[str, Any]) -> dict[str, Sequence[Document]]:
    try:
        shelf = Library(project, settings).shelf()
    except FieldguideError:
        return {}
    return {category: shelf.of(category) for category in (ADR, PATTERNS, GUIDELINES)}


def _records(documents: Sequence[Document]) -> tuple[Record, ...]:
    records = (each for each in documents if is_record(each.path, each.text))
    return tuple(read_record(each.path, each.text) for each, _ in zip(records, range(MOST_RECORDS), strict=False))


def _agents(project: ConfinedFolder, paths: Sequence[str]) -> tuple[str, ...]:
    """The files that tell agents how to work here, or what to connect to; also those that git does not track."""
    there = [name for name in AGENT_FILES if project.status(name) is not None]
    return tuple(dict.fromkeys([*there, *filter(AGENT_RULES, paths)]))
