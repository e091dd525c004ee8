"""No answer of any tool is larger than a context bears, whatever the project holds, unless it was asked for whole."""

import json
from typing import Any

import pytest

from fieldguide.text.tokens import count_tokens
from tests.projects import Project
from tests.proves import proves
from tests.raw_client import RawClient
from tests.servers import run

MOST_TOKENS = 20_000
DENSE = "{};[0x1F]=>'\"\\\t<%A9Zé漢字🦊"
LONG_LINE = DENSE * 2_000
CONTENT = "A finding about the harbour and its gates, with more to say. " * 60


@pytest.fixture(scope="module")
def huge(tmp_path_factory):
    """A project in which everything is too much: files, lines, headings, decisions and specs; all of it is indexed."""
    project = Project(tmp_path_factory.mktemp("huge"))
    imports = "".join(f"from package import module_{number}\n" for number in range(50))
    project.write("package/__init__.py", "")
    project.write("main.py", f"{imports}\n\ndef harbour():\n    return 1\n")
    for number in range(50):
        functions = "".join(f"def harbour_{each}(gate, tide={each}):\n    return {DENSE!r}\n\n" for each in range(30))
        project.write(f"package/module_{number}.py", functions)
    project.write("lines.txt", "".join(f"harbour {number} {DENSE}\n" for number in range(6_000)))
    project.write("one_line.js", f"harbour('{LONG_LINE}')" * 12)
    project.write("words.txt", "harbour " * 40_000)
    headings = "".join(f"## Harbour {number} {'gate ' * 20}\n\nThe harbour {number}.\n\n" for number in range(700))
    project.write("docs/headings.md", f"# {'Harbour ' * 3_000}\n\n{headings}")
    project.write("docs/one.md", "# One\n\n## Section\n\n" + f"The harbour {DENSE}\n" * 2_500)
    project.write("docs/line.md", f"# Line\n\n## Section\n\n{LONG_LINE * 3}\n")
    for number in range(300):
        project.write(f"docs/{'deep/' * 20}{number:03}-{'name-' * 30}.md", f"# Harbour {number}\n\n{CONTENT[:200]}\n")
    for number in range(1, 60):
        body = f"# {number}. Use harbour {number}\n\n## Status\n\nAccepted\n\n## Decision\n\nWe will use PostgreSQL.\n"
        project.write(f"docs/adr/{number:04}-harbour-{number}.md", body)
    rules = "".join(f"### Rule {number} {'gate ' * 60}\n\nDo not use `print`.\n\n" for number in range(60))
    project.write("mcp/resources/patterns/harbour.md", f"# Harbour\n\n## Common Pitfalls\n\n{rules}")
    for number in range(1_000):
        project.write(f"directive/specs/{'feature-' * 10}{number}/spec.md", "# Spec\n")
    run("index", "--project", project.root)
    return project


ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "add_task": [{"user_id": "u", "title": "漢" * 200, "description": DENSE * 40}],
    "list_tasks": [{"user_id": "u"}],
    "complete_task": [{"user_id": "u", "task_id": 1}],
    "update_task": [{"user_id": "u", "task_id": 1, "title": "x" * 100_000}],
    "delete_task": [{"user_id": "u", "task_id": 9_999}],
    "search-architecture": [{"query": "harbour", "max_results": 20}],
    "check-adr-alignment": [{"decision_description": "Use MongoDB instead of PostgreSQL. " * 100}],
    "validate-against-pattern": [
        {"code": "print(1)\n" * 5_000, "pattern_name": "harbour", "language": "python"},
        {"code": "x", "pattern_name": "y" * 10_000},
    ],
    "context_search": [{"query": "harbour gate", "limit": 20}, {"query": "harbour", "type": "issue", "limit": 20}],
    "read_file": [
        {"path": "main.py", "includeDeps": True},
        {"path": "package/module_1.py"},
        {"path": "lines.txt"},
        {"path": "lines.txt", "includeDeps": True},
        {"path": "lines.txt#L9-L5000"},
        {"path": "one_line.js"},
        {"path": "one_line.js#L1"},
        {"path": "words.txt:1"},
        {"path": "x" * 100_000},
    ],
    "grep_codebase": [
        {"pattern": "harbour", "limit": 100},
        {"pattern": ".", "limit": 100, "filePattern": "lines.txt"},
        {"pattern": "x1F", "limit": 100, "filePattern": "*.js"},
    ],
    "guide_brief": [{"task": "open the harbour gate " * 500}, {"task": "harbour"}],
    "guide_search": [{"query": "harbour gate", "limit": 50}],
    "guide_flow": [{"question": "how is main called, and what does it print?"}, {"from": "main", "to": "x" * 10_000}],
    "guide_symbol": [{"name": "harbour"}, {"name": "harbour_1"}, {"name": "x" * 100_000}],
    "guide_governs": [{"path": "main.py"}, {"path": "x" * 100_000}],
    "guide_open": [
        {"citation": "lines.txt"},
        {"citation": "one_line.js#L1", "budget": 200},
        {"citation": "package/module_1.py#L5", "around": "symbol"},
        {"citation": "docs/headings.md\nwords.txt:1\nlines.txt#L9-L5000", "budget": 6_000},
        {"citation": "x" * 100_000},
    ],
    "guide_record": [{"type": "issue", "content": CONTENT}],
    "documents_list_collections": [{}],
    "documents_list_documents": [{"collection": "docs", "limit": 100_000}, {"collection": "docs"}],
    "documents_get_document": [{"collection": "docs", "document": "docs/one.md#L3-L2500"}],
    "documents_get_outline": [{"collection": "docs", "document": "headings.md", "maxDepth": 6}],
    "documents_get_section": [
        {"collection": "docs", "document": "headings.md", "section": "Harbour"},
        {"collection": "docs", "document": "one.md", "section": "Section"},
        {"collection": "docs", "document": "line.md", "section": "Section"},
        {"collection": "docs", "document": "one.md", "section": "no such section " * 1_000},
    ],
    "documents_search": [{"query": "harbour", "limit": 1_000}],
    "documents_search_batch": [{"queries": [{"query": f"harbour {n}"} for n in range(10)], "limit": 50}],
    "documents_find_related": [{"collection": "docs", "document": "one.md", "limit": 1_000, "sameDocument": True}],
    "directive/files.list": [{}],
    "directive/file.get": [{"path": "directive/nothing.md"}],
    "directive/spec.template": [{}],
    "directive/impact.template": [{}],
    "directive/tdr.template": [{}],
}


def read_by_a_model(answered: dict[str, Any]) -> str:
    """All that an answer gives to read: its texts, and the value beside them; or its error."""
    result = answered.get("result", {"content": [], "structuredContent": answered.get("error")})
    texts = [block["text"] for block in result["content"]]
    return "".join([*texts, json.dumps(result.get("structuredContent"), ensure_ascii=False)])


@proves("D-38")
def test_every_answer_of_every_tool_fits(huge):
    sizes: dict[str, int] = {}
    with RawClient(huge.root).ready() as client:
        for _ in range(120):
            client.call("add_task", **ARGUMENTS["add_task"][0])
        for number in range(25):
            client.call("guide_record", type="issue", content=f"{number} {CONTENT}")
        names = {tool["name"] for tool in client.request("tools/list")["result"]["tools"]}
        for tool, calls in ARGUMENTS.items():
            for arguments in calls:
                answered = client.request("tools/call", name=tool, arguments=arguments)
                sizes[f"{tool} {json.dumps(arguments)[:80]}"] = count_tokens(read_by_a_model(answered))

    assert names == set(ARGUMENTS)
    whole = {asked: size for asked, size in sizes.items() if asked.startswith("list_tasks ")}
    assert all(size > MOST_TOKENS for size in whole.values())  # the array of its specification is never cut
    assert {asked: size for asked, size in sizes.items() if size > MOST_TOKENS} == whole
    assert max(sizes.values()) > MOST_TOKENS / 2  # some are cut, and what is left is worth reading


def test_what_is_asked_for_whole_is_given_whole(huge):
    with RawClient(huge.root, "--toolsets", "documents").ready() as client:
        told = client.call("documents_get_document", collection="docs", document="one.md")

    assert json.loads(told["content"][0]["text"])["content"] == (huge.root / "docs/one.md").read_text("utf-8")


@proves("D-38", "S3-31")
def test_dependencies_that_do_not_fit_have_their_outline_and_it_is_said(huge):
    with RawClient(huge.root, "--toolsets", "context").ready() as client:
        value = json.loads(client.call("read_file", path="main.py", includeDeps=True)["content"][0]["text"])

    with_content = [each for each in value["dependencies"] if "content" in each]
    outlined = [each for each in value["dependencies"] if "outline" in each]
    assert len(value["dependencies"]) == 50
    assert len(with_content) + len(outlined) == 50
    assert all(each["outline"][0] == "L1-L2: def harbour_0(gate, tide=0)" for each in outlined)
    assert value["file"]["content"] == (huge.root / "main.py").read_text("utf-8")
    assert value["dependenciesNote"].startswith(f"{len(outlined)} of 50 dependencies do not fit with their content")


def read_on(client, path):
    """All that `read_file` gives of a path to whoever follows `next`."""
    read: list[str] = []
    following: str | None = path
    while following is not None:
        told = client.call("read_file", path=following)["content"][0]["text"]
        assert count_tokens(told) <= MOST_TOKENS
        answer = json.loads(told)
        assert "cut" not in answer
        assert "changed" not in answer["file"]
        read.append(answer["file"]["content"])
        following = answer["file"].get("next")
    return "".join(read)


@proves("D-40")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("dense.js", LONG_LINE * 4),
        ("control.txt", "\x01\x02 " * 9_000),
        ("crlf.txt", f"first\r\n{'word é ' * 40_000}\r\nlast without an end"),
        ("old.txt", f"a\rb\r{'漢字🦊' * 20_000}\r{'x' * 60_000}\r\n\n"),
        ("middle.txt", "line\n" * 5_000 + "{x}" * 50_000 + "\n" + "line\n" * 5_000),
        (f"{'漢字 name ' * 8}/{'漢字 name ' * 8}.txt", "{A}" * 60_000),
    ],
)
def test_a_line_that_does_not_fit_is_read_on_within(tmp_path, path, text):
    project = Project(tmp_path)
    project.write(path, text.encode())
    with RawClient(project.root, "--toolsets", "context").ready() as client:
        assert read_on(client, path) == text
