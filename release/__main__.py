"""`python -m release`: build everything that is handed out into `dist/`, the same bytes each time."""

import argparse
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from release import registry
from release.facts import ROOT, Facts, read_facts


def main() -> int:
    """Build, and say what was built."""
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist", help="where to (default: dist/)")
    folder: Path = parser.parse_args().folder
    facts = read_facts()
    shutil.rmtree(folder, ignore_errors=True)
    build_packages(folder)
    written = [registry.write_entry(facts, folder), write_notes(facts, folder)]
    built = [folder / facts.wheel, folder / facts.sdist, *written]
    for path in built:
        print(f"{digest(path)}  {path.name}")
    return 0


def build_packages(folder: Path, source: Path = ROOT, targets: Sequence[str] = ("sdist", "wheel")) -> None:
    """Build sdist and wheel with the backend that `pyproject.toml` names, as `python -m build` does."""
    chosen = [word for target in targets for word in ("-t", target)]
    built = [sys.executable, "-m", "hatchling", "build", *chosen, "-d", str(folder.resolve())]
    subprocess.run(built, cwd=source, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def write_notes(facts: Facts, folder: Path) -> Path:
    """Write the notes of the release: what `CHANGELOG.md` says of this version."""
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    [section] = [each for each in changes.split("\n## ")[1:] if each.lstrip("[").startswith(facts.version)]
    path = folder / "release-notes.md"
    path.write_text(section.partition("\n")[2].strip() + "\n", encoding="utf-8")
    return path


def digest(path: Path) -> str:
    """The SHA-256 of a file, as `sha256sum` prints it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    raise SystemExit(main())
