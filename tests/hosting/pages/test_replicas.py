"""Signed in at one replica, known to the other; on PostgreSQL, with its walls between projects and users."""

import re

import anyio

from tests.hosting.pages.people import look, signed_in
from tests.hosting.services import Service
from tests.projects import Project
from tests.proves import proves


async def add_task(service: Service, user: str) -> None:
    async with service.client(user, "shop") as client:
        added = await client.call_tool("add_task", {"title": f"Water for {user}"})
        assert not added.is_error


@proves("Z-273", "Z-271")
def test_a_cookie_of_one_replica_opens_the_pages_of_another(postgres, tmp_path):
    database = ("--database", postgres.new_database())
    one, two = (Service(tmp_path / name, database) for name in ("one", "two"))
    project = Project(tmp_path / "shop")
    project.write("docs/ferns.md", "# Ferns\n\nFerns like shade.\n")
    for each in (one, two):
        each.folder.mkdir()
    one.run("team", "projects", "add", "shop", project.root)
    one.run("team", "projects", "grant", "ann", "shop", "--write")
    one.run("team", "projects", "grant", "bob", "shop", "--write")

    with one.serving(), two.serving():
        cookie = signed_in(one, "ann")
        for user in ("ann", "bob"):
            anyio.run(add_task, one, user)
        seen = [look(each, "/p/shop/code/docs/ferns.md", cookie) for each in (one, two)]
        boards = [look(each, "/p/shop/tasks", cookie).text for each in (one, two)]
        one.run("team", "token", "revoke", re.findall(r"fgt_([a-z0-9]{12})", one.token("ann"))[0])

        assert [each.status for each in seen] == [200, 200]
        assert all("Ferns like shade" in each.text for each in seen)
        assert all("Water for ann" in each and "Water for bob" not in each for each in boards)
        assert [look(each, "/", cookie).status for each in (one, two)] == [401, 401]
