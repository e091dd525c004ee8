"""A team's service for some minutes: two replicas, a balancer, 64 agents; a replica is killed, PostgreSQL restarted.

`SOAK_SECONDS=60 python -m pytest tests/soak/test_teams_soak.py -s` runs it for a minute.
"""

import asyncio
import gc
import os
import threading
import time

import pytest

from tests.proves import proves
from tests.soak.teams.agent import Agent, replace_tally
from tests.soak.teams.balancer import Balancer
from tests.soak.teams.facts import MARKERS, USERS
from tests.soak.teams.service import Service, wait_until_up
from tests.soak.teams.tally import Sample, Tally
from tests.soak.teams.work import (
    any_work,
    ask_for_a_brief,
    find_symbol,
    list_documents,
    list_tasks,
    search_architecture,
    search_every_document,
)

pytestmark = [
    pytest.mark.anyio,
    # A connection that is cut in the midst is closed by nobody's hand, and the client warns of what older eras do.
    pytest.mark.filterwarnings("ignore"),
]
SECONDS = float(os.environ.get("SOAK_SECONDS", "300"))
CLIENTS = int(os.environ.get("SOAK_CLIENTS", "64"))
KILLED_AT, BACK_AT, RESTARTED_AT = 0.25, 0.35, 0.55  # of the time
INDEXED = (list_documents, search_every_document, find_symbol, search_architecture, ask_for_a_brief)
INDEXED_SECONDS = 180.0
DISTURBED_SECONDS = 45.0  # a breaker rests for 30 after the database was away
ENOUGH_CALLS = 50_000
MOST_GROWTH_MEGABYTES = 15.0  # of a replica, for 100,000 calls


@proves("Z-250")
async def test_a_service_under_load_is_never_wrong_and_loses_nothing(tmp_path):
    tally = Tally()
    agents: list[Agent] = []
    try:
        with Service(tmp_path) as service:
            tokens = await asyncio.to_thread(service.register, list(MARKERS), USERS)
            async with Balancer([], seed=19) as balancer:
                await asyncio.to_thread(service.start, balancer.port)
                balancer.ports = [replica.port for replica in service.replicas]
                agents += made_agents(balancer.port, tokens, tally)
                await indexed(agents)
                tally.began = time.monotonic()
                await under_load(service, agents, tally)
                await looked_at_last(agents)
            tally.events.append(f"{balancer.connections} connections, {balancer.cut} cut, {balancer.refused} refused")
            tally.lost += kept_findings(service, agents)
    finally:
        print(f"\n{told(tally, agents)}")
        gc.collect()  # sockets of clients that broke off go here, where nobody minds

    assert (tally.wrong, tally.lost) == ([], [])
    assert tally.failed_at_peace == []
    assert tally.calls > CLIENTS
    if tally.calls > ENOUGH_CALLS:  # before, caches fill
        assert all(slope < MOST_GROWTH_MEGABYTES for slope in tally.slopes().values()), tally.slopes()


def told(tally: Tally, agents: list[Agent]) -> str:
    """The closing table, and the first of what was wrong."""
    written = sum(agent.tasks.acknowledged + len(agent.findings) for agent in agents)
    unsure = sum(agent.tasks.unsure + len(agent.maybe_findings) for agent in agents)
    errors = [f"  {count:>6} {why}" for why, count in tally.reasons.most_common(12)]
    odd = (*tally.wrong[:20], *tally.lost[:20], *tally.failed_at_peace[:20])
    return "\n".join([tally.table(unsure, written), "errors:", *errors, *odd])


def made_agents(port: int, tokens: dict[str, str], tally: Tally):
    """One agent for each user in each project; eras in turn."""
    pairs = [(user, project) for user in USERS for project in MARKERS][:CLIENTS]
    for number, (user, project) in enumerate(pairs):
        url = f"http://127.0.0.1:{port}/mcp/{project}"
        era = "stateless" if (number + number // 4) % 2 else "handshake"
        yield Agent(url, tokens[user], user, project, era=era, tally=tally, seed=number)


async def indexed(agents: list[Agent]) -> None:
    """Wait until every project is in the index: what is asked of it before may lack."""
    first = {agent.project: agent for agent in agents}

    async def wait(agent: Agent) -> None:
        trial, is_done = Tally(), asyncio.Event()
        looker = replace_tally(agent, trial)

        async def look(agent: Agent) -> None:
            trial.wrong.clear()
            for piece in INDEXED:
                await piece(agent)
            if trial.wrong:
                await asyncio.sleep(0.5)
            else:
                is_done.set()

        async with asyncio.timeout(INDEXED_SECONDS):
            await looker.live(look, is_done)

    await asyncio.gather(*(wait(agent) for agent in first.values()))


async def under_load(service: Service, agents: list[Agent], tally: Tally) -> None:
    """Everybody works; meanwhile one replica dies and comes back, and PostgreSQL is restarted."""
    is_over = asyncio.Event()
    watcher = threading.Thread(target=watch_memory, args=(service, tally, is_over), daemon=True)
    watcher.start()
    began = time.monotonic()
    working = [asyncio.create_task(agent.live(any_work, is_over)) for agent in agents]
    try:
        await until(began + SECONDS * KILLED_AT)
        tally.disturb("replica one killed", DISTURBED_SECONDS)
        await asyncio.to_thread(service.replicas[0].kill)
        await until(began + SECONDS * BACK_AT)
        tally.disturb("replica one started again", DISTURBED_SECONDS / 3)
        service.replicas[0].start_again()
        await asyncio.to_thread(wait_until_up, service.replicas[0])
        await until(began + SECONDS * RESTARTED_AT)
        tally.disturb("PostgreSQL restarted", DISTURBED_SECONDS)
        await asyncio.to_thread(service.postgres.stop)
        await asyncio.to_thread(service.postgres.start)
        await until(began + SECONDS)
    finally:
        is_over.set()
        await asyncio.gather(*working)
        watcher.join()


async def looked_at_last(agents: list[Agent]) -> None:
    """Everybody looks once more at what was acknowledged."""

    async def look(agent: Agent) -> None:
        is_done = asyncio.Event()

        async def once(agent: Agent) -> None:
            await list_tasks(agent)
            is_done.set()

        async with asyncio.timeout(120):
            await agent.live(once, is_done)

    await asyncio.gather(*(look(agent) for agent in agents))


def kept_findings(service: Service, agents: list[Agent]) -> list[str]:
    """Acknowledged findings that are not in the database, and doubled ones."""
    kept = [content for (content,) in service.rows("SELECT content FROM discovery")]
    missing = [f"lost: {each}" for agent in agents for each in agent.findings if each not in set(kept)]
    return missing + [f"doubled: {each}" for each in {each for each in kept if kept.count(each) > 1}]


def watch_memory(service: Service, tally: Tally, is_over: asyncio.Event) -> None:
    """Note each second what the replicas hold; a replica that was started again is another one."""
    while not is_over.is_set():
        for replica in service.replicas:
            if kilobytes := replica.kilobytes():
                name = f"{replica.name} ({replica.process.pid})"
                tally.memory.append(Sample(name, tally.calls, kilobytes))
        time.sleep(1.0)


async def until(moment: float) -> None:
    """Sleep until a moment of the clock."""
    await asyncio.sleep(max(0.0, moment - time.monotonic()))


def test_the_figures_of_memory_are_of_the_second_half():
    tally = Tally()
    tally.memory = [Sample("one", calls * 1000, 1024 * (100 + calls)) for calls in range(50)]

    assert round(tally.slopes()["one"]) == 100
