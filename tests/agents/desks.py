"""An empty home, a project, and the agents from npm on the PATH."""

import os
import subprocess
from pathlib import Path

from tests.interop.clients import NODE
from tests.servers import FIELDGUIDE, environment

PROGRAMS = Path(__file__).parents[2] / ".venv" / "agents" / "node_modules" / ".bin"
SECONDS = 240
TRUSTED = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}  # what a person says when Gemini CLI asks


class Desk:
    """An empty home, a project, and the agents on the PATH."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "project"
        self.home.mkdir()
        self.project.mkdir()
        subprocess.run(["git", "init", "--quiet", str(self.project)], check=True)
        places = [str(PROGRAMS), str(NODE.parent), os.path.dirname(FIELDGUIDE), os.environ["PATH"]]
        kept = {name: value for name, value in environment().items() if not name.startswith("XDG_")}
        self.environment = {
            **kept,
            "HOME": str(self.home),
            "PWD": str(self.project),
            "FIELDGUIDE_STATE": str(root / "state"),
            "PATH": os.pathsep.join(places),
            **TRUSTED,
        }

    def run(self, *words: str) -> str:
        """What a command prints and says beside, which must go well."""
        done = subprocess.run(
            words, cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=SECONDS, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def install(self, *words: str) -> str:
        """`fieldguide install`, for all agents that are here."""
        return self.run(FIELDGUIDE, "install", "--yes", *words)
