"""Connecting a client: its line is copied, by mouse and by keyboard."""

from playwright.sync_api import expect

from tests.browser.keyboard import go_to
from tests.browser.visitors import PHONE
from tests.proves import proves

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
PASTED = "navigator.clipboard.readText()"


@proves("Z-123")
def test_a_line_is_copied_by_mouse(browse):
    page = browse("/connect", **CLIPBOARD)

    page.get_by_role("button", name="Copy").first.click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate(PASTED) == "fieldguide install"


@proves("Z-123")
def test_a_line_that_lacks_its_token_is_shown_and_not_copied(browse, orchard):
    page = browse("/connect", **CLIPBOARD)

    client = page.locator(".card", has_text="YOUR_TOKEN").first

    expect(client).to_contain_text(f"{orchard.origin}/mcp")
    expect(page.locator(".card", has_text="YOUR_TOKEN").get_by_role("button")).to_have_count(0)


@proves("Z-124")
def test_a_line_is_copied_by_keyboard(browse):
    page = browse("/connect", **CLIPBOARD)

    go_to(page, page.get_by_role("button", name="Copy").first)

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate(PASTED) == "fieldguide install"


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


@proves("Z-120")
def test_all_lines_of_every_client_are_seen_on_a_phone(browse):
    page = browse("/connect", PHONE)
    page.get_by_text("One client only").click()
    lines = page.locator(".code pre")

    expect(lines.first).to_be_visible()
    assert lines.count() > 4
    hidden = "all => all.filter(each => each.scrollWidth > each.clientWidth).map(each => each.textContent)"
    assert lines.evaluate_all(hidden) == []
