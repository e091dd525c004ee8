"""A person with an empty home."""

import os

import pytest

from tests.installing.people import Person


@pytest.fixture
def person(tmp_path, monkeypatch, capsys) -> Person:
    """Somebody whose home and project are empty, and on whose PATH no client is."""
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "FIELDGUIDE_USER"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in {"HOME": home, "XDG_CONFIG_HOME": home / ".config", "PATH": tmp_path / "bin"}.items():
        monkeypatch.setenv(variable, str(value))
    monkeypatch.setenv("FIELDGUIDE_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("LOGNAME", "ann")
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # no power goes here, and each would take 30 ms
    return Person(home, project, capsys)
