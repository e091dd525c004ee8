"""Whether a page still is ours, after it has shown what a stranger wrote."""

from pathlib import Path

from playwright.sync_api import Page

LOOK = Path(__file__).with_name("soundness.js").read_text(encoding="utf-8")


def unsound(page: Page) -> list[str]:
    """What is wrong with a page that shows strangers' text; nothing, if it is sound."""
    found: list[str] = page.evaluate(LOOK.partition("\n")[2])
    return found
