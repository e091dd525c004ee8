"""A shop with requirements, decisions, code, tests and commits that name each other, and some that do not."""

import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from tests.document_wires import Ask, Told, ask_over_stdio
from tests.git_projects import GitProject
from tests.processes import eventually
from tests.projects import Project
from tests.servers import FIELDGUIDE, environment

ALL = ("--toolsets", "architecture,context,documents,guide,tasks")
FILES = {
    "docs/requirements.md": "# What the shop must do\n\n"
    "- **SHOP-1**: A price is a whole number of cents.\n"
    "- **SHOP-2**: A cart can be emptied.\n"
    "- **SHOP-3**: A mail is sent once.\n"
    "- **SHOP-4**: Nobody tests this.\n",
    "docs/adr/0001-money-is-whole.md": "---\nstatus: accepted\nimplements: SHOP-1\n---\n\n# Money is whole\n\n"
    "## Context\n\nSums were off.\n\n## Decision\n\n`MoneyCounter` counts cents. Carts stay in `shop/cart.py`.\n",
    "docs/adr/0002-mail-is-queued.md": "# 2. Mail is queued\n\n## Status\n\nAccepted\n\n## Decision\n\nAn outbox.\n",
    "docs/adr/0003-we-meet-on-mondays.md": "---\nstatus: accepted\nabout: process\n---\n\n# We meet on Mondays\n\n"
    "## Decision\n\nOn Mondays.\n",
    "docs/adr/0004-sell-by-post.md": "# 4. Sell by post\n\n## Status\n\nRejected\n\n## Decision\n\nNo.\n",
    "docs/prices.md": "# Prices\n\nSee ADR 1 and `shop/prices.py`, which keeps SHOP-1.\n",
    "shop/__init__.py": "",
    "shop/prices.py": "\nclass MoneyCounter:\n    def total(self, items):\n        return sum(items)\n",
    "shop/cart.py": "# Decided in docs/adr/0001-money-is-whole.md.\nfrom shop.prices import MoneyCounter\n",
    "shop/mail.py": "def send_mail(to):\n    return to  # SHOP-3\n",
    "tests/test_prices.py": "from shop.prices import MoneyCounter\n\n\n"
    '@proves(\n    "SHOP-1",\n)\ndef test_a_total_is_whole():\n    assert MoneyCounter().total([1]) == 1\n\n\n'
    "def test_shop_2_a_cart_is_emptied():\n    pass\n",
    "tests/test_mail.py": "from shop.mail import send_mail\n\n\ndef test_mail():\n"
    '    """SHOP-3: once."""\n\n\n@proves("SHOP-99")\ndef test_something_else():\n    pass\n',
}
REFUSED = "Nothing here is called"


def shop(project: Project) -> GitProject:
    """The shop, with a history of three commits."""
    made = GitProject(project.root)
    for path, text in FILES.items():
        made.write(path, text)
    made.commit_all("Open the shop")
    made.write("shop/mail.py", f"{FILES['shop/mail.py']}# again\n")
    made.commit_all("Send mail once\n\nKeeps SHOP-3, as ADR 2 says.")
    made.commit("Sweep the floor", "floor.txt")
    return made


def serving(project: Project, *flags: str) -> AbstractContextManager[Ask]:
    """A server of the shop as it is indexed."""
    place = flags if "--database" in flags else ()
    command = [FIELDGUIDE, "index", "--project", str(project.root), *place]
    subprocess.run(command, env=environment(), check=True, capture_output=True, timeout=120)
    return ask_over_stdio(project, *ALL, *flags)


def trace(ask: Ask, of: str, is_there: Callable[[dict[str, Any]], bool] | None = None, **more: object) -> Told:
    """The chain of something, once it is as wanted: the trace is made beside the first calls."""
    told: list[Told] = []

    def has_come() -> bool:
        told[:] = [ask("guide_trace", of=of, **more)]
        value = told[0].structured or {}
        return "items" in value and (is_there is None or is_there(value)) and "ask again" not in said(told[0])

    assert eventually(has_come), said(told[0])
    return told[0]


def said(told: Told) -> str:
    """The text of an answer."""
    return "\n".join(told.texts)


def links(told: Told, kind: str) -> dict[str, dict[str, Any]]:
    """The links of a kind by their paths."""
    return {item["path"]: item for item in told.structured["items"] if item["kind"] == kind}
