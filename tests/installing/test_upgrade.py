"""`fieldguide upgrade`: who installed this program, and the command that brings a newer one."""

import json
import subprocess
import sys

import pytest

from fieldguide.cli.install import find_origin, make_extra_install
from release.facts import ROOT
from tests.proves import proves
from tests.servers import FIELDGUIDE


@proves("Z-180")
@pytest.mark.parametrize(
    ("files", "installer", "command"),
    [
        (["uv-receipt.toml", "pyvenv.cfg"], "uv tool", "tool upgrade --compile-bytecode fieldguide"),
        (["pipx_metadata.json", "pyvenv.cfg"], "pipx", "upgrade fieldguide"),
        (["pyvenv.cfg", "lib/python3.11/site-packages/pip/__init__.py"], "pip", "-m pip install --upgrade fieldguide"),
        (["pyvenv.cfg"], "uv pip", "/bin/python --upgrade fieldguide"),
        ([], "the system's Python", ""),
    ],
)
def test_an_installation_is_upgraded_by_what_made_it(tmp_path, files, installer, command):
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()

    origin = find_origin(str(tmp_path), "")

    assert origin.installer == installer
    assert " ".join(origin.command).endswith(command)
    assert bool(origin.command) != bool(origin.advice)


@proves("Z-180")
def test_a_checkout_is_left_to_git(project):
    done = subprocess.run(
        [FIELDGUIDE, "upgrade", "--yes"], cwd=project.root, capture_output=True, text=True, check=True
    )

    assert "installed by a checkout" in done.stdout
    assert str(ROOT) in done.stdout


@pytest.mark.parametrize(
    ("folder", "files", "url", "command"),
    [
        ("archive-v0", [], "", "uvx --from 'fieldguide[http]' fieldguide"),
        ("tool", ["uv-receipt.toml"], "", "uv tool install --force 'fieldguide[http]'"),
        ("tool", ["uv-receipt.toml"], "file:///a", "uv tool install --force 'fieldguide[http] @ file:///a'"),
        ("venv", ["pyvenv.cfg"], "", "uv pip install --python {prefix} 'fieldguide[http]'"),
    ],
)
def test_an_extra_is_added_by_what_made_the_installation(tmp_path, monkeypatch, folder, files, url, command):
    class Installed:
        def read_text(self, name):
            return json.dumps({"url": url} if url else {})

    prefix = tmp_path / folder
    prefix.mkdir()
    for file in files:
        (prefix / file).touch()
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed())

    assert make_extra_install("http") == command.format(prefix=prefix)
