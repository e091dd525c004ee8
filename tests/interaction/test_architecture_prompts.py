"""The prompts: those that are built in, the project's own, and how a template is filled in."""

import json

import pytest

from tests.architecture_projects import (
    FLAGS,
    LAYERS,
    NAMING,
    PATTERNS,
    POSTGRESQL,
    PROMPTS,
    REPOSITORY,
    prompt_text,
    served,
    write_architecture,
    write_prompt,
)
from tests.clients import connected
from tests.processes import eventually
from tests.projects import Project
from tests.proves import proves
from tests.raw_client import RawClient

BETWEEN = "\n\n---\n\n"
VALIDATE_EXPANDED = """\
Tool: validate-against-pattern
Description: Validates code against documented architectural patterns
Parameters:
  - code (required): Code to validate (max 50000 chars)
  - pattern_name (required): Name of pattern to validate against
  - language (optional): Programming language"""
SEARCH_EXPANDED = """\
Tool: search-architecture
Description: Searches architectural documentation by keywords
Parameters:
  - query (required): Search query (max 500 chars)
  - resource_type (optional): Filter by resource type
  - max_results (optional): Maximum results to return"""
ALIGN_EXPANDED = """\
Tool: check-adr-alignment
Description: Checks if a decision aligns with existing ADRs
Parameters:
  - decision_description (required): Description of the proposed decision (max 5000 chars)
  - decision_context (optional): Context or problem being addressed (max 2000 chars)"""
EXPANDED = {
    "validate-against-pattern": VALIDATE_EXPANDED,
    "search-architecture": SEARCH_EXPANDED,
    "check-adr-alignment": ALIGN_EXPANDED,
}
DECISIONS = ["adr/001-use-postgresql", "adr/002-publish-domain-events", "adr/003-offer-rest"]
BOTH_GUIDELINES = ["guidelines/http/errors", "guidelines/naming"]
EMBEDDED = [
    ("architecture://guidelines/naming", ["guidelines/naming"]),
    ("architecture://guidelines/http/errors", ["guidelines/http/errors"]),
    ("architecture://adr/001", DECISIONS[:1]),
    ("architecture://adr/001-use-postgresql", DECISIONS[:1]),
    ("architecture://guidelines/*", BOTH_GUIDELINES),
    ("architecture://guidelines/http/*", ["guidelines/http/errors"]),
    ("architecture://patterns/*-pattern", ["patterns/repository-pattern"]),
    ("architecture://adr/*", DECISIONS),
    ("architecture://adr/*-offer-*", DECISIONS[2:]),
    ("architecture://*", [*DECISIONS, *BOTH_GUIDELINES, "patterns/layered-imports", "patterns/repository-pattern"]),
]
REFUSED = [
    ("architecture://patterns/nothing", "Resource not found"),
    ("architecture://nothing/x", "unsupported resource category"),
    ("architecture://patterns/../../secret", "Path traversal attempt detected"),
    ("file:///etc/passwd", "Invalid resource URI"),
]
TOPIC = {"name": "topic", "description": "What about", "required": True}
DETAIL = {"name": "detail", "description": "More", "required": False}


def embedded(title, path, text):
    return f"# {title}\nSource: {path}\n\n{text}"


@pytest.fixture(scope="module")
def architecture(tmp_path_factory):
    """Guidelines, patterns and decisions, and a prompt for every way to fill in a template."""
    project = Project(tmp_path_factory.mktemp("prompts"))
    write_architecture(project)
    for tool in EXPANDED:
        write_prompt(project, f"one-{tool}", f"{{{{tool:{tool}}}}}")
        write_prompt(project, f"two-{tool}", f"a {{{{tool:{tool}}}}} b {{{{ tool: {tool} }}}} c")
    for number, (reference, _) in enumerate((*EMBEDDED, *REFUSED)):
        write_prompt(project, f"read-{number}", f"<{{{{resource:{reference}}}}}>")
    text = "{{topic}} and {{ topic }}, {{detail}}, {{nobody}}, {{}}, {topic}, {{topic"
    write_prompt(project, "variables", text, arguments=[TOPIC, DETAIL])
    write_prompt(project, "echo", "<{{topic}}>{{detail}}", arguments=[TOPIC, DETAIL])
    write_prompt(project, "choose", "{{resource:architecture://patterns/{{topic}}}}", arguments=[TOPIC])
    write_prompt(project, "no-match", "{{resource:architecture://patterns/none-*}}")
    return project


@pytest.fixture(scope="module")
def client(architecture):
    with served(architecture) as client:
        yield client


def names(client):
    return [prompt["name"] for prompt in client.request("prompts/list")["result"]["prompts"]]


def refusal(client, prompt, **arguments):
    error = client.request("prompts/get", name=prompt, arguments=arguments)["error"]
    return error["code"], error["message"]


def notices(client):
    """What the journal says about prompts once the server has left."""
    _, _, journal = client.leave()
    return [line["notice"] for line in journal if line["message"] == "Prompts"]


@proves("S0-58", "S0-59", "U0-7", "S0-8")
@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_lists_the_built_in_prompts_and_gets_one(project, mode):
    async with connected(project.root, *FLAGS, mode=mode) as client:
        prompts = (await client.list_prompts()).prompts
        got = await client.get_prompt("guided-pattern-validation", {"code": "x = 1"})

    assert {prompt.name: [(each.name, each.required) for each in prompt.arguments or ()] for prompt in prompts} == {
        "create-adr": [("topic", True)],
        "guided-pattern-validation": [("code", True), ("pattern_name", False), ("language", False)],
        "review-code-against-patterns": [("code", True), ("language", False)],
        "suggest-patterns": [("problem", True)],
    }
    [guided] = [prompt for prompt in prompts if prompt.name == "guided-pattern-validation"]
    assert guided.description == got.description == "Guided workflow for validating code against patterns"
    assert next(each.description for each in guided.arguments or ()) == "Code to validate"
    [message] = got.messages
    text = getattr(message.content, "text", "")
    assert (message.role, message.content.type) == ("user", "text")
    assert text.startswith("I'll help you validate this code against our patterns.")
    assert f"\n{VALIDATE_EXPANDED}\n" in text
    assert "You can use the validate-against-pattern tool with your code to check compliance." in text
    assert "x = 1" in text


@proves("S0-82", "S0-55", "U0-7")
@pytest.mark.parametrize(
    ("prompt", "arguments", "tools"),
    [
        ("create-adr", {"topic": "Where"}, (SEARCH_EXPANDED, ALIGN_EXPANDED, "Where")),
        ("guided-pattern-validation", {"code": "x", "pattern_name": "saga", "language": "go"}, (VALIDATE_EXPANDED,)),
        ("review-code-against-patterns", {"code": "x", "language": "go"}, (VALIDATE_EXPANDED,)),
        ("suggest-patterns", {"problem": "Two share a table"}, (SEARCH_EXPANDED, "Two share a table")),
    ],
)
def test_every_built_in_prompt_tells_of_the_tools_that_it_is_for(client, prompt, arguments, tools):
    text = prompt_text(client, prompt, **arguments)

    assert all(each in text for each in tools)
    assert "{{" not in text


@proves("U0-6", "U0-17")
def test_the_review_holds_every_pattern_of_the_project(client):
    text = prompt_text(client, "review-code-against-patterns", code="x")

    layers = embedded("Layered imports", f"{PATTERNS}/layered-imports.md", LAYERS)
    repository = embedded("Repository Pattern", f"{PATTERNS}/repository-pattern.md", REPOSITORY)
    assert f"{layers}{BETWEEN}{repository}" in text
    assert NAMING not in text
    assert POSTGRESQL not in text


@proves("S0-55", "S0-56", "D-5")
@pytest.mark.parametrize(("tool", "expanded"), EXPANDED.items())
def test_a_reference_to_a_tool_expands_to_exactly_these_lines(client, tool, expanded):
    assert prompt_text(client, f"one-{tool}") == expanded
    assert prompt_text(client, f"two-{tool}") == f"a {expanded} b {expanded} c"


def test_a_tool_of_another_toolset_can_be_referred_to(project):
    write_prompt(project, "tasks", "{{tool:add_task}}")
    with RawClient(project.root, "--toolsets", "architecture,tasks").ready() as client:
        text = prompt_text(client, "tasks")

    assert text.startswith("Tool: add_task\nDescription: Create a new task for the user\nParameters:\n")


@proves("S0-57", "U0-14")
def test_a_reference_to_a_tool_that_is_not_served_is_an_error_and_told_at_the_start(project):
    write_prompt(project, "broken", "Use {{tool:no-such-tool}}.")
    with RawClient(project.root, *FLAGS) as client:
        told = _first_notice(client)  # before anybody asks for a prompt
        client.initialize()
        refused = refusal(client, "broken")
        others = prompt_text(client, "create-adr", topic="x")

    assert told == "The prompt broken refers to a tool that is not served: no-such-tool."
    assert refused == (-32602, "tool not found: no-such-tool")
    assert SEARCH_EXPANDED in others


def _first_notice(client):
    """The first line about prompts on stderr, waited for."""
    assert client.process.stderr is not None
    for line in iter(client.process.stderr.readline, b""):
        told = json.loads(line)
        if told["message"] == "Prompts":
            return told["notice"]
    return None


@proves("U0-6")
def test_variables_are_filled_in_and_an_optional_one_that_is_missing_stays(client):
    left_out = prompt_text(client, "variables", topic="Ferns")
    given = prompt_text(client, "variables", topic="Ferns", detail="")

    assert left_out == "Ferns and Ferns, {{detail}}, {{nobody}}, {{}}, {topic}, {{topic"
    assert given == "Ferns and Ferns, , {{nobody}}, {{}}, {topic}, {{topic"


@pytest.mark.parametrize(
    "text",
    [
        "{{tool:validate-against-pattern}}", "{{resource:architecture://adr/*}}",
        "{{resource:architecture://adr/001}}", "{{tool:no-such-tool}}", "{{detail}}",
        "\\1 \\g<0> $1 %s {0} {{topic}}", "}} {{", "{{tool:{{topic}}}}",
    ],
)  # fmt: skip
def test_what_an_argument_holds_is_never_read_as_a_template(client, text):
    assert prompt_text(client, "echo", topic=text, detail="d") == f"<{text}>d"
    assert text in prompt_text(client, "guided-pattern-validation", code=text)


def test_what_a_document_holds_is_never_read_as_a_template(project):
    trap = "# Trap\n\n{{topic}} {{tool:validate-against-pattern}} {{resource:architecture://adr/*}}\n"
    project.write(f"{PATTERNS}/trap.md", trap)
    write_prompt(project, "trapped", "{{resource:architecture://patterns/trap}}", arguments=[TOPIC])
    with served(project) as client:
        assert prompt_text(client, "trapped", topic="x") == embedded("Trap", f"{PATTERNS}/trap.md", trap)


@proves("U0-6")
@pytest.mark.parametrize(("number", "expected"), [*enumerate(expected for _, expected in EMBEDDED)])
def test_documents_are_put_in_by_address_and_by_wildcard(architecture, client, number, expected):
    parts = prompt_text(client, f"read-{number}").removeprefix("<").removesuffix(">").split(BETWEEN)

    assert [part.splitlines()[1] for part in parts] == [f"Source: mcp/resources/{path}.md" for path in expected]
    for part, path in zip(parts, expected, strict=True):
        content = (architecture.root / "mcp" / "resources" / f"{path}.md").read_text("utf-8")
        assert part.partition("\n\n")[2] == content


def test_a_reference_to_no_document_is_an_error_of_this_prompt_alone(client):
    for number, (_, message) in enumerate(REFUSED, len(EMBEDDED)):
        assert refusal(client, f"read-{number}") == (-32602, message)
        assert prompt_text(client, "suggest-patterns", problem="x")


def test_a_wildcard_that_nothing_matches_is_told_in_the_text(client):
    assert prompt_text(client, "no-match") == "(No document matches architecture://patterns/none-*.)"


def test_an_argument_can_choose_the_document(client):
    chosen = prompt_text(client, "choose", topic="layered-imports")

    assert chosen == embedded("Layered imports", f"{PATTERNS}/layered-imports.md", LAYERS)
    assert refusal(client, "choose", topic="../adr/001") == (-32602, "Path traversal attempt detected")
    nested = refusal(client, "choose", topic="x}}{{resource:architecture://adr/001")
    assert nested == (-32602, "Resource not found")


@proves("U0-6")
def test_no_more_than_one_mebibyte_is_put_in(project):
    for number in range(4):
        project.write(f"{PATTERNS}/p{number}.md", f"# P{number}\n" + "é" * 200_000)
    write_prompt(project, "read", "{{resource:architecture://patterns/*}}")
    with served(project) as client:
        text = prompt_text(client, "read")

    assert len(text.encode()) <= 1 << 20
    assert [f"# P{number}\nSource" in text for number in range(4)] == [True, True, False, False]
    assert text.endswith("(2 more documents match architecture://patterns/*; a prompt holds 50, and 1 MiB, at most.)")


@proves("U0-7")
@pytest.mark.parametrize(
    ("prompt", "arguments", "message"),
    [
        ("nothing", {}, "prompt not found: nothing"),
        ("create-adr", {}, "missing required argument: topic"),
        ("guided-pattern-validation", {"pattern_name": "x"}, "missing required argument: code"),
        ("create-adr", {"topic": "x", "other": "y"}, "unknown argument: other"),
        ("review-code-against-patterns", {"code": "x" * 10_001}, "argument code exceeds maximum length of 10000"),
        ("suggest-patterns", {"problem": "x" * 2_001}, "argument problem exceeds maximum length of 2000"),
        ("create-adr", {"topic": 5}, "argument topic must be a string"),
    ],
)
def test_a_prompt_that_cannot_be_filled_in_is_invalid_params(client, prompt, arguments, message):
    assert refusal(client, prompt, **arguments) == (-32602, message)


@proves("S0-59", "U0-6")
def test_a_prompt_of_the_project_has_all_that_its_file_says(project):
    definition = {
        "name": "own-prompt-2",
        "description": "Of our own",
        "arguments": [{"name": "a", "description": "The first", "required": True, "maxLength": 3}, {"name": "b"}],
        "messages": [
            {"role": "assistant", "content": {"type": "text", "text": "I know {{a}}."}},
            {"role": "user", "content": {"type": "text", "text": "Then tell {{b}}."}},
        ],
    }
    project.write(f"{PROMPTS}/any-file-name.json", json.dumps(definition))
    with served(project) as client:
        listed = client.request("prompts/list")["result"]["prompts"]
        got = client.request("prompts/get", name="own-prompt-2", arguments={"a": "123"})["result"]
        long = refusal(client, "own-prompt-2", a="1234")

    assert [prompt["name"] for prompt in listed] == sorted(prompt["name"] for prompt in listed)
    assert [prompt for prompt in listed if prompt["name"] == "own-prompt-2"] == [
        {
            "name": "own-prompt-2",
            "description": "Of our own",
            "arguments": [
                {"name": "a", "description": "The first", "required": True},
                {"name": "b", "description": "", "required": False},
            ],
        }
    ]
    assert got["messages"] == [
        {"role": "assistant", "content": {"type": "text", "text": "I know 123."}},
        {"role": "user", "content": {"type": "text", "text": "Then tell {{b}}."}},
    ]
    assert long == (-32602, "argument a exceeds maximum length of 3")


def test_a_prompt_of_the_project_wins_over_a_built_in_one_until_it_is_gone(project):
    write_prompt(project, "create-adr", "Ours: {{topic}}", arguments=[TOPIC], file="ours")
    with served(project) as client:
        own = prompt_text(client, "create-adr", topic="x")
        count = names(client).count("create-adr")
        (project.root / PROMPTS / "ours.json").unlink()

        assert eventually(lambda: SEARCH_EXPANDED in prompt_text(client, "create-adr", topic="x"))

    assert own == "Ours: x"
    assert count == 1


MESSAGES = [{"role": "user", "content": {"type": "text", "text": "x"}}]
MALFORMED = {
    "garbage": b"{",
    "empty": b"",
    "latin": b'{"name": "latin\xff"}',
    "list": b"[]",
    "deep": b"[" * 100_000,
    "nameless": {"messages": MESSAGES},
    "upper": {"name": "Upper", "messages": MESSAGES},
    "spaced": {"name": "a b", "messages": MESSAGES},
    "newline": {"name": "a\n", "messages": MESSAGES},
    "no-name": {"name": "", "messages": MESSAGES},
    "number": {"name": 5, "messages": MESSAGES},
    "silent": {"name": "silent"},
    "no-messages": {"name": "no-messages", "messages": []},
    "role": {"name": "role", "messages": [{"role": "system", "content": {"type": "text", "text": "x"}}]},
    "type": {"name": "type", "messages": [{"role": "user", "content": {"type": "image", "text": "x"}}]},
    "text": {"name": "text", "messages": [{"role": "user", "content": {"type": "text", "text": 5}}]},
    "content": {"name": "content", "messages": [{"role": "user", "content": "x"}]},
    "argument": {"name": "argument", "arguments": [{"name": "a"}, {"name": "a"}], "messages": MESSAGES},
    "required": {"name": "required", "arguments": [{"name": "a", "required": "yes"}], "messages": MESSAGES},
    "length": {"name": "length", "arguments": [{"name": "a", "maxLength": -1}], "messages": MESSAGES},
    "arguments": {"name": "arguments", "arguments": {"a": 1}, "messages": MESSAGES},
}


@proves("U0-9", "U0-6")
def test_malformed_prompts_are_reported_and_left_out_and_the_others_served(project, tmp_path):
    for file, content in MALFORMED.items():
        project.write(f"{PROMPTS}/{file}.json", content if isinstance(content, bytes) else json.dumps(content))
    write_prompt(project, "same", "First", file="a")
    write_prompt(project, "same", "Second", file="b")
    marked = json.dumps({"name": "marked", "messages": MESSAGES})
    project.write(f"{PROMPTS}/marked.json", f"\ufeff{marked}")
    (tmp_path / "outside.json").write_text(json.dumps({"name": "outside", "messages": MESSAGES}))
    (project.root / PROMPTS / "outside.json").symlink_to(tmp_path / "outside.json")
    write_prompt(project, "deeper", "x", file="folder/deeper")
    project.write(f"{PROMPTS}/README.md", "# Prompts\n")
    with served(project) as client:
        served_names = names(client)
        same, with_mark = prompt_text(client, "same"), prompt_text(client, "marked")
        told = notices(client)

    assert len(served_names) == 6
    assert (same, with_mark) == ("First", "x")
    assert f"{PROMPTS}/b.json is left out: another file has 'same' already." in told
    assert sorted(notice.partition(" is left out: ")[0] for notice in told) == sorted(
        f"{PROMPTS}/{file}.json" for file in (*MALFORMED, "b")
    )
