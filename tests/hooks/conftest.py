"""One indexed project for all tests of hooks: none of them changes what is indexed."""

import pytest

from tests.git_projects import GitProject
from tests.hooks.hooked_projects import HookRunner, write_shop


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> GitProject:
    """The shop, indexed."""
    return write_shop(tmp_path_factory.mktemp("hooks") / "shop")


@pytest.fixture
def hooks(shop, monkeypatch, capsys) -> HookRunner:
    """Runs hooks in the shop."""
    return HookRunner(shop, monkeypatch, capsys)
