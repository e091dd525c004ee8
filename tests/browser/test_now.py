"""Now: what agents ask appears while somebody looks, with places that lead to the code; and the calls of each tool."""

from playwright.sync_api import expect

from tests.browser.keyboard import go_to
from tests.proves import proves


@proves("Z-73", "Z-124")
def test_a_question_of_an_agent_appears_by_itself_and_its_place_opens_by_keyboard(browse, orchard):
    page = browse("/now")
    expect(page.get_by_text("Retry a payment that fails")).to_be_visible()

    orchard.call("guide_symbol", {"name": "total_of"})
    entry = page.locator(".entry").first
    expect(entry.get_by_text("total_of", exact=True)).to_be_visible()
    go_to(page, entry.get_by_role("link").first)

    expect(page.get_by_role("heading", level=1)).to_have_text("orders.py")


@proves("Z-73", "Z-123")
def test_the_latest_questions_need_no_script(browse):
    page = browse("/now", java_script_enabled=False)

    expect(page.get_by_text("Retry a payment that fails")).to_be_visible()
    page.get_by_role("link", name="Totals").click()
    expect(page.get_by_role("heading", name="This server")).to_be_visible()


@proves("Z-46", "Z-123")
def test_a_call_is_counted_with_its_times(browse, orchard):
    orchard.call("search-architecture", {"query": "orders"})

    page = browse("/now?show=all")
    row = page.get_by_role("row", name="search-architecture")

    expect(row).to_be_visible()
    expect(page.get_by_role("columnheader", name="95 %")).to_be_visible()
    assert any(cell.strip().isdigit() and int(cell) >= 1 for cell in row.get_by_role("cell").all_inner_texts())
