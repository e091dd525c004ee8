"""The executor in process: the order of its steps, timeouts, cancelled and concurrent calls."""

import asyncio
import threading
import time
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fieldguide.app import build_app
from fieldguide.settings.config import Settings
from fieldguide.spine.tool import Call, Pace, Tool
from fieldguide.spine.toolset import Toolset
from fieldguide.spine.workers import Workers
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import InvalidArguments, ToolTimeout
from fieldguide.wire.stdio import StdioServer
from tests.proves import proves

pytestmark = pytest.mark.anyio
OBJECT = {"type": "object", "properties": {"n": {"type": "integer"}}}


def app_with(*tools):
    lines: list[str] = []
    toolset = Toolset(name="t", tools=tools)
    return build_app(Settings(), (toolset,), write_journal=lines.extend), lines


def tool(run, **more):
    return Tool(**{"name": "t", "description": "x", "input_schema": OBJECT, "run": run, **more})


def call(name="t", **arguments):
    return Call(tool=name, arguments=arguments, cancellation=Cancellation())


async def execute(app, given):
    """A call on a thread, as HTTP makes it."""
    return await app.executor.workers.run(partial(app.executor.execute, given), given.cancellation)


@proves("S0-14", "S0-10")
async def test_a_call_is_run_on_a_worker_thread_and_answered():
    app, _ = app_with(tool(lambda call: {"thread": threading.current_thread().name, "n": call.arguments["n"]}))

    answer = await execute(app, call(n=3))

    assert answer.value == {"thread": "fieldguide-worker", "n": 3}
    assert answer.text == '{"thread":"fieldguide-worker","n":3}'


@proves("S0-15")
async def test_a_tool_never_sees_arguments_that_do_not_fit():
    seen: list[Call] = []
    app, _ = app_with(tool(seen.append))

    with pytest.raises(InvalidArguments):
        await execute(app, call(n="3"))

    assert seen == []


@proves("S0-67", "S0-76", "S0-18")
async def test_a_tool_that_takes_too_long_is_told_to_stop_and_counted():
    stopped = threading.Event()

    def run(call):
        while not call.cancellation.is_set:
            time.sleep(0.001)
        stopped.set()

    app, _ = app_with(tool(run, pace=Pace(timeout_seconds=2)))

    with pytest.raises(ToolTimeout, match=r"took longer than 2 seconds"):
        await execute(app, call())

    assert stopped.wait(30)
    assert [each.errors for each in app.executor.journal.metrics.measured()] == [{"ToolTimeout": 1}]


async def test_stuck_tools_do_not_use_up_the_threads():
    release = threading.Event()
    names = [f"stuck-{number}" for number in range(40)]  # each with a breaker of its own
    pace = Pace(timeout_seconds=0.05)
    stuck_tools = [tool(lambda call: release.wait(30), name=name, pace=pace) for name in names]
    app, _ = app_with(*stuck_tools, tool(lambda call: {"ok": True}))
    stuck = (execute(app, call(name)) for name in names)
    outcomes = await asyncio.gather(*stuck, return_exceptions=True)

    answer = await execute(app, call())
    release.set()

    assert {type(outcome) for outcome in outcomes} == {ToolTimeout}
    assert answer.value == {"ok": True}


async def test_a_cancelled_call_stops_its_work_and_counts_as_no_failure():
    began, stopped = threading.Event(), threading.Event()

    def run(call):
        began.set()
        with call.cancellation.stopping(stopped.set):
            stopped.wait(30)

    app, _ = app_with(tool(run))
    running = asyncio.create_task(execute(app, call()))
    while not began.is_set():
        await asyncio.sleep(0.001)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert stopped.is_set()
    assert app.executor.breakers.states() == {"tool_t": "closed"}


async def test_a_call_that_waits_for_a_stuck_one_gets_its_place():
    workers = Workers(max_threads=2)
    release = threading.Event()
    begun = threading.Barrier(3, timeout=30)
    stuck = [asyncio.create_task(workers.run(lambda: begun.wait() >= 0 and release.wait(30))) for _ in range(2)]
    await asyncio.to_thread(begun.wait)
    waiting = asyncio.create_task(workers.run(lambda: "served"))
    while workers.counts()["busy"] < 3:
        await asyncio.sleep(0)

    for task in stuck:
        task.cancel()

    assert await asyncio.wait_for(waiting, 10) == "served"
    release.set()


@proves("S0-16")
def test_what_comes_behind_a_handshake_is_not_read_before_it_is_answered():
    passed_on: list[str] = []

    class Timer:
        def after(self, seconds, function):
            passed_on.append(asked)
            return 0

        def cancel(self, number):
            return True

    app, _ = app_with(tool(lambda call: {}))
    server: Any = StdioServer(app.protocol, app.executor._replace(timer=cast("Any", Timer())), app.changes)
    server._pipes = SimpleNamespace(write=lambda line: None)  # as `run` opens them
    handshake = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}

    for asked, params in (("initialize", handshake), ("tools/list", {})):
        assert server._begin(asked, asked, params, None)

    assert passed_on == ["tools/list"]
