"""Patterns: read with their rules."""

from playwright.sync_api import expect

from tests.proves import proves


@proves("Z-123")
def test_a_pattern_is_read_with_its_rules(browse):
    page = browse("/patterns")

    page.get_by_role("link", name="Repository Pattern").click()

    expect(page.get_by_text("A service imports no database driver.").first).to_be_visible()
