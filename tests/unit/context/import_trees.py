"""Small project trees for the tests of imports: written from a table, asked through the confined folder."""

from pathlib import Path

from fieldguide.code.imports.languages import Resolution, read_imports, resolve_imports
from fieldguide.code.imports.project_files import ConfinedFiles
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import language_of


def grow(root: Path, files: dict[str, str]) -> None:
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")


def resolve(root: Path, path: str) -> Resolution:
    """What a file of the tree imports, as `read_file` would ask."""
    language = language_of(path) or ""
    imports = read_imports((root / path).read_text(encoding="utf-8"), language)
    return resolve_imports(path, imports, language, ConfinedFiles(ConfinedFolder(str(root))))


def internal(root: Path, files: dict[str, str], path: str) -> list[str]:
    grow(root, files)
    return resolve(root, path).internal
