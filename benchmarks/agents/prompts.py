"""Writes the prompt of a subject agent: equal for all arms but for the facts about the arm's own tool."""

import json
from collections.abc import Sequence
from typing import Any

from benchmarks.agents.commands import CODEGRAPH_COMMANDS, GUIDE_TOOLS, MOST_CHARACTERS
from benchmarks.agents.scores import MOST_NAMED_FILES, MOST_NAMED_RANGES
from benchmarks.agents.workspace import Workspace, run_tool
from benchmarks.stdio_client import StdioClient

LOCATE = f"""\
You locate code. Below are tasks, each for a repository checked out at the state before the task was done. For each task
find the places that must change to do it: source, tests and documents that exist already. Don't write the change.
Answer with line ranges, whole definitions where most of one changes: at most {MOST_NAMED_FILES} files and
{MOST_NAMED_RANGES} ranges per task. Both what you miss and what you name needlessly count. So does what you read: be
complete, at as little reading as you can.
"""
RULES = """\
Look at the code with this command only, one call for each command:

    {work}/look {run} TASK [--head N] COMMAND ARGUMENT…

It runs COMMAND in the checkout of TASK and prints what it returns (cut after {most:,} characters); `--head N` keeps the
first N lines. Everything it prints counts as read. No pipes, no loops, no other program, no other tool of yours, no
other file; paths are relative to the checkout; quote patterns. Don't use what you may remember of the repository's
later history. Allowed commands:

    rg [OPTIONS] PATTERN [PATH…]
    sed -n 'FIRST,LASTp' FILE
    ls [PATH…]      find [PATH] [TESTS]
    git log …       git show …        (history up to this state)
{own}"""
FINISH_TASK = """\
Give the answer of each task as soon as you have it (a later answer replaces it):

    {work}/answer {run} TASK <<'END'
    [{{"path": "src/a.py", "start": 10, "end": 42}}, {{"path": "tests/test_a.py", "start": 5, "end": 20}}]
    END

Work through the tasks one after the other, all of them. When all are answered, reply in three sentences at most: what
helped, what did not.
"""
GUIDE_COMMAND = "    fieldguide call TOOL '{\"argument\": …}'     one of: " + ", ".join(GUIDE_TOOLS) + "\n"
OWN_COMMANDS = {
    "fieldguide": GUIDE_COMMAND,
    "codegraph": "    codegraph COMMAND …     one of: " + ", ".join(CODEGRAPH_COMMANDS) + "\n",
}


def write_prompt(workspace: Workspace, arm: str, run: str, ids: Sequence[str]) -> str:
    """The complete prompt."""
    tasks = workspace.read_tasks()
    own = OWN_COMMANDS.get(arm, "")
    about = ""
    if arm == "fieldguide":
        about = describe_fieldguide(workspace, ids)
    elif arm == "codegraph":
        about = describe_codegraph(workspace, ids)
    rules = RULES.format(work=workspace.folder, run=run, most=MOST_CHARACTERS, own=own)
    listed = [f"### {each} ({tasks[each].repository})\n\n{tasks[each].task}\n" for each in ids]
    finish = FINISH_TASK.format(work=workspace.folder, run=run)
    return "\n".join([LOCATE, rules, about, finish, "## Tasks\n", *listed])


def describe_fieldguide(workspace: Workspace, ids: Sequence[str]) -> str:
    """The server's instructions for each repository and its tools, as a client shows them to a model."""
    told: dict[str, None] = {}
    tools: list[dict[str, Any]] = []
    for each in first_of_each_repository(ids):
        tree = workspace.tree(each, "fieldguide")
        command = [workspace.programs()["fieldguide"], "serve", "--project", str(tree), "--profile", "lean"]
        instructions, tools = ask_server(workspace, command)
        told[instructions] = None
    listed = describe_tools([tool for tool in tools if tool["name"] in GUIDE_TOOLS])
    return "\n".join(["## What the server `fieldguide` says of itself\n", *told, "", listed])


def describe_codegraph(workspace: Workspace, ids: Sequence[str]) -> str:
    """The instructions and tools of CodeGraph's server, and the help of its command."""
    program = workspace.programs()["codegraph"]
    tree = workspace.tree(ids[0], "codegraph")
    instructions, tools = ask_server(workspace, [program, "serve", "--mcp", "--path", str(tree)])
    helps = [run_tool(workspace, [program, each, "--help"]) for each in CODEGRAPH_COMMANDS if each != "search"]
    same = 'The tool `codegraph_explore` is the command `codegraph explore "QUERY"` here; `search` is `query`.\n'
    title = "## What the server `codegraph` says of itself\n"
    return "\n".join([title, instructions, "", describe_tools(tools), same, *helps, ""])


def first_of_each_repository(ids: Sequence[str]) -> list[str]:
    """One task of each repository."""
    first: dict[str, str] = {}
    for each in ids:
        first.setdefault(each.rsplit("-", 1)[0], each)
    return list(first.values())


def describe_tools(tools: Sequence[dict[str, Any]]) -> str:
    """Name, description and arguments of tools."""
    lines: list[str] = []
    for tool in tools:
        schema = json.dumps(tool["inputSchema"].get("properties", {}), ensure_ascii=False)
        lines.append(f"{tool['name']}: {tool['description']}\n  arguments: {schema}\n")
    return "\n".join(lines)


def ask_server(workspace: Workspace, command: Sequence[str]) -> tuple[str, list[dict[str, Any]]]:
    """The instructions and the tools that a server gives over stdio."""
    with StdioClient(command, environment=workspace.environment()) as client:
        instructions = client.initialize().get("instructions", "")
        client.notify_initialized()
        tools: list[dict[str, Any]] = client.request("tools/list", {})["tools"]
    return instructions, tools
