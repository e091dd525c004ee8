"""The board: tasks are added and moved, with and without script."""

import pytest
from playwright.sync_api import Locator, Page, expect


def heading(page: Page, title: str) -> Locator:
    """The title of a column."""
    return page.get_by_role("heading", level=2, name=title)


def column(page: Page, title: str) -> Locator:
    """To do, In progress, or Done."""
    return page.locator(".column", has=heading(page, title))


def card(place: Page | Locator, title: str) -> Locator:
    """A card by what its task is called."""
    return place.locator(".task", has_text=title)


@pytest.fixture
def task(orchard, request) -> str:
    """A task that is to be done, of this test alone."""
    title = f"Task of {request.node.name}"
    orchard.call("add_task", {"title": title})
    return title


def test_a_task_is_added_and_completed_by_mouse(browse):
    page = browse("/tasks")

    page.get_by_placeholder("A new task").fill("Prune the old trees")
    page.get_by_role("button", name="Add").click()
    expect(card(column(page, "To do"), "Prune the old trees")).to_be_visible()
    card(page, "Prune the old trees").get_by_role("button", name="Done").click()

    expect(card(column(page, "Done"), "Prune the old trees")).to_be_visible()
    page.reload()
    expect(card(column(page, "Done"), "Prune the old trees")).to_be_visible()


def test_the_board_works_without_script(browse, task):
    page = browse("/tasks", java_script_enabled=False)

    card(page, task).get_by_role("button", name="Start").click()
    expect(card(column(page, "In progress"), task)).to_be_visible()
    card(page, task).get_by_role("button", name="Done").click()

    expect(card(column(page, "Done"), task)).to_be_visible()
