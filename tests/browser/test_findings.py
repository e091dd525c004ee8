"""Findings: looked over, confirmed and archived."""

import zlib

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.proves import proves


def finding(page: Page, words: str) -> Locator:
    """A finding by what it says."""
    return page.locator(".findings > li", has_text=words)


@pytest.fixture
def rule(orchard, request) -> str:
    """A finding that nobody has looked over, of this test alone."""
    content = f"Always water the trees of row {zlib.crc32(request.node.name.encode())}"
    orchard.call("guide_record", {"type": "rule", "content": content, "evidence": {"files": ["src/orders.py"]}})
    return content


@proves("Z-123")
def test_a_finding_is_confirmed_and_archived_by_mouse(browse, rule):
    page = browse("/findings")

    finding(page, rule).get_by_role("button", name="Confirm").click()
    expect(finding(page, rule)).to_have_count(0)
    page.get_by_role("link", name="confirmed").click()
    finding(page, rule).get_by_role("button", name="Archive").click()
    expect(finding(page, rule)).to_have_count(0)
    page.get_by_role("link", name="archived").click()

    expect(finding(page, rule)).to_be_visible()
