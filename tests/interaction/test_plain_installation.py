"""What works without extras: stdio, the commands and the page. Their packages are hidden from the process."""

import json
import subprocess
import sys

import pytest

from fieldguide.settings.service import NEEDS_EXTRA
from tests.docs.markdown import ROOT
from tests.processes import eventually
from tests.raw_http import get
from tests.servers import environment

HIDDEN = (
    "mcp",
    "mcp_types",
    "pydantic",
    "pydantic_core",
    "cryptography",
    "jwt",
    "jsonschema_rs",
    "jsonschema",
    "httpx",
)
EXTRAS = ("psycopg", "psycopg_pool", "watchfiles", "pypdf", "numpy")
HIDE = f"import sys\nsys.modules.update(dict.fromkeys({HIDDEN + EXTRAS}))\n"
PROGRAM = f"{HIDE}from fieldguide.cli.main import main\nsys.exit(main())"
IMPORT_COMMANDS = f"""{HIDE}
import pkgutil, fieldguide.cli
for each in pkgutil.walk_packages(fieldguide.cli.__path__, "fieldguide.cli."):
    __import__(each.name)
    print(each.name)
"""
ASKED = (
    {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
    {
        "id": 2,
        "method": "tools/call",
        "params": {"name": "add_task", "arguments": {"user_id": "ada", "title": "Ferns"}},
    },
)


@pytest.fixture
def ferns(tmp_path):
    (tmp_path / "README.md").write_text("# Ferns\n\nFerns grow by the pond.\n", encoding="utf-8")
    return tmp_path


def command(root, *words):
    return [sys.executable, "-c", PROGRAM, *words, "--project", str(root)]


def start(root, *words, **variables):
    told = {**environment(), **variables}
    return subprocess.Popen(command(root, *words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=told)


def run(root, *words):
    told = environment()
    return subprocess.run(command(root, *words), capture_output=True, text=True, timeout=60, check=False, env=told)


@pytest.mark.parametrize("flags", [(), ("--auth", "tokens"), ("--projects",)])
def test_mcp_over_http_is_refused_with_the_command_that_installs_it(ferns, flags):
    done = run(ferns, "serve", "--http", "0", *flags)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("fieldguide: MCP over HTTP needs the packages of the extra `http`: ")
    assert f" --editable '{ROOT}[http]'" in done.stderr


def test_stdio_the_commands_and_the_doctor_work(ferns):
    with start(ferns, "serve") as process:
        process.stdin.write("".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in ASKED))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in ASKED]
        process.stdin.close()
    found = run(ferns, "find", "where do plants grow")
    examined = run(ferns, "doctor")

    assert "Ferns" in answers[1]["result"]["content"][0]["text"]
    assert "README.md" in found.stdout
    assert "mcp: not installed" in examined.stdout
    assert "WRONG" not in examined.stdout, examined.stdout


def test_the_page_is_served_and_says_what_mcp_needs(ferns):
    token = "a-token-that-is-long-enough-for-this"
    with start(ferns, "open", "--no-browser", FIELDGUIDE_TOKEN=token) as process:
        url, _, secret = process.stdout.readline().strip().partition("?link=")
        entered = get(url, f"/?link={secret}")
        cookie = entered.headers["set-cookie"].partition(";")[0]
        shown = get(url, "/", Cookie=cookie)
        found = eventually(lambda: "README.md" in get(url, "/search?q=ferns", Cookie=cookie).text)
        connect = get(url, "/connect", Cookie=cookie)
        refused = get(url, "/mcp", Authorization=f"Bearer {token}")
        process.terminate()

    assert (shown.status, found) == (200, True)
    assert '<input type="search"' in shown.text
    assert NEEDS_EXTRA in connect.text
    assert refused.status == 501
    assert NEEDS_EXTRA in refused.text


def test_every_command_is_imported():
    done = subprocess.run([sys.executable, "-c", IMPORT_COMMANDS], capture_output=True, text=True, check=False)

    imported = {"fieldguide.cli.service.serve_team", "fieldguide.cli.status", "fieldguide.cli.guide"}
    assert imported <= set(done.stdout.split())
    assert done.stderr == ""
