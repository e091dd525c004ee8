"""Declares the five directive tools, and answers their calls."""

from typing import TYPE_CHECKING, Any

from fieldguide.spine.tool import Answer, Call, Tool, Wording, import_late
from fieldguide.spine.toolset import Dialect, FailedCall, Services, Toolset, make_cached, make_error_answer
from fieldguide.text.errors import CircuitOpen, FieldguideError, InvalidArguments, ToolNotFound

if TYPE_CHECKING:
    from collections.abc import Callable

    from fieldguide.toolsets.directive.folder import DirectiveFolder


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


class DirectiveTools:
    """What the tools do: each hands its call to the folder."""

    def __init__(self, open_folder: "Callable[[], DirectiveFolder]") -> None:
        self.open_folder = open_folder

    def list_files(self, call: Call) -> dict[str, Any]:
        """`directive/files.list`."""
        return {"files": self.open_folder().paths()}

    def get_file(self, call: Call) -> dict[str, Any]:
        """`directive/file.get`."""
        return self.open_folder().get(call.arguments["path"])

    def spec_template(self, call: Call) -> dict[str, Any]:
        """`directive/spec.template`."""
        return self.open_folder().bundle("spec_template.md")

    def impact_template(self, call: Call) -> dict[str, Any]:
        """`directive/impact.template`."""
        return self.open_folder().bundle("impact_template.md")

    def tdr_template(self, call: Call) -> dict[str, Any]:
        """`directive/tdr.template`."""
        return self.open_folder().bundle("tdr_template.md")


def toolset(services: Services) -> Toolset:
    """The directive toolset over a project."""
    do = DirectiveTools(make_cached(import_late(f"{FOLDER}:DirectiveFolder", services.project)))
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
                run=do.list_files,
            ),
            Tool(
                name="directive/file.get",
                title="Read Directive File",
                description="Read a file under `directive/` by path and return its full contents verbatim.",
                input_schema=ONE_PATH,
                run=do.get_file,
                wording=WHOLE,
            ),
            Tool(
                name="directive/spec.template",
                title="Spec Template Bundle",
                description="Return Agent Operating Procedure, Agent Context, and the Spec template, "
                "plus a concise Primer for drafting a new Spec.",
                input_schema=NO_ARGUMENTS,
                run=do.spec_template,
                wording=WHOLE,
            ),
            Tool(
                name="directive/impact.template",
                title="Impact Template Bundle",
                description="Return Agent Operating Procedure, Agent Context, and the Impact template, "
                "plus a concise Primer for drafting an Impact analysis.",
                input_schema=NO_ARGUMENTS,
                run=do.impact_template,
                wording=WHOLE,
            ),
            Tool(
                name="directive/tdr.template",
                title="TDR Template Bundle",
                description="Return Agent Operating Procedure, Agent Context, and the TDR template, "
                "plus a concise Primer for drafting a Technical Design Review.",
                input_schema=NO_ARGUMENTS,
                run=do.tdr_template,
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
