"""Findings: listed and removed."""

import zlib

import pytest
from playwright.sync_api import Locator, Page, expect


def finding(page: Page, words: str) -> Locator:
    """A finding by what it says."""
    return page.locator(".findings > li", has_text=words)


@pytest.fixture
def rule(orchard, request) -> str:
    """A finding of this test alone."""
    content = f"Always water the trees of row {zlib.crc32(request.node.name.encode())}"
    orchard.call("guide_record", {"type": "rule", "content": content, "evidence": {"files": ["src/orders.py"]}})
    return content


def test_a_finding_is_removed(browse, rule):
    page = browse("/findings")

    finding(page, rule).get_by_role("button", name="Remove").click()

    expect(finding(page, rule)).to_have_count(0)
