"""A project that was just cloned makes nobody connect, whatever its files say and whichever command reads them."""

import json
import os
import subprocess

import pytest

from fieldguide.toolsets.architecture.rules.starter_patterns import read_starter
from tests.document_sources import web_server
from tests.git_projects import GitProject
from tests.raw_client import RawClient
from tests.servers import FIELDGUIDE, environment, run

GUARD = """
import os, socket, sys

FETCHING = {"fetch", "clone", "pull", "ls-remote", "curl", "wget", "ssh"}

def guard(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        told = arguments[0]
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg") and arguments[0].family != socket.AF_UNIX:
        told = arguments[1]
    elif event == "subprocess.Popen" and FETCHING & set(map(str, arguments[1])):
        told = arguments[1]
    else:
        return
    with open(os.environ["GUARD_FILE"], "a") as file:
        file.write(f"{event} {told}\\n")
    raise ConnectionRefusedError(event)

sys.addaudithook(guard)
"""
COMMANDS = (
    ("index",),
    ("find", "ferns"),
    ("brief", "ferns"),
    ("documents", "list"),
    ("status",),
    ("doctor",),
    ("check",),
    ("call",),
    ("status", "--overview"),
    ("call", "documents_search", '{"query": "ferns"}'),
)


@pytest.fixture
def web():
    with web_server() as server:
        yield server


@pytest.fixture
def guarded(tmp_path):
    """What makes every process tell of a connection that it tries, and fail at it; and the file where it is told."""
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard" / "sitecustomize.py").write_text(GUARD)
    told = tmp_path / "told"
    return {"PYTHONPATH": str(tmp_path / "guard"), "GUARD_FILE": str(told)}, told


@pytest.fixture
def clone(project, web):
    """A project whose every file wants somebody to call home."""
    home = web.address
    project.write("docs/a.md", f"# Ferns\n\n![x]({home}/pixel.png) <script src='{home}/x.js'></script> [x]: {home}/x\n")
    files = ["a.md", {"url": f"{home}/far.md"}, {"url": "http://169.254.169.254/latest/meta-data/"}]
    said = {"name": "n", "version": "1", "baseUrl": home, "sources": {"files": files}}
    project.write("docs/manifest.json", json.dumps(said))
    sources = {"near": "docs/manifest.json", "far": f"{home}/manifest.json", "pack": f"{home}/x.tar.gz",
               "git": f"git+{home}/x.git", "ssh": "git+ssh://git@127.0.0.1/x.git", "docs": "docs"}  # fmt: skip
    project.write("context.json", json.dumps({"collections": {name: {"url": url} for name, url in sources.items()}}))
    host = home.removeprefix("http://")
    project.write(
        "fieldguide.toml",
        f'database = "postgresql://ann@{host}/x"\n[search]\nendpoint = "{home}/v1"\nmodel = "openai:x"\n'
        f'[fetch]\nallow = ["127.0.0.1"]\n[documents.collections.more]\nsource = "{home}/more/manifest.json"\n',
    )
    project.write("mcp/resources/patterns/x.md", read_starter("error-handling") + f"\n![x]({home}/pixel.png)\n")
    project.write("src/x.py", f"import urllib.request  # {home}/x.py\n")
    project.write(".context/project.yaml", f"name: x\nschema: {home}/schema.json\n")
    project.write(".gitmodules", f'[submodule "x"]\n path = x\n url = {home}/x.git\n')
    made = GitProject(project.root)
    made.git("config", "remote.origin.url", f"{home}/x.git")
    made.git("config", "remote.origin.promisor", "true")
    return project


def test_the_guard_tells_of_a_connection(guarded, web, project):
    settings, told = guarded
    variables = {**environment(), **settings, "no_proxy": "*"}
    words = [FIELDGUIDE, "documents", "add", "x", f"{web.address}/manifest.json", "--project", str(project.root)]
    words += ["--allow-address", "127.0.0.1"]

    subprocess.run(words, env=variables, capture_output=True, check=False, timeout=60)

    assert "socket." in told.read_text()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_connects_to_anybody(clone, guarded, web, words):
    settings, told = guarded

    done = run(*words, "--project", clone.root, code=None, **settings, no_proxy="*")

    assert done.returncode in {0, 1}, done.stderr
    assert not told.exists(), told.read_text()
    assert web.asked == []


def test_a_server_connects_to_nobody(clone, guarded, web):
    settings, told = guarded

    with RawClient(clone.root, extra_environment={**settings, "no_proxy": "*"}).ready() as client:
        tools = {tool["name"] for tool in client.request("tools/list")["result"]["tools"]}
        listed = client.call("documents_list_collections")
        client.call("documents_search", query="ferns")
        for resource in client.request("resources/list")["result"]["resources"][:20]:
            client.request("resources/read", uri=resource["uri"])
        answered = client.request("ping")
        client.leave()

    assert "documents_search" in tools
    assert "docs" in json.dumps(listed)
    assert answered["result"] == {}
    assert not told.exists(), told.read_text()
    assert web.asked == []
    assert not os.path.exists(os.path.join(str(clone.root), "x.git"))
