"""A template bundle: everything an agent needs to draft a Spec, an Impact analysis or a TDR, in one answer."""

from collections.abc import Sequence
from typing import Any

from fieldguide.spine.foreign_text.text_warnings import text_warnings
from fieldguide.toolsets.directive.folder import DirectiveFolder, TextFile

DEFAULT_PRIMER = "Do not write code before TDR approval. Follow Spec → Impact → TDR → TDD."
PRIMER_MARKS = ("Do not write code", "Do not start coding")


def build_template_bundle(folder: DirectiveFolder, template_name: str) -> dict[str, Any]:
    """The procedure, the context and the template, with a one-line primer before them."""
    procedure, context, template = folder.procedure(), folder.context(), folder.template(template_name)
    bundle = {
        "primer": primer_of(procedure.content),
        "agentOperatingProcedure": _described(procedure),
        "agentContext": _described(context),
        "template": _described(template),
        "resources": [{"path": procedure.path}, {"path": context.path}, {"path": template.path}],
    }
    return with_warnings(bundle, [procedure, context, template])


def with_warnings(payload: dict[str, Any], files: Sequence[TextFile]) -> dict[str, Any]:
    """A payload, with `warnings` after it where a file holds what a person would not see, or should not store."""
    warnings = text_warnings(file.content for file in files)
    return {**payload, "warnings": warnings} if warnings else payload


def primer_of(procedure: str) -> str:
    """The line of the procedure that says not to code yet, without its emphasis."""
    for line in procedure.splitlines():
        if any(mark in line for mark in PRIMER_MARKS):
            return line.strip().replace("**", "")
    return DEFAULT_PRIMER


def _described(file: TextFile) -> dict[str, str]:
    return {"path": file.path, "content": file.content}
