"""axe-core, which looks for what a screen reader, a keyboard or weak eyes would stumble over.

It comes in through the debugger, so the page's strict policy need not be loosened for it.
"""

from functools import cache
from pathlib import Path

from playwright.sync_api import Page

SCRIPT = Path(__file__).parents[1] / "interop" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")
RUN = """async rules => (await axe.run(document, {
  resultTypes: ["violations"], ...(rules && {runOnly: {type: "rule", values: rules}}),
})).violations.map(each => [
  each.impact, `${each.id}: ${each.help}; ${each.nodes.slice(0, 3).map(node => node.html).join(" ")}`,
])"""


def grave_faults(page: Page) -> list[str]:
    """What axe calls serious or critical on a page, one sentence each."""
    return _found(page, None)


def poor_contrasts(page: Page) -> list[str]:
    """What axe finds hard to read: all that can differ between light and dark."""
    return _found(page, ["color-contrast"])


def _found(page: Page, rules: list[str] | None) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(_script())
    return [sentence for impact, sentence in page.evaluate(RUN, rules) if impact in GRAVE]


@cache
def _script() -> str:
    return SCRIPT.read_text(encoding="utf-8")
