"""What clients tell a hook, and the format that each gets."""

import json
from typing import Any

import pytest

from fieldguide.cli.hook import (
    CLAUDE_EVENTS,
    EVENTS,
    GEMINI_EVENTS,
    HookInput,
    find_search_pattern,
    format_answer,
    is_task,
    read_hook_input,
)
from tests.proves import proves

DECIDING = {"permission", "permissionDecision", "decision", "updatedInput", "updated_input", "halt", "stopReason"}


def answer(client: str, event: str, **more: str) -> dict[str, Any]:
    return format_answer(HookInput(event, client, **more), "facts")


@proves("H-7")
@pytest.mark.parametrize("event", EVENTS)
def test_each_client_gets_its_own_format(event):
    nested = {"hookEventName": CLAUDE_EVENTS[event], "additionalContext": "facts"}

    assert answer("claude-code", event) == {"hookSpecificOutput": nested}
    assert answer("codex", event) == {"hookSpecificOutput": nested}
    assert answer("gemini", event)["hookSpecificOutput"]["hookEventName"] == GEMINI_EVENTS[event]
    assert answer("copilot", event) == {"additionalContext": "facts"}
    assert answer("opencode", event) == {"additionalContext": "facts"}
    assert answer("crush", event) == {"version": 1, "context": "facts"}
    assert answer("cursor", event)["additional_context"] == "facts"


@proves("H-7")
def test_the_event_that_a_client_names_is_answered():
    told = answer("gemini", "before-search", native_event="AfterTool")

    assert told["hookSpecificOutput"]["hookEventName"] == "AfterTool"
    assert "hookSpecificOutput" in answer("copilot", "prompt", native_event="UserPromptSubmit")


@proves("H-7")
@pytest.mark.parametrize(
    "client", ["claude-code", "codex", "cursor", "gemini", "opencode", "crush", "copilot", "droid"]
)
@pytest.mark.parametrize("event", EVENTS)
def test_no_format_allows_changes_or_blocks_anything(client, event):
    told = answer(client, event)

    assert DECIDING.isdisjoint(told)
    assert DECIDING.isdisjoint(told.get("hookSpecificOutput", {}))
    assert told.get("continue", True) is True


def read(event: str, **said: object) -> HookInput:
    return read_hook_input(event, "", json.dumps(said).encode())


@proves("H-7")
def test_clients_spell_the_same_fields_differently():
    assert read("prompt", session_id="a", cwd="/p", prompt="x")[2:5] == ("a", "/p", "x")
    assert read("prompt", sessionId="a", cwd="/p", prompt="x")[2:5] == ("a", "/p", "x")
    assert read("prompt", conversation_id="a", workspace_roots=["/p", "/q"], prompt="x")[2:5] == ("a", "/p", "x")
    edited = [
        read("after-edit", tool_input={"file_path": "f", "old_string": "o", "new_string": "n"}),
        read("after-edit", toolArgs='{"path": "f", "old_str": "o", "new_str": "n"}'),
        read("after-edit", args={"filePath": "f", "oldString": "o", "newString": "n"}),
        read("after-edit", file_path="f", edits=[{"old_string": "o", "new_string": "n"}]),
        read(
            "after-edit",
            tool_input={"command": "*** Begin Patch\n*** Update File: f\n@@\n-o\n+n\n x\n+m\n*** End Patch"},
        ),
    ]
    assert {(each.path, each.old, each.new) for each in edited} == {("f", "o", "n")}


@proves("H-7")
@pytest.mark.parametrize(
    "sent",
    [
        "continue",
        '"continue"',
        "<hook_context>Fieldguide has this project indexed: 3 python files.</hook_context>\n\ncontinue",
    ],
)
def test_the_prompt_is_what_the_person_typed(sent):
    assert read("prompt", prompt=sent).prompt == "continue"


@proves("H-7")
@pytest.mark.parametrize("sent", ['"a" or "b"', '"', "<hook_context>not closed", "use <hook_context> here"])
def test_quotes_and_marks_of_a_person_stay(sent):
    assert read("prompt", prompt=sent).prompt == sent


@proves("H-6")
@pytest.mark.parametrize(
    ("command", "pattern"),
    [
        ("rg -A 3 Ledger shop/", "Ledger"),
        ("FOO=1 /usr/bin/grep -rn 'a b' .", "a b"),
        ("cat x | grep -i -e one", "one"),
        ("echo grep", ""),
        ("make test", ""),
        ("rg", ""),
    ],
)
def test_the_pattern_of_a_search_is_read_from_a_shell_command(command, pattern):
    assert find_search_pattern(command) == pattern


@proves("H-1")
@pytest.mark.parametrize(
    "prompt",
    [
        "fix the login bug",
        "Why does the parser drop comments?",
        "explain the router",
        "add a test for the cache",
        "rename shop/orders.py",
        "what calls OrderLedger",
        "Merge duplicate headers in responses",
        "Build a search index for tags",
    ],
)
def test_tasks_and_questions_are_recognised(prompt):
    assert is_task(prompt)


@proves("H-1")
@pytest.mark.parametrize(
    "prompt",
    [
        "ok",
        "go on please",
        "commit and push",
        "commit shop/orders.py",
        "rebase on main",
        "run the tests",
        "why did you?",
    ],
)
def test_other_prompts_are_not(prompt):
    assert not is_task(prompt)
