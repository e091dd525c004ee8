"""Wheel and sdist: what is in them, that two builds are the same, and that the wheel alone runs."""

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from benchmarks.install_size import MOST_MEGABYTES, MOST_PACKAGES, weights
from release.__main__ import build_packages, digest
from release.facts import ROOT

WITHOUT_NUMPY = "import sys\nsys.modules['numpy'] = None\n"
UV = ROOT / ".venv-uv" / "bin" / "uv"


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_the_package_with_its_data_and_nothing_else(dist, facts):
    tracked = subprocess.run(
        ["git", "ls-files", "src/fieldguide"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    expected = {line.removeprefix("src/") for line in tracked.stdout.splitlines()}

    names = names_in(dist / facts.wheel)

    package = {name for name in names if name.startswith("fieldguide/")}
    assert package == expected
    assert {"fieldguide/py.typed", "fieldguide/search/model/static.bin"} <= package
    assert {name for name in names - package if f"{facts.name}-{facts.version}.dist-info/" not in name} == set()


def test_the_sdist_holds_what_is_tracked_and_nothing_else(dist, facts):
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)

    with tarfile.open(dist / facts.sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}

    assert names - {"PKG-INFO"} <= set(tracked.stdout.splitlines())
    assert {"pyproject.toml", "README.md", "LICENSE", "src/fieldguide/py.typed", "tests/conftest.py"} <= names


def test_two_builds_and_a_build_from_the_sdist_are_the_same_bytes(dist, facts, tmp_path):
    with tarfile.open(dist / facts.sdist) as archive:
        archive.extractall(tmp_path, filter="data")

    build_packages(tmp_path / "again", tmp_path / facts.sdist.removesuffix(".tar.gz"), ["wheel"])
    build_packages(tmp_path / "again", targets=["sdist"])

    assert digest(tmp_path / "again" / facts.wheel) == digest(dist / facts.wheel)
    assert digest(tmp_path / "again" / facts.sdist) == digest(dist / facts.sdist)


def test_a_default_install_has_no_numpy_and_weighs_little(dist, facts):
    with zipfile.ZipFile(dist / facts.wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith("/METADATA")]
        needed = message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])

    assert all("extra ==" in line for line in needed if line.startswith("numpy"))
    found = weights()
    assert not {"numpy", "ripgrep", "mcp", "pydantic", "cryptography", "pyjwt"} & found.keys()
    assert len(found) <= MOST_PACKAGES
    assert sum(found.values()) <= MOST_MEGABYTES


@pytest.fixture(scope="module")
def installed(dist, facts, tmp_path_factory):
    """A fresh environment with the wheel, and with what it needs lent from the environment of the tests, less numpy."""
    folder = tmp_path_factory.mktemp("clean")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    install = [UV, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", python, dist / facts.wheel]
    subprocess.run(install, check=True)
    [packages] = folder.glob("lib/python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    (packages / "sitecustomize.py").write_text(WITHOUT_NUMPY, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_the_installed_wheel_runs_and_lists_its_tools(installed, facts, tmp_path):
    program = installed / "bin" / "fieldguide"
    (tmp_path / "README.md").write_text("# Ferns\n\nFerns grow by the pond.\n", encoding="utf-8")
    asked = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                     "clientInfo": {"name": "test", "version": "1"}}},
        {"id": 2, "method": "tools/list"},
    ]  # fmt: skip

    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    served = subprocess.run(
        [program, "serve", "--project", tmp_path],
        input="".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in asked),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert version.stdout == f"fieldguide {facts.version}\n"
    tools = json.loads(served.stdout.splitlines()[-1])["result"]["tools"]
    assert {"guide_search", "add_task", "grep_codebase"} <= {tool["name"] for tool in tools}


@pytest.mark.slow
def test_without_numpy_a_project_is_indexed_and_searched(installed, tmp_path):
    (tmp_path / "README.md").write_text("# Ferns\n\nFerns grow by the pond.\n", encoding="utf-8")
    program = installed / "bin" / "fieldguide"

    found = subprocess.run(
        [program, "find", "where do plants grow", "--project", tmp_path],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
    )

    assert "README.md" in found.stdout, found.stderr


def test_the_registry_entry_starts_the_package_and_validates(dist, facts):
    entry = json.loads((dist / "server.json").read_text(encoding="utf-8"))

    assert entry["name"] == facts.registry_name
    assert len(entry["description"]) <= 100
    [package] = entry["packages"]
    assert (package["identifier"], package["version"]) == (facts.name, facts.version) == (facts.name, entry["version"])
    assert package["packageArguments"][0] == {"type": "positional", "value": "serve"}


def test_the_notes_are_the_changelog_of_this_version(dist):
    assert (dist / "release-notes.md").read_text(encoding="utf-8").strip()


def test_the_version_is_the_same_in_package_metadata_and_changelog(facts):
    from fieldguide import __version__

    assert facts.version == __version__
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
