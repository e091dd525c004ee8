"""Connecting a client: its line is copied."""

from playwright.sync_api import expect

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
PASTED = "navigator.clipboard.readText()"


def test_a_line_is_copied_by_mouse(browse):
    page = browse("/connect", **CLIPBOARD)

    page.get_by_role("button", name="Copy").first.click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate(PASTED) == "fieldguide install"


def test_a_line_that_lacks_its_token_is_shown_and_not_copied(browse, orchard):
    page = browse("/connect", **CLIPBOARD)

    client = page.locator(".card", has_text="YOUR_TOKEN").first

    expect(client).to_contain_text(f"{orchard.origin}/mcp")
    expect(page.locator(".card", has_text="YOUR_TOKEN").get_by_role("button")).to_have_count(0)


def test_the_way_past_the_navigation_is_the_first_step(browse):
    page = browse("/connect")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.localName") == "main"
