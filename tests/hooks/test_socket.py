"""Hooks that a running server answers."""

import os
import socket
import stat
import time

import pytest

from fieldguide.cli import hook
from fieldguide.wire.hook_socket import HookListener, ask_server
from tests.hooks.hooked_projects import HookRunner
from tests.proves import proves
from tests.raw_client import RawClient


def sockets(folder) -> list[str]:
    """The sockets in a state folder."""
    return [name for name in os.listdir(folder) if name.endswith(".sock")]


def wait_for(claim) -> None:
    """Wait until something holds, for as long as a busy machine may need."""
    until = time.monotonic() + 60
    while not claim():
        assert time.monotonic() < until
        time.sleep(0.05)


@proves("H-10")
def test_a_running_server_answers_hooks_and_removes_its_socket(shop, monkeypatch, capsys):
    monkeypatch.setattr(hook, "WARM_SECONDS", 120.0)
    monkeypatch.setattr(hook, "look_here", None)  # nobody else could answer
    hooks = HookRunner(shop, monkeypatch, capsys)
    with RawClient(shop.root) as client:
        client.request(
            "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"}
        )
        wait_for(lambda: sockets(shop.state))
        (name,) = sockets(shop.state)
        assert stat.S_IMODE(os.stat(shop.state / name).st_mode) == 0o600
        text = hooks.context("before-search", session="warm", tool_input={"pattern": "reserve_stock"})
        assert text.startswith("reserve_stock is defined at shop/orders.py#L12-L14; ")
        client.process.terminate()
        client.process.wait(timeout=60)

    assert sockets(shop.state) == []


@proves("H-10")
def test_a_socket_that_was_left_behind_is_removed(tmp_path):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "hook-1.sock"))

    assert ask_server(str(tmp_path), {}, 60.0) is None
    assert sockets(tmp_path) == []


@pytest.fixture
def notes() -> list[str]:
    return []


def listener(folder, notes, answer) -> HookListener:
    return HookListener(lambda: str(folder), answer, lambda message, **fields: notes.append(message))


@proves("H-10")
def test_a_folder_with_a_long_path_has_a_socket_too(tmp_path, notes):
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    serving = listener(folder, notes, lambda request: {"text": request["event"]})
    serving.open()
    try:
        assert ask_server(str(folder), {"event": "prompt"}, 60.0) == {"text": "prompt"}
    finally:
        serving.close()
    assert sockets(folder) == []


@proves("H-9")
def test_a_server_that_fails_is_silent_and_notes_it(tmp_path, notes):
    def fail(request):
        raise RuntimeError("broken")

    serving = listener(tmp_path, notes, fail)
    serving.open()
    try:
        assert ask_server(str(tmp_path), {"event": "prompt"}, 60.0) is None
        wait_for(lambda: notes == ["Hook"])
    finally:
        serving.close()
