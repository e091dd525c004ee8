"""A client that shows panels, in Chromium: the official bridge for hosts in front of a real server."""

import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Frame, Page

from tests.browser.visitors import Visitors
from tests.interop.clients import NODE
from tests.panels import SHOWS_PANELS
from tests.raw_client import RawClient

INTEROP = Path(__file__).parents[1] / "interop"
BUNDLER = INTEROP / "node_modules" / "rolldown" / "bin" / "cli.mjs"
ORIGIN = "http://host.invalid"
PAGE = "<!DOCTYPE html><html lang='en'><title>A client</title><body style='margin: 0'></body></html>"
CAPABILITIES: dict[str, Any] = {"serverTools": {}, "serverResources": {}, "updateModelContext": {"text": {}}}


@cache
def host_script() -> str:
    """The host with the official bridge in it, as one script."""
    command = [
        str(NODE),
        str(BUNDLER),
        "panel_host.mjs",
        "--format",
        "iife",
        "--platform",
        "browser",
        "--log-level",
        "silent",
    ]
    done = subprocess.run(command, cwd=INTEROP, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


class PanelHost:
    """A person's client, connected to a server, with a window that shows what tools answer."""

    def __init__(self, visitors: Visitors, client: RawClient) -> None:
        self._client = client
        handshake = {"protocolVersion": "2025-11-25", "clientInfo": {"name": "host", "version": "0"}}
        client.request("initialize", **handshake, capabilities=SHOWS_PANELS)
        self._tools = {tool["name"]: tool for tool in self._ask("tools/list", {})["tools"]}
        self.page: Page = visitors.context(ORIGIN).new_page()
        self.page.expose_function("server", self._ask)
        self.page.route(f"{ORIGIN}/", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
        self.page.goto(f"{ORIGIN}/")
        self.page.evaluate(host_script())

    def call(self, tool: str, given: Mapping[str, Any], capabilities: Mapping[str, Any] | None = None) -> Frame:
        """Call a tool as the model does, and show its panel with the answer."""
        result = self._ask("tools/call", {"name": tool, "arguments": given})
        address = self.page.evaluate("tool => panelOf(tool)", self._tools[tool])
        [contents] = self._ask("resources/read", {"uri": address})["contents"]
        shown = {"contents": contents, "context": {"theme": "light"}, "given": given, "result": result}
        can = CAPABILITIES if capabilities is None else capabilities
        self.page.evaluate("shown => showPanel(shown)", {**shown, "capabilities": can})
        frame = self.page.query_selector("#panel")
        panel = frame.content_frame() if frame else None
        assert panel is not None
        panel.wait_for_selector("main:not([aria-busy])")
        return panel

    def _ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        answer = self._client.request(method, **params)
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        result: dict[str, Any] = answer["result"]
        return result
