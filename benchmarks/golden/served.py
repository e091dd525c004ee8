"""The front doors: the program as a command, over stdio, and over HTTP. Nothing of our own modules is imported."""

import html
import http.client
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE_SECONDS = 120.0
SAME_PAGES = 6
BETWEEN_PAGES_SECONDS = 0.3
PROTOCOL_VERSION = "2025-11-25"
HREF = re.compile(r'href="(/[^"#]*)')


SAME_IDS = """\
import hashlib, itertools, sys, uuid
numbers = itertools.count()
words = [word for word in sys.argv if "/" not in word]
def uuid4():
    text = f"{words} {next(numbers)}".encode()
    return uuid.UUID(bytes=hashlib.sha256(text).digest()[:16], version=4)
uuid.uuid4 = uuid4
"""
"""Run by every Python process at its start: how many tokens a random id has decides what fits a budget."""


class Program:
    """An installed `fieldguide` with a home, a state folder and settings of its own."""

    def __init__(self, path: Path, home: Path) -> None:
        self.path = path
        (home / "start").mkdir()
        (home / "start" / "sitecustomize.py").write_text(SAME_IDS, "utf-8")
        self._environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "FIELDGUIDE_", "XDG_", "GIT_"))
        } | {
            "HOME": str(home),
            "PYTHONPATH": str(home / "start"),
            "PYTHONHASHSEED": "0",
            "FIELDGUIDE_STATE": str(home / "state"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_STATE_HOME": str(home / "xdg"),
            "USER": "golden",
            "LOGNAME": "golden",
            "COLUMNS": "100",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "NO_COLOR": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }

    def run(self, *words: str, folder: Path, stdin: str = "") -> str:
        """What a command prints, on both streams, and its exit code."""
        done = subprocess.run(
            [str(self.path), *words],
            cwd=folder,
            env=self._environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        stderr = f"--- stderr\n{done.stderr}" if done.stderr else ""
        return f"{done.stdout}{stderr}--- exit code {done.returncode}\n"

    def start(self, *words: str, folder: Path) -> subprocess.Popen[str]:
        """A process of it with pipes."""
        return subprocess.Popen(
            [str(self.path), *words],
            cwd=folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


class StdioServer:
    """A server on pipes, asked one thing after the other."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._last_id = 0

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The whole message that answers a request."""
        self._last_id += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": self._last_id, "method": method}
        self._send(message if params is None else message | {"params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._last_id:
                return {key: value for key, value in answer.items() if key not in ("jsonrpc", "id")}
        raise RuntimeError("The server has ended.")

    def notify(self, method: str) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method})

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What a tool answers."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


@contextmanager
def serve_stdio(program: Program, folder: Path) -> Iterator[tuple[StdioServer, dict[str, Any]]]:
    """A server of a project and its answer to `initialize`."""
    process = program.start("serve", "--project", str(folder), folder=folder)
    try:
        server = StdioServer(process)
        client = {"name": "golden", "version": "0"}
        hello = {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": client}
        greeting = server.ask("initialize", hello)
        server.notify("notifications/initialized")
        yield server, greeting
    finally:
        _stop(process)


def crawl_pages(program: Program, folder: Path, *, limit: int) -> Iterator[tuple[str, str]]:
    """The pages for people with their paths: from the first on, whatever it links to, up to a number of pages."""
    process = program.start("serve", "--project", str(folder), "--http", "127.0.0.1:0", "--no-token", folder=folder)
    try:
        port = _port_of(process)
        _wait_until_settled(port)
        waiting, seen = ["/"], {"/"}
        while waiting and len(seen) - len(waiting) < limit:
            path = waiting.pop(0)
            answer, body = _get(port, path)
            yield path, answer
            for link in map(html.unescape, HREF.findall(body)):  # as they stand: some have random ids
                if link not in seen and not link.startswith("/static"):
                    waiting.append(link)
                    seen.add(link)
    finally:
        _stop(process)


def _wait_until_settled(port: int) -> None:
    """A server looks its project over when it starts; until then the first page says so, now and then."""
    pages: list[str] = []
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until and not (len(pages) > SAME_PAGES and len(set(pages[-SAME_PAGES:])) == 1):
        time.sleep(BETWEEN_PAGES_SECONDS)
        pages.append(_get(port, "/")[1])


def _get(port: int, path: str) -> tuple[str, str]:
    """What is answered for a path, and its body alone. A connection for each: an error may end one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read().decode("utf-8", "replace")
        return f"{answer.status} {answer.headers.get('content-type')}\n{body}", body
    finally:
        connection.close()


def _port_of(process: subprocess.Popen[str]) -> int:
    assert process.stderr is not None
    until = time.monotonic() + PATIENCE_SECONDS
    for line in process.stderr:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if found:
            return int(found[1])
        if time.monotonic() > until:
            break
    raise RuntimeError("The server did not say where it listens.")


def _stop(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
