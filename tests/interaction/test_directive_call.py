"""The five directive tools, called by the official client."""

import json
import os

import pytest

from tests.clients import connected, payload
from tests.proves import proves
from tests.raw_client import RawClient

pytestmark = pytest.mark.anyio
BUNDLES = ("spec", "impact", "tdr")


def serving(root):
    return connected(root, "--toolsets", "directive")


async def call_all(root, *calls):
    """The answers to some calls on one connection, each given by its tool and its arguments."""
    async with serving(root) as client:
        return [await client.call_tool(*each) for each in calls]


async def call(root, tool, arguments=None):
    [answer] = await call_all(root, (tool, arguments))
    return answer


@proves("S4-11", "U4-2", "U4-8", "S0-4")
async def test_files_list_names_every_file_hidden_ones_too(project):
    project.add_directive()
    project.write("directive/specs/a feature/spec.md", "x")
    project.write("directive/.hidden/.keep", "")
    project.write("outside.md", "not one of them")

    result = await call(project.root, "directive/files.list")

    assert payload(result) == {
        "files": [
            "directive/.hidden/.keep",
            "directive/agent_context.md",
            "directive/agent_operating_procedure.md",
            "directive/specs/a feature/spec.md",
            "directive/templates/impact_template.md",
            "directive/templates/spec_template.md",
            "directive/templates/tdr_template.md",
        ]
    }
    assert result.structured_content == payload(result)


@proves("U4-2")
async def test_files_list_without_a_folder_says_how_to_get_one(project):
    result = await call(project.root, "directive/files.list")

    assert result.is_error
    assert result.content[0].text == "directive/ directory not found. Run 'directive init' to create it."


@proves("S4-12", "U4-5")
@pytest.mark.parametrize("path", ["directive/odd.md", "odd.md"])
async def test_file_get_gives_the_file_to_the_last_byte(project, path):
    content = "\ufeffCRLF here\r\nand a tab\t, ’quotes’, 日本語 🦊\n\n  trailing  \n\n"
    on_disk = project.write("directive/odd.md", content)

    result = await call(project.root, "directive/file.get", {"path": path})

    assert payload(result) == {"path": path, "content": content}
    assert payload(result)["content"].encode() == on_disk.read_bytes()


@proves("S4-13", "S4-14", "S4-15", "S4-16", "S4-17", "U4-1", "U4-3")
@pytest.mark.parametrize("layout", ["", "reference/"])
async def test_a_bundle_holds_procedure_context_template_and_primer(project, layout):
    project.add_directive(layout)
    folder = f"directive/{layout}"
    async with serving(project.root) as client:
        for kind in BUNDLES:
            bundle = payload(await client.call_tool(f"directive/{kind}.template"))

            assert list(bundle) == ["primer", "agentOperatingProcedure", "agentContext", "template", "resources"]
            assert bundle == {
                "primer": "Do not write code before the TDR.",
                "agentOperatingProcedure": {
                    "path": f"{folder}agent_operating_procedure.md",
                    "content": "# How\n\n**Do not write code before the TDR.**\n",
                },
                "agentContext": {"path": f"{folder}agent_context.md", "content": "# Context\n"},
                "template": {"path": f"{folder}templates/{kind}_template.md", "content": f"# The {kind} template\n"},
                "resources": [
                    {"path": f"{folder}agent_operating_procedure.md"},
                    {"path": f"{folder}agent_context.md"},
                    {"path": f"{folder}templates/{kind}_template.md"},
                ],
            }
            assert payload(await client.call_tool(f"directive/{kind}.template", {})) == bundle


@proves("U4-4")
@pytest.mark.parametrize(
    ("procedure", "primer"),
    [
        ("# A\n\n> **Do not start coding** yet.  \n", "> Do not start coding yet."),
        ("Do not write code.\nDo not start coding.\n", "Do not write code."),
        ("# Nothing of the kind\n", "Do not write code before TDR approval. Follow Spec → Impact → TDR → TDD."),
        ("", "Do not write code before TDR approval. Follow Spec → Impact → TDR → TDD."),
    ],
)
async def test_the_primer_is_the_line_that_says_not_to_code(project, procedure, primer):
    project.add_directive()
    project.write("directive/agent_operating_procedure.md", procedure)

    bundle = payload(await call(project.root, "directive/spec.template"))

    assert bundle["primer"] == primer


@proves("S4-19", "S4-20", "S4-21", "S4-22", "D-6", "D-29", "D-32")
async def test_wrong_arguments_are_explained_in_a_tool_error(project):
    project.add_directive()
    async with serving(project.root) as client:
        for tool, arguments, hint in (
            ("directive/file.get", {}, "missing required argument: path"),
            ("directive/file.get", {"path": 5}, "field path must be a string"),
            ("directive/file.get", {"path": None}, "field path must be a string"),
            ("directive/file.get", {"path": "a.md", "mode": "r"}, "unexpected argument: mode"),
            ("directive/files.list", {"folder": "x"}, "unexpected argument: folder"),
            ("directive/spec.template", {"name": "x"}, "unexpected argument: name"),
        ):
            result = await client.call_tool(tool, arguments)
            assert (result.is_error, result.content[0].text) == (True, f"Invalid arguments for {tool}: {hint}")
        unknown = await client.call_tool("directive/nothing")

    assert (unknown.is_error, unknown.content[0].text) == (True, "Tool not found: directive/nothing")


@proves("S4-23", "U4-5", "U4-7")
@pytest.mark.parametrize(
    ("removed", "text"),
    [
        ("agent_operating_procedure.md", "Missing directive/agent_operating_procedure.md. Run 'directive update'."),
        ("agent_context.md", "Missing directive/agent_context.md. Run 'directive update'."),
    ],
)
async def test_a_missing_reference_file_keeps_its_helpful_message(project, removed, text):
    project.add_directive()
    (project.root / "directive" / removed).unlink()

    bundle, read = await call_all(project.root, ("directive/tdr.template",), ("directive/file.get", {"path": removed}))

    assert (bundle.is_error, bundle.content[0].text) == (True, text)
    assert (read.is_error, read.content[0].text) == (True, f"File not found under directive/: {removed}")


@proves("S4-24", "U4-7")
async def test_a_missing_template_lists_those_that_are_there(project):
    project.add_directive()
    (project.root / "directive/templates/spec_template.md").unlink()

    result = await call(project.root, "directive/spec.template")

    assert result.is_error
    assert result.content[0].text == (
        "Missing template: directive/templates/spec_template.md. "
        "Run 'directive update' or choose an existing template. "
        "Available templates: directive/templates/impact_template.md, directive/templates/tdr_template.md"
    )


@proves("S4-30", "U4-5")
async def test_nothing_outside_the_folder_can_be_read(project):
    project.add_directive()
    secret = project.write("secret.md", "the secret")
    (project.root / "directive/link-out.md").symlink_to("../secret.md")
    (project.root / "directive/folder-out").symlink_to("..")
    (project.root / "directive/absolute-link.md").symlink_to(secret)
    async with serving(project.root) as client:
        for path in (
            "../secret.md",
            "directive/../secret.md",
            "directive/templates/../../secret.md",
            "/etc/passwd",
            "directive/link-out.md",
            "directive/folder-out/secret.md",
            "directive/absolute-link.md",
            "templates/./../../secret.md",
        ):
            result = await client.call_tool("directive/file.get", {"path": path})
            assert result.is_error
            assert result.content[0].text == "Path escape detected; refusing to read outside directive root"


@proves("S4-30")
async def test_a_directive_folder_that_leads_out_of_the_project_is_not_read(project, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "agent_context.md").write_text("somebody else's")
    (project.root / "directive").symlink_to(elsewhere)

    context = ("directive/file.get", {"path": "agent_context.md"})
    listed, read = await call_all(project.root, ("directive/files.list",), context)

    assert listed.is_error
    assert read.is_error
    assert "somebody else's" not in read.content[0].text


async def test_what_is_no_text_file_is_refused_and_nothing_hangs(project):
    project.add_directive()
    folder = project.root / "directive"
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    (folder / "binary").write_bytes(b"\xff\xfe\x00")
    (folder / "large").write_bytes(b"x" * ((1 << 20) + 1))
    (folder / "loop").symlink_to("loop")
    async with serving(project.root) as client:
        for path in ("pipe", "folder", "binary", "large", "loop"):
            result = await client.call_tool("directive/file.get", {"path": path})
            assert result.is_error
            assert "directive" in result.content[0].text
            assert str(project.root) not in result.content[0].text


@proves("S4-18", "S4-26", "U4-6", "D-32")
async def test_the_custom_methods_answer_with_the_plain_payload_and_plain_errors(project):
    project.add_directive()
    with RawClient(project.root).ready() as client:
        for method, tool, arguments in (
            ("directive.files.list", "directive/files.list", {}),
            ("directive.file.get", "directive/file.get", {"path": "directive/agent_context.md"}),
            ("spec.template", "directive/spec.template", {}),
            ("impact.template", "directive/impact.template", {}),
            ("tdr.template", "directive/tdr.template", {}),
        ):
            wrapped = client.call(tool, **arguments)
            assert client.request(method, **arguments)["result"] == json.loads(wrapped["content"][0]["text"])
        gone = client.request("directive.file.get", path="nope.md")["error"]
        left_out = client.request("directive.file.get")["error"]

    assert (gone["code"], gone["message"]) == (1001, "File not found under directive/: nope.md")
    assert (left_out["code"], left_out["message"]) == (-32602, "missing required argument: path")


@proves("S4-27")
async def test_no_directive_tool_writes_anything(project):
    project.add_directive()
    before = {path: path.stat().st_mtime_ns for path in sorted(project.root.rglob("*"))}

    async with serving(project.root) as client:
        for tool in (await client.list_tools()).tools:
            await client.call_tool(tool.name, {"path": "agent_context.md"} if tool.name.endswith("get") else {})

    assert {path: path.stat().st_mtime_ns for path in sorted(project.root.rglob("*"))} == before


async def test_text_that_a_person_would_not_see_is_given_verbatim_with_a_warning(project):
    project.add_directive()
    content = "# Context\nHarmless.\u202e\u200b\U000e0041\n"
    project.write("directive/agent_context.md", content)

    context = ("directive/file.get", {"path": "agent_context.md"})
    read, bundle = map(payload, await call_all(project.root, context, ("directive/spec.template",)))

    warning = (
        "The text holds 3 invisible or bidirectional characters (U+200B, U+202E, U+E0041); a person may not see them."
    )
    assert read == {"path": "agent_context.md", "content": content, "warnings": [warning]}
    assert bundle["warnings"] == [warning]
