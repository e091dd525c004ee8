"""Documents: from a collection to one with its outline, and through it."""

from playwright.sync_api import expect

IN_SIGHT = "element => { const box = element.getBoundingClientRect(); return box.top >= 0 && box.top < innerHeight }"


def test_a_document_is_found_and_its_outline_leads_through_it(browse):
    page = browse("/documents")
    page.set_viewport_size({"width": 1280, "height": 400})

    page.get_by_role("link", name="docs", exact=True).click()
    page.get_by_role("link", name="Paying").click()
    page.get_by_role("navigation", name="Outline").get_by_role("link", name="Partial refunds").click()

    assert page.get_by_role("heading", name="Partial refunds").evaluate(IN_SIGHT)
    page.locator("article").get_by_role("link", name="Shipping").click()
    expect(page.get_by_role("heading", name="Parcels")).to_be_visible()
