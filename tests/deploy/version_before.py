"""The version before this one, built from the commit that `deploy/previous-version` names, and servers of either."""

import os
import subprocess
import sys
import tarfile
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Self

import pytest

from release.__main__ import build_packages
from release.facts import ROOT
from tests.deploy.announced import announced_port
from tests.servers import environment

COMMIT = (ROOT / "deploy" / "previous-version").read_text(encoding="ascii").strip()


def installed_before(folder: Path) -> Path:
    """A folder with the wheel of the version before, unpacked as an installer would."""
    archive = subprocess.run(["git", "archive", COMMIT], cwd=ROOT, capture_output=True)
    if archive.returncode:
        pytest.skip(f"{COMMIT} is not in this clone: `git fetch --unshallow` brings it")
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as sources:
        sources.extractall(folder / "sources", filter="data")
    build_packages(folder / "dist", folder / "sources", ["wheel"])
    [wheel] = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "site")  # noqa: S202  a wheel of ours
    return folder / "site"


def steps_before(package: str) -> int:
    """How many steps for PostgreSQL the version before has in a package."""
    place = f"src/{package.replace('.', '/')}/migrations"
    listed = subprocess.run(
        ["git", "ls-tree", "--name-only", COMMIT, f"{place}/"], cwd=ROOT, capture_output=True, text=True
    )
    return sum(name.endswith(".postgres.sql") for name in listed.stdout.split())


class Server:
    """A server of one project over HTTP; of the version whose folder is given, else of this one."""

    def __init__(self, project: Path, *flags: str, site: Path | None = None, **more: str) -> None:
        path = {} if site is None else {"PYTHONPATH": str(site)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fieldguide", "serve", "--project", str(project), "--http", "127.0.0.1:0", *flags],
            env={**environment(), **path, **more},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=os.path.dirname(project),
        )
        assert self.process.stderr is not None
        self.url = f"http://127.0.0.1:{announced_port(self.process.stderr)}/mcp"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=60)
