"""Old and new replicas side by side on one database, while the new one brings the tables up to date."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from fieldguide.search import engine
from fieldguide.storage.database import FINDINGS_SCHEMA
from fieldguide.toolsets.tasks import tools as tasks
from tests.clients import http_client, payload
from tests.deploy.service_database import ServiceDatabase, service_database
from tests.deploy.version_before import Server, installed_before, steps_before
from tests.projects import Project
from tests.proves import proves

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
PAUSE_SECONDS = 0.1
PAGES = {"before": "quokka", "between": "narwhal", "after": "axolotl"}


class Replica:
    """A client of one server, whose answers are held to what was acknowledged by any server."""

    def __init__(self, server: Server, client: Any, written: set[str]) -> None:
        self._name = str(server.process.pid)
        self._client = client
        self._written = written
        self.rounds = 0

    async def work(self) -> None:
        """Write a task and read all of them: each one that was acknowledged before is there."""
        known = set(self._written)
        title = f"{self._name} {self.rounds}"
        added = payload(await self._client.call_tool("add_task", {"user_id": "ann", "title": title}))
        assert added["status"] == "created", added
        self._written.add(title)
        listed = payload(await self._client.call_tool("list_tasks", {"user_id": "ann"}))
        titles = [task["title"] for task in listed]
        assert len(titles) == len(set(titles))
        assert known | {title} <= set(titles)
        self.rounds += 1

    async def finds(self, word: str, page: str) -> bool:
        """Whether a search for a word gives its page."""
        found = await self._client.call_tool("documents_search", {"query": word})
        return page in found.content[0].text

    async def will_find(self, word: str, page: str) -> None:
        """It is found, as soon as it is indexed."""
        async with asyncio.timeout(60):
            while not await self.finds(word, page):
                await asyncio.sleep(PAUSE_SECONDS)


@asynccontextmanager
async def replica(server: Server, written: set[str]) -> AsyncIterator[Replica]:
    async with http_client(server.url, mode="legacy") as client:
        yield Replica(server, client, written)


@pytest.fixture(scope="module")
def before(tmp_path_factory) -> Path:
    return installed_before(tmp_path_factory.mktemp("before"))


@pytest.fixture
def database(postgres, tmp_path) -> ServiceDatabase:
    return service_database(postgres, tmp_path)


def write_page(project: Project, name: str) -> None:
    project.write(f"docs/{name}.md", f"# The page {name}\n\nIt tells of the {PAGES[name]} and of nothing else.\n")


async def keep_working(replica: Replica, is_over: asyncio.Event) -> None:
    while not is_over.is_set():
        await replica.work()
        await asyncio.sleep(PAUSE_SECONDS)  # the machine is for the servers


@proves("Z-248", "Z-246")
async def test_old_and_new_answer_all_the_time_and_lose_nothing(project, database, before):
    flags = ("--database", database.address)
    written: set[str] = set()
    write_page(project, "before")
    project.write("src/zoo.py", "import os\n\n\ndef feed(animal):\n    return os.path.join(animal, 'hay')\n")
    is_over = asyncio.Event()

    with Server(project.root, *flags, site=before, **database.environment) as old_server:
        async with replica(old_server, written) as old, asyncio.TaskGroup() as working:
            await old.will_find("quokka", "before")
            working.create_task(keep_working(old, is_over))
            new_server = await asyncio.to_thread(Server, project.root, *flags, **database.environment)
            with new_server:
                async with replica(new_server, written) as new:
                    await new.work()  # the tables are brought up to date here, under the old one's traffic
                    await new.will_find("quokka", "before")
                    write_page(project, "between")
                    await new.will_find("narwhal", "between")
                    await old.will_find("narwhal", "between")
                    for _ in range(3):
                        await new.work()
            write_page(project, "after")  # only the old one is left to index it
            await old.will_find("axolotl", "after")
            is_over.set()
        assert old.rounds > 3
    await _the_old_one_starts_again(project, database, before, written)
    assert steps_of(database) >= {("search", 7), ("search", 8), ("tasks", 1), ("context", 3)}


async def _the_old_one_starts_again(project, database, before, written) -> None:
    """Rolled back after the upgrade, or started again in the midst of it."""
    with Server(project.root, "--database", database.address, site=before, **database.environment) as server:
        async with replica(server, written) as later:
            await later.work()
            for page, word in PAGES.items():
                await later.will_find(word, page)


def steps_of(database: ServiceDatabase) -> set[tuple[str, int]]:
    with psycopg.connect(database.superuser) as connection:
        rows = connection.execute("SELECT split_part(toolset, '+', 1), number FROM schema_migration").fetchall()
    return set(rows)


@proves("Z-246")
async def test_what_the_version_before_knows_is_what_it_had():
    for schema in (tasks.SCHEMA, engine.SCHEMA, FINDINGS_SCHEMA):
        package = "fieldguide.discoveries" if schema is FINDINGS_SCHEMA else schema.package
        assert schema.released == steps_before(package), schema.toolset
