"""A small project with something for every view: documents, decisions, a pattern, code, tasks and findings."""

from fieldguide.spine.usage import note_usage
from fieldguide.storage.state_folder import make_state_folder
from tests.architecture_projects import PATTERNS, REPOSITORY
from tests.browser.sites import ServedSite
from tests.projects import Project

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
USAGE = (
    {
        "event": "prompt",
        "client": "claude-code",
        "session": "one",
        "tokens": 120,
        "asked": "Retry a payment that fails after ten minutes",
        "given": ["docs/guides/paying.md#L5-L7", "src/orders.py#L6-L11"],
    },
    {"tool": "guide_symbol", "client": "codex", "asked": "OrderRepository", "given": ["src/orders.py#L6-L11"]},
    {"event": "after-edit", "client": "claude-code", "session": "one", "tokens": 0, "path": "src/orders.py"},
    {"client": "codex", "calls": {"guide_symbol": 1}, "tokens": {"guide_symbol": 140}},
)


def write_orchard(project: Project) -> None:
    """The files of the project, and what agents asked in it."""
    project.write("README.md", README)
    state = make_state_folder(str(project.root))
    for row in USAGE:
        note_usage(state, row)
    project.write("docs/guides/paying.md", PAYING)
    project.write("docs/guides/shipping.md", SHIPPING)
    for name, text in DECISIONS.items():
        project.write(f"docs/decisions/{name}", text)
    project.write(f"{PATTERNS}/repository.md", REPOSITORY)
    project.write("src/orders.py", ORDERS)


def fill_orchard(site: ServedSite) -> None:
    """What people and agents have added: tasks, and findings with their evidence."""
    for title in TASKS:
        site.call("add_task", {"title": title})
    for finding in FINDINGS:
        site.call("guide_record", {**finding, "evidence": {"files": ["src/orders.py"]}})
