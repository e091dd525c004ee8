"""The pictures of the guide to panels, taken of this very repository: `python -m tests.browser.panel_pictures`."""

import os
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Frame

from tests.browser.panel_host import PanelHost
from tests.browser.screenshots import visiting
from tests.raw_client import RawClient

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
WIDTH, HIGHEST = 720, 900
TASKS = ("Water the plants", "Write the report", "Ask Grace about the old header row")
PROPOSAL = "Wait for a lone call on the thread that read it, and keep the vectors in one array of numpy"


def main() -> None:
    """The board and the decisions, as a client shows them."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as state, visiting() as visitors:
        os.environ["FIELDGUIDE_STATE"] = state
        with RawClient(ROOT, "--toolsets", "architecture,tasks", "--user", "ann") as client:
            host = PanelHost(visitors, client)
            for title in TASKS:
                client.call("add_task", title=title)
            client.call("complete_task", task_id=1)
            take(host, "panel-tasks", host.call("list_tasks", {}))
            take(host, "panel-decisions", _opened(host.call("check-adr-alignment", {"decision_description": PROPOSAL})))


def take(host: PanelHost, name: str, panel: Frame) -> None:
    """A picture of a panel, as high as it is."""
    height: Any = panel.evaluate("document.documentElement.scrollHeight")
    host.page.set_viewport_size({"width": WIDTH, "height": min(int(height), HIGHEST)})
    panel.evaluate("new Promise(requestAnimationFrame)")
    taken = FOLDER / f"{name}.png"
    host.page.screenshot(path=taken)
    print(f"{taken.relative_to(ROOT)}: {taken.stat().st_size:,} bytes")


def _opened(panel: Frame) -> Frame:
    """With the decision open that the proposal touches most."""
    panel.locator(".decision > button").last.click()
    return panel


if __name__ == "__main__":
    main()
