"""A person at a machine: a home, a project, and the command line in this process."""

import json
import os
from pathlib import Path
from typing import Any

from fieldguide.cli.main import main


class Person:
    """Somebody with a home and a project, who types commands."""

    def __init__(self, home: Path, project: Path, capsys: Any) -> None:
        self.home, self.project, self._capsys = home, project, capsys

    def types(self, *words: str) -> tuple[int, str, str]:
        """Run a command; gives its exit code, what it printed, and what it said beside."""
        self._capsys.readouterr()
        code = main([*words, "--project", str(self.project)])
        printed = self._capsys.readouterr()
        return code, printed.out, printed.err

    def installs(self, *words: str) -> int:
        """`install --yes`, of which only the exit code matters."""
        return self.types("install", "--yes", *words)[0]

    def uninstalls(self, *words: str) -> int:
        """`install --remove --yes`, of which only the exit code matters."""
        return self.types("install", "--remove", "--yes", *words)[0]

    def changes(self, *words: str) -> list[dict[str, Any]]:
        """What `--json` tells of a command that writes nothing."""
        told: dict[str, Any] = json.loads(self.types(*words, "--json")[1])
        listed: list[dict[str, Any]] = told["changes"]
        return listed

    def keeps(self, path: str, content: bytes) -> Path:
        """Put a file into the home, or into the project if the path does not begin with ~/."""
        target = self.file(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return target

    def file(self, path: str) -> Path:
        """A file of the home or the project."""
        return self.home / path[2:] if path.startswith("~/") else self.project / path

    def tree(self) -> dict[str, bytes | None]:
        """Everything in the home and the project, folders too; what Fieldguide keeps for itself aside."""
        found: dict[str, bytes | None] = {}
        for root in (self.home, self.project):
            for folder, folders, names in os.walk(root):
                found.update({os.path.join(folder, each): None for each in folders})
                found.update({(path := os.path.join(folder, each)): Path(path).read_bytes() for each in names})
        return found
