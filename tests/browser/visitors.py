"""People who look at the page: each has a browser of their own, a screen, and eyes on what goes wrong."""

from typing import Any, Literal, NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.sites import ServedSite
from tests.browser.watch import Watch

STEP_MILLISECONDS = 30_000


class Screen(NamedTuple):
    """How wide and high the window is, and whether its owner likes it dark."""

    width: int
    height: int
    scheme: Literal["light", "dark"]
    phone: bool = False


LIGHT, DARK = Screen(1280, 800, "light"), Screen(1280, 800, "dark")
PHONE = Screen(390, 844, "light", phone=True)


class Visitors:
    """The contexts of one test, and all their faults."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self._watches: list[Watch] = []

    def context(self, origin: str, screen: Screen = LIGHT, **options: Any) -> BrowserContext:
        """A browser that nobody has used, watched for faults."""
        context = self._browser.new_context(
            viewport={"width": screen.width, "height": screen.height},
            color_scheme=screen.scheme,
            has_touch=screen.phone,
            is_mobile=screen.phone,
            reduced_motion="reduce",
            **options,
        )
        context.set_default_timeout(STEP_MILLISECONDS)
        self._contexts.append(context)
        self._watches.append(Watch(context, origin))
        return context

    def let_in(self, site: ServedSite, path: str = "/", screen: Screen = LIGHT, **options: Any) -> Page:
        """A page of somebody who opened a link; with `java_script_enabled=False` it has no script."""
        context = self.context(site.origin, screen, **options)
        assert context.request.get(site.link()).ok
        page = context.new_page()
        page.goto(f"{site.origin}{path}")
        return page

    @property
    def faults(self) -> list[str]:
        """What went wrong so far, in any of the browsers."""
        return [fault for watch in self._watches for fault in watch.faults]

    def forgive(self, words: str) -> None:
        """Take away the faults that a test meant to see; there must be one."""
        assert any(words in fault for fault in self.faults), (words, self.faults)
        for watch in self._watches:
            watch.forgive(words)

    def forgive_all(self) -> None:
        """Take away all faults: a page of a stranger's own may do what it likes."""
        for watch in self._watches:
            watch.faults.clear()

    def forgive_all_but(self, *words: str) -> None:
        """Take away the faults with none of these words, such as the status of pages that are refused."""
        for watch in self._watches:
            watch.faults = [fault for fault in watch.faults if any(word in fault for word in words)]

    def settle(self) -> None:
        """Wait until every page has told what it has to tell: events come in order, so one answer is enough."""
        for context in self._contexts:
            for page in context.pages:
                page.title()

    def leave(self) -> None:
        """Close every browser."""
        for context in self._contexts:
            context.close()
