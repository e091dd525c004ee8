"""Findings: looked over, confirmed and archived."""

import json
import zlib

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.keyboard import go_to
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


@proves("Z-124")
def test_a_finding_is_archived_and_brought_back_by_keyboard(browse, rule):
    page = browse("/findings")

    go_to(page, finding(page, rule).get_by_role("button", name="Archive"))
    expect(finding(page, rule)).to_have_count(0)
    go_to(page, page.get_by_role("link", name="archived"))
    expect(finding(page, rule)).to_be_visible()
    go_to(page, finding(page, rule).get_by_role("button", name="Restore"))
    expect(finding(page, rule)).to_have_count(0)
    go_to(page, page.get_by_role("link", name="to review"))

    expect(finding(page, rule)).to_be_visible()


@proves("Z-123")
def test_what_is_archived_is_told_no_more(browse, orchard, rule):
    page = browse("/findings", java_script_enabled=False)

    finding(page, rule).get_by_role("button", name="Archive").click()

    expect(finding(page, rule)).to_have_count(0)
    told = orchard.call("context_search", {"query": rule, "type": "rule"})
    assert rule not in [each["content"] for each in json.loads(told["content"][0]["text"])["results"]]
