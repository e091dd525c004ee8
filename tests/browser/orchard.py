"""A small project with something for every view: documents, decisions, a pattern, code, history, tasks and findings."""

from pathlib import Path

from fieldguide.spine.questions import append_question
from fieldguide.storage.state_folder import make_state_folder
from tests.architecture_projects import PATTERNS, REPOSITORY
from tests.browser.sites import ServedSite
from tests.git_projects import GitProject

README = """\
# Orchard

Orchard sells apples over the internet. [Paying](docs/guides/paying.md) tells how money gets in.
"""
PAYING = """\
# Paying

A card is charged when the parcel leaves, never before.

## When a payment fails

A payment that fails is tried again after five minutes, three times at most. The customer hears of it after the third.

| try | after |
| --- | ---: |
| first | 5 minutes |
| second | 10 minutes |
| third | 20 minutes |

## Refunds

Refunds go back to the card that paid:

```python
def refund(order):
    return gateway.refund(order.payment, order.total)
```

### Partial refunds

A part of an order is refunded by its lines. See [Shipping](shipping.md#parcels).
"""
SHIPPING = """\
# Shipping

## Parcels

One order is one parcel. A parcel that weighs more than 20 kg is split.

## Addresses

- The postal code is checked.
- The country is one that we deliver to.
"""
DECISIONS = {
    "0001-keep-orders-in-sqlite.md": (
        "---\nstatus: superseded by 0003\ndate: 2024-02-01\n---\n\n# Keep orders in SQLite\n\n## Context\n\n"
        "One process sells.\n\n## Decision\n\nOrders are rows of a SQLite file.\n"
    ),
    "0002-charge-when-the-parcel-leaves.md": (
        "---\nstatus: accepted\ndate: 2024-06-12\n---\n\n# Charge when the parcel leaves\n\n## Context\n\n"
        "Customers cancel.\n\n## Decision\n\nThe card is charged when the parcel leaves.\n"
    ),
    "0003-keep-orders-in-postgresql.md": (
        "---\nstatus: accepted\ndate: 2025-03-20\nsupersedes: 0001\n---\n\n# Keep orders in PostgreSQL\n\n"
        "## Context\n\nThree processes sell.\n\n## Decision\n\nOrders are rows of PostgreSQL. This supersedes"
        " [0001](0001-keep-orders-in-sqlite.md).\n"
    ),
    "0004-charge-deposits-at-once.md": (
        "---\nstatus: proposed\ndate: 2025-09-02\namends: 0002\n---\n\n# Charge deposits at once\n\n## Context\n\n"
        "Trees are costly.\n\n## Decision\n\nA deposit is charged with the order. This amends"
        " [0002](0002-charge-when-the-parcel-leaves.md).\n"
    ),
}
ORDERS = '''\
"""Orders as they are kept."""

import psycopg


class OrderRepository:
    """Keeps orders and gives them back."""

    def find(self, number: int) -> dict[str, object]:
        """One order by its number."""
        return {"number": number, "total": 12}


def total_of(order: dict[str, object]) -> object:
    """What a customer pays for an order."""
    return order["total"]
'''
CHECKOUT = '''\
"""Pays for orders: the way from a basket to a parcel."""

from src.orders import OrderRepository, total_of
from src.payments import charge, refund


def check_out(number: int, card: str) -> object:
    """Charge the card for an order, and give the money back where the charge is wrong."""
    order = OrderRepository().find(number)
    amount = total_of(order)
    receipt = charge(card, amount)
    if receipt != amount:
        refund(card, receipt)
    return receipt


def main() -> None:
    """Check out the order of the day."""
    check_out(1, "card")
'''
PAYMENTS = '''\
"""Talks to the gateway."""


def charge(card: str, amount: object) -> object:
    """Take money from a card; tried again when the gateway is slow."""
    return send("charge", card, amount)


def refund(card: str, amount: object) -> object:
    """Give money back to the card that paid."""
    return send("refund", card, amount)


def send(what: str, card: str, amount: object) -> object:
    """One request to the gateway."""
    return amount
'''
TESTS = """\
from src.checkout import check_out


def test_the_card_is_charged() -> None:
    assert check_out(1, "card") == 12
"""
CHANGES = (
    ("Sell apples", "Ann Author", "2026-01-05T09:00:00+00:00"),
    ("Charge a card that is slow only once", "Bob Builder", "2026-02-11T10:00:00+00:00"),
    ("Say what a customer pays", "Ann Author", "2026-03-04T05:06:07+00:00"),
)
TASKS = (
    "Write to the gateway about double charges",
    "Tell customers when a parcel is split",
    "Translate the page for refunds",
)
FINDINGS = (
    {"type": "rule", "content": "Every order has a parcel before it is charged", "module": "orders"},
    {"type": "pattern", "content": "The gateway answers twice when the network is slow", "module": "orders"},
    {"type": "issue", "content": "Postal codes of Ireland are refused", "module": "shipping"},
)
ASKED = (
    {
        "tool": "guide_brief",
        "client": "claude-code",
        "tokens": 120,
        "asked": "Retry a payment that fails after ten minutes",
        "given": ["docs/guides/paying.md#L5-L7", "src/orders.py#L6-L11"],
    },
    {"tool": "guide_symbol", "client": "codex", "asked": "OrderRepository", "given": ["src/orders.py#L6-L11"]},
)


def write_orchard(root: Path) -> None:
    """The files of the project with three commits, and what agents asked in it."""
    root.mkdir(exist_ok=True)
    project = GitProject(root)
    project.write("README.md", README)
    state = make_state_folder(str(project.root))
    for row in ASKED:
        append_question(state, row)
    project.write("docs/guides/paying.md", PAYING)
    project.write("docs/guides/shipping.md", SHIPPING)
    for name, text in DECISIONS.items():
        project.write(f"docs/decisions/{name}", text)
    project.write(f"{PATTERNS}/repository.md", REPOSITORY)
    project.write("src/checkout.py", CHECKOUT)
    project.write("src/payments.py", PAYMENTS)
    project.write("tests/test_checkout.py", TESTS)
    project.write("CODEOWNERS", "docs/ @writers\nsrc/payments.py @payments\n")
    for number, (message, author, day) in enumerate(CHANGES, 1):
        beginning = ORDERS if number == len(CHANGES) else ORDERS.partition("def total_of")[0] + f"LIMIT = {number}\n"
        project.write("src/orders.py", beginning)
        project.git("add", "--all")
        project.commit_all(message, author=author, date=day)


def fill_orchard(site: ServedSite) -> None:
    """What people and agents have added: tasks, and findings with their evidence."""
    for title in TASKS:
        site.call("add_task", {"title": title})
    for finding in FINDINGS:
        site.call("guide_record", {**finding, "evidence": {"files": ["src/orders.py"]}})
