"""What is counted of hooks and calls, and printed by `fieldguide status --usage`."""

import json

import pytest

from fieldguide.cli.main import main
from fieldguide.spine.usage import (
    LARGEST_USAGE_BYTES,
    USAGE_FILE,
    describe_call,
    note_usage,
    read_usage,
    summarize_usage,
)
from tests.hooks.test_events import TASK
from tests.proves import proves
from tests.raw_client import RawClient


@pytest.fixture
def printed(shop, capsys):
    """Runs `fieldguide status --usage` in the shop, and gives what it prints."""

    def run(*flags: str) -> str:
        assert main(["status", "--usage", "--project", str(shop.root), *flags]) == 0
        out: str = capsys.readouterr().out
        return out

    run("--clear")
    return run


@proves("H-13")
def test_given_files_and_edits_are_counted(hooks, printed):
    hooks.context("prompt", session="counted", prompt=TASK)
    hooks.answer("prompt", session="counted", prompt="yes")
    hooks.answer("after-edit", session="counted", tool_input={"file_path": "shop/orders.py"})
    hooks.answer("after-edit", session="counted", tool_input={"file_path": "README.md"})

    told = json.loads(printed("--json"))

    assert told["asked"] == {"prompt": 1, "after-edit": 2}
    assert told["answered"]["prompt"] == 1
    assert 0 < told["hook_tokens"]["prompt"] <= 500
    assert (told["given_then_edited"], told["edited_files"]) == (1, 2)
    assert "1 of the 2 edited files were given before." in printed()


@proves("H-13")
def test_the_saved_reading_is_told_as_an_estimate(hooks, printed):
    hooks.context("prompt", session="estimated", prompt=TASK)

    told = json.loads(printed("--json"))

    assert 0 < told["given_tokens"] < told["whole_file_tokens"]
    saved = told["whole_file_tokens"] - told["given_tokens"]
    assert f"About {saved:,} tokens of reading saved, an estimate: the given lines have" in printed()


@proves("H-13")
def test_a_given_file_that_is_opened_counts_and_one_that_was_not_given_does_not(shop, hooks, printed):
    hooks.context("prompt", session="opened", prompt=TASK)
    with RawClient(shop.root) as client:
        client.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "tester"})
        client.request("tools/call", name="read_file", arguments={"path": "shop/orders.py"})
        client.request("tools/call", name="guide_open", arguments={"citation": "README.md"})

    assert json.loads(printed("--json"))["given_then_opened"] == 1


@proves("H-15")
def test_a_question_is_cut_and_keeps_no_secret():
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    row = describe_call("guide_brief", {"task": f"use {secret} there\n{'and so on ' * 90}"}, {"items": []})

    assert row is not None
    assert secret not in row["asked"]
    assert row["asked"].startswith("use ")
    assert len(row["asked"]) == 200


@proves("H-15")
def test_a_call_that_is_no_question_is_not_kept():
    assert describe_call("guide_record", {"content": "private"}, {"items": []}) is None


@proves("H-13")
def test_calls_are_counted_by_tool_and_client(shop, printed):
    with RawClient(shop.root) as client:
        client.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "tester"})
        client.request("tools/call", name="guide_symbol", arguments={"name": "reserve_stock"})
        client.process.terminate()
        client.process.wait(timeout=60)

    told = json.loads(printed("--json"))

    assert told["calls"] == {"guide_symbol": 1}
    assert told["call_tokens"]["guide_symbol"] > 0
    assert told["clients"] == {"tester": 1}


@proves("H-13")
def test_counts_can_be_removed_and_switched_off(hooks, printed, monkeypatch, tmp_path):
    hooks.context("prompt", session="removed", prompt=TASK)
    assert "prompt: 1 asked, 1 answered" in printed()

    assert printed("--clear") == "What was counted is removed.\n"
    assert printed() == "Nothing is counted in this project yet.\n"

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "fieldguide").mkdir()
    (tmp_path / "fieldguide/config.toml").write_text("[usage]\nkeep = false\n")
    assert hooks.context("prompt", session="uncounted", prompt=TASK)
    assert printed() == "Nothing is counted in this project yet.\n"


@proves("H-13")
def test_the_file_stays_small_and_nonsense_in_it_is_skipped(tmp_path):
    path = tmp_path / USAGE_FILE
    path.write_text('{"event": "prompt"}\n' * (LARGEST_USAGE_BYTES // 20 + 10) + "nonsense\n[1]\n")

    note_usage(str(tmp_path), {"event": "session", "session": "s", "tokens": 3})

    assert path.stat().st_size < LARGEST_USAGE_BYTES * 0.6
    assert summarize_usage(read_usage(str(tmp_path))).hook_tokens == {"session": 3}
