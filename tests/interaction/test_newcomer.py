"""A newcomer's run: an empty machine, our wheel, and an agent's first answer on a repository of somebody else's."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent

from tests.docs.markdown import ROOT, blocks_of

PAGE = ROOT / "docs" / "start" / "first-steps.md"
UV = next((ROOT / ".venv-uv" / "bin").glob("uv"), Path("uv"))
QUESTION = "How is the session cookie signed?"
SIGNS = "data = self.signer.sign(data)"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Our wheel, built from this tree."""
    folder: Path = tmp_path_factory.mktemp("wheel")
    subprocess.run([UV, "build", "--quiet", "--wheel", "--out-dir", str(folder), str(ROOT)], check=True, timeout=300)
    return next(folder.glob("fieldguide-*.whl"))


class EmptyMachine:
    """A home with nothing in it; its PATH leads to its own programs and to those of the system."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.repository = home / "starlette"
        self.environment = {"HOME": str(home), "PATH": f"{home}/.local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
        self.typed: list[str] = []

    def install(self, wheel: Path) -> None:
        """What `uv tool install` does: an environment of its own, and a link to its program.

        The dependencies are those of `uv.lock`, so that no index is asked which of them are the newest.
        """
        tool = self.home / ".local" / "share" / "uv" / "tools" / "fieldguide"
        python = ["--quiet", "--python", sys.executable]
        locked = ["--project", str(ROOT), "--frozen", "--no-dev", "--no-install-project"]
        named = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(tool)}
        subprocess.run([UV, "sync", *python, *locked], check=True, timeout=300, env=named)
        into = ["--python", str(tool / "bin" / "python")]
        subprocess.run([UV, "pip", "install", "--quiet", "--no-deps", *into, str(wheel)], check=True, timeout=60)
        programs = self.home / ".local" / "bin"
        programs.mkdir(parents=True)
        (programs / "fieldguide").symlink_to(tool / "bin" / "fieldguide")

    def clone_a_stranger(self) -> None:
        """A repository that none of us has written: the sources of Starlette, as they are installed."""
        import starlette

        shutil.copytree(Path(starlette.__file__).parent, self.repository / "starlette")
        for words in (["init", "--quiet"], ["add", "--all"]):
            subprocess.run(["git", *words], cwd=self.repository, check=True, env=self.environment, timeout=60)

    def run(self, *words: str) -> None:
        """Run a command in the repository, as somebody types it."""
        done = subprocess.run(
            ["/usr/bin/env", *words],
            cwd=self.repository,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout
        self.typed.append(" ".join(words))

    async def ask(self, tool: str, **arguments: str | int) -> str:
        """What the server answers that a client finds in the settings, started as they say."""
        settings = json.loads((self.repository / ".mcp.json").read_text())["mcpServers"]["fieldguide"]
        server = StdioServerParameters(
            command=settings["command"], args=settings["args"], env=self.environment, cwd=self.repository
        )
        async with Client(server, mode="legacy") as client:
            answer = await client.call_tool(tool, arguments)
        assert not answer.is_error
        return "".join(each.text for each in answer.content if isinstance(each, TextContent))


@pytest.mark.slow
@pytest.mark.anyio
async def test_three_commands_lead_to_the_first_answer(tmp_path, wheel):
    machine = EmptyMachine(tmp_path)
    machine.clone_a_stranger()
    machine.install(wheel)
    machine.run("fieldguide", "install", "--client", "claude-code", "--scope", "project", "--yes")

    answer = await machine.ask("guide_search", query=QUESTION, limit=1)

    shown = recorded("answer")
    assert answer.startswith("1. code starlette/middleware/sessions.py#L")
    assert (shown[0].partition("#")[0], SIGNS in answer, SIGNS in "\n".join(shown)) == (
        answer.partition("#")[0],
        True,
        True,
    )
    assert sorted(os.listdir(machine.repository)) == [".git", ".mcp.json", "starlette"]
    assert machine.typed == [line[2:] for line in recorded("install") if line.startswith("$ ")]


def recorded(what: str) -> list[str]:
    blocks = [block for block in blocks_of(PAGE, PAGE.read_text(encoding="utf-8")) if what in block.info.split()]
    return blocks[0].text.rstrip("\n").splitlines()
