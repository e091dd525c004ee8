"""Runs the three architecture tools, validates code against a pattern, and reads what the page shows."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.git.history import History, load_history
from fieldguide.git.log import HistoryCommit
from fieldguide.knowledge.decisions.lineage import NamedRecord
from fieldguide.knowledge.decisions.record import DecisionRecord
from fieldguide.spine.journal import format_timestamp
from fieldguide.spine.tool import INTERNAL_ERROR, INVALID_PARAMS, Answer, Call, Tool, compact_json
from fieldguide.spine.toolset import FailedCall, Fault, Services, make_error_answer
from fieldguide.text.errors import (
    CircuitOpen,
    FieldguideError,
    InvalidArguments,
    InvalidToolSchema,
    Refusal,
    ToolTimeout,
)
from fieldguide.text.windows import cut_text
from fieldguide.toolsets.architecture.library import (
    LARGEST_BYTES,
    ArchitectureDocument,
    DocumentLibrary,
    DocumentShelf,
    find_by_name,
    find_by_uri,
)
from fieldguide.toolsets.architecture.prompts import MalformedPrompt, read_definition
from fieldguide.toolsets.architecture.resources import ADR, GUIDELINES, PATTERNS, PROMPTS, RESOURCES, SCHEME
from fieldguide.toolsets.architecture.rules.pattern import Breach, PatternDocument, check_code, read_pattern

if TYPE_CHECKING:
    from fieldguide.toolsets.architecture.upkeep import ArchitectureUpkeep
    from fieldguide.toolsets.upkeep import LateUpkeep

DEFAULT_RESULTS = 10


def validate_against_pattern(upkeep: "LateUpkeep[ArchitectureUpkeep]", call: Call) -> Any:
    """Code against the rules of a pattern document."""
    arguments = call.arguments
    patterns = upkeep.made().patterns()
    return patterns.validated(arguments["pattern_name"], arguments["code"], arguments.get("language"))


def search_architecture(upkeep: "LateUpkeep[ArchitectureUpkeep]", call: Call) -> Any:
    """The documents that fit a query."""
    from fieldguide.toolsets.architecture import search
    from fieldguide.toolsets.architecture.search import explain_no_results

    arguments = call.arguments
    category = arguments.get("resource_type", "all")
    wanted = search.ArchitectureQuery(
        query=arguments["query"],
        category=None if category == "all" else category,
        limit=arguments.get("max_results", DEFAULT_RESULTS),
    )
    made = upkeep.made()
    shelf = made.library.shelf()
    standing = upkeep.ready(call, made, question=wanted.query)
    engine = upkeep.services.engine()
    found = search.search_architecture(engine, shelf, wanted, call.cancellation)
    hint = {} if found["results"] else {"hint": explain_no_results(shelf, wanted.category, made.library)}
    lacks = {"lacks": upkeep.lack} if upkeep.lack else {}
    return {**found, **(standing.told() if standing else {}), **lacks, **hint}


def check_adr_alignment(upkeep: "LateUpkeep[ArchitectureUpkeep]", call: Call) -> Any:
    """A proposed decision against those that were made before."""
    arguments = call.arguments
    description = arguments["decision_description"]
    context = arguments.get("decision_context", "")
    if not description.strip():
        raise InvalidArguments("field decision_description is blank; say what is to be decided")
    return upkeep.made().decisions().checked(description, context)


TOOL_FAILED = -32002
TOOL_TIMEOUT = -32003
INVALID_TOOL_SCHEMA = -32004
NAMED_CODES = {
    INVALID_PARAMS: ("INVALID_PARAMS", "validation", "low"),
    TOOL_FAILED: ("TOOL_EXECUTION_FAILED", "tool", "medium"),
    TOOL_TIMEOUT: ("TOOL_TIMEOUT", "tool", "medium"),
    INVALID_TOOL_SCHEMA: ("INVALID_TOOL_SCHEMA", "tool", "high"),
    INTERNAL_ERROR: ("INTERNAL_ERROR", "internal", "high"),
}


def tell_error(error: FieldguideError, failing: FailedCall) -> Answer | Fault:
    """The error with its code, and what a program reads beside it."""
    code = _code(error)
    tool = failing.tool
    if failing.is_modern:
        known = error.details if isinstance(error, InvalidArguments | CircuitOpen) else {}
        return make_error_answer(compact_json({**known, "error": error.message, "code": code, "tool": tool.name}))
    issues = {"issues": error.issues} if isinstance(error, InvalidArguments) and error.issues else {}
    return Fault(code, error.message, {"tool": tool.name, **_described(code, tool), **error.details, **issues})


def _code(error: FieldguideError) -> int:
    if isinstance(error, InvalidArguments):
        return INVALID_PARAMS
    if isinstance(error, ToolTimeout):
        return TOOL_TIMEOUT
    if isinstance(error, InvalidToolSchema):
        return INVALID_TOOL_SCHEMA
    return INTERNAL_ERROR if isinstance(error, CircuitOpen) else TOOL_FAILED


def _described(code: int, tool: Tool) -> dict[str, Any]:
    name, category, severity = NAMED_CODES[code]
    described = {"category": category, "code": name, "severity": severity, "timestamp": format_timestamp()}
    return {**described, "context": {"tool": tool.name}}


class DocumentExamination(NamedTuple):
    """The number of documents, a sentence about them, and each problem with the place where it stands."""

    documents: int
    told: str
    problems: tuple[tuple[str, str], ...]


def examine_documents(project: ConfinedFolder, settings: Mapping[str, Any]) -> DocumentExamination:
    """Read every document and every prompt of a project."""
    library = DocumentLibrary(project, settings)
    shelf = library.shelf()
    patterns = {each.path: read_pattern(each.name, each.text) for each in shelf.of(PATTERNS)}
    rules = sum(len(pattern.rules) for pattern in patterns.values())
    problems = [
        (f"{path}:{problem.document_line}", problem.message)
        for path, pattern in patterns.items()
        for problem in pattern.problems
    ]
    others = f"{len(shelf.of(GUIDELINES))} guidelines, {len(shelf.of(ADR))} decisions"
    told = f"{len(patterns)} patterns ({rules} rules), {others}"
    return DocumentExamination(
        len(shelf.documents), told, (*library.refused.items(), *problems, *_malformed_prompts(project))
    )


def _malformed_prompts(project: ConfinedFolder) -> Iterator[tuple[str, str]]:
    folder = project.folder(PROMPTS)
    for name in sorted(folder.files()):
        if not name.endswith(".json") or "/" in name:
            continue
        try:
            read_definition(folder.read(name, limit_bytes=LARGEST_BYTES))
        except MalformedPrompt as error:
            yield f"{PROMPTS}/{name}", str(error)
        except Refusal as error:
            yield f"{PROMPTS}/{name}", error.message


def check_resource_path(path: str) -> None:
    """Refuse a path that is not below the resources once it is cleaned, or that has `..` anywhere."""
    if not posixpath.normpath(path).startswith(f"{RESOURCES}/"):
        raise InvalidArguments(f"Path must be within {RESOURCES}/ directory")
    if ".." in path:
        raise InvalidArguments("Path traversal not allowed")


READ_SECONDS = 3.0
WAIT_SECONDS = 0.5  # what the history does not tell by then, the next look has
EVERY_COMMIT = 1_000_000
MOST_COMMITS = 20


def decisions(upkeep: "LateUpkeep[ArchitectureUpkeep]") -> list[NamedRecord] | None:
    """Every decision under a name of its own; one that tells no day has that of its first commit.

    None while very many of them are read for the first time.
    """
    found = upkeep.made().decisions().records_within(READ_SECONDS)
    if found is None:
        return None
    days = _first_days(upkeep.services, [record for _, record in found if not record.date])
    return [NamedRecord(document.short_name, record, days.get(record.path)) for document, record in found]


def decision_history(upkeep: "LateUpkeep[ArchitectureUpkeep]", path: str) -> list[HistoryCommit]:
    """The latest commits that changed a decision's file, newest first."""
    return _history(upkeep.services).commits_of(path, MOST_COMMITS)


def patterns(upkeep: "LateUpkeep[ArchitectureUpkeep]") -> list[tuple[ArchitectureDocument, PatternDocument]]:
    """Every pattern document with its rules."""
    return upkeep.made().patterns().all()


def _history(services: Services) -> History:
    database = services.engine().database
    return load_history(database, services.namespace, services.project.root, wait_seconds=WAIT_SECONDS)


def _first_days(services: Services, records: Iterable[DecisionRecord]) -> dict[str, date]:
    """The days on which records came into the history; none of a history that is cut off, as it would be wrong."""
    undated = [record.path for record in records]
    if not undated:
        return {}
    history = _history(services)
    commits = {path: history.commits_of(path, EVERY_COMMIT) for path in undated} if history.head else {}
    return {path: datetime.fromtimestamp(each[-1].seconds, UTC).date() for path, each in commits.items() if each}


ALIKE = 0.6  # what difflib itself takes for a close match
LONGEST_NAME = 200


class PatternCache:
    """The patterns of a project, each read once for as long as its text stays."""

    def __init__(self, library: DocumentLibrary) -> None:
        self._library = library
        self._read: dict[str, tuple[str, PatternDocument]] = {}

    def validated(self, pattern_name: str, code: str, language: str | None) -> dict[str, Any]:
        """Whether code follows a pattern, where it does not, and what to do about it."""
        document = find_pattern(self._library.shelf(), pattern_name)
        report = check_code(self._pattern(document), code, language)
        return {
            "compliant": report.checked > 0 and not report.findings,
            "pattern": document.name,
            "violations": [_violation(finding, document) for finding in report.findings],
            "suggestions": list(report.suggestions),
            "checked": report.checked,
            "not_checked": list(report.not_checked),
        }

    def all(self) -> list[tuple[ArchitectureDocument, PatternDocument]]:
        """Every pattern document with what was read in it."""
        return [(document, self._pattern(document)) for document in self._library.shelf().of(PATTERNS)]

    def _pattern(self, document: ArchitectureDocument) -> PatternDocument:
        checksum, pattern = self._read.get(document.path, ("", None))
        if pattern is None or checksum != document.checksum:
            pattern = read_pattern(document.name, document.text)
            self._read[document.path] = (document.checksum, pattern)
        return pattern


def find_pattern(shelf: DocumentShelf, name: str) -> ArchitectureDocument:
    """The pattern that a name means: its path inside the patterns, its last part, its title, or its URI."""
    if name.startswith(f"{SCHEME}://"):
        document = find_by_uri(shelf, name)
        if document.category != PATTERNS:
            raise _unknown(shelf, name)
        return document
    is_whole = name.startswith(f"{RESOURCES}/")
    check_resource_path(name if is_whole else f"{RESOURCES}/{PATTERNS}/{name}")
    wanted = name.removeprefix(f"{RESOURCES}/{PATTERNS}/")
    found = find_by_name(shelf, PATTERNS, wanted)
    if found is None:
        same = [each for each in shelf.of(PATTERNS) if _is_called(each, _folded(wanted))]
        found = same[0] if len(same) == 1 else None
    if found is None:
        raise _unknown(shelf, name)
    return found


def _is_called(document: ArchitectureDocument, folded: str) -> bool:
    names = (document.name, document.name.rpartition("/")[2], document.title)
    return folded in map(_folded, names)


def _folded(name: str) -> str:
    return "-".join(name.removesuffix(".md").casefold().replace("_", " ").replace("-", " ").split())


def _unknown(shelf: DocumentShelf, name: str) -> InvalidArguments:
    available = [document.name for document in shelf.of(PATTERNS)]
    alike = get_close_matches(name, available, n=3, cutoff=ALIKE)
    details: dict[str, Any] = {"available": available}
    if alike:
        details["suggestions"] = alike
    return InvalidArguments(f"pattern not found: {cut_text(name, LONGEST_NAME)}", **details)


def _violation(finding: Breach, document: ArchitectureDocument) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "description": finding.description,
        "severity": finding.severity,
        "line": finding.line,
        "document_line": finding.document_line,
        **({"citation": document.cited(*[finding.document_line] * 2)} if finding.document_line else {}),
    }
