"""Everything in a repository is a stranger's: shown on the page it does nothing, wherever it stands."""

from collections.abc import Iterable, Iterator
from urllib.parse import quote

import pytest

from tests.browser.hostile_project import FOLDER, add_hostile_rows, write_hostile_files
from tests.browser.hostile_texts import DOCUMENTS, FILE_NAMES
from tests.browser.sites import ServedSite, served_site
from tests.browser.soundness import unsound
from tests.browser.visitors import PHONE, Visitors
from tests.projects import Project

SECTIONS = 'header nav a[href^="/"]'
LINKS = """() => [...document.querySelectorAll('main a[href^="/"]')].map(each => each.getAttribute("href"))"""
MOST_OF_A_SECTION = 5


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Iterator[ServedSite]:
    """A server of a repository that nobody should trust."""
    root = tmp_path_factory.mktemp("<i>hostile")
    write_hostile_files(Project(root))
    with served_site(root, "--user", "ann") as site:
        add_hostile_rows(site)
        yield site


def seen(visitors: Visitors, site: ServedSite, paths: Iterable[str]) -> dict[str, list[str]]:
    """What is wrong on these pages, one after the other in one window; nothing of those that are sound."""
    page = visitors.let_in(site)
    found = {}
    for path in paths:
        page.goto(f"{site.origin}{path}")
        if wrong := unsound(page):
            found[path] = wrong
    return found


def test_a_hostile_document_does_nothing(hostile, visitors: Visitors):
    rendered = [f"/code/{FOLDER}/{name}.md" for name in DOCUMENTS]

    assert seen(visitors, hostile, [*rendered, *(f"{path}?view=plain" for path in rendered)]) == {}


def test_what_a_document_covers_is_not_the_page_even_on_a_phone(hostile, visitors: Visitors):
    page = visitors.let_in(hostile, f"/code/{FOLDER}/frames.md", PHONE)

    page.get_by_role("link", name="Fieldguide").click()

    assert page.url == f"{hostile.origin}/"


def test_hostile_names_and_texts_are_only_text_wherever_links_lead(hostile, visitors: Visitors):
    page = visitors.let_in(hostile, "/search?q=refund+apples")
    waiting = [page.url.removeprefix(hostile.origin)]
    waiting += page.locator(SECTIONS).evaluate_all("all => all.map(each => each.getAttribute('href'))")
    looked: dict[str, list[str]] = {}

    for path in waiting:  # grows while it is walked through
        alike = sum(each.split("?")[0].split("/")[1] == path.split("?")[0].split("/")[1] for each in looked)
        if path in looked or alike >= MOST_OF_A_SECTION:
            continue
        page.goto(f"{hostile.origin}{path}")
        looked[path] = unsound(page)
        waiting += page.evaluate(LINKS)

    assert {path: wrong for path, wrong in looked.items() if wrong} == {}
    assert len(looked) > 10


def test_files_with_hostile_names_open_or_are_refused_plainly(hostile, visitors: Visitors):
    named = [f"/code/{quote(f'docs/names/{name}')}" for name in FILE_NAMES]

    assert seen(visitors, hostile, named) == {}
    visitors.forgive_all_but("dialog", "request", "page error", "violates")
