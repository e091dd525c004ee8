"""Connecting a client: its line is copied, by mouse and by keyboard."""

from playwright.sync_api import expect

from tests.browser.keyboard import go_to
from tests.proves import proves

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
PASTED = "navigator.clipboard.readText()"


@proves("Z-123")
def test_a_line_is_copied_by_mouse(browse, orchard):
    page = browse("/connect", **CLIPBOARD)
    client = page.locator(".card", has=page.get_by_role("heading", name="Claude Code")).first

    client.get_by_role("button", name="Copy").first.click()

    expect(client.get_by_role("button", name="Copied")).to_be_visible()
    assert f"{orchard.origin}/mcp" in page.evaluate(PASTED)
    assert page.evaluate(PASTED).startswith("claude mcp add")


@proves("Z-124")
def test_a_line_is_copied_by_keyboard(browse):
    page = browse("/connect", **CLIPBOARD)
    client = page.locator(".card", has=page.get_by_role("heading", name="Codex")).first

    go_to(page, client.get_by_role("button").first)

    expect(client.get_by_role("button", name="Copied")).to_be_visible()
    assert "[mcp_servers.fieldguide]" in page.evaluate(PASTED)


@proves("Z-124")
def test_the_way_past_the_navigation_is_the_first_step(browse):
    page = browse("/connect")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.localName") == "main"


@proves("Z-123")
def test_without_script_there_is_no_button_that_does_nothing(browse):
    page = browse("/connect", java_script_enabled=False)

    expect(page.get_by_text("claude mcp add").first).to_be_visible()
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)
