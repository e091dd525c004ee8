"""Declares the five directive tools."""

from typing import Any

from fieldguide.spine.tool import Answer, Dialect, FailedCall, Tool, Wording, make_error_answer
from fieldguide.spine.toolset import Services, Toolset, import_late
from fieldguide.text.errors import CircuitOpen, FieldguideError, InvalidArguments, ToolNotFound


def tell(error: FieldguideError, failing: FailedCall) -> Answer:
    """The sentence, with the tool's name where its arguments were wrong."""
    if isinstance(error, InvalidArguments):
        return make_error_answer(f"Invalid arguments for {failing.tool.name}: {error.message}")
    hint = f". {error.hint}" if isinstance(error, CircuitOpen) else ""
    return make_error_answer(f"{error.message}{hint}")


def tell_unknown(error: ToolNotFound) -> Answer:
    """The sentence."""
    return make_error_answer(error.message)


DIALECT = "fieldguide.toolsets.directive.tools"
FOLDER = "fieldguide.toolsets.directive.folder"
WHOLE = Wording(is_whole=True)
NO_ARGUMENTS: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": {}}
ONE_PATH: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "path": {"type": "string", "description": "Path under directive/ (e.g., directive/agent_context.md)"}
    },
    "required": ["path"],
}


def toolset(services: Services) -> Toolset:
    """The directive toolset over a project."""
    bundle = f"{FOLDER}:get_template"
    return Toolset(
        name="directive",
        dialect=Dialect(import_late(f"{DIALECT}:tell"), import_late(f"{DIALECT}:tell_unknown")),
        claims="directive/",
        about="its way of working",
        tools=(
            Tool(
                name="directive/files.list",
                title="List Directive Files",
                description="List all files under the repository’s `directive/` directory (context and templates).",
                input_schema=NO_ARGUMENTS,
                run=import_late(f"{FOLDER}:list_files", services),
            ),
            Tool(
                name="directive/file.get",
                title="Read Directive File",
                description="Read a file under `directive/` by path and return its full contents verbatim.",
                input_schema=ONE_PATH,
                run=import_late(f"{FOLDER}:get_file", services),
                wording=WHOLE,
            ),
            Tool(
                name="directive/spec.template",
                title="Spec Template Bundle",
                description="Return Agent Operating Procedure, Agent Context, and the Spec template, "
                "plus a concise Primer for drafting a new Spec.",
                input_schema=NO_ARGUMENTS,
                run=import_late(bundle, services, "spec_template.md"),
                wording=WHOLE,
            ),
            Tool(
                name="directive/impact.template",
                title="Impact Template Bundle",
                description="Return Agent Operating Procedure, Agent Context, and the Impact template, "
                "plus a concise Primer for drafting an Impact analysis.",
                input_schema=NO_ARGUMENTS,
                run=import_late(bundle, services, "impact_template.md"),
                wording=WHOLE,
            ),
            Tool(
                name="directive/tdr.template",
                title="TDR Template Bundle",
                description="Return Agent Operating Procedure, Agent Context, and the TDR template, "
                "plus a concise Primer for drafting a Technical Design Review.",
                input_schema=NO_ARGUMENTS,
                run=import_late(bundle, services, "tdr_template.md"),
                wording=WHOLE,
            ),
        ),
        methods={
            "directive.files.list": "directive/files.list",
            "directive.file.get": "directive/file.get",
            "spec.template": "directive/spec.template",
            "impact.template": "directive/impact.template",
            "tdr.template": "directive/tdr.template",
        },
    )
