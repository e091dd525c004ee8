"""Templates filled in, with a shelf and tools made for the purpose."""

from hypothesis import given
from hypothesis import strategies as st

from fieldguide.spine.tool import Tool
from fieldguide.text.errors import InvalidArguments, ToolNotFound
from fieldguide.toolsets.architecture.library import DocumentShelf
from fieldguide.toolsets.architecture.prompts import EmbeddingBudget, describe_tool, find_named_tools, render_template
from tests.proves import proves

NO_DOCUMENTS = DocumentShelf(1, (), {})
SCHEMA = {
    "type": "object",
    "properties": {
        "late": {"type": "string", "description": "Comes first (really) (at most once)", "maxLength": 7},
        "early": {"type": "integer", "description": "Comes last"},
        "bare": {"type": "boolean"},
        "braces": {"type": "string", "description": "(only this)"},
    },
    "required": ["early"],
}


def find_tool(name):
    if name != "made-up":
        raise ToolNotFound(name, ["made-up"])
    return Tool(name="made-up", description="Does nothing", input_schema=SCHEMA, run=lambda call: None)


def filled(template, **arguments):
    return render_template(template, arguments, lambda: NO_DOCUMENTS, find_tool, EmbeddingBudget())


@proves("D-5", "S0-55")
def test_a_tool_is_told_in_the_order_of_its_schema_without_the_last_parenthesis():
    assert describe_tool("made-up", find_tool) == (
        "Tool: made-up\nDescription: Does nothing\nParameters:\n"
        "  - late (optional): Comes first (really) (max 7 chars)\n"
        "  - early (required): Comes last\n"
        "  - bare (optional): \n"
        "  - braces (optional): "
    )


def test_the_tools_of_a_template_are_known_unless_an_argument_names_them():
    assert find_named_tools("{{tool:a}} {{ tool: b }} {{tool:{{c}}}} {{resource:d}} {tool:e}") == ["a", "b"]


@given(st.text(), st.text())
def test_arguments_stand_in_the_text_as_they_were_given(first, second):
    assert filled("<{{a}}|{{b}}|{{a}}>", a=first, b=second) == f"<{first}|{second}|{first}>"


@given(st.text(alphabet="{}:toolresuc a*/", max_size=40))
def test_any_template_is_filled_in_or_refused(template):
    try:
        text = filled(template, a="x")
    except InvalidArguments:
        return

    assert isinstance(text, str)


def test_a_template_full_of_braces_is_read_in_no_time():
    template = "{{resource:" + "{{a}}" * 20_000 + "{{" * 20_000

    assert filled(template, a="").startswith("{{resource:")
