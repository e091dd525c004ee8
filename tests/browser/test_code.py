"""Code: from a question to a symbol, along its callers and what it calls."""

from playwright.sync_api import Page, expect

from tests.browser.keyboard import go_to

CHECK_OUT = "/code/src/checkout.py?symbol=check_out"


def heading(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_one_walks_along_the_calls_by_keyboard(browse):
    page = browse(CHECK_OUT)
    heading(page, "check_out")
    calls = page.get_by_role("navigation", name="What it calls")
    expect(calls.get_by_role("link", name="charge")).to_be_visible()

    go_to(page, calls.get_by_role("link", name="charge"))
    heading(page, "charge")
    users = page.get_by_role("complementary", name="Who uses it")
    go_to(page, users.get_by_role("link", name="check_out"))

    heading(page, "check_out")


def test_what_is_called_stands_at_the_line_that_calls_it(browse):
    page = browse(CHECK_OUT)
    line = page.locator("#L11").bounding_box()
    called = page.locator('.right li[data-n="11"]').bounding_box()

    assert page.locator("#L11").inner_text().strip() == "receipt = charge(card, amount)"
    assert line
    assert called
    assert abs(line["y"] - called["y"]) < 3


def test_who_uses_a_name_is_asked_in_the_search_box(browse):
    page = browse("/")

    page.keyboard.type("What is total_of, and who uses it?")
    page.keyboard.press("Enter")

    heading(page, "total_of")
    users = page.get_by_role("complementary", name="Who uses it")
    expect(users.get_by_role("link", name="check_out")).to_be_visible()


def test_the_map_needs_no_script(browse):
    page = browse("/code", java_script_enabled=False)

    page.get_by_role("link", name="src/", exact=True).click()
    page.get_by_role("link", name="payments.py").last.click()

    heading(page, "payments.py")
