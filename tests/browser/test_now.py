"""Now: what agents ask appears while somebody looks, with places that lead to the code."""

from playwright.sync_api import expect

from tests.browser.keyboard import go_to


def test_a_question_of_an_agent_appears_by_itself_and_its_place_opens_by_keyboard(browse, orchard):
    page = browse("/now")
    expect(page.get_by_text("Retry a payment that fails")).to_be_visible()

    orchard.call("guide_symbol", {"name": "total_of"})
    entry = page.locator(".entry").first
    expect(entry.get_by_text("total_of", exact=True)).to_be_visible()
    go_to(page, entry.get_by_role("link").first)

    expect(page.get_by_role("heading", level=1)).to_have_text("orders.py")
