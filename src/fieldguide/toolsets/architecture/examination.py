"""A look at all architecture documents of a project, for people: how many there are, and what is wrong with them."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal
from fieldguide.project_text.settled_files import LARGEST_BYTES
from fieldguide.toolsets.architecture.library import Library
from fieldguide.toolsets.architecture.prompts.definition import MalformedPrompt, read_definition
from fieldguide.toolsets.architecture.roots import ADR, GUIDELINES, PATTERNS, PROMPTS
from fieldguide.toolsets.architecture.rules import read_pattern


class Examination(NamedTuple):
    """The number of documents, a sentence about them, and each problem with the place where it stands."""

    documents: int
    told: str
    problems: tuple[tuple[str, str], ...]


def examined(project: ConfinedFolder, settings: Mapping[str, Any]) -> Examination:
    """Read every document and every prompt of a project."""
    library = Library(project, settings)
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
    return Examination(len(shelf.documents), told, (*library.refused.items(), *problems, *_malformed_prompts(project)))


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
