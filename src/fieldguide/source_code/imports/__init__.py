"""Which files of the project a source file imports: read by a parser, resolved by the rules of each language."""

from fieldguide.source_code.imports.project import ConfinedFiles, Listing, ProjectFiles
from fieldguide.source_code.imports.reading import ImportReader, read_imports
from fieldguide.source_code.imports.resolving import Resolution, lead_of, resolve_imports
from fieldguide.source_code.imports.written import Import
from fieldguide.source_code.syntax_problem import SyntaxProblem

__all__ = [
    "ConfinedFiles",
    "Import",
    "ImportReader",
    "Listing",
    "ProjectFiles",
    "Resolution",
    "SyntaxProblem",
    "lead_of",
    "read_imports",
    "resolve_imports",
]
