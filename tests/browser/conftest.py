"""One Chromium for each process that runs tests, one context for each test, and a fault list that must stay empty."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.chromium import LACKING, REQUIRED, Driven, chromium, program
from tests.browser.orchard import fill_orchard, write_orchard
from tests.browser.sites import ServedSite, served_site
from tests.browser.visitors import LIGHT, Screen, Visitors

Browse = Callable[..., Page]


@pytest.fixture(scope="session")
def driven() -> Iterator[Driven]:
    """A Chromium that runs."""
    path = program()
    if path is None:
        if os.environ.get(REQUIRED):
            pytest.fail(LACKING)
        pytest.skip(LACKING)
    with chromium(path) as found:
        yield found


@pytest.fixture(scope="session")
def orchard(tmp_path_factory) -> Iterator[ServedSite]:
    """A project with something for every view, served. Tests may add to it, and count on nothing that others add."""
    root = tmp_path_factory.mktemp("orchard")
    write_orchard(root)
    with served_site(root, "--user", "ann") as site:
        fill_orchard(site)
        yield site


@pytest.fixture
def visitors(driven: Driven) -> Iterator[Visitors]:
    """Browsers of their own for each who comes; a fault of any of them fails the test."""
    with driven.driving() as browser:
        coming = Visitors(browser)
        try:
            yield coming
            coming.settle()
            assert coming.faults == []
        finally:
            coming.leave()


@pytest.fixture
def browse(visitors: Visitors, orchard: ServedSite) -> Browse:
    """Open a path of the orchard's page, as somebody who was let in."""

    def opened(path: str = "/", screen: Screen = LIGHT, **options: Any) -> Page:
        return visitors.let_in(orchard, path, screen, **options)

    return opened
