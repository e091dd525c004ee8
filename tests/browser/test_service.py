"""The pages of a service in a browser: sign in, choose a project, search it, leave."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.hosting.services import Service
from tests.projects import Project


@pytest.fixture(scope="module")
def service(tmp_path_factory) -> Iterator[Service]:
    """A service with a project of Ann's, and one of nobody's."""
    folder = tmp_path_factory.mktemp("service")
    made = Service(folder, ())
    for name in ("shop", "vault"):
        project = Project(folder / name)
        project.write("docs/ferns.md", "# Ferns\n\nFerns like shade. See [moss](moss.md).\n")
        project.write("docs/moss.md", "# Moss\n\nMoss likes it wet.\n")
        made.run("team", "projects", "add", name, project.root)
    made.run("team", "projects", "grant", "ann", "shop")
    with made.serving():
        yield made


def test_somebody_signs_in_reads_a_project_and_leaves(service, visitors):
    at = urlsplit(service.url)
    origin = f"{at.scheme}://{at.netloc}"
    page = visitors.context(origin).new_page()
    page.goto(f"{origin}/")
    page.get_by_label("Your token").fill(service.token("ann"))
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("heading", name="Your projects")).to_be_visible()
    expect(page.get_by_role("link", name="vault")).to_have_count(0)
    page.get_by_role("link", name="shop").click()
    page.wait_for_url("**/p/shop/")
    page.get_by_role("searchbox").fill("which plant likes shade")
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/shop/search?**")
    page.locator("#results").get_by_role("link", name="docs/ferns.md").first.click()
    page.wait_for_url("**/p/shop/code/**")
    page.get_by_role("link", name="moss").click()
    expect(page.get_by_role("heading", level=1, name="moss.md")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()

    expect(page.get_by_label("Your token")).to_be_visible()
    visitors.forgive_all_but("Content Security Policy", "script", "Refused")


def test_a_search_that_is_cleared_leads_back_to_the_project(service, visitors):
    at = urlsplit(service.url)
    origin = f"{at.scheme}://{at.netloc}"
    context = visitors.context(origin)
    assert context.request.post(f"{origin}/signin", form={"token": service.token("ann")}).ok
    page = context.new_page()
    page.goto(f"{origin}/p/shop/")
    page.get_by_role("searchbox").press_sequentially("ferns", delay=5)
    expect(page.locator("#results .hit").first).to_be_visible()
    page.keyboard.press("Escape")

    page.wait_for_url("**/p/shop/")
