"""The page of the decisions while very many of them are read: it says so, and comes again by itself."""

import asyncio
from typing import Any, cast

from starlette.requests import Request

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.pages import decisions
from fieldguide.pages.site import PageFacts, PageSite, ServedPage


def test_decisions_that_are_still_read_keep_nobody_waiting(tmp_path):
    served = ServedPage("http://127.0.0.1:1/mcp", "garden", ConfinedFolder(str(tmp_path)), ())
    shows: dict[str, Any] = {"architecture.decisions": lambda: None, "architecture.decision_history": lambda path: []}
    site = PageSite(served, PageFacts(health=dict, shows=shows), cast("Any", None))
    [every, one] = decisions.routes(site)
    request = Request(
        {"type": "http", "method": "GET", "headers": [], "query_string": b"", "path_params": {"name": "1"}}
    )

    answers = [asyncio.run(route.endpoint(request)) for route in (every, one)]

    assert [answer.headers["refresh"] for answer in answers] == ["2", "2"]
    assert all(b"still being read" in answer.body for answer in answers)
