"""The threads that read in turns: whatever the moment at which a call is adopted, no byte of the next is lost."""

import asyncio
import os
import threading
from collections import deque
from time import sleep
from types import SimpleNamespace
from typing import Any, cast

from fieldguide.server.reading import LoneCall, Reading
from fieldguide.spine.workers import Job, Workers, _offered
from tests.processes import eventually

LONG_SECONDS = 0.02


class Desk:
    """A reader over a pipe of its own, for which the line `long` is a call that takes its time."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self.adopted: list[LoneCall] = []
        descriptor, self.client = os.pipe()
        self.reading = Reading(
            cast("Any", SimpleNamespace(input=descriptor, wait_for_room=lambda: None)),
            receive=self.receive,
            adopt=self.adopted.append,
            end=lambda: None,
            flush=lambda: None,
            workers=Workers(),
        )
        self.reading.start()

    def receive(self, data: bytes) -> bool:
        self.received.append(data)
        return data != b"long" or self.reading.run(1, self.call(), deque())

    async def call(self) -> None:
        await _offered(Job(lambda: sleep(LONG_SECONDS)))


def test_a_thread_that_comes_back_before_its_turn_was_given_away_reads_no_further(monkeypatch):
    given_away = threading.Event()
    pass_on = Reading._pass_on_turn

    def pass_on_late(reading: Reading) -> None:
        """As when the watch is not scheduled for a while, just after it has adopted the call."""
        is_watch = threading.current_thread().name == "fieldguide-watch"
        if is_watch:
            sleep(5 * LONG_SECONDS)
        pass_on(reading)
        if is_watch:
            given_away.set()

    monkeypatch.setattr(Reading, "_pass_on_turn", pass_on_late)

    async def scene() -> Desk:
        desk = Desk()
        os.write(desk.client, b"long")
        assert await asyncio.to_thread(given_away.wait, 15)
        os.write(desk.client, b"next")
        await asyncio.to_thread(eventually, lambda: len(desk.received) > 1)
        return desk

    desk = asyncio.run(scene())
    assert desk.received == [b"long", b"next"]
    assert len(desk.adopted) == 1
    for work in [call.work for call in desk.adopted]:
        work.close()
