"""Reads the `directive/` folder of a project, and builds the template bundles."""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.text.display import warn_of_masking, warn_of_text
from fieldguide.text.errors import NotFound, PathEscape, Unreadable
from fieldguide.text.secrets import mask_address_secrets_of_file

NAME = "directive"
PROCEDURE = "agent_operating_procedure.md"
CONTEXT = "agent_context.md"
TEMPLATES = ("spec_template.md", "impact_template.md", "tdr_template.md")
LAYOUTS = ("", "reference/")
LIMIT_BYTES = 1 << 20


class DirectiveFile(NamedTuple):
    """A file of the folder: its path as the project writes it, and its text to the last byte."""

    path: str
    content: str


class DirectiveFolder:
    """Reads the folder anew each time: people edit these files while an agent works."""

    def __init__(self, project: ConfinedFolder) -> None:
        self._folder = project.folder(NAME)

    def paths(self) -> list[str]:
        """Every file of the folder, hidden ones too, as `directive/<path>`, sorted."""
        if not self._folder.exists():
            raise NotFound("directive/ directory not found. Run 'directive init' to create it.")
        return sorted(f"{NAME}/{_shown(path)}" for path in self._folder.files())

    def get(self, path: str) -> dict[str, Any]:
        """A file as an answer, with a warning where its text is one to be wary of."""
        file = self.read(path)
        return add_warnings({"path": file.path, "content": file.content}, [file])

    def bundle(self, template_name: str) -> dict[str, Any]:
        """A template with the procedure and the context."""
        return build_template_bundle(self, template_name)

    def read(self, path: str) -> DirectiveFile:
        """The file at a path given with or without `directive/`; the answer echoes the path as it was given."""
        inner = path.removeprefix(f"{NAME}/").lstrip("/") if path.startswith(f"{NAME}/") else path
        try:
            content = self._folder.read(inner, limit_bytes=LIMIT_BYTES)
        except PathEscape:
            raise PathEscape("Path escape detected; refusing to read outside directive root", path=path) from None
        except NotFound:
            raise NotFound(f"File not found under directive/: {path}", path=path) from None
        except Unreadable as error:
            raise Unreadable(f"File can't be read under directive/: {path} ({_reason(error)})", path=path) from None
        try:
            return DirectiveFile(path, mask_address_secrets_of_file(path, content.decode("utf-8")))
        except UnicodeDecodeError:
            raise Unreadable(f"File is not UTF-8 text under directive/: {path}", path=path) from None

    def procedure(self) -> DirectiveFile:
        """The Agent Operating Procedure."""
        return self._reference(PROCEDURE)

    def context(self) -> DirectiveFile:
        """The Agent Context."""
        return self._reference(CONTEXT)

    def template(self, name: str) -> DirectiveFile:
        """A template; when it is missing, the message lists those that are there."""
        found = self._first(f"templates/{name}")
        if found is not None:
            return found
        available = [path for path in self.paths() if os.path.dirname(path).endswith("/templates")]
        listed = ", ".join(available) or "none"
        raise NotFound(
            f"Missing template: directive/templates/{name}. Run 'directive update' or choose an existing template. "
            f"Available templates: {listed}",
            available=available,
        )

    def _reference(self, name: str) -> DirectiveFile:
        found = self._first(name)
        if found is None:
            raise NotFound(f"Missing directive/{name}. Run 'directive update'.")
        return found

    def _first(self, name: str) -> DirectiveFile | None:
        """The file in the layout that this project uses: the older one at the top, or the newer `reference/`."""
        for layout in LAYOUTS:
            try:
                return self.read(f"{NAME}/{layout}{name}")
            except NotFound:
                continue
        return None


def _shown(path: str) -> str:
    """A file name that is not UTF-8 is shown with replacement characters; JSON has no other way."""
    return os.fsencode(path).decode("utf-8", "replace")


def _reason(error: Unreadable) -> str:
    return error.message.partition(":")[0].lower()


DEFAULT_PRIMER = "Do not write code before TDR approval. Follow Spec → Impact → TDR → TDD."
PRIMER_MARKS = ("Do not write code", "Do not start coding")


def build_template_bundle(folder: DirectiveFolder, template_name: str) -> dict[str, Any]:
    """The procedure, the context and the template, with a one-line primer before them."""
    procedure = folder.procedure()
    context = folder.context()
    template = folder.template(template_name)
    bundle = {
        "primer": find_primer(procedure.content),
        "agentOperatingProcedure": _described(procedure),
        "agentContext": _described(context),
        "template": _described(template),
        "resources": [{"path": procedure.path}, {"path": context.path}, {"path": template.path}],
    }
    return add_warnings(bundle, [procedure, context, template])


def add_warnings(payload: dict[str, Any], files: Sequence[DirectiveFile]) -> dict[str, Any]:
    """A payload, with `warnings` after it where a file holds what a person would not see, or should not store."""
    texts = [file.content for file in files]
    warnings = [*warn_of_text(texts), *warn_of_masking(texts)]
    return {**payload, "warnings": warnings} if warnings else payload


def find_primer(procedure: str) -> str:
    """The line of the procedure that says not to code yet, without its emphasis."""
    for line in procedure.splitlines():
        if any(mark in line for mark in PRIMER_MARKS):
            return line.strip().replace("**", "")
    return DEFAULT_PRIMER


def _described(file: DirectiveFile) -> dict[str, str]:
    return {"path": file.path, "content": file.content}
