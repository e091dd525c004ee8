"""Which projects are open: opened once, closed when idle or too many; and the registry as a process sees it."""

import asyncio

import pytest

from fieldguide.settings.access import Access
from fieldguide.settings.limits import Limits
from fieldguide.team.registry import EVERYBODY, HostedProject, ProjectGrant, combine_grants
from fieldguide.team.service import OpenProjects

pytestmark = pytest.mark.anyio


class FakeOpen:
    """Stands for an open project."""

    def __init__(self, project, app, operation=None):
        self.project, self.app = project, app
        self.requests, self.used_at, self.is_closed = 0, 0.0, False

    async def begin(self):
        pass

    async def close(self):
        self.is_closed = True


@pytest.fixture
def projects(monkeypatch):
    """Makes the open projects of a service, with a clock that stands."""
    monkeypatch.setattr("fieldguide.team.service.OpenProject", FakeOpen)

    def make(now, **limits):
        opened = []

        async def open_app(project):
            opened.append(project.name)
            await asyncio.sleep(0)
            return project.name

        return OpenProjects(open_app, Limits(**limits), clock=lambda: now[0]), opened

    return make


def named(name):
    return HostedProject(f"p-{name}", name, "", root="/")


async def test_two_who_ask_at_once_open_a_project_once(projects):
    made, opened = projects([0.0])

    first, second = await asyncio.gather(made.get(named("a")), made.get(named("a")))

    assert first is second
    assert opened == ["a"]


async def test_the_one_that_was_unused_longest_makes_room_and_none_that_is_at_work(projects):
    made, _ = projects([0.0], open_projects=2)
    one, two = await made.get(named("a")), await made.get(named("b"))
    one.used_at, two.used_at = 1.0, 2.0
    one.requests = 1

    three = await made.get(named("c"))
    three.requests = 1

    assert {each.project.name for each in made.all()} == {"a", "c"}
    assert await made.get(named("d")) is None
    await made.close()
    assert one.is_closed
    assert two.is_closed
    assert three.is_closed


async def test_idle_ones_are_closed_and_those_that_the_registry_has_no_more(projects):
    now = [0.0]
    made, opened = projects(now, project_idle_seconds=10)
    idle, busy, gone = [await made.get(named(name)) for name in "abc"]
    busy.requests = 1
    gone.used_at = 11.0
    now[0] = 11.0

    made.close_idle()
    made.close_others({"p-a", "p-b"})

    assert [each.project.name for each in made.all()] == ["b"]
    await made.close()
    assert idle.is_closed
    assert gone.is_closed
    await made.get(named("a"))
    assert opened == ["a", "b", "c", "a"]


def test_grants_add_up_to_what_somebody_may_do():
    grants = [
        ProjectGrant("p", "ann", "tasks", True),
        ProjectGrant("p", EVERYBODY, "guide", False),
        ProjectGrant("p", "bob", "*", False),
        ProjectGrant("p", "bob", "tasks", True),
    ]

    assert combine_grants(grants, "ann") == Access("ann", frozenset({"tasks", "guide"}), frozenset({"tasks"}))
    assert combine_grants(grants, "bob") == Access("bob", None, frozenset({"tasks"}))
    assert combine_grants(grants, "eve") == Access("eve", frozenset({"guide"}), frozenset())
    assert combine_grants(grants[:1], "eve") is None
