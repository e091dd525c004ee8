"""Which files of the project a source file imports: read by a parser, resolved by the rules of each language."""

from fieldguide.toolsets.context.imports.project import ConfinedFiles, Listing, ProjectFiles
from fieldguide.toolsets.context.imports.reading import ImportReader, read_imports
from fieldguide.toolsets.context.imports.resolving import Resolution, resolve_imports
from fieldguide.toolsets.context.imports.written import Import, SyntaxProblem

__all__ = [
    "ConfinedFiles",
    "Import",
    "ImportReader",
    "Listing",
    "ProjectFiles",
    "Resolution",
    "SyntaxProblem",
    "read_imports",
    "resolve_imports",
]
