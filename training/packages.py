"""The packages whose sources give code pairs: an allow-list with versions and licences, and how to fetch them.

Run `python -m training.packages --to DIR`; pip and npm put the archives there, nothing is installed or run.
"""

import argparse
import csv
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).with_name("packages.tsv")
LARGEST_SOURCE_BYTES = 300_000  # what is larger is a bundle of files that the package also has apart
FOLDERS_TO_SKIP = {"test", "tests", "testing", "_vendor", "vendor", "vendored", "third_party", "extern", "externals"}


@dataclass(frozen=True, slots=True)
class Package:
    """One line of the allow-list; `use` says what it serves: training, or one of the two sets of code."""

    registry: str
    name: str
    version: str
    licence: str
    use: str

    @property
    def is_held_out(self) -> bool:
        """True for a package that training must never see."""
        return self.use != "training"


def allowed_packages() -> list[Package]:
    """The allow-list, in its order."""
    with LIST.open(encoding="utf-8", newline="") as lines:
        return [Package(**row) for row in csv.DictReader(lines, delimiter="\t")]


def sources(package: Package, archives: Path) -> Iterator[tuple[str, str]]:
    """Path and text of each source file of a package, tests and copies of other packages left out."""
    reader, suffixes = (_zip_members, (".py",)) if package.registry == "pypi" else (_tar_members, (".js", ".mjs"))
    for path, content in reader(archive_of(package, archives), suffixes):
        if not FOLDERS_TO_SKIP.intersection(path.split("/")) and len(content) <= LARGEST_SOURCE_BYTES:
            yield path, content.decode("utf-8", errors="replace")


def archive_of(package: Package, archives: Path) -> Path:
    """The archive that pip or npm made for this package."""
    if package.registry == "npm":
        return archives / f"{package.name.lstrip('@').replace('/', '-')}-{package.version}.tgz"
    stem = package.name.replace("-", "_").lower()
    found = [
        path
        for path in sorted(archives.glob("*.whl"))
        if path.name.lower()
        .replace("-", "_")
        .replace(".", "_")
        .startswith(f"{stem}_{package.version}_".replace(".", "_"))
    ]
    if not found:
        raise FileNotFoundError(f"No archive of {package.name} {package.version} in {archives}.")
    return found[0]


def _zip_members(archive: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(archive) as wheel:
        for name in sorted(wheel.namelist()):
            if name.endswith(suffixes):
                yield name, wheel.read(name)


def _tar_members(archive: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    found: dict[str, bytes] = {}
    with tarfile.open(archive) as package:
        for member in package:  # in the order of the archive: going back would unpack it again from the start
            stream = package.extractfile(member) if member.name.endswith(suffixes) else None
            if stream:
                found[member.name] = stream.read()
    yield from sorted(found.items())


def _fetch(package: Package, folder: Path) -> None:
    if package.registry == "npm":
        command = ["npm", "pack", "--silent", f"{package.name}@{package.version}"]
    else:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        command += ["--dest", ".", f"{package.name}=={package.version}"]
    subprocess.run(command, cwd=folder, check=True)


def main() -> None:
    """Fetch every package of the allow-list that is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, required=True, help="the folder for the archives")
    folder = parser.parse_args().to
    folder.mkdir(parents=True, exist_ok=True)
    for package in allowed_packages():
        try:
            present = archive_of(package, folder).exists()
        except FileNotFoundError:
            present = False
        if not present:
            _fetch(package, folder)


if __name__ == "__main__":
    main()
