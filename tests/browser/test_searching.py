"""Searching: found while it is typed, opened at its line, and without script."""

from playwright.sync_api import Page, expect

QUESTION = "how are refunds paid"
PLACE = "docs/guides/paying.md"
IN_SIGHT = "element => { const box = element.getBoundingClientRect(); return box.top >= 0 && box.top < innerHeight }"


def hit(page: Page):
    """The link to the document that answers."""
    return page.locator("#results").get_by_role("link", name=PLACE).first


def assert_opened_at_its_line(page: Page) -> None:
    page.wait_for_url("**/code/**")
    expect(page.get_by_role("heading", level=1, name="paying.md")).to_be_visible()
    assert page.locator(".cited").first.evaluate(IN_SIGHT)


def test_results_come_while_somebody_types_and_open_at_their_line(browse):
    page = browse("/")

    page.get_by_role("searchbox").click()
    page.get_by_role("searchbox").press_sequentially(QUESTION, delay=5)
    expect(hit(page)).to_be_visible()
    expect(page.locator("#results mark").first).to_be_visible()
    hit(page).click()

    assert_opened_at_its_line(page)


def test_arrows_go_through_what_was_found_and_escape_begins_anew(browse):
    page = browse(f"/search?q={QUESTION}")
    expect(hit(page)).to_be_visible()
    page.get_by_role("searchbox").focus()

    page.keyboard.press("ArrowDown")
    first = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("ArrowDown")
    second = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Escape")

    assert first != second
    expect(page.get_by_role("searchbox")).to_be_focused()
    expect(page.get_by_role("searchbox")).to_have_value("")


def test_a_search_needs_no_script(browse):
    page = browse("/", java_script_enabled=False)

    page.get_by_role("searchbox").fill(QUESTION)
    page.get_by_role("button", name="Search").click()

    expect(page.get_by_role("link", name=PLACE).first).to_be_visible()


def test_typing_slowly_does_not_use_up_the_searches_of_a_minute(browse):
    page = browse("/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/search" in request.url else None)
    page.clock.install(time=0)
    page.clock.pause_at(3_600_000)  # from here on only what the test lets pass

    for letter in "refunds" * 5:
        page.get_by_role("searchbox").press(letter)
        page.clock.run_for(250)

    assert 10 <= len(asked) <= 20
