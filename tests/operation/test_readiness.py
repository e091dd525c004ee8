"""Whether a server is ready: what `/readyz` asks, what it tells, and what it costs."""

import asyncio
import json

import pytest

from fieldguide.team.monitoring import ReadinessProbes
from tests.fakes import FakeClock
from tests.raw_http import get
from tests.servers import http_server

NOWHERE = "postgresql://nobody:hidden-password@127.0.0.1:1/secret_name"


class Threads:
    """Runs looks one by one, on a thread."""

    async def run(self, function):
        await asyncio.to_thread(function)


def test_a_server_whose_parts_are_well_is_ready_and_says_so_to_anybody(tmp_path):
    with http_server(tmp_path) as url:
        ready = get(url, "/readyz")

    assert ready.status == 200
    parts = {"database": "ok", "migrations": "ok", "index": "ok", "model": "ok"}
    assert json.loads(ready.text) == {"status": "ready", "parts": parts}


def test_a_database_that_is_away_is_named_as_a_part_and_not_by_its_name(tmp_path):
    with http_server(tmp_path, "--database", NOWHERE) as url:
        alive, ready = get(url, "/healthz"), get(url, "/readyz")

    assert alive.status == 200
    assert ready.status == 503
    parts = {"database": "failed", "migrations": "failed", "index": "ok", "model": "ok"}
    assert json.loads(ready.text) == {"status": "not ready", "parts": parts}


@pytest.mark.anyio
async def test_a_crowd_costs_one_look_a_second():
    looks, clock = [], FakeClock()
    probes = ReadinessProbes({"database": lambda: looks.append(1)}, Threads().run, clock=clock)

    await asyncio.gather(*(probes.parts() for _ in range(50)))
    await probes.parts()
    assert len(looks) == 1

    clock.advance(1)
    assert await probes.parts() == {"database": "ok"}
    assert len(looks) == 2


@pytest.mark.anyio
async def test_a_look_that_hangs_is_told_as_failed_and_not_begun_twice(monkeypatch):
    monkeypatch.setattr("fieldguide.team.monitoring.LONGEST_SECONDS", 0.05)
    begun, ended = [], asyncio.Event()

    async def run(function):
        begun.append(1)
        probes._found = {"database": "failed"}
        await ended.wait()
        function()

    probes = ReadinessProbes({"database": lambda: None}, run, clock=FakeClock())

    assert await probes.parts() == {"database": "failed"}
    assert await probes.parts() == {"database": "failed"}
    assert len(begun) == 1
    ended.set()
    assert await probes.parts() == {"database": "ok"}
