"""This machine as clients see it: where their files are, and which of them are here."""

import os
import shutil
import sys
from collections.abc import Mapping

from fieldguide.cli.installing.clients import CLIENTS, Client
from fieldguide.cli.installing.settings_place import Place

USER, PROJECT = "user", "project"
SCOPES = (USER, PROJECT)


class Machine:
    """A person's home on a system, and the project that they stand in."""

    def __init__(self, project: str, environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> None:
        self.project = os.path.realpath(project)
        self.home = environment.get("HOME") or os.path.expanduser("~")
        self._path = environment.get("PATH")
        self._roots = self._known_roots(environment, platform)

    def place(self, client: Client, scope: str) -> Place | None:
        """Where a client keeps its servers; None where it has no file of this scope."""
        if scope == PROJECT:
            paths = [os.path.join(self.project, each) for each in client.project]
            return self._first(paths, confined_to=self.project)
        return self._first([each.format(**self._roots) for each in client.user], confined_to=None)

    def found(self, scope: str) -> list[Client]:
        """The clients that are here, and have a file of this scope."""
        return [each for each in CLIENTS if self._is_here(each, scope) and self.place(each, scope)]

    def _first(self, paths: list[str], *, confined_to: str | None) -> Place | None:
        if not paths:
            return None
        there = next((path for path in paths if os.path.lexists(path)), paths[0])
        return Place(there, confined_to, self.home)

    def _is_here(self, client: Client, scope: str) -> bool:
        paths = [each.format(**self._roots) for each in (*client.user, *client.signs)]
        if scope == PROJECT:
            paths += [os.path.join(self.project, each) for each in client.project]
            paths += [os.path.join(self.project, each.split("/")[0]) for each in client.project if "/" in each]
        if any(map(os.path.lexists, paths)):
            return True
        return any(shutil.which(program, path=self._path) for program in client.programs)

    def _known_roots(self, environment: Mapping[str, str], platform: str) -> dict[str, str]:
        def named(variable: str, usual: str) -> str:
            given = environment.get(variable, "")
            return given if os.path.isabs(given) else os.path.join(self.home, *usual.split("/"))

        xdg = named("XDG_CONFIG_HOME", ".config")
        config = {
            "darwin": os.path.join(self.home, "Library", "Application Support"),
            "win32": environment.get("APPDATA") or os.path.join(self.home, "AppData", "Roaming"),
        }
        return {
            "home": self.home,
            "xdg": xdg,
            "config": config.get(platform, xdg),
            "claude": environment.get("CLAUDE_CONFIG_DIR") or self.home,
            "codex": named("CODEX_HOME", ".codex"),
            "copilot": named("COPILOT_HOME", ".copilot"),
        }
