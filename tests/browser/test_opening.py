"""The way in: a link opens the page, once."""

from tests.browser.visitors import Visitors


def test_a_link_opens_the_page_in_a_real_browser(orchard, visitors: Visitors):
    page = visitors.context(orchard.origin).new_page()

    page.goto(orchard.link())

    assert page.url == f"{orchard.origin}/"
    assert page.locator("h1").first.is_visible()
