"""The threads that read in turns: whatever the moment at which a call is adopted, no byte of the next is lost."""

import asyncio
import os
import threading
from collections import deque
from time import sleep
from types import SimpleNamespace
from typing import Any, cast

from fieldguide.spine.workers import Job, Workers, _offered
from fieldguide.wire.stdio import LoneCall, StdinReader
from tests.processes import eventually

READS_ON_SECONDS = 0.1  # a thread that reads on although it lost its turn does so at once


class Desk:
    """A reader over a pipe of its own, for which the line `long` is a call that takes its time."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self.adopted: list[LoneCall] = []
        self.may_end = threading.Event()
        descriptor, self.client = os.pipe()
        self.reading = StdinReader(
            cast("Any", SimpleNamespace(input=descriptor, wait_for_room=lambda: None)),
            receive=self.receive,
            adopt=self.adopted.append,
            end=lambda: None,
            flush=lambda: None,
            workers=Workers(),
        )
        self.reading.pass_on_turn()

    def receive(self, data: bytes) -> bool:
        self.received.append(data)
        return data != b"long" or self.reading.run(1, self.call(), deque())

    async def call(self) -> None:
        await _offered(Job(lambda: self.may_end.wait(30)))


def test_a_thread_that_comes_back_before_its_turn_was_given_away_reads_no_further(monkeypatch):
    given_away = threading.Event()
    desks: list[Desk] = []
    pass_on = StdinReader.pass_on_turn

    def pass_on_late(reading: StdinReader) -> None:
        """As when the call ends just after the watch has adopted it, which is not scheduled for a while."""
        is_watch = threading.current_thread().name == "fieldguide-watch"
        if is_watch:
            desks[0].may_end.set()
            sleep(READS_ON_SECONDS)
        pass_on(reading)
        if is_watch:
            given_away.set()

    monkeypatch.setattr(StdinReader, "pass_on_turn", pass_on_late)

    async def scene() -> Desk:
        desks.append(desk := Desk())
        os.write(desk.client, b"long")
        assert await asyncio.to_thread(given_away.wait, 30)
        os.write(desk.client, b"next")
        assert await asyncio.to_thread(eventually, lambda: len(desk.received) > 1)
        return desk

    desk = asyncio.run(scene())
    assert desk.received == [b"long", b"next"]
    assert len(desk.adopted) == 1
    for work in [call.work for call in desk.adopted]:
        work.close()
