"""What every file that is handed out says about the project: read from `pyproject.toml` and `publisher.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
EXAMPLE = "org.example"  # a namespace that belongs to nobody


@dataclass(frozen=True, slots=True)
class Facts:
    """Name, version and address of what is released."""

    name: str
    version: str
    namespace: str
    repository: str

    @property
    def registry_name(self) -> str:
        """The name in the registry; the README must hold it, so that the registry believes that the package is ours."""
        return f"{self.namespace}/{self.name}"

    @property
    def wheel(self) -> str:
        """The file name of the wheel."""
        return f"{self.name}-{self.version}-py3-none-any.whl"

    @property
    def sdist(self) -> str:
        """The file name of the source distribution."""
        return f"{self.name}-{self.version}.tar.gz"


def read_facts(root: Path = ROOT) -> Facts:
    """The facts of a checkout."""
    project = _read(root / "pyproject.toml")["project"]
    publisher = _read(root / "release" / "publisher.toml")
    return Facts(
        name=project["name"],
        version=project["version"],
        namespace=publisher["namespace"],
        repository=publisher["repository"],
    )


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
