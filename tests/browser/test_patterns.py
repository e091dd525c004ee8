"""Patterns: listed, and read with their rules."""

from playwright.sync_api import expect

from tests.browser.keyboard import go_to
from tests.proves import proves


@proves("Z-123", "Z-124")
def test_a_pattern_is_opened_by_keyboard_and_tells_its_rules(browse):
    page = browse("/patterns")

    go_to(page, page.get_by_role("link", name="Repository Pattern"))

    expect(page.get_by_text("A service imports no database driver.").first).to_be_visible()
