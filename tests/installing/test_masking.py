"""What `install` prints of settings: no value under `env` or `headers`, whatever it looks like, in every format."""

import json
import tomllib

import pytest

from fieldguide.cli.clients.execution import mask_values
from fieldguide.text.secrets import MARK

PLAIN = "orange river"
JSON_SETTINGS = f"""{{
  // what the others need
  "mcpServers": {{
    "other": {{
      "command": "x", "args": ["--env", "told"],
      "env": {{"NAME": "{PLAIN}", "PORT": 12345, "nested": {{"a": ["{PLAIN}", true]}}, "quoted": "a\\"{PLAIN}"}},
      "url": "https://example.org/told"
    }},
    "web": {{"headers": {{"Authorization": "{PLAIN}", /* {{ */ "X-Key": "{PLAIN}"}}, "requestHeaders": ["{PLAIN}"]}},
    "last": {{"env": "{PLAIN}", "type": "told"}}
  }}
}}
"""
TOML_SETTINGS = f"""
[mcp_servers.one]
command = "told"
env = {{ "A=B" = "{PLAIN}", C = "x" }} # {PLAIN}

[mcp_servers.three.env]
NAME = '{PLAIN}'
LONG = \"\"\"
{PLAIN}
\"\"\"

[mcp_servers.two]
url = "https://example.org/told"
http_headers.Authorization = "{PLAIN}"
env = [
  "{PLAIN}",
]
type = "told"
"""


def test_values_in_json_are_masked_by_their_place_and_lines_stay():
    told = mask_values(JSON_SETTINGS, is_toml=False)

    assert PLAIN not in told
    assert "12345" not in told
    assert told.count("told") == 3
    assert [line[:12] for line in told.split("\n")] == [line[:12] for line in JSON_SETTINGS.split("\n")]
    assert '"NAME"' in told
    assert '"X-Key"' in told


def test_values_in_toml_are_masked_by_their_place_and_lines_stay():
    told = mask_values(TOML_SETTINGS, is_toml=True)

    assert PLAIN not in told
    assert told.count("told") == 3
    assert len(told.split("\n")) == len(TOML_SETTINGS.split("\n"))
    assert "NAME = " in told


@pytest.mark.parametrize(
    "text", ["", "{", '{"env": {"a": "b', '{"env": ', "]}", '"', "[env\na = '", 'env = """\na', "=\n=="]
)
@pytest.mark.parametrize("is_toml", [True, False])
def test_a_text_that_is_broken_is_masked_as_far_as_it_goes(text, is_toml):
    assert mask_values(text, is_toml=is_toml).count("\n") == text.count("\n")


@pytest.mark.parametrize("words", [("install",), ("install", "--json"), ("install", "--yes"), ("install", "--remove")])
def test_no_command_prints_what_other_servers_are_let_in_by(person, words):
    person.keeps(
        "~/.claude.json", b'{"mcpServers": {"other": {"command": "x", "env": {"PASS": "%s"}}}}' % PLAIN.encode()
    )
    person.keeps("~/.cursor/mcp.json", b'{"mcpServers": {"w": {"headers": {"Authorization": "%s"}}}}' % PLAIN.encode())
    person.keeps("~/.codex/config.toml", b'[mcp_servers.w]\nenv = {PASS = "%s"}\n' % PLAIN.encode())
    if "--remove" in words:
        person.installs()

    _, printed, said = person.types(*words)

    assert "mcpServers" in printed
    assert PLAIN not in printed + said
    assert MARK in printed
    assert PLAIN in person.file("~/.claude.json").read_text(encoding="utf-8")
    assert json.loads(person.file("~/.cursor/mcp.json").read_bytes())
    assert tomllib.loads(person.file("~/.codex/config.toml").read_text(encoding="utf-8"))
