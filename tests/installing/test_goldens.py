"""Real settings files of every client: installed, read by a real parser, uninstalled, the same to the last byte."""

import json
import subprocess
from typing import Any

import pytest

from fieldguide.cli.clients.catalog import CLIENTS, KEYS
from tests.installing.golden_settings import GOLDENS, ODD_JSON, ODD_TOML, Golden
from tests.interop.clients import NODE

PATHS = {each.key: each.path for each in CLIENTS}
READ_AS_JAVASCRIPT = """
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => new Function("return (" + text.replace(/^\\uFEFF/, "") + "\\n)")())));
"""


def as_javascript(texts: list[str]) -> list[Any]:
    """What JavaScript reads in texts that may have comments and trailing commas: each of them is an expression."""
    done = subprocess.run(
        [str(NODE), "-e", READ_AS_JAVASCRIPT], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    read: list[Any] = json.loads(done.stdout)
    return read


def golden_id(golden: Golden) -> str:
    return f"{golden.client} {golden.path}"


def servers_in(value, client):
    for key in PATHS[client]:
        value = value[key]
    return value


@pytest.mark.parametrize("golden", GOLDENS, ids=golden_id)
def test_install_and_uninstall_leave_the_bytes_from_before(person, golden):
    for variant, content in golden.variants().items():
        file = person.keeps(golden.path, content)
        file.chmod(0o640)
        before = person.tree()

        installed = person.installs("--client", golden.client, "--scope", golden.scope)
        changed, mode = file.read_bytes(), file.stat().st_mode & 0o777
        uninstalled = person.uninstalls()

        assert (installed, uninstalled, mode) == (0, 0, 0o640), variant
        assert b"fieldguide" in changed, variant
        assert changed.startswith(b"\xef\xbb\xbf") == content.startswith(b"\xef\xbb\xbf"), variant
        assert b"\r\n" not in content or b"\n" not in changed.replace(b"\r\n", b""), variant
        assert person.tree() == before, variant
        assert file.stat().st_mode & 0o777 == 0o640


def test_a_real_parser_reads_the_entry_and_all_that_was_there(person):
    before, after, entries = [], [], []
    for golden in (each for each in GOLDENS if not each.path.endswith(".toml")):
        file = person.keeps(golden.path, golden.text.encode())
        before.append(golden.text)
        person.installs("--client", golden.client, "--scope", golden.scope, "--only", "entry")
        after.append(file.read_text(encoding="utf-8"))
        entries.append(golden.client)
        person.uninstalls()

    for client, old, new in zip(entries, as_javascript(before), as_javascript(after), strict=True):
        entry = servers_in(new, client).pop("fieldguide")
        assert "serve" in json.dumps(entry)
        (key,) = PATHS[client]
        assert new == {**old, key: old.get(key, {})}


@pytest.mark.parametrize(
    ("client", "path", "texts"),
    [("gemini", "~/.gemini/settings.json", ODD_JSON), ("codex", "~/.codex/config.toml", ODD_TOML)],
)
def test_odd_files_come_back_as_they_were(person, client, path, texts):
    for text in texts:
        for content in (text.encode(), text.encode().replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + text.encode()):
            file = person.keeps(path, content)

            assert person.installs("--client", client) == 0, content
            assert person.installs("--client", client) == 0, content
            assert b"serve" in file.read_bytes()
            assert person.uninstalls() == 0, content

            assert file.read_bytes() == content


def test_files_that_were_not_there_are_gone_again_with_their_folders(person):
    before = person.tree()

    installed = person.installs(*(word for key in KEYS for word in ("--client", key)))
    made = person.tree()
    uninstalled = person.uninstalls()

    assert (installed, uninstalled) == (0, 0)
    assert made != before
    assert person.tree() == before


def test_a_folder_that_somebody_else_uses_meanwhile_stays(person):
    person.installs("--client", "cursor", "--scope", "project")
    other = person.keeps(".cursor/rules/mine.mdc", b"mine")

    person.uninstalls()

    assert other.read_bytes() == b"mine"
    assert not (person.project / ".cursor" / "mcp.json").exists()


def test_what_a_client_wrote_meanwhile_stays(person):
    file = person.keeps("~/.claude.json", b'{\n  "numStartups": 1\n}\n')
    person.installs("--client", "claude-code")
    told = json.loads(file.read_text())
    file.write_text(json.dumps({**told, "numStartups": 2, "userID": "5f2b"}, indent=2))

    assert person.uninstalls() == 0

    assert json.loads(file.read_text()) == {"numStartups": 2, "userID": "5f2b"}
