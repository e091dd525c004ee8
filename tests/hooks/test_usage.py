"""What is counted of hooks and calls, and printed by `fieldguide usage`."""

import json

import pytest

from fieldguide.cli.hook import LARGEST_USAGE_BYTES, USAGE_FILE, note_usage
from fieldguide.cli.main import main
from fieldguide.cli.status import read_usage, summarize_usage
from tests.hooks.test_events import TASK
from tests.proves import proves
from tests.raw_client import RawClient


@pytest.fixture
def printed(shop, capsys):
    """Runs `fieldguide usage` in the shop, and gives what it prints."""

    def run(*flags: str) -> str:
        assert main(["usage", "--project", str(shop.root), *flags]) == 0
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
    assert "1 of the 2 edited files were in a map before." in printed()


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
