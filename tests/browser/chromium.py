"""The Chromium that the tests drive: the system's own. None is ever downloaded."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Playwright, sync_playwright

NAMED, REQUIRED = "FIELDGUIDE_CHROMIUM", "FIELDGUIDE_BROWSER_REQUIRED"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# A container has no user namespaces and a small /dev/shm. What reaches out by itself is switched off.
FLAGS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-proxy-server", "--hide-scrollbars")
LACKING = f"no Chromium: install Debian's `chromium`, or name the program in {NAMED}"


def program() -> str | None:
    """Where Chromium is; None where there is none."""
    return os.environ.get(NAMED) or next(filter(None, map(shutil.which, PROGRAMS)), None)


class Driven:
    """A running Chromium, whose driver is the thread's event loop only while somebody drives it.

    Playwright's plain interface leaves its loop marked as the running one of the thread. Tests that bring a loop of
    their own could not run beside it in the same process.
    """

    def __init__(self, playwright: Playwright, path: str) -> None:
        self._loop = asyncio.get_running_loop()
        self.browser: Browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))

    @contextmanager
    def driving(self) -> Iterator[Browser]:
        """The browser, for as long as it is driven."""
        asyncio._set_running_loop(self._loop)
        try:
            yield self.browser
        finally:
            asyncio._set_running_loop(None)


@contextmanager
def chromium(path: str) -> Iterator[Driven]:
    """A Chromium of our own, ended afterwards."""
    playwright = sync_playwright().start()
    driven = Driven(playwright, path)
    asyncio._set_running_loop(None)
    try:
        yield driven
    finally:
        with driven.driving():
            driven.browser.close()
            playwright.stop()
