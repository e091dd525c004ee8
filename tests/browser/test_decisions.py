"""Decisions: from one to what became of it."""

from playwright.sync_api import expect


def test_a_decision_leads_to_the_one_in_its_place(browse):
    page = browse("/decisions")

    page.get_by_role("link", name="Keep orders in SQLite", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Keep orders in SQLite")
    expect(page.get_by_text("Orders are rows of a SQLite file.").first).to_be_visible()
    page.get_by_role("link", name="Keep orders in PostgreSQL").first.click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("Keep orders in PostgreSQL")
