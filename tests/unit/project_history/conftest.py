"""A repository, and a git that has no settings but its own."""

import os

import pytest

from tests.git_projects import GitProject


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def repository(tmp_path) -> GitProject:
    root = tmp_path / "repository"
    root.mkdir()
    return GitProject(root)
