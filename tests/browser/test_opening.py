"""The way in: a link opens the page, once, and what watches the page does notice."""

from tests.browser.axe import grave_faults
from tests.browser.visitors import Visitors
from tests.proves import proves


@proves("Z-120")
def test_a_link_opens_the_page_in_a_real_browser(orchard, visitors: Visitors):
    page = visitors.context(orchard.origin).new_page()

    page.goto(orchard.link())

    assert page.url == f"{orchard.origin}/"
    assert page.locator("h1").first.is_visible()


def test_what_watches_notices_errors_dialogs_and_requests_elsewhere(orchard, visitors: Visitors):
    page = visitors.let_in(orchard)

    page.evaluate("setTimeout(() => { alert('hello'); throw new Error('a fault') })")
    page.evaluate("fetch('http://127.0.0.1:1/').catch(() => console.error('blocked'))")
    visitors.settle()

    for words in ("dialog: alert hello", "page error: a fault", "violates the", "console error: blocked"):
        visitors.forgive(words)


def test_axe_notices_a_picture_without_words(orchard, visitors: Visitors):
    page = visitors.let_in(orchard)

    page.evaluate("document.body.append(document.createElement('img'))")

    assert any(fault.startswith("image-alt") for fault in grave_faults(page))
