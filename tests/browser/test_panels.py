"""The panels as a person uses them: in Chromium, in a closed frame on the official bridge, before a real server."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Frame, expect

from tests.browser.axe import grave_faults, poor_contrasts
from tests.browser.hostile_texts import ADDRESSES, FOREIGN, FRAMES, HANDLERS, MARKUP, SCRIPTS, TITLE
from tests.browser.panel_host import PanelHost
from tests.browser.visitors import Visitors
from tests.projects import Project
from tests.proves import proves
from tests.raw_client import RawClient

pytestmark = pytest.mark.slow

HOSTILE = (MARKUP, f"</script>{MARKUP}", TITLE)
BODY = "".join((SCRIPTS, HANDLERS, ADDRESSES, FOREIGN, FRAMES))
SERVED = ("--toolsets", "architecture,tasks", "--user", "ann")
MOSS = "---\nstatus: superseded by 2\ndate: 2024-05-01\n---\n# Use moss\n\n## Decision\n\nMoss on every roof.\n"
FERN = "---\nstatus: accepted\ndate: 2025-06-02\n---\n# Use fern\n\n## Decision\n\nFern on every roof.\n"
CUT = "---\nstatus: proposed\ndate: 2026-02-03\n---\n# Cut fern\n\nAmends ADR 2.\n\n## Decision\n\nCut it in May.\n"


@pytest.fixture
def decided(project: Project) -> None:
    """Three decisions: the second supersedes the first, the third amends the second."""
    for number, text in enumerate((MOSS, FERN, CUT), start=1):
        project.write(f"docs/adr/{number:04}-d.md", text)


@pytest.fixture
def hostile(project: Project) -> None:
    """Decisions of somebody who wants in."""
    for number, text in enumerate(HOSTILE, start=1):
        head = f"---\nstatus: {text}\n---\n# {text}\n\n## Decision\n\n"
        project.write(f"docs/adr/{number:04}-h.md", f"{head}Use fern.\n{BODY}")


class Client:
    """A client with a window, and a second look at what the server holds."""

    def __init__(self, visitors: Visitors, raw: RawClient) -> None:
        self._raw = raw
        self.host = PanelHost(visitors, raw)

    def show(self, tool: str, capabilities: Any = None, **given: Any) -> Frame:
        """The panel of a tool with its answer."""
        return self.host.call(tool, given, capabilities)

    def turn_dark(self) -> None:
        """The person likes the client dark from now on."""
        self.host.page.evaluate("bridge.sendHostContextChange({theme: 'dark'})")

    def add(self, *titles: str, description: str = "") -> None:
        """Tasks of the user, the last one on top."""
        for title in titles:
            self._raw.call("add_task", title=title, description=description)

    def tasks(self) -> dict[str, bool]:
        """Every task of the user, and whether it is done."""
        [text] = self._raw.call("list_tasks")["content"]
        return {task["title"]: task["completed"] for task in json.loads(text["text"])}


@pytest.fixture
def client(project, visitors, request) -> Iterator[Client]:
    flags = getattr(request, "param", ())
    with RawClient(project.root, *SERVED, *flags) as raw:
        yield Client(visitors, raw)


@proves("Z-85")
def test_a_person_adds_completes_changes_and_deletes_tasks_by_mouse(client):
    client.add("Read the contract", "Write a test")
    panel = client.show("list_tasks")

    panel.fill("#new", "Ask Grace")
    panel.click("text=Add")
    expect(panel.locator(".column").first.locator(".title")).to_have_text(
        ["Ask Grace", "Write a test", "Read the contract"]
    )
    panel.click('[aria-label="Done: Read the contract"]')
    expect(panel.locator(".done .title")).to_have_text("Read the contract")
    panel.click('[aria-label="Edit: Write a test"]')
    panel.fill("[name=title]", "Write two tests")
    panel.click("text=Save")
    expect(panel.locator(".title").nth(1)).to_have_text("Write two tests")
    panel.click('[aria-label="Delete: Ask Grace"]')
    panel.click(".danger")
    expect(panel.locator("#said")).to_have_text("Deleted: Ask Grace")

    assert client.tasks() == {"Write two tests": False, "Read the contract": True}
    did = ("added task 3", "completed task 1", "changed task 2", "deleted task 3")
    assert client.host.page.evaluate("heard") == [f"On the task board the user {each}." for each in did]


@proves("Z-85")
def test_a_task_is_dragged_to_what_is_done(client):
    client.add("Read the contract", "Write a test")
    panel = client.show("list_tasks", status="pending")

    panel.drag_and_drop("#task-1", ".column >> nth=1")
    expect(panel.locator(".done .title")).to_have_text("Read the contract")

    assert client.tasks() == {"Write a test": False, "Read the contract": True}


@proves("Z-85")
def test_a_person_works_the_board_by_keyboard_alone(client):
    client.add("Read the contract")
    panel = client.show("add_task", title="Write a test")
    keys = client.host.page.keyboard
    expect(panel.locator(".fresh .title")).to_have_text("Write a test")

    panel.focus("#again")
    keys.press("Tab")
    keys.type("Ask Grace")
    keys.press("Enter")
    expect(panel.locator(".title")).to_have_text(["Ask Grace", "Write a test", "Read the contract"])
    expect(panel.locator("#new")).to_be_focused()
    keys.press("Tab")  # Add
    keys.press("Tab")  # Done: Ask Grace
    keys.press("Enter")
    expect(panel.locator(".done .title")).to_have_text("Ask Grace")
    expect(panel.locator('[aria-label="Done: Write a test"]')).to_be_focused()
    keys.press("Tab")
    keys.press("Enter")  # Edit
    expect(panel.locator("[name=title]")).to_be_focused()
    keys.press("Escape")
    expect(panel.locator('[aria-label="Edit: Write a test"]')).to_be_focused()
    keys.press("Tab")
    keys.press("Enter")  # Delete
    expect(panel.locator(".keep")).to_be_focused()
    keys.press("Tab")
    keys.press("Enter")
    expect(panel.locator("#h-pending")).to_be_focused()

    assert client.tasks() == {"Read the contract": False, "Ask Grace": True}


@proves("Z-86")
def test_hostile_tasks_and_records_are_text_and_nothing_else(hostile, client):
    client.add(*HOSTILE, description=HANDLERS[:1000])
    board = client.show("list_tasks")
    tasks = board.locator(".task").all_inner_texts()
    board.click("[data-does=complete_task] >> nth=0")
    expect(board.locator(".done")).to_have_count(1)
    is_safe = untouched(board)

    picture = client.show("check-adr-alignment", decision_description="Use fern")
    picture.locator(".decision > button").last.click()
    picture.click("text=Read it")
    record = picture.wait_for_selector(".record").inner_text()

    assert is_safe
    assert untouched(picture)
    assert all(MARKUP in each and HANDLERS[:200] in each for each in tasks)
    assert "⟨U+202E⟩gpj.exe⟨U+202C⟩" in tasks[0]
    assert SCRIPTS.splitlines()[0] in record
    assert "\u202e" not in record
    assert client.host.page.title() == "A client"


def untouched(panel: Frame) -> bool:
    """Whether nothing that a text tried came about: no element of its own, and no script of it ran."""
    foreign = "img, iframe, object, embed, video, audio, form, a, link, base, math, foreignObject, template"
    return panel.locator(foreign).count() == 0 and panel.evaluate("!('taken' in window)")


@proves("Z-87")
def test_the_decisions_are_drawn_with_their_ties_and_can_be_read(decided, client):
    panel = client.show("check-adr-alignment", decision_description="Cut fern on every roof in May")

    expect(panel.locator(".decision .title")).to_have_text(["Cut fern", "Use fern", "Use moss"])
    expect(panel.locator(".decision .words")).to_have_text(
        [
            "proposed · 2026-02-03 · amends 0002",
            "accepted · 2025-06-02 · supersedes 0001 · amended by 0003",
            "superseded · 2024-05-01 · superseded by 0002",
        ]
    )
    expect(panel.locator(".year")).to_have_text(["2026", "2025", "2024"])
    assert [panel.locator(f"#ties .{each}").count() for each in ("supersedes", "amends")] == [1, 1]
    panel.click("text=Use moss")
    panel.click("text=superseded by 0002 >> nth=-1")
    expect(panel.locator(".decision [aria-expanded=true] .title")).to_have_text("Use fern")
    panel.click("text=Read it")
    expect(panel.locator(".record")).to_contain_text("Fern on every roof.")


@proves("Z-87")
def test_a_project_without_decisions_says_so(client):
    panel = client.show("check-adr-alignment", decision_description="Use fern")

    expect(panel.locator("main")).to_contain_text("This project has no decisions that Fieldguide can find.")


@proves("Z-88")
def test_axe_finds_nothing_grave_and_nothing_is_cut_off(decided, client):
    client.add("Read the contract", "W" * 120)
    shows: list[tuple[str, dict[str, Any], str]] = [
        ("list_tasks", {}, "[data-does=update_task]"),
        ("check-adr-alignment", {"decision_description": "Cut fern on every roof"}, ".decision > button"),
    ]
    for tool, given, first in shows:
        panel = client.show(tool, **given)
        panel.click(f"{first} >> nth=0")
        assert grave_faults(panel) == []
        client.turn_dark()
        panel.wait_for_selector("[data-theme=dark]")
        assert poor_contrasts(panel) == []
        client.host.page.set_viewport_size({"width": 320, "height": 640})
        assert panel.evaluate("document.documentElement.scrollWidth <= innerWidth")


@proves("Z-89")
@pytest.mark.parametrize("client", [("--read-only",)], indirect=True)
def test_a_server_that_only_reads_gets_a_board_that_only_shows(client):
    panel = client.show("list_tasks")

    expect(panel.locator("main")).to_contain_text("Nothing to do.")
    assert panel.locator("button").all_inner_texts() == ["Refresh"]


@proves("Z-89")
def test_a_client_that_makes_no_calls_for_a_panel_shows_what_the_answer_holds(client):
    client.add("Read the contract")
    panel = client.show("list_tasks", capabilities={}, status="pending")

    expect(panel.locator(".title")).to_have_text("Read the contract")
    expect(panel.locator("main")).to_contain_text("Only what the answer holds is shown")
    assert panel.locator("button").count() == 0
