"""Files of other tools: which tool each is of, and what of it is carried over."""

import os
from collections.abc import Callable, Sequence

from fieldguide.cli.ruled.taken_over.ast_grep import carry_ast_grep, is_ast_grep, yaml_documents
from fieldguide.cli.ruled.taken_over.carried import Carried, Left, Source
from fieldguide.cli.ruled.taken_over.eslint import carry_eslint, is_eslint
from fieldguide.cli.ruled.taken_over.import_linter import carry_import_linter, is_import_linter
from fieldguide.cli.ruled.taken_over.semgrep import carry_semgrep, is_semgrep
from fieldguide.errors import Misconfiguration
from fieldguide.formats import Malformed

LARGEST_BYTES = 1 << 20
YAML = (".yml", ".yaml")
MOST_FILES = 2_000
KNOWN = "rules of ast-grep or semgrep in YAML, contracts of import-linter, and settings of ESLint"


def files_named(paths: Sequence[str]) -> list[str]:
    """The files that were named, and the YAML files of the folders that were."""
    found: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            below = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
            found += sorted(each for each in below if each.endswith(YAML))
        else:
            found.append(path)
    if len(found) > MOST_FILES:
        raise Misconfiguration(f"These are more than {MOST_FILES:,} files.")
    return found


def read_source(path: str, project_paths: Sequence[str], read: Callable[[str], str]) -> Source:
    """A file of another tool, which whoever typed its name may read."""
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise Misconfiguration(f"{path!r} can't be read: {error.strerror}.") from error
    if len(content) > LARGEST_BYTES:
        raise Misconfiguration(f"{path!r} is larger than {LARGEST_BYTES:,} bytes.")
    return Source(path, content.decode("utf-8-sig", errors="replace"), tuple(project_paths), read)


def carry(source: Source) -> tuple[str, list[Carried | Left]]:
    """The tool that a file is of, and its rules, carried over or left."""
    try:
        return _carried(source)
    except Malformed as error:
        raise Misconfiguration(f"{source.path}:{error.line}: It can't be read: {error.reason}.") from error


def _carried(source: Source) -> tuple[str, list[Carried | Left]]:
    if is_eslint(source):
        return "eslint", carry_eslint(source)
    if is_import_linter(source):
        return "import-linter", carry_import_linter(source)
    if source.path.endswith(YAML):
        documents = yaml_documents(source.text)
        if is_semgrep(documents):
            return "semgrep", carry_semgrep(source)
        if is_ast_grep(documents):
            return "ast-grep", carry_ast_grep(source)
    raise Misconfiguration(f"{source.path!r} has no rules that are known. Taken over are {KNOWN}.")
