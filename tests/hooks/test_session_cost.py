"""How many tokens are put before the model unasked in a session, and the commands that show it."""

import json
import re
import shlex
from pathlib import Path

from fieldguide.cli.clients.additions import make_section
from fieldguide.cli.main import main
from fieldguide.text.tokens import count_exact_tokens
from tests.hooks.test_events import TASK
from tests.proves import proves
from tests.raw_client import RawClient

COMMAND = re.compile(r"(?m)(?:^|`)(fieldguide (?:hook [a-z-]+ --show|usage)[^`\n]*)")
LIMITS = {"tools": 1_000, "section": 120, "session": 150, "prompt": 500}


@proves("H-14")
def test_a_session_costs_no_more_than_the_page_says(shop, hooks):
    with RawClient(shop.root) as client:
        client.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "claude-code"})
        tools = client.request("tools/list")["result"]["tools"]
    texts = {
        "tools": json.dumps(tools, ensure_ascii=False, separators=(",", ":")),
        "section": make_section(["/home/ann/.local/bin/fieldguide"]),
        "session": hooks.context("session", session="cost", source="startup"),
        "prompt": hooks.context("prompt", session="cost", prompt=TASK),
    }

    costs = {name: count_exact_tokens(text) for name, text in texts.items()}

    assert all(0 < costs[name] <= limit for name, limit in LIMITS.items()), costs


@proves("H-14")
def test_usage_tells_the_cost_of_a_session(hooks, shop, capsys):
    assert main(["status", "--usage", "--project", str(shop.root), "--clear"]) == 0
    capsys.readouterr()
    texts = [hooks.context("session", session=name, source="startup") for name in ("one", "two")]
    texts.append(hooks.context("prompt", session="one", prompt=TASK))

    assert main(["status", "--usage", "--project", str(shop.root)]) == 0

    average = sum(map(count_exact_tokens, texts)) // 2
    assert f"Hooks put {average:,} tokens before the model in a session, on average." in capsys.readouterr().out


@proves("H-12")
def test_each_command_that_the_page_names_works(shop, monkeypatch, capsys):
    monkeypatch.chdir(shop.root)
    text = (Path(__file__).parents[2] / "docs/guides/connect.md").read_text(encoding="utf-8")

    commands = dict.fromkeys(COMMAND.findall(text))

    assert any("--show" in command for command in commands)
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0, command
        assert capsys.readouterr().out, command
