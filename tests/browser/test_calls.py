"""Calls: what agents asked for, counted, and whether a tool fails."""

from playwright.sync_api import expect

from tests.proves import proves


@proves("Z-123")
def test_a_call_is_counted_with_its_times(browse, orchard):
    orchard.call("search-architecture", {"query": "orders"})

    page = browse("/calls")
    row = page.get_by_role("row", name="search-architecture")

    expect(row).to_be_visible()
    expect(page.get_by_role("columnheader", name="p95")).to_be_visible()
    assert any(cell.strip().isdigit() and int(cell) >= 1 for cell in row.get_by_role("cell").all_inner_texts())
