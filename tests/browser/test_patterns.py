"""Patterns: read with their rules, and tried on code that is pasted."""

from playwright.sync_api import expect

from tests.browser.keyboard import go_to, tab_to
from tests.proves import proves

SERVICE = "import psycopg\n\n\nclass OrderService:\n    pass\n"


@proves("Z-123")
def test_code_is_pasted_and_checked_by_mouse(browse):
    page = browse("/patterns")

    page.get_by_role("link", name="Repository Pattern").click()
    expect(page.get_by_text("A service imports no database driver.").first).to_be_visible()
    page.get_by_label("Code to check").fill(SERVICE)
    page.get_by_label("Language").select_option("python")
    page.get_by_role("button", name="Check it").click()

    expect(page.locator("#result")).to_contain_text("no-driver-in-services")
    expect(page.locator("#result .line.broken")).to_have_text("import psycopg")
    expect(page.get_by_label("Code to check")).to_have_value(SERVICE)


@proves("Z-124")
def test_code_is_checked_by_keyboard(browse):
    page = browse("/patterns")

    go_to(page, page.get_by_role("link", name="Repository Pattern"))
    page.wait_for_url("**/patterns/*")
    tab_to(page, page.get_by_label("Code to check"))
    page.keyboard.insert_text("class OrderRepository:\n    pass\n")
    go_to(page, page.get_by_role("button", name="Check it"))

    expect(page.locator("#result")).to_contain_text("Nothing breaks this pattern")


@proves("Z-123")
def test_code_that_looks_like_a_page_is_only_code(browse):
    page = browse("/patterns")
    page.get_by_role("link", name="Repository Pattern").click()
    code = "</textarea><script>window.taken=1</script>\nimport psycopg  # \u202e &amp; <b>\n"

    page.get_by_label("Code to check").fill(code)
    page.get_by_label("Language").select_option("python")
    page.get_by_role("button", name="Check it").click()

    expect(page.locator("#result")).to_be_visible()
    expect(page.get_by_label("Code to check")).to_have_value(code)
    assert page.evaluate("'taken' in window") is False
